// The library: which papers are selected, one paper's page, and files that are dropped.
{
  const MOST_COMPARED = 5; // more columns are not read beside each other
  const picked = new Map(); // names by id
  const idOf = (box) => box.closest("li").id.slice("item-paper-".length);
  const nameOf = (box) => box.closest("label").textContent.trim().replace(/^Select /, "");
  const ids = () => [...picked.keys()];

  function drawPicked() {
    const bar = document.querySelector("#picked .picked");
    if (!bar) return;
    bar.hidden = picked.size === 0;
    bar.querySelector(".how-many").textContent = `${picked.size} selected`;
    const compare = bar.querySelector("[data-compare]");
    if (!compare) return;
    compare.disabled = picked.size < 2 || picked.size > MOST_COMPARED;
    const why = picked.size > MOST_COMPARED ? `At most ${MOST_COMPARED} can be compared.` : "One more to compare.";
    bar.querySelector(".why").textContent = compare.disabled ? why : "";
  }

  // The list is drawn anew with every search: what was selected stays so.
  colloquy.whenever("library-list", () => {
    for (const box of document.querySelectorAll("#library-list input.pick")) {
      box.checked = picked.has(idOf(box));
    }
  });

  document.addEventListener("change", (event) => {
    if (!event.target.matches?.("#library-list input.pick")) return;
    if (event.target.checked) picked.set(idOf(event.target), nameOf(event.target));
    else picked.delete(idOf(event.target));
    drawPicked();
  });

  colloquy.clicked("[data-unpick]", () => {
    picked.clear();
    document.querySelectorAll("#library-list input.pick").forEach((box) => (box.checked = false));
    drawPicked();
  });
  colloquy.clicked("[data-save]", (button) => {
    colloquy.press("save-this", JSON.stringify({ form: button.dataset.save, papers: ids() }));
  });
  colloquy.clicked("[data-only]", () => {
    colloquy.choosePapers([...picked].map(([id, name]) => ({ id, name })));
    colloquy.toChat();
    colloquy.field("question").focus();
  });
  colloquy.compare = (papers) => {
    colloquy.toChat();
    colloquy.sending();
    colloquy.press("compare-these", JSON.stringify(papers));
  };
  colloquy.clicked("[data-compare]", () => colloquy.compare(ids()));

  let opener = "";
  function openPaper(id) {
    colloquy.show("papers");
    document.body.dataset.paper = "";
    colloquy.press("open-paper", id);
  }

  colloquy.closePaper = () => {
    if (!("paper" in document.body.dataset)) return false;
    delete document.body.dataset.paper;
    const links = [...document.querySelectorAll("#library-list a.open-paper")];
    links.find((link) => link.getAttribute("href") === opener)?.focus();
    return true;
  };

  colloquy.clicked('a[href^="#paper-"]', (link) => {
    if (link.closest("#library-list")) opener = link.getAttribute("href");
    openPaper(link.getAttribute("href").slice("#paper-".length));
  });
  colloquy.clicked("#paper-column .to-list", () => colloquy.closePaper());
  colloquy.clicked('#paper-page a[href^="#save-"]', (link) => {
    const [, form, ...id] = link.getAttribute("href").split("-");
    colloquy.press("save-this", JSON.stringify({ form, papers: [id.join("-")] }));
  });
  colloquy.clicked('#paper-page a[href="#act-about"]', (link) => {
    colloquy.toChat();
    colloquy.fill("question", link.title);
  });

  // A new paper is read from its beginning, and by keyboard from there.
  colloquy.whenever("paper-page", () => {
    const article = document.querySelector("#paper-page article");
    if (!article || article.tabIndex === -1 && article.hasAttribute("tabindex")) return;
    article.tabIndex = -1;
    colloquy.byId("paper-column").scrollTop = 0;
    if (colloquy.narrow()) scrollTo({ top: 0, behavior: "instant" });
    article.focus({ preventScroll: true });
  });

  // Files: dropped anywhere on the page, they are handed to the field that takes them.
  function handOver(files) {
    colloquy.show("add");
    const field = document.querySelector("#add-files input[type=file]");
    if (!field) return;
    const transfer = new DataTransfer();
    for (const file of files) transfer.items.add(file);
    field.files = transfer.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }

  const holdsFiles = (event) => event.dataTransfer?.types.includes("Files") && !event.target.closest?.("#add-files");
  document.addEventListener("dragover", (event) => {
    if (holdsFiles(event)) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    handOver(event.dataTransfer.files);
  });
  colloquy.clicked('a[href="#act-add-files"]', () => {
    colloquy.show("add");
    document.querySelector("#add-files input[type=file]")?.click();
  });
  colloquy.clicked('a[href="#act-ask-now"]', () => {
    colloquy.toChat();
    colloquy.field("question")?.focus();
  });
  colloquy.added = (end) => end && colloquy.say("The papers were added.");
}
