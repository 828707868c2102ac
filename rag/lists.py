"""The words that a listed paper must have -> every paper that has them, and the rule in words.

Goes in: an open index, groups of alternatives. Comes out: rows and a rule. Every paper of the index
is looked at, by its title, keywords and abstract; inflections count, and so does an acronym for
its long form where a paper spells it out, and the other way round. Knows nothing of meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from rag import lexical
from rag.index import Index
from rag.tokens import NO_ROWS, Rows
from rag.types import Paper

# Groups of alternatives, all of which a paper must have; an alternative is a word or a phrase.
Groups = tuple[tuple[str, ...], ...]
# What parts two words so that they are no phrase: the end of a clause, a bracket.
_BREAK = re.compile(r"[.,;:?!]\S*\s|[()\[\]]")
# "graph neural networks (GNNs)": words, and what may stand for the last of them.
_DEFINED = re.compile(
    r"(?<![\w-])(?P<long>(?:[\w-]++\s++){1,8})\((?P<short>[A-Za-z][\w-]{1,9}?)s?\)"
)
# Plurals that the stemmer takes for words of their own, having no vowel or one: LLMs, PDEs.
_BARE_PLURAL = re.compile(r"[^\W\d_aeiouy]{2,}[aeiouy]?s")


@dataclass(frozen=True, slots=True)
class Listed:
    """The rows of the papers that are counted, in the index's order, and why in words."""

    rows: Rows
    rule: str


def listed(index: Index, groups: Groups, within: Rows | None = None) -> Listed:
    """Every paper (of the rows `within`, where given) that has one word or phrase of each group."""
    held = [_holding_any(index, group) for group in groups]
    rows = _all(found for found, _ in held)
    if within is not None:
        rows = np.intersect1d(rows, within)
    if not len(rows):
        return Listed(NO_ROWS, "")
    said = " and ".join(words for _, words in held)
    return Listed(rows, f"papers whose title, keywords or abstract have {said}.")


def _all(rows: Iterable[Rows]) -> Rows:
    found = list(rows)
    return reduce(np.intersect1d, found) if found else NO_ROWS


def _holding_any(index: Index, group: tuple[str, ...]) -> tuple[Rows, str]:
    """The papers that have one of a group's alternatives, and these alternatives in words."""
    held = [_holding(index, phrase) for phrase in group]
    return reduce(np.union1d, [rows for rows, _ in held], NO_ROWS), " or ".join(
        words for _, words in held
    )


def _holding(index: Index, phrase: str) -> tuple[Rows, str]:
    """The papers that have a phrase, or the acronym or long form that some paper gives for it."""
    forms = [phrase, *_other_forms(index, phrase)]
    rows = reduce(np.union1d, [_with_phrase(index, form) for form in forms], NO_ROWS)
    return rows, " or ".join(f"“{form}”" for form in forms)


def _with_phrase(index: Index, phrase: str) -> Rows:
    stems = _stems(phrase)
    # A hyphen is as good as a space, and words that carry no meaning are not in the postings.
    meant = _stems(" ".join(w for w in lexical.simple_words(phrase) if w not in lexical.STOPWORDS))
    rows = _all(_with_stem(index, stem) for stem in meant)
    if len(stems) < 2:
        return rows
    adjacent = [row for row in rows if _adjacent(index.papers[row], stems)]
    return np.asarray(adjacent, dtype=np.int64)


def _with_stem(index: Index, stem: str) -> Rows:
    rows = lexical.holders(index.lexical, stem)
    if _BARE_PLURAL.fullmatch(f"{stem}s"):
        rows = np.union1d(rows, lexical.holders(index.lexical, f"{stem}s"))
    return rows


def _stem(word: str) -> str:
    stem = lexical.stem(word)
    return stem[:-1] if _BARE_PLURAL.fullmatch(stem) else stem


def _adjacent(paper: Paper, stems: Sequence[str]) -> bool:
    wanted = f" {' '.join(stems)} "
    return any(wanted in _clauses(text) for text in _texts(paper))


def _texts(paper: Paper) -> tuple[str, ...]:
    return (paper.title, *paper.keywords, paper.abstract)


def _clauses(text: str) -> str:
    """The stems of a text with spaces around each, and a bar where a phrase cannot go on."""
    found, before = "", 0
    for start, end, word in lexical.word_spans(text):
        found += " | " if _BREAK.search(text, before, start) else " "
        found += _stem(word)
        before = end
    return f"{found} "


def _other_forms(index: Index, phrase: str) -> tuple[str, ...]:
    """The long forms of an acronym, or the acronyms of a long form, as the papers define them."""
    asked = _stems(phrase)
    forms: dict[tuple[str, ...], str] = {}
    for row in _with_phrase(index, phrase):
        for short, long in _definitions(index.papers[row]):
            read = {form: _stems(form) for form in (short, long)}
            if asked in read.values():
                forms |= {stems: form for form, stems in read.items() if stems != asked}
    return tuple(forms.values())


def _stems(phrase: str) -> tuple[str, ...]:
    return tuple(_stem(word) for word in lexical.simple_words(phrase))


def _definitions(paper: Paper) -> Iterator[tuple[str, str]]:
    """The acronyms that a paper spells out: (acronym, long form)."""
    for text in _texts(paper):
        for match in _DEFINED.finditer(text):
            words = match["long"].split()
            for count in range(1, len(words) + 1):
                long = " ".join(words[-count:])
                if _initials(match["short"], long):
                    yield match["short"], long
                    break


def _initials(short: str, long: str) -> bool:
    """Whether an acronym is made of the first letters of words; short words may have none."""
    words = lexical.simple_words(long)
    heads = "".join(word[0] for word in words)
    meant = "".join(word[0] for word in words if word not in lexical.STOPWORDS)
    whole = "".join(word[0].lower() for word in long.split())  # "pre-trained" gives one letter
    capitals = "".join(letter for letter in short if letter.isupper()).lower()
    return len(capitals) > 1 and bool({short.lower(), capitals} & {heads, meant, whole})
