// Conversations: kept in this browser's localStorage, one entry each, and nowhere else. A tab
// remembers which one it shows. The server is told with each question which conversation and
// which exchange it is, and hands the finished exchange back to be kept.
{
  const PREFIX = "colloquy.talk.";
  const SHOWN = "colloquy.shown";
  let talk = null;
  let from = -1;

  // A browser may keep its storage shut: conversations then last as long as the page.
  function attempt(call, otherwise) {
    try {
      return call();
    } catch {
      return otherwise;
    }
  }

  const fresh = () => ({ id: crypto.getRandomValues(new Uint32Array(2)).join(""), title: "", at: 0, exchanges: [] });

  function read(id) {
    // What cannot be read is not shown; the list still offers to delete it.
    const found = attempt(() => JSON.parse(localStorage.getItem(PREFIX + id)), null);
    return Array.isArray(found?.exchanges) ? { ...found, id } : null;
  }

  function all() {
    const ids = attempt(() => Object.keys(localStorage), []).filter((key) => key.startsWith(PREFIX));
    const talks = ids.map((key) => key.slice(PREFIX.length)).map((id) => read(id) ?? { ...fresh(), id, title: "Unreadable" });
    return talks.sort((a, b) => b.at - a.at);
  }

  // A full store gives up its oldest conversation, and says so.
  function write(kept) {
    for (;;) {
      try {
        localStorage.setItem(PREFIX + kept.id, JSON.stringify(kept));
        return;
      } catch {
        const oldest = all().filter((other) => other.id !== kept.id).pop();
        if (!oldest) {
          notice("This browser keeps no conversations: its storage is full or closed.");
          return;
        }
        localStorage.removeItem(PREFIX + oldest.id);
        notice(`The browser's storage is full: the oldest conversation, “${name(oldest)}”, was removed.`);
      }
    }
  }

  const name = (kept) => kept.title || kept.exchanges[0]?.question || "Conversation";

  function notice(text) {
    colloquy.say(text);
    const line = document.createElement("p");
    line.className = "note warning";
    line.textContent = text;
    colloquy.byId("talks").querySelector("h2").after(line);
  }

  function current() {
    talk ??= read(attempt(() => sessionStorage.getItem(SHOWN), null)) ?? fresh();
    return talk;
  }

  function choose(next) {
    talk = next;
    from = -1;
    attempt(() => sessionStorage.setItem(SHOWN, talk.id));
    colloquy.forget();
    colloquy.closeEvidence();
    colloquy.stopEditing();
    colloquy.follow();
    colloquy.toChat();
  }

  // The inputs of the event that asks: the question, the server's own state, and the place.
  colloquy.asking = (question, state) => {
    const place = colloquy.place();
    if (question?.trim() && !colloquy.running()) {
      const now = current();
      const number = from >= 0 ? from : now.exchanges.length;
      colloquy.forget(number);
      // Kept at once, so that a page that is left meanwhile still shows what was asked.
      put(now, number, { question, text: "", stopped: true });
      from = -1;
      colloquy.stopEditing();
      colloquy.follow();
    }
    return [question, state, place];
  };

  function put(kept, number, exchange) {
    kept.exchanges.length = Math.min(kept.exchanges.length, number);
    kept.exchanges.push(exchange);
    kept.at = Date.now();
    attempt(() => sessionStorage.setItem(SHOWN, current().id));
    write(kept);
  }

  colloquy.place = () => JSON.stringify({ talk: current().id, from });
  colloquy.anew = (number) => (from = number);
  colloquy.exchange = (number) => current().exchanges[number];

  colloquy.keep = (text) => {
    if (!text) return;
    const { talk: id, number, exchange } = JSON.parse(text);
    const kept = id === current().id ? current() : read(id);
    if (!kept) return; // deleted while its answer was written
    const later = kept.exchanges.slice(number + 1);
    put(kept, number, exchange);
    if (later.length) kept.exchanges.push(...later);
  };

  // What the server makes the chat from again.
  colloquy.stored = () => {
    const { exchanges } = current();
    return exchanges.length ? JSON.stringify(exchanges) : "";
  };

  function draw() {
    const rows = all().map((kept) => {
      const row = document.createElement("li");
      const open = button(name(kept), () => {
        choose(kept);
        colloquy.byId("talks").close();
        colloquy.byId("reopen").click();
      });
      open.className = "open-talk";
      if (kept.id === current().id) open.setAttribute("aria-current", "true");
      row.append(open, button("Rename", () => rename(row, kept)), button("Delete", (pressed) => remove(pressed, kept)));
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
      kept.title = field.value.trim();
      if (kept.id === current().id) current().title = kept.title;
      write(kept);
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
  function remove(pressed, kept) {
    if (pressed.textContent !== "Really delete?") {
      pressed.textContent = "Really delete?";
      pressed.className = "sure";
      return;
    }
    localStorage.removeItem(PREFIX + kept.id);
    draw();
    if (kept.id === current().id) colloquy.byId("clear").click();
  }

  colloquy.clicked("#show-talks", () => {
    draw();
    colloquy.byId("talks").showModal();
  });
  colloquy.clicked("#clear", () => {
    choose(fresh());
    colloquy.field("question")?.focus();
  });
}
