// The page's own behaviour: switching views, opening evidence, asking what is clicked.
// Evidence arrives as articles in #evidence-feed, once per answer; it is kept here, so that a
// chip of any earlier answer opens its own. Everything hangs on listeners of the document.
(() => {
  const kept = new Map();
  let hint = null;
  let opener = null;
  const byId = (id) => document.getElementById(id);
  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  const colloquy = (window.colloquy = { wanted: "" });

  function keep() {
    for (const article of document.querySelectorAll("#evidence-feed article[id]")) {
      kept.set(article.id, article.cloneNode(true));
    }
  }

  function start() {
    const feed = byId("evidence-feed");
    if (!feed || !byId("evidence") || !byId("view-ask")) return false;
    new MutationObserver(keep).observe(feed, { childList: true, subtree: true });
    show("ask");
    return true;
  }

  function panel() {
    const evidence = byId("evidence");
    return evidence.querySelector(".prose") || evidence;
  }

  // An answer's evidence is rendered a moment after its chips: look again until it is there.
  function open(link, patience = 40) {
    keep();
    const article = kept.get(link.getAttribute("href").slice(1));
    if (!article) {
      if (patience > 0) setTimeout(() => open(link, patience - 1), 50);
      return;
    }
    const shown = article.cloneNode(true);
    shown.removeAttribute("id");
    shown.tabIndex = -1;
    const place = panel();
    hint ??= [...place.childNodes];
    place.replaceChildren(backButton(), shown);
    document.querySelectorAll("#chat .open").forEach((old) => old.classList.remove("open"));
    link.classList.add("open");
    opener = link;
    byId("reading").scrollTop = 0;
    const target = shown.querySelector("mark") || shown;
    target.scrollIntoView({ block: "center", behavior: calm() ? "instant" : "smooth" });
    shown.focus({ preventScroll: true });
  }

  function backButton() {
    const button = document.createElement("button");
    button.className = "back";
    button.textContent = "Back to the answer";
    return button;
  }

  function back() {
    if (!opener?.isConnected) return;
    opener.scrollIntoView({ block: "nearest", behavior: calm() ? "instant" : "smooth" });
    opener.focus({ preventScroll: true });
  }

  const narrow = () => matchMedia("(max-width: 820px)").matches;

  // Where the evidence lies below the chat, a reader who asks from there is taken back up.
  function toChat() {
    if (narrow()) scrollTo({ top: 0, behavior: "instant" });
  }

  function ask(text) {
    if (!byId("stop").disabled) return;
    show("ask");
    toChat();
    colloquy.wanted = text;
    byId("ask-this").click();
    setTimeout(() => (colloquy.wanted = ""), 500);
  }

  function show(view) {
    document.body.dataset.view = view;
    byId("view-ask")?.setAttribute("aria-pressed", String(view === "ask"));
    byId("view-papers")?.setAttribute("aria-pressed", String(view === "papers"));
  }

  document.addEventListener("click", (event) => {
    const at = (selector) => event.target.closest?.(selector);
    const link = at('#chat a[href^="#src-"]');
    if (link) {
      event.preventDefault();
      open(link);
    } else if (at("#chat a.ask")) {
      event.preventDefault();
      ask(at("a.ask").textContent);
    } else if (at("#evidence button.back")) back();
    else if (at("#view-papers")) {
      show("papers");
      // On a phone this would open the keyboard over the list.
      if (!narrow()) {
        byId("library-search")?.querySelector("input, textarea")?.focus();
      }
    } else if (at("#view-ask")) show("ask");
    else if (at("#send")) toChat();
    else if (at("#clear")) {
      kept.clear();
      if (hint) panel().replaceChildren(...hint);
      show("ask");
      toChat();
      byId("question")?.querySelector("input, textarea")?.focus();
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.closest?.("#question")) toChat();
    if (event.key !== "Escape") return;
    if (byId("stop") && !byId("stop").disabled) byId("stop").click();
    else if (event.target.closest?.("#evidence")) back();
  });

  const waiting = new MutationObserver(() => start() && waiting.disconnect());
  if (!start()) waiting.observe(document, { childList: true, subtree: true });
})();
