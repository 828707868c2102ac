"""A claim and the sentences that could carry it -> which of its words stand where in them; pure.

Goes in: a claim and source sentences. Comes out: an `Alignment`: the words of both, and for each
word of one the places of its counterparts in the other. Knows nothing of what a difference means.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rag.wording import Word, acronyms, alike, words

# Places between the words of two sentences, so that no neighbourhood reaches across.
GAP = 20
# Of what the best sentence has of a claim, the share that another must have to be part of it.
SPOKEN = 0.6


@dataclass(frozen=True, slots=True)
class Alignment:
    """`there[i]` are the places in `source` of what word i of `claim` means; `back[j]` the places
    in `claim` for word j of `source`. `titled` are places in `claim` of words of the paper's name,
    which a sentence may leave to "we" and "it"."""

    claim: tuple[Word, ...]
    source: tuple[Word, ...]
    there: tuple[tuple[int, ...], ...]
    back: tuple[tuple[int, ...], ...]
    titled: frozenset[int]

    def content(self) -> tuple[Word, ...]:
        """The claim's words that carry content."""
        return tuple(word for word in self.claim if not word.plain)

    def matched(self, word: Word) -> bool:
        """Whether a word of the claim has a counterpart."""
        return bool(self.there[word.place]) or word.place in self.titled

    def spoken(self) -> list[Word]:
        """The words of those sentences of the source that have enough of the claim to be what it
        says: a second sentence may only hold a word or two of it."""
        rows = self.rows()
        held = [len({i for w in row if not w.plain for i in self.back[w.place]}) for row in rows]
        least = SPOKEN * max(held, default=0)
        return [
            word for row, count in zip(rows, held, strict=True) if count >= least for word in row
        ]

    def rows(self) -> list[list[Word]]:
        """The source's words, sentence by sentence."""
        rows: list[list[Word]] = []
        for word in self.source:
            if not rows or word.clause - rows[-1][-1].clause >= GAP:
                rows.append([])
            rows[-1].append(word)
        return rows


def align(
    claim: str, sources: Sequence[str], title: str = "", abstracts: Sequence[str] = ()
) -> Alignment:
    """Match every word of a claim with those of the sources, in their order.

    `abstracts` are what the sources are from: they say what an acronym stands for.
    """
    here = words(claim)
    short = {name: stems for text in (*abstracts, claim) for name, stems in acronyms(text)}
    source, by_key, by_text, by_start = _laid(tuple(sources))
    written = _written_out(here, short)
    there: list[tuple[int, ...]] = []
    back: list[list[int]] = [[] for _ in source]
    for word in here:
        if word.plain:
            places = by_text.get(word.text, ())
        else:
            keys = {word.stem} if word.name else word.keys
            keys |= written.get(word.stem, frozenset())
            if word.stem in short and word.stem not in by_key:
                keys |= frozenset(short[word.stem])
            found = {place for key in keys for place in by_key.get(key, ())}
            for stem in _kin(word.stem, by_start):
                found.update(by_key[stem])
            places = tuple(sorted(found))
        there.append(places)
        for place in places:
            back[place].append(word.place)
    named = {word.stem for word in words(title) if word.name}
    titled = {word.place for word in here if word.name and word.stem in named}
    return Alignment(here, source, tuple(there), tuple(map(tuple, back)), frozenset(titled))


def _written_out(
    row: Sequence[Word], short: dict[str, tuple[str, ...]]
) -> dict[str, frozenset[str]]:
    """For each word of the acronyms that a claim writes out, those acronyms."""
    stems = {word.stem for word in row}
    found: dict[str, frozenset[str]] = {}
    for name, long in short.items():
        if stems.issuperset(long):
            for stem in long:
                found[stem] = found.get(stem, frozenset()) | {name}
    return found


def _joined(sources: tuple[str, ...]) -> tuple[Word, ...]:
    """The words of all sentences in one row; places are positions in it, clauses do not touch."""
    row: list[Word] = []
    clause = 0
    for sentence in sources:
        found = words(sentence)
        row += [
            replace(word, place=len(row) + number, clause=clause + word.clause)
            for number, word in enumerate(found)
        ]
        clause += (found[-1].clause if found else 0) + GAP
    return tuple(row)


Places = dict[str, tuple[int, ...]]


@lru_cache(maxsize=512)  # the sentences of a few answers, each asked for once a claim
def _laid(
    sources: tuple[str, ...],
) -> tuple[tuple[Word, ...], Places, Places, dict[str, set[str]]]:
    """The words of the sources, where each key of those with content stands and each of the
    others, and the stems by how they begin."""
    row = _joined(sources)
    by_key: dict[str, list[int]] = {}
    by_text: dict[str, list[int]] = {}
    by_start: dict[str, set[str]] = {}
    for word in row:
        if word.plain:
            by_text.setdefault(word.text, []).append(word.place)
        else:
            by_start.setdefault(word.stem[:START], set()).add(word.stem)
            for key in word.keys:
                by_key.setdefault(key, []).append(word.place)
    return (
        row,
        {key: tuple(places) for key, places in by_key.items()},
        {key: tuple(places) for key, places in by_text.items()},
        by_start,
    )


# Stems of one family share this many letters at least.
START = 4


def _kin(stem: str, by_start: dict[str, set[str]]) -> list[str]:
    """The stems of the same family, among those that begin like it, "re" and "over" left out."""
    bare = stem.removeprefix("re"), stem.removeprefix("over")
    starts = {name[:START] for name in (stem, *bare, f"re{stem}", f"over{stem}")}
    return [other for start in starts for other in by_start.get(start, ()) if alike(stem, other)]


def after(row: Sequence[Word], place: int, count: int, reach: int = 8) -> list[Word]:
    """The next content words of the same clause or the one that follows it."""
    clause = row[place].clause
    following = row[place + 1 : place + 1 + reach]
    return [w for w in following if not w.plain and w.clause <= clause + 1][:count]


def before(row: Sequence[Word], place: int, count: int, reach: int = 8) -> list[Word]:
    """The content words just before a place, nearest first, of its clause or the one before."""
    clause = row[place].clause
    earlier = row[max(0, place - reach) : place][::-1]
    return [w for w in earlier if not w.plain and w.clause >= clause - 1][:count]


def near(row: Sequence[Word], place: int, reach: int) -> Iterable[Word]:
    """All words around a place, itself left out, not across sentences."""
    for word in row[max(0, place - reach) : place + reach + 1]:
        if word.place != place and abs(word.clause - row[place].clause) < GAP:
            yield word
