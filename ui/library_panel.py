"""The library: all papers, searched, filtered and ordered, and one paper's page beside them.

Goes in: an assistant. Comes out: Gradio components with their events. Which papers are selected
the browser knows (static/library.js). Knows nothing of the index.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rag.errors import ColloquyError
from rag.types import Paper
from ui.answering import Answering
from ui.catalogue import FIELDS, ORDERS, Catalogue, Wish, catalogue_of, matching
from ui.library import (
    NEAREST,
    PAGE,
    RELATED,
    library_html,
    nearest_html,
    paper_page_html,
)
from ui.look import safe_markdown
from ui.markup import text_html

if TYPE_CHECKING:
    import gradio as gr

ANY = ""


@dataclass(frozen=True, slots=True)
class Library:
    """The components of the library; `filters` in the order of FIELDS."""

    query: gr.Textbox
    order: gr.Dropdown
    filters: tuple[gr.Dropdown, ...]
    listing: gr.Markdown
    more: gr.Button
    limit: gr.State
    wanted: gr.Textbox
    open_paper: gr.Button
    paper: gr.Markdown

    @property
    def wish(self) -> list[Any]:
        """What a search reads, in the order of `_wish`."""
        return [self.query, self.order, *self.filters]

    @property
    def shown(self) -> list[Any]:
        """What a search writes."""
        return [self.listing, self.more, self.limit]


def library_components(gr: Any, *, compares: bool) -> Library:
    """Search, filters and list at the left, one paper's page at the right."""
    with gr.Row(elem_id="library"):
        with gr.Column(elem_id="shelf", min_width=0):
            query = gr.Textbox(
                elem_id="library-search",
                label="Search the papers",
                show_label=False,
                container=False,
                placeholder="Search titles, authors, abstracts…",
                lines=1,
                max_lines=1,
            )
            with gr.Row(elem_id="library-filters"):
                filters = tuple(
                    gr.Dropdown(
                        [(f"Any {name}", ANY)],
                        value=ANY,
                        label=name.capitalize(),
                        elem_id=f"library-{name}",
                        visible=False,
                        min_width=0,
                    )
                    for name in FIELDS
                )
                order = gr.Dropdown(
                    list(ORDERS), value=ORDERS[0], label="Order", elem_id="library-order",
                    min_width=0, filterable=False,
                )  # fmt: skip
            gr.HTML(_picked_html(compares=compares), elem_id="picked", js_on_load=None)
            listing = safe_markdown(gr, "library-list")
            more = gr.Button("Show more", elem_id="library-more", visible=False)
        with gr.Column(elem_id="paper-column", min_width=0):
            gr.HTML(
                '<button type="button" class="to-list">Back to the list</button>', js_on_load=None
            )
            paper = safe_markdown(gr, "paper-page")
    wanted = gr.Textbox(visible=False)
    open_paper = gr.Button("open", elem_id="open-paper", elem_classes="unseen")
    limit = gr.State(PAGE)
    return Library(query, order, filters, listing, more, limit, wanted, open_paper, paper)


def _picked_html(*, compares: bool) -> str:
    """What can be done with selected papers; shown while there are some."""
    acts = [("markdown", "Markdown"), ("json", "JSON"), ("bibtex", "BibTeX")]
    buttons = [f'<button type="button" data-save="{act}">{name}</button>' for act, name in acts]
    if compares:
        buttons.insert(0, '<button type="button" data-compare>Compare</button>')
    buttons.insert(0, '<button type="button" data-only>Ask only these</button>')
    return (
        '<div class="picked" hidden><span class="how-many" role="status"></span> '
        f'{" ".join(buttons)} <button type="button" data-unpick>Clear</button>'
        '<span class="why" role="status"></span></div>'
    )


def library_events(gr: Any, assistant: Answering, library: Library) -> None:
    """Searching, filtering, showing more, and opening a paper's page."""
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}

    def search(*wish: Any) -> tuple[Any, ...]:
        return (*listed(gr, assistant, _wish(*wish), PAGE), PAGE)

    def more(limit: int, *wish: Any) -> tuple[Any, ...]:
        return (*listed(gr, assistant, _wish(*wish), limit + PAGE), limit + PAGE)

    changes = [library.query.change, library.order.input, *(f.input for f in library.filters)]
    gr.on(
        changes,
        search,
        inputs=library.wish,
        outputs=library.shown,
        trigger_mode="always_last",
        **quiet,
    )
    library.more.click(more, inputs=[library.limit, *library.wish], outputs=library.shown, **quiet)
    library.open_paper.click(
        partial(_page, assistant),
        inputs=library.wanted,
        outputs=library.paper,
        js="() => colloquy.wanted",
        **quiet,
    )


def _wish(query: str, order: str, *filters: str) -> Wish:
    chosen = {name: value or "" for name, value in zip(FIELDS, filters, strict=True)}
    return Wish(query or "", chosen, order)


def filter_updates(gr: Any, catalogue: Catalogue) -> list[Any]:
    """The choices of every filter; one that tells no papers apart is not shown."""
    return [
        gr.update(
            choices=[(f"Any {name}", ANY), *((value, value) for value in catalogue.choices[name])],
            value=ANY,
            visible=len(catalogue.choices[name]) > 0,
        )
        for name in FIELDS
    ]


def listed(gr: Any, assistant: Answering, wish: Wish, limit: int) -> tuple[Any, Any]:
    """The list's HTML, and the button that shows more of it."""
    try:
        papers = assistant.papers()
        found = matching(catalogue_of(papers), wish)
        filtered = any(wish.filters.values())
        if found or not papers or filtered:
            narrowed = filtered or bool(wish.query.strip())
            listing = library_html(found[:limit], len(found), len(papers), narrowed)
        else:
            listing = nearest_html(assistant.search(wish.query, NEAREST), wish.query)
    except ColloquyError as error:
        return f'<p class="count">{text_html(str(error))}</p>', gr.update(visible=False)
    return listing, gr.update(visible=len(found) > limit)


def _page(assistant: Answering, paper_id: str) -> str:
    try:
        paper = _paper(assistant.papers(), paper_id)
        if paper is None:
            return '<p class="hint">This paper is no longer in the index.</p>'
        return paper_page_html(paper, assistant.related(paper_id, RELATED))
    except ColloquyError as error:
        return f'<p class="note failure">{text_html(str(error))}</p>'


def _paper(papers: tuple[Paper, ...], paper_id: str) -> Paper | None:
    return next((paper for paper in papers if paper.id == paper_id), None)
