// The page's own behaviour, in files that share one object, `colloquy`: views, evidence,
// conversations, what is done with a message, the library, keys. Everything hangs on listeners of
// the document, because Gradio draws its components anew. Texts of papers, questions and models
// are only ever set as text, or cloned from what Gradio has sanitised.
"use strict";

const places = {};
const colloquy = (window.colloquy = {
  // What an unseen button is pressed for; its event reads it at once.
  wanted: "",
  byId: (id) => document.getElementById(id),
  // Gradio gives a button's own id to the button, a field's to the box around it.
  field: (id) => colloquy.byId(id)?.querySelector("textarea, input"),
  narrow: () => matchMedia("(max-width: 820px)").matches,
  // While an answer is written a long way would be cut short by what follows its end.
  pace: () => (colloquy.running() || matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth"),
  running: () => !colloquy.byId("stop").disabled,

  press(id, wanted) {
    colloquy.wanted = wanted;
    colloquy.byId(id).click();
  },

  show(view) {
    const [before, scrolled] = [document.body.dataset.view, scrollY];
    document.body.dataset.view = view;
    if (colloquy.narrow() && before !== view) { // each view stays where it was scrolled to
      places[before] = scrolled;
      scrollTo({ top: places[view] ?? 0, behavior: "instant" });
    }
    for (const name of ["ask", "papers", "add"]) {
      colloquy.byId(`view-${name}`)?.setAttribute("aria-pressed", String(view === name));
    }
  },

  // Where the evidence lies below the chat, a reader who asks from there is taken back up.
  toChat() {
    colloquy.show("ask");
    if (colloquy.narrow()) colloquy.follow();
  },

  // Gradio learns of a value that a script sets from an input event.
  fill(id, text) {
    const field = colloquy.field(id);
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  },

  // Heard by screen readers, and nowhere seen.
  say(text) {
    colloquy.byId("said").textContent = text;
  },

  // Calls a function when an element is there, and whenever something in it changes.
  whenever(id, call, what = { childList: true, subtree: true }) {
    const start = () => {
      const found = colloquy.byId(id);
      if (!found) return false;
      new MutationObserver(call).observe(found, what);
      call();
      return true;
    };
    const waiting = new MutationObserver(() => start() && waiting.disconnect());
    if (!start()) waiting.observe(document, { childList: true, subtree: true });
  },

  // Calls a function with the closest element that fits where something was clicked.
  clicked(selector, call) {
    document.addEventListener("click", (event) => {
      const found = event.target.closest?.(selector);
      if (!found) return;
      if (found.matches("a")) event.preventDefault();
      call(found, event);
    });
  },
});

colloquy.show("ask");
// The buttons are drawn later than this runs: show them which view is open.
colloquy.whenever("views", () => {
  if (colloquy.byId("view-ask")?.hasAttribute("aria-pressed") === false) {
    colloquy.show(document.body.dataset.view);
  }
});
colloquy.clicked("#view-ask", () => colloquy.show("ask"));
colloquy.clicked("#view-add", () => colloquy.show("add"));
colloquy.clicked("#view-papers", () => {
  colloquy.show("papers");
  // On a phone this would open the keyboard over the list.
  if (!colloquy.narrow()) colloquy.field("library-search")?.focus();
});
colloquy.clicked("#show-help", () => colloquy.byId("help").showModal());
