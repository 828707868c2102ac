"""A claim beside its source: two things told apart whose statements changed places; pure.

Goes in: an `Alignment`. Comes out: a reason in words, empty where nothing is found. Knows no
grammar: what stands on either side of a "while" in the claim is looked for on the sides of every
break of the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rag.align import Alignment
from rag.wording import Word

_MARKS = frozenset("while whereas but".split())
# So many words on each side of the mark are looked at, and all.
NEAREST = 4
# A claim with more marks is a model's loop, not a contrast; each is laid beside the whole source.
MOST_MARKS = 8
# "Steep for one and mild for the other": "and" tells two things apart where both have this.
_WITH = frozenset("for on at with under".split())


def exchanged(a: Alignment) -> str:
    """Two halves of a claim of which each has the subject of one part of the source, and what is
    said of the other."""
    marks = [w for w in a.claim if w.text in _MARKS or _parallel(a.claim, w)]
    for mark in marks if len(marks) <= MOST_MARKS else ():
        left = [word for word in a.claim[: mark.place] if _one_sided(a, word, mark)]
        right = [word for word in a.claim[mark.place + 1 :] if _one_sided(a, word, mark)]
        if len(left) < 2 or len(right) < 2:
            continue
        for end in _ends(a.source):
            for count in (NEAREST, len(a.claim)):
                one, two = _sides(a, left[-count:], end), _sides(a, right[:count], end)
                if _turns(one) and _turns(two) and one[0] != two[0]:
                    first, second = left[-count:][0], right[0]
                    return f"“{first.shown}” and “{second.shown}” have changed places"
    return ""


def _one_sided(a: Alignment, word: Word, mark: Word) -> bool:
    """Whether what a word means stands in the source, and on its side of the mark alone."""
    places = a.there[word.place]
    backs = [back for place in places for back in a.back[place]]
    return bool(places) and not word.plain and len({back < mark.place for back in backs}) == 1


def _sides(a: Alignment, words: Sequence[Word], end: int) -> list[bool]:
    """The side of a break on which each word stands, where it stands on one only."""
    sides = [{place > end for place in a.there[word.place]} for word in words]
    return [next(iter(side)) for side in sides if len(side) == 1]


def _parallel(row: Sequence[Word], mark: Word) -> bool:
    """Whether an "and" stands between two parts with the same preposition or the same word."""
    ahead = {word.text for word in row[max(0, mark.place - 5) : mark.place]}
    behind = {word.text for word in row[mark.place + 1 : mark.place + 8]}
    head = {w.stem for w in row[mark.place + 1 : mark.place + 5] if not w.plain}
    same = head & {w.stem for w in row[: mark.place] if not w.plain}
    return mark.text == "and" and bool(same or ahead & behind & _WITH)


def _ends(row: Sequence[Word]) -> list[int]:
    """The places before a new clause or an "and"."""
    return [
        one.place
        for one, two in pairwise(row)
        if two.clause != one.clause or two.text in {"and", "not", "than", "or"}
    ]


def _turns(sides: Sequence[bool]) -> bool:
    """Whether the sides change once."""
    return sum(one != two for one, two in pairwise(sides)) == 1
