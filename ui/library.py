"""The list of papers and one paper's page as HTML.

Goes in: Papers. Comes out: safe HTML. Knows nothing of components, nor how papers were found.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Paper
from ui.chat import title_html
from ui.evidence import meta_html, paper_html
from ui.markup import attribute, text_html

# A screenful or two: more is asked for with a button.
PAGE = 40
# Papers named by meaning where no paper holds the words, and beside a paper's page.
NEAREST = 10
RELATED = 6
# Addresses of papers in the page begin with this; page and server agree on it.
ADDRESS = "paper-"


def library_html(shown: Sequence[Paper], found: int, total: int, narrowed: bool) -> str:
    """The papers shown, under a line that says how many; `narrowed` by words or a filter."""
    if not total:
        return '<p class="count">The index holds no papers.</p>'
    return f"{_count(count_line(len(shown), found, total, narrowed))}\n\n{_items(shown)}"


def nearest_html(shown: Sequence[Paper], query: str) -> str:
    """What is shown where no paper holds the words typed."""
    line = f"No paper holds the words “{text_html(query.strip()[:80])}”."
    if not shown:
        return _count(line)
    return f"{_count(f'{line} Closest in meaning:')}\n\n{_items(shown)}"


def count_line(shown: int, found: int, total: int, narrowed: bool) -> str:
    """How many papers are shown, of how many."""
    if narrowed:
        of = f"{found:,} of {total:,} papers fit"
    else:
        of = "1 paper" if total == 1 else f"{total:,} papers"
    return f"{of}, the first {shown:,} shown" if shown < found else of


def _count(line: str) -> str:
    return f'<p class="count" role="status">{line}</p>'


def _items(papers: Sequence[Paper]) -> str:
    return f'<ul class="papers">{"".join(paper_item(paper) for paper in papers)}</ul>'


def paper_item(paper: Paper) -> str:
    """One paper of the list: a box to select it with, and its title, which opens its page."""
    address = ADDRESS + attribute(paper.id)
    name = text_html(paper.name)
    return (
        f'<li class="paper" id="item-{address}"><label><input type="checkbox" class="pick">'
        f'<span class="heard">Select {name}</span></label>'
        f'<div><a class="open-paper" href="#{address}">{title_html(paper)}</a>'
        f"{meta_html(paper)}</div></li>"
    )


def paper_page_html(paper: Paper, related: Sequence[Paper]) -> str:
    """A paper to read, what can be done with it, and the papers nearest to it."""
    keywords = ", ".join(paper.keywords)
    words = f'<p class="meta">Keywords: {text_html(keywords)}</p>' if keywords else ""
    near = "".join(
        f'<li><a class="open-paper" href="#{ADDRESS}{attribute(p.id)}">{title_html(p)}</a></li>'
        for p in related
    )
    nearest = f'<h3>Related papers</h3><ul class="related">{near}</ul>' if near else ""
    acts = (
        f'<p class="acts"><a class="act about" href="#act-about" '
        f'title="{attribute(question_about(paper))}">Ask about this paper</a> '
        f'<a class="act" href="#save-bibtex-{attribute(paper.id)}">BibTeX</a> '
        f'<a class="act" href="#save-markdown-{attribute(paper.id)}">Markdown</a></p>'
    )
    return f"<article>{paper_html(paper)}{words}{acts}{nearest}</article>"


def question_about(paper: Paper) -> str:
    """A question to begin with; the reader may change it before it is asked."""
    return f"What does “{paper.name}” propose?"
