// What is done with a message: ask again, edit, copy, save; and questions that are clicked.
{
  const acts = {
    copy: (number, link) => copy(markdown(colloquy.exchange(number)), link),
    retry: (number) => again(number, colloquy.exchange(number)),
    edit: (number) => edit(number),
    markdown: (number) => save("markdown", number),
    json: (number) => save("json", number),
    bibtex: (number) => save("bibtex", number),
  };

  function ask(question) {
    if (colloquy.running()) return;
    colloquy.toChat();
    colloquy.sending();
    colloquy.press("ask-this", question);
  }

  function again(number, { question, compared }) {
    if (colloquy.running()) return;
    colloquy.anew(number);
    if (!compared?.length) ask(question);
    else colloquy.compare(compared);
  }

  const save = (form, number) => colloquy.press("save-this", JSON.stringify({ form, number }));

  function markdown({ answer, known, text }) {
    if (!answer) return text;
    const titles = answer.citations.map(({ marker, paper }) => `[${marker}] ${known[paper].title}`);
    return [answer.text, [...new Set(titles)].join("\n")].join("\n\n").trim();
  }

  async function copy(text, link) {
    try {
      await navigator.clipboard.writeText(text);
      said(link, "Copied");
    } catch {
      said(link, "Not allowed here"); // the browser keeps its clipboard shut
    }
  }

  function said(link, text) {
    const before = link.textContent;
    link.textContent = text;
    colloquy.say(text);
    setTimeout(() => (link.textContent = before), 1500);
  }

  function edit(number) {
    if (colloquy.running()) return;
    colloquy.anew(number);
    document.body.dataset.editing = "";
    colloquy.toChat();
    colloquy.fill("question", colloquy.exchange(number).question);
    colloquy.say("Editing: the answers from here on are replaced.");
  }

  colloquy.stopEditing = () => {
    if (!("editing" in document.body.dataset)) return false;
    delete document.body.dataset.editing;
    colloquy.anew(-1);
    return true;
  };

  // A file made here from what the server wrote: nothing is left on the server.
  colloquy.deliver = (text) => {
    if (!text) return;
    const { name, text: content } = JSON.parse(text);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type: "text/plain;charset=utf-8" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    colloquy.say(`Saved ${name}`);
  };

  colloquy.clicked('#chat a.act[href^="#act-"]', (link) => {
    const [, act, number] = link.getAttribute("href").split("-");
    acts[act]?.(Number(number), link);
  });
  colloquy.clicked("#chat a.ask", (link) => ask(link.textContent));
  function sent() {
    if (colloquy.field("question").value.trim()) colloquy.sending();
    colloquy.toChat();
  }
  colloquy.clicked("#send", sent);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && event.target.closest?.("#question")) sent();
  });

  // What is written is followed by a reader who is at its end, and by nobody else; and only until
  // its question has come to the top, because an answer is read from its beginning.
  // On a narrow page all of it scrolls, and the end is that of the chat, not of what lies below.
  const NEAR = 40;
  let following = true;
  let ours = -1; // where this script has scrolled to
  let left = 0; // how far beyond the end the reader is, at the last look
  const scroller = () => document.body.dataset.view === "ask" && (colloquy.narrow() ? document.scrollingElement : document.querySelector("#chat .bubble-wrap"));
  const beyond = (all) => (colloquy.narrow()
    ? colloquy.byId("talk").getBoundingClientRect().bottom - innerHeight
    : all.scrollHeight - all.scrollTop - all.clientHeight);
  const MARGIN = 12;
  function aboveQuestion(all) {
    const last = [...document.querySelectorAll("#chat .user-row")].pop();
    const top = colloquy.narrow() ? colloquy.byId("views").getBoundingClientRect().height : all.getBoundingClientRect().top;
    return last ? last.getBoundingClientRect().top - top - MARGIN : Infinity;
  }
  document.addEventListener("scroll", ({ target }) => {
    const all = scroller();
    if (!all || (target !== all && target !== document)) return;
    left = beyond(all);
    if (Math.abs(all.scrollTop - ours) < 2) return;
    ours = -1;
    following = Math.abs(left) < NEAR;
  }, true);
  colloquy.follow = () => {
    following = true;
    const all = scroller();
    if (!all) return;
    all.scrollBy({ top: Math.min(beyond(all), aboveQuestion(all)), behavior: "instant" });
    ours = all.scrollTop;
  };
  colloquy.whenever("chat", () => {
    const all = scroller();
    if (following) colloquy.follow();
    // Who reads the evidence below stays with it while the chat above grows.
    else if (all && left < 0) all.scrollBy({ top: beyond(all) - left, behavior: "instant" });
  });

  // Gradio reads a message's HTML out as its name; its content says more.
  colloquy.whenever("chat", () => {
    for (const part of document.querySelectorAll("#chat [aria-label*=\"'s message: \"]")) {
      part.setAttribute("aria-label", part.dataset.testid === "user" ? "Question" : "Answer");
    }
  });
}
