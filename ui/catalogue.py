"""All papers, ready to be searched while somebody types: words, filters, orders.

Goes in: Papers and a `Wish`. Comes out: the papers that fit, in order. Knows no HTML; a search by
meaning is the assistant's.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from rag.types import Paper
from ui.examples import example_questions

FIELDS = ("year", "venue", "keyword", "source")
ORDERS = ("Best match", "As listed", "Title", "Newest first")
# Choices of one filter: more are no choice, and a page grows slow with them.
MOST_CHOICES = 300
_COMBINING = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")


@dataclass(frozen=True, slots=True)
class Wish:
    """What a reader of the list asks for; `filters` maps a name of FIELDS to a value."""

    query: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)
    order: str = ORDERS[0]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The papers with their titles and all their words folded, in the same order; `choices` are
    the values of each filter that tells papers apart; `questions` are examples to begin with."""

    papers: tuple[Paper, ...]
    titles: tuple[str, ...]
    words: tuple[str, ...]
    choices: Mapping[str, tuple[str, ...]]
    questions: tuple[str, ...]


class _Same:
    """Papers compared by identity: to compare twenty thousand by content takes longer than to
    search them."""

    __slots__ = ("papers",)

    def __init__(self, papers: tuple[Paper, ...]) -> None:
        self.papers = papers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.papers is other.papers

    def __hash__(self) -> int:
        return id(self.papers)


def catalogue_of(papers: tuple[Paper, ...]) -> Catalogue:
    """The catalogue of an index's papers; made once for each generation."""
    return _catalogue(_Same(papers))


# One index is open at a time, and the next one while it is exchanged.
@lru_cache(maxsize=2)
def _catalogue(same: _Same) -> Catalogue:
    papers = same.papers
    titles = tuple(folded(paper.title) for paper in papers)
    words = tuple(folded(_words(paper)) for paper in papers)
    choices = {name: _choices(papers, name) for name in FIELDS}
    return Catalogue(papers, titles, words, choices, example_questions(papers))


def folded(text: str) -> str:
    """Text for comparing: without case and accents."""
    if text.isascii():
        return text.lower()
    return _COMBINING.sub("", unicodedata.normalize("NFKD", text)).casefold()


def _words(paper: Paper) -> str:
    named = (paper.title, *paper.authors, *paper.keywords, paper.venue or "", str(paper.year or ""))
    return "\n".join((*named, paper.abstract))


def values(paper: Paper, name: str) -> tuple[str, ...]:
    """The values that a paper has in one of FIELDS."""
    if name == "year":
        return (str(paper.year),) if paper.year else ()
    if name == "keyword":
        return paper.keywords
    value = paper.venue if name == "venue" else paper.source
    return (value,) if value else ()


def _choices(papers: Sequence[Paper], name: str) -> tuple[str, ...]:
    counts = Counter(value for paper in papers for value in set(values(paper, name)))
    if all(count == len(papers) for count in counts.values()):
        return ()  # what all papers share tells none apart
    most = [value for value, _ in counts.most_common(MOST_CHOICES)]
    return tuple(sorted(most, key=folded, reverse=name == "year"))


def matching(catalogue: Catalogue, wish: Wish) -> tuple[Paper, ...]:
    """The papers that hold every word typed and pass every filter, in the order wished for; the
    best matches are those with all words in the title."""
    rows = _with_words(catalogue, folded(wish.query).split())
    papers = catalogue.papers
    for name, value in wish.filters.items():
        if value:
            rows = [row for row in rows if value in values(papers[row], name)]
    keys: dict[str, Callable[[int], Any]] = {
        "As listed": lambda row: (row,),
        "Title": lambda row: (catalogue.titles[row],),
        "Newest first": lambda row: (-(papers[row].year or 0), row),
    }
    if wish.order in keys:
        rows.sort(key=keys[wish.order])
    return tuple(papers[row] for row in rows)


def _with_words(catalogue: Catalogue, words: Sequence[str]) -> list[int]:
    if not words:
        return list(range(len(catalogue.papers)))
    titled: list[int] = []
    other: list[int] = []
    first, *rest = words
    for row, everything in enumerate(catalogue.words):
        if first in everything and all(word in everything for word in rest):
            title = catalogue.titles[row]
            (titled if all(word in title for word in words) else other).append(row)
    return titled + other
