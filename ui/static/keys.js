// Keys: / writes a question, ? helps, Escape stops the answer or closes what is open.
{
  const typing = (target) => target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable=true]");

  function escape(event) {
    if (document.querySelector("dialog[open]")) return; // the browser closes it
    if (colloquy.byId("stop") && colloquy.running()) colloquy.byId("stop").click();
    else if (!colloquy.byId("hover").hidden) colloquy.unhover();
    else if (colloquy.stopEditing()) colloquy.fill("question", "");
    else if (event.target.closest?.("#evidence")) colloquy.backToAnswer();
    else if (document.body.dataset.view === "papers") colloquy.closePaper();
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") escape(event);
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "/") {
      event.preventDefault();
      colloquy.toChat();
      colloquy.field("question").focus();
    } else if (event.key === "?") {
      event.preventDefault();
      colloquy.byId("help").showModal();
    }
  });
}
