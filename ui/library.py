"""The list of all papers: what matches the words typed, and the list as HTML.

Goes in: Papers and a search text. Comes out: the papers to show, and safe HTML. Knows nothing of
components; a search by meaning is the assistant's.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from rag.types import Paper
from ui.chat import title_html
from ui.evidence import link_html, meta_html
from ui.markup import marked_html, text_html

# A screenful or two: more is asked for with a button.
PAGE = 40
# Papers named by meaning where no paper holds the words.
NEAREST = 10


def matching(papers: tuple[Paper, ...], query: str) -> tuple[Paper, ...]:
    """The papers that hold every word typed, those with all of them in the title first."""
    words = folded(query).split()
    if not words:
        return papers
    titled, other = [], []
    for paper, (title, everything) in zip(papers, _folded_papers(papers), strict=True):
        if all(word in title for word in words):
            titled.append(paper)
        elif all(word in everything for word in words):
            other.append(paper)
    return (*titled, *other)


def folded(text: str) -> str:
    """Text for comparing: without case and accents."""
    apart = unicodedata.normalize("NFKD", text)
    return "".join(c for c in apart if not unicodedata.combining(c)).casefold()


# One index is open at a time, and the next one while it is exchanged.
@lru_cache(maxsize=2)
def _folded_papers(papers: tuple[Paper, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((folded(paper.title), folded(_words(paper))) for paper in papers)


def _words(paper: Paper) -> str:
    named = (paper.title, *paper.authors, *paper.keywords, paper.venue or "", str(paper.year or ""))
    return "\n".join((*named, paper.abstract))


def library_html(shown: Sequence[Paper], found: int, total: int, query: str) -> str:
    """The papers shown as a list that opens each abstract, under a line that says how many."""
    if not total:
        return '<p class="count">The index holds no papers.</p>'
    items = "".join(paper_item(paper) for paper in shown)
    return (
        f'<p class="count">{count_line(len(shown), found, total, query)}</p>\n\n<div>{items}</div>'
    )


def nearest_html(shown: Sequence[Paper], query: str) -> str:
    """What is shown where no paper holds the words typed."""
    line = f"No paper holds the words “{text_html(query.strip()[:80])}”."
    if not shown:
        return f'<p class="count">{line}</p>'
    items = "".join(paper_item(paper) for paper in shown)
    return f'<p class="count">{line} Closest in meaning:</p>\n\n<div>{items}</div>'


def count_line(shown: int, found: int, total: int, query: str) -> str:
    """How many papers are shown, of how many."""
    of = f"{found:,} of {total:,} papers hold these words" if query.strip() else f"{total:,} papers"
    if total == 1 and not query.strip():
        of = "1 paper"
    return f"{of}, the first {shown:,} shown" if shown < found else of


def paper_item(paper: Paper) -> str:
    """One paper: its title, and its abstract once it is opened."""
    return (
        f'<details class="paper"><summary>{title_html(paper)}{meta_html(paper)}</summary>'
        f'<div class="abstract">{marked_html(paper.abstract, ())}</div>{link_html(paper)}</details>'
    )
