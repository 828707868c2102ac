"""The words that a listed paper must have -> every paper that has them, and the rule in words.

Goes in: an open index, groups of alternatives. Comes out: rows and a rule. Every paper of the index
is looked at, by its title, keywords and abstract; inflections count, and so does an acronym for
its long form where a paper spells it out, and the other way round. Knows nothing of meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from rag import lexical
from rag.index import Index

Rows = NDArray[np.int64]
# Groups of alternatives, all of which a paper must have; an alternative is a word or a phrase.
Groups = tuple[tuple[str, ...], ...]
_NONE: Rows = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Listed:
    """The rows of the papers that are counted, in the index's order, and why in words."""

    rows: Rows
    rule: str


def listed(index: Index, groups: Groups) -> Listed:
    """Every paper that has a word of each group; where there is none, of the rarest groups."""
    held = {group: _holding_any(index, group) for group in groups}
    kept = list(groups)
    rows = _all(held.values())
    if not len(rows):
        kept = sorted((g for g in groups if len(held[g])), key=lambda group: len(held[group]))
        rows = _all(held[group] for group in kept)
    while not len(rows) and len(kept) > 1:
        kept = kept[:-1]  # the commonest group says least
        rows = _all(held[group] for group in kept)
    missing = [group for group in groups if group not in kept]
    rule = f"Counted: papers whose title, keywords or abstract have {_words(kept)}."
    if missing:
        rule += f" No paper has {_words(missing)} as well."
    return Listed(rows, rule) if len(rows) else Listed(_NONE, "")


def _all(rows: Iterable[Rows]) -> Rows:
    found = list(rows)
    return reduce(np.intersect1d, found) if found else _NONE


def _words(groups: Sequence[tuple[str, ...]]) -> str:
    return " and ".join(" or ".join(f"“{word}”" for word in group) for group in groups)


def _holding_any(index: Index, group: tuple[str, ...]) -> Rows:
    return reduce(np.union1d, [_holding(index, phrase) for phrase in group], _NONE)


def _holding(index: Index, phrase: str) -> Rows:
    """The papers that have a phrase, or the acronym or long form that some paper gives for it."""
    forms = [phrase, *_other_forms(index, phrase)]
    rows = reduce(np.union1d, [_with_phrase(index, form) for form in forms], _NONE)
    # No paper has the words side by side: those that have all of them are meant.
    return rows if len(rows) else _all(_with_phrase(index, word) for word in phrase.split())


def _with_phrase(index: Index, phrase: str) -> Rows:
    stems = [lexical.terms(word)[0] for word in phrase.split() if lexical.terms(word)]
    rows = _all(lexical.holders(index.lexical, stem) for stem in stems)
    if len(stems) < 2:
        return rows
    adjacent = [row for row in rows if _adjacent(index, int(row), stems)]
    return np.asarray(adjacent, dtype=np.int64)


def _adjacent(index: Index, row: int, stems: list[str]) -> bool:
    paper = index.papers[row]
    for text in (paper.title, *paper.keywords, paper.abstract):
        found = [lexical.stem(word) for word in lexical.simple_words(text)]
        wanted = [part for stem in stems for part in stem.split("-")]
        ends = range(len(found) - len(wanted) + 1)
        if any(found[start : start + len(wanted)] == wanted for start in ends):
            return True
    return False


def _other_forms(index: Index, phrase: str) -> set[str]:
    """The long forms of an acronym, or the acronyms of a long form, as the papers define them."""
    forms: set[str] = set()
    if " " in phrase:
        pattern = re.compile(rf"\b{re.escape(phrase)}s?\s+\((?P<form>[A-Z][\w-]{{1,9}}?)s?\)", re.I)
        rows = _with_phrase(index, phrase)
    elif phrase.isupper() and 1 < len(phrase) < 10:
        long = r"\s+".join(rf"{letter}[\w-]*" for letter in phrase)
        pattern = re.compile(rf"\b(?P<form>{long})\s+\({re.escape(phrase)}s?\)", re.I)
        rows = _with_phrase(index, phrase)
    else:
        return forms
    for row in rows:
        forms |= {match["form"] for match in pattern.finditer(index.papers[row].abstract)}
    return forms
