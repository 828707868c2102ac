"""Adding papers on the page: drop files, see what would be read, confirm, watch, ask.

Goes in: the index folder that takes them, None where this page may not write. Comes out: Gradio
components with their events. Knows nothing of formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ui.adding import Look, Step, add, look_at
from ui.look import safe_markdown
from ui.markup import text_html

if TYPE_CHECKING:
    import gradio as gr

READ = "text lists, JSON, JSONL, CSV and TSV, each also as .gz"
INVITATION = (
    '<h2>Add papers</h2>\n\n<p class="meta">Drop lists of papers with their abstracts here or '
    f"anywhere on this page: {READ}. Nothing is added before you have seen what was read.</p>"
)
CLOSED = (
    "<h2>Add papers</h2>\n\n<p>This page cannot take files: add them with "
    "<code>colloquy ingest FILE</code>, and it shows them at once.</p>"
)


@dataclass(frozen=True, slots=True)
class Adding:
    """The components; `finished` fires once an ingest has ended well."""

    files: gr.File
    preview: gr.Markdown
    confirm: gr.Button
    finished: gr.Textbox


def adding_panel(gr: Any, index: Path | None) -> Adding | None:
    """The panel with its events; None where only the sentence is shown that says what to do."""
    with gr.Column(elem_id="adding", min_width=0):
        if index is None:
            gr.HTML(CLOSED, js_on_load=None)
            return None
        gr.HTML(INVITATION, js_on_load=None)
        files = gr.File(
            file_count="multiple", type="filepath", elem_id="add-files", label="Files to add"
        )
        preview = safe_markdown(gr, "add-preview")
        confirm = gr.Button("Add", elem_id="add-confirm", variant="primary", visible=False)
        finished = gr.Textbox(visible=False)
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    # Not "change": that would also follow the emptying of the field, and hide the report.
    gr.on(
        [files.upload, files.delete, files.clear],
        partial(_preview, gr),
        inputs=files,
        outputs=[preview, confirm],
        **quiet,
    )
    adding = confirm.click(
        _adder(gr, index), inputs=files, outputs=[preview, confirm, files, finished], **quiet
    )
    adding.then(None, inputs=finished, js="(end) => colloquy.added(end)")
    return Adding(files, preview, confirm, finished)


def when_added(adding: Adding, welcome: Callable[[], Any], outputs: Sequence[Any]) -> None:
    """Show the page anew after an ingest."""
    adding.finished.change(
        welcome, outputs=list(outputs), show_progress="hidden", api_visibility="private"
    )


def _preview(gr: Any, files: list[str] | None) -> Iterator[tuple[str, Any]]:
    if not files:
        yield "", gr.update(visible=False)
        return
    yield '<p class="waiting">Reading…</p>', gr.update(visible=False)
    looks = [look_at(Path(file)) for file in files]
    papers = sum(look.papers for look in looks)
    label = f"Add {_papers(papers)}"
    yield preview_html(looks), gr.update(value=label, visible=papers > 0, interactive=True)


def preview_html(looks: Sequence[Look]) -> str:
    """What would be read from each file, its first papers, and what is left out and why."""
    return "\n\n".join(_look_html(look) for look in looks)


def _look_html(look: Look) -> str:
    if look.failure:
        return (
            f'<p class="note failure"><b>{text_html(look.name)}</b>: {text_html(look.failure)}</p>'
        )
    first = "".join(f"<li>{text_html(name)}</li>" for name in look.first)
    more = look.papers - len(look.first)
    first += f"<li>and {more:,} more</li>" if more else ""
    left_out = "".join(
        f"<li>Left out, {count:,}: {text_html(reason)}</li>" for reason, count in look.left_out
    )
    doubts = f'<ul class="note doubts">{left_out}</ul>' if left_out else ""
    return (
        f'<div class="look"><p><b>{text_html(look.name)}</b>: {_papers(look.papers)}</p>'
        f"<ul>{first}</ul>{doubts}</div>"
    )


def _papers(count: int) -> str:
    return "1 paper" if count == 1 else f"{count:,} papers"


def _adder(gr: Any, index: Path) -> Callable[[list[str] | None], Iterator[tuple[Any, ...]]]:
    def run(files: list[str] | None) -> Iterator[tuple[Any, ...]]:
        """The ingest of the files: its progress, then what it did."""
        readable = [Path(file) for file in files or () if not look_at(Path(file)).failure]
        if not readable:
            yield gr.skip(), gr.update(visible=False), gr.skip(), gr.skip()
            return
        step = Step()
        for step in add(readable, index):
            yield step_html(step), gr.update(visible=False), gr.skip(), gr.skip()
        if step.report is None:
            yield step_html(step), gr.update(visible=True), gr.skip(), gr.skip()
        else:
            # A value that is new each time, so that its change is noticed.
            name = f"{step.report.papers} {id(step)}"
            yield step_html(step), gr.update(visible=False), None, name

    return run


def step_html(step: Step) -> str:
    """Progress as a bar, or how the ingest ended."""
    if step.failure:
        return f'<p class="note failure">{text_html(step.failure)}</p>'
    if step.report is None:
        if not step.total:
            return '<p class="waiting">Reading and cleaning…</p>'
        share = 100 * step.done // step.total
        return (
            f'<p class="waiting">Embedding {step.done:,} of {_papers(step.total)}</p>\n\n'
            f'<div class="bar"><span style="width:{share}%"></span></div>'
        )
    report = step.report
    counts = ", ".join(
        f"{count:,} {what}"
        for count, what in (
            (report.added, "added"),
            (report.updated, "brought up to date"),
            (report.unchanged, "unchanged"),
            (report.removed, "removed"),
            (len(report.skipped), "left out"),
        )
        if count
    )
    notes = "".join(f'\n\n<p class="note">{text_html(note)}</p>' for note in report.notes)
    return (
        f"<p><b>Done.</b> The index holds {_papers(report.papers)}: {counts}.</p>{notes}\n\n"
        '<p class="acts"><a class="act big" href="#act-ask-now">Ask about them</a></p>'
    )
