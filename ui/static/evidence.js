// Evidence: it arrives as articles in #evidence-feed, once per answer, and is kept here, so that a
// chip of any earlier answer opens its own.
{
  const kept = new Map();
  let hint = null;
  let opener = null;
  let hovered = null;

  function keep() {
    for (const article of document.querySelectorAll("#evidence-feed article[id]")) {
      kept.set(article.id, article.cloneNode(true));
    }
  }

  function panel() {
    const evidence = colloquy.byId("evidence");
    return evidence.querySelector(".prose") || evidence;
  }

  const articleOf = (link) => kept.get(link.getAttribute("href").slice(1));

  // An answer's evidence is rendered a moment after its chips: look again until it is there.
  function open(link, patience = 40) {
    keep();
    const article = articleOf(link);
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
    colloquy.byId("reading").scrollTop = 0;
    const target = shown.querySelector("mark") || shown;
    target.scrollIntoView({ block: "center", behavior: colloquy.pace() });
    shown.focus({ preventScroll: true });
    unhover();
  }

  function backButton() {
    const button = document.createElement("button");
    button.className = "back";
    button.textContent = "Back to the answer";
    return button;
  }

  // Pointing at a chip, or reaching it by keyboard, shows its quotes beside it.
  function hover(link) {
    const article = articleOf(link);
    const card = colloquy.byId("hover");
    if (!article || !card) return;
    link.removeAttribute("title"); // the browser's own hint would lie over it
    const title = document.createElement("strong");
    title.textContent = article.querySelector("h2 .title")?.textContent ?? "";
    const quotes = [...article.querySelectorAll("mark")].map((mark) => {
      const quote = document.createElement("q");
      quote.append(...mark.cloneNode(true).childNodes);
      return quote;
    });
    const claim = article.querySelector(".claim.unsupported");
    card.replaceChildren(title, ...quotes, ...(claim ? [claim.cloneNode(true)] : []));
    card.hidden = false;
    hovered = link;
    beside(card, link);
  }

  function beside(card, link) {
    const at = link.getBoundingClientRect();
    const left = Math.min(at.left, innerWidth - card.offsetWidth - 12);
    const above = at.top - card.offsetHeight - 8;
    card.style.left = `${Math.max(12, left)}px`;
    card.style.top = `${above > 8 ? above : at.bottom + 8}px`;
  }

  function unhover() {
    const card = colloquy.byId("hover");
    if (card) card.hidden = true;
  }

  // The evidence of exchanges from this number on is void: they are asked anew.
  colloquy.forget = (from = 0) => {
    for (const id of kept.keys()) {
      if (Number(id.split("-")[1]) >= from) kept.delete(id);
    }
  };

  colloquy.closeEvidence = () => {
    if (hint) panel().replaceChildren(...hint);
    opener = null;
  };

  colloquy.backToAnswer = () => {
    if (!opener?.isConnected) return;
    opener.scrollIntoView({ block: "nearest", behavior: colloquy.pace() });
    opener.focus({ preventScroll: true });
    unhover();
  };
  colloquy.unhover = unhover;

  const CHIP = '#chat a.cite[href^="#src-"]';
  colloquy.whenever("evidence-feed", keep);
  colloquy.clicked('#chat a[href^="#src-"]', (link) => open(link));
  colloquy.clicked("#evidence button.back", () => colloquy.backToAnswer());
  for (const [come, go] of [["mouseover", "mouseout"], ["focusin", "focusout"]]) {
    document.addEventListener(come, (event) => {
      const chip = event.target.closest?.(CHIP);
      // A finger that opens the evidence needs no card over it.
      if (chip && (come === "focusin" ? chip.matches(":focus-visible") : matchMedia("(hover: hover)").matches)) hover(chip);
    });
    document.addEventListener(go, (event) => event.target.closest?.(CHIP) && unhover());
  }
  // A chip that was scrolled to by pointing at it, or by Tab, takes its card along.
  document.addEventListener("scroll", () => {
    const card = colloquy.byId("hover");
    if (!card || card.hidden) return;
    if (hovered?.isConnected && hovered.matches(":hover, :focus-visible")) beside(card, hovered);
    else unhover();
  }, true);
}
