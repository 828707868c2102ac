// Which papers a conversation asks: all, or those chosen in the library. The line above the question
// says so, and lifts it.
{
  // Names that fit into a line or two; the number is there in any case.
  const MOST_NAMES = 5;

  function said(papers) {
    const names = papers.slice(0, MOST_NAMES).map(({ name }) => name).join(", ");
    const more = papers.length > MOST_NAMES ? ` and ${papers.length - MOST_NAMES} more` : "";
    return [papers.length === 1 ? "Asking only 1 paper" : `Asking only ${papers.length} papers`, `: ${names}${more}`];
  }

  colloquy.drawChosen = () => {
    const line = document.querySelector("#scope .scope");
    if (!line) return;
    const papers = colloquy.chosen();
    line.hidden = papers.length === 0;
    const [count, names] = papers.length ? said(papers) : ["", ""];
    line.querySelector(".how-many").textContent = count;
    line.querySelector(".names").textContent = names;
  };

  colloquy.whenever("scope", () => {
    const line = document.querySelector("#scope .scope");
    if (line?.hidden && colloquy.chosen().length) colloquy.drawChosen();
  });
  colloquy.clicked("#scope button", () => {
    colloquy.choosePapers([]);
    colloquy.say("All papers are asked again.");
    colloquy.field("question").focus();
  });
}
