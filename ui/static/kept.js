// Conversations as they lie in this browser's localStorage: one entry each, under the index that was
// asked, so that two indexes at one address do not mix. A tab remembers which one it shows.
{
  const index = document.querySelector('meta[name="colloquy-index"]')?.content ?? "";
  const PREFIX = `colloquy.talk.${index}.`;
  const SHOWN = `colloquy.shown.${index}`;

  // A browser may keep its storage shut: conversations then last as long as the page.
  function attempt(call, otherwise) {
    try {
      return call();
    } catch {
      return otherwise;
    }
  }

  const fresh = () => ({ id: crypto.getRandomValues(new Uint32Array(2)).join(""), title: "", at: 0, papers: [], exchanges: [] });

  function read(id) {
    // What cannot be read is not shown; the list still offers to delete it.
    const found = attempt(() => JSON.parse(localStorage.getItem(PREFIX + id)), null);
    if (!Array.isArray(found?.exchanges)) return null;
    return { ...found, id, papers: Array.isArray(found.papers) ? found.papers : [] };
  }

  function all() {
    const ids = attempt(() => Object.keys(localStorage), []).filter((key) => key.startsWith(PREFIX));
    const talks = ids.map((key) => key.slice(PREFIX.length)).map((id) => read(id) ?? { ...fresh(), id, title: "Unreadable" });
    return talks.sort((a, b) => b.at - a.at);
  }

  // A full store gives up its oldest conversation, and says so.
  function write(talk) {
    for (;;) {
      try {
        localStorage.setItem(PREFIX + talk.id, JSON.stringify(talk));
        return;
      } catch {
        const oldest = all().filter((other) => other.id !== talk.id).pop();
        if (!oldest) {
          colloquy.notice("This browser keeps no conversations: its storage is full or closed.");
          return;
        }
        remove(oldest);
        colloquy.notice(`The browser's storage is full: the oldest conversation, “${name(oldest)}”, was removed.`);
      }
    }
  }

  const remove = (talk) => localStorage.removeItem(PREFIX + talk.id);
  const name = (talk) => talk.title || talk.exchanges[0]?.question || "Conversation";

  colloquy.talks = {
    fresh, read, all, write, remove, name,
    show: (id) => attempt(() => sessionStorage.setItem(SHOWN, id)),
    shown: () => read(attempt(() => sessionStorage.getItem(SHOWN), null)),
  };
}
