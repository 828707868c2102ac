// Conversations: which one is shown, what is asked in it, and the list of all. The server is told with
// each question which conversation and which exchange it is, and hands the finished exchange back to
// be kept (kept.js).
{
  const { fresh, read, all, write, remove, name } = colloquy.talks;
  // A question is on its way for this long (milliseconds) at most: then the server is not there.
  const PATIENCE = 5000;
  let talk = null;
  let from = -1;
  let pressedAt = -PATIENCE; // Gradio asks some moments after the key
  let askedAt = -PATIENCE;
  let waiting = 0;

  function current() {
    talk ??= colloquy.talks.shown() ?? fresh();
    return talk;
  }

  function choose(next) {
    talk = next;
    from = -1;
    colloquy.talks.show(talk.id);
    colloquy.forget();
    colloquy.closeEvidence();
    colloquy.stopEditing();
    colloquy.drawChosen();
    colloquy.follow();
    colloquy.toChat();
  }

  // Asked, and not yet on the page: there is nothing to stop yet.
  const recent = (moment) => performance.now() - moment < PATIENCE;
  const arrived = () => (pressedAt = askedAt = -PATIENCE);
  let could = false;
  colloquy.sending = () => (pressedAt = performance.now());
  colloquy.whenever("stop", () => {
    if (colloquy.running() !== could) arrived(); // it can be pressed, or no longer
    could = colloquy.running();
  }, { attributeFilter: ["disabled"] });

  // What replaces the conversation waits until the answer that is being written was stopped: else
  // that answer would be written into the next one.
  async function whenIdle(call) {
    waiting += 1;
    const end = performance.now() + PATIENCE;
    for (let stopped = false; performance.now() < end && (colloquy.running() || recent(Math.max(pressedAt, askedAt))); ) {
      if (colloquy.running() && !stopped) {
        stopped = true;
        askedAt = performance.now(); // until it can no longer be pressed
        colloquy.byId("stop").click();
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    waiting -= 1;
    call();
  }

  // The inputs of the event that asks: the question, the server's own state, and the place.
  // Where the question is no text to read, `title` stands for it until the answer is there.
  colloquy.asking = (question, state, title = question) => {
    pressedAt = -PATIENCE;
    if (waiting || colloquy.running() || recent(askedAt)) return [question, state, JSON.stringify({ busy: true })];
    const place = colloquy.place();
    if (question?.trim()) {
      askedAt = performance.now();
      const now = current();
      const number = from >= 0 ? from : now.exchanges.length;
      colloquy.forget(number);
      // Kept at once, so that a page that is left meanwhile still shows what was asked.
      now.exchanges.length = Math.min(now.exchanges.length, number);
      put(now, number, { question: title, text: "", stopped: true });
      from = -1;
      colloquy.stopEditing();
      colloquy.follow();
    }
    return [question, state, place];
  };

  function put(kept, number, exchange) {
    kept.exchanges[number] = exchange;
    kept.at = Date.now();
    colloquy.talks.show(current().id);
    write(kept);
  }

  colloquy.place = () => JSON.stringify({ talk: current().id, from, papers: colloquy.chosen().map(({ id }) => id) });
  colloquy.anew = (number) => (from = number);
  colloquy.exchange = (number) => current().exchanges[number];
  colloquy.chosen = () => current().papers;

  // The papers that alone are asked from now on; none: all.
  colloquy.choosePapers = (papers) => {
    current().papers = papers;
    if (current().exchanges.length) write(current());
    colloquy.drawChosen();
  };

  colloquy.keep = (text) => {
    if (!text) return; // nothing was asked
    arrived();
    const { talk: id, number, exchange } = JSON.parse(text);
    const kept = id === current().id ? current() : read(id);
    // Deleted while its answer was written, or cut by an edit.
    if (kept && number <= kept.exchanges.length) put(kept, number, exchange);
  };

  // What the server makes the chat from again.
  colloquy.stored = () => {
    const { exchanges } = current();
    return exchanges.length ? JSON.stringify(exchanges) : "";
  };

  colloquy.notice = (text) => {
    colloquy.say(text);
    const line = document.createElement("p");
    line.className = "note warning";
    line.textContent = text;
    colloquy.byId("talks").querySelector("h2").after(line);
  };

  function draw() {
    const rows = all().map((kept) => {
      const row = document.createElement("li");
      const open = button(name(kept), () => {
        colloquy.byId("talks").close();
        whenIdle(() => {
          choose(read(kept.id) ?? kept); // as it is now: what was stopped may belong to it
          colloquy.byId("reopen").click();
        });
      });
      open.className = "open-talk";
      if (kept.id === current().id) open.setAttribute("aria-current", "true");
      row.append(open, button("Rename", () => rename(row, kept)), button("Delete", (pressed) => discard(pressed, kept)));
      return row;
    });
    const none = document.createElement("li");
    none.textContent = "None yet.";
    colloquy.byId("talk-list").replaceChildren(...(rows.length ? rows : [none]));
  }

  function button(text, press) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", () => press(made));
    return made;
  }

  function rename(row, kept) {
    const field = document.createElement("input");
    field.value = name(kept);
    field.setAttribute("aria-label", "Name of the conversation");
    const done = () => {
      const now = kept.id === current().id ? current() : read(kept.id) ?? kept;
      now.title = field.value.trim();
      write(now);
      draw();
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") done();
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      draw();
    });
    row.replaceChildren(field, button("Save", done));
    field.select();
  }

  // Twice, because it cannot be undone.
  function discard(pressed, kept) {
    if (pressed.textContent !== "Really delete?") {
      pressed.textContent = "Really delete?";
      pressed.className = "sure";
      return;
    }
    const shown = kept.id === current().id;
    if (shown) colloquy.byId("clear").click();
    whenIdle(() => {
      remove(kept);
      draw();
    });
  }

  colloquy.clicked("#show-talks", () => {
    draw();
    colloquy.byId("talks").showModal();
  });
  colloquy.clicked("#clear", () => whenIdle(() => {
    choose(fresh());
    colloquy.byId("begin").click();
    colloquy.field("question")?.focus();
  }));
}
