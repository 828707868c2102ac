"""A claim beside its source: figures and names that are there, but beside other things; pure.

Goes in: an `Alignment`. Comes out: a reason in words, empty where nothing is found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.align import GAP, Alignment
from rag.figures import figures
from rag.wording import Word

_SYMBOL = re.compile(r"([^\W\d_]|[\])])\s*([=^<>≤≥])\s*\{?(\d+(?:\.\d+)?)")
WINDOW = 9


def moved_figure(a: Alignment) -> str:
    """A figure that the source has beside other words than those the claim has it beside."""
    for word in a.claim:
        places = _same_count(a, word)
        if not places:
            continue
        counted = _counted(a.claim, word)
        if counted:
            rows = [heads for w in places if (heads := _counted(a.source, w))]
            if len(counted) > 1 and any(_ends_alike(a, counted, heads) for heads in rows):
                counted = counted[:-1]
                rows = [heads[:-1] or heads for heads in rows]
            known = [w for w in counted if a.there[w.place]] or counted
            theirs = [heads[-1] for heads in rows]
            if any(set(a.back[w.place]) & {w.place for w in counted} for w in theirs):
                continue
            reach = BESIDE if any(f.unit for f in figures(word.shown)) else 1
            beside = {j for w in places for j in _around(a.source, w, reach)}
            if len(theirs) == len(places) and not beside & set(a.there[known[-1].place]):
                said, mine = theirs[0].shown, known[-1].shown
                return f"the source says “{word.shown}” of “{said}”, not of “{mine}”"
        elif any(f.unit for f in figures(word.shown)):
            ahead = [w for w in _earlier(a.claim, word) if a.there[w.place]]
            if ahead and not any(_near(a, w, p.place) for w in ahead for p in places):
                return f"the source does not say “{word.shown}” of “{ahead[0].shown}”"
    return ""


def _ends_alike(a: Alignment, mine: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """Whether two phrases end with the same word, so that what stands before it counts."""
    return len(theirs) > 1 and theirs[-1].place in a.there[mine[-1].place]


def _around(row: Sequence[Word], word: Word, reach: int) -> range:
    """The places near a figure, up to the next one."""
    end = word.place + BESIDE + 1
    following = (w.place for w in row[word.place + 1 : end] if w.value)
    return range(word.place - reach, next(following, end))


def one_of_many(a: Alignment) -> str:
    """One thing in the claim where the source counts several, or the reverse."""
    if any(word.text in _OTHERS for word in a.claim):
        return ""
    for word in a.claim:
        number = _number(a.claim, word)
        if not number:
            continue
        heads = _meant(a, _counted(a.claim, word)[-1:])
        of = [w for w in a.source if _number(a.source, w)]
        of = [w for w in of if heads & {head.place for head in _counted(a.source, w)}]
        mine = {_number(a.claim, w) for w in a.claim if heads & _meant(a, _counted(a.claim, w))}
        if of and not any(_number(a.source, w) in mine for w in of):
            return f"the source says “{of[0].shown}”, not “{word.shown}”"
    return ""


_ONE = frozenset("one single sole".split())


def _number(row: Sequence[Word], word: Word) -> str:
    """Whether a word counts one or many; empty where it counts nothing, as in "one of which"."""
    following = row[word.place + 1].text if word.place + 1 < len(row) else ""
    if word.text in _ONE and following != "of":
        return "one"
    return "many" if word.text in _MANY or (word.value and word.value not in {"0", "1"}) else ""


def _meant(a: Alignment, words: Sequence[Word]) -> set[int]:
    return {place for word in words for place in a.there[word.place]}


_OTHERS = frozenset("another other others".split())
_MANY = frozenset("several multiple many various both".split())


def _same_count(a: Alignment, word: Word) -> list[Word]:
    """The words of the source that count as a word of the claim does: the same number, "per"."""
    if word.value:
        return [w for w in a.source if w.value == word.value]
    counts = next((group for group in _COUNTS if word.text in group), frozenset())
    return [w for w in a.source if w.text in counts]


_COUNTS = tuple(map(frozenset, (("several", "multiple", "various"), ("number",))))


def _counted(row: Sequence[Word], word: Word) -> list[Word]:
    """The words of what a figure counts or measures, where that follows at once."""
    found: list[Word] = []
    for other in row[word.place + 1 : word.place + 8]:
        if other.clause != word.clause or other.text in _COMPARED or other.value:
            break
        if other.text == "state_of_the_art":
            continue
        if other.plain and (found or other.text not in _LINKS):
            break
        if not other.plain and other.text not in _UNITS:
            found.append(other)
    return [w for w in found[:4] if not w.text.endswith(("ed", "ing", "ly"))]


# A word may stand so far from a figure that counts it.
BESIDE = 6
_COMPARED = frozenset(
    "ahead higher lower faster slower better worse more less fewer larger smaller greater".split()
)


def _earlier(row: Sequence[Word], word: Word) -> list[Word]:
    earlier = row[max(0, word.place - 9) : word.place][::-1]
    return [w for w in earlier if not w.plain and not w.value and w.text not in _UNITS][:3]


_LINKS = frozenset("of the a an its their to".split())
_UNITS = frozenset("percent percentage point points times fold factor x cases time total".split())


def _near(a: Alignment, word: Word, place: int) -> bool:
    return any(
        abs(j - place) <= WINDOW and abs(a.source[j].clause - a.source[place].clause) < GAP
        for j in a.there[word.place]
    )


def wrong_symbol(claim: str, sources: Sequence[str]) -> str:
    """A symbol with another figure than in the source: "H = 2" for "H = 1"."""
    source = "\n".join(sources)
    there = {match.groups() for match in _SYMBOL.finditer(source)}
    for match in _SYMBOL.finditer(claim):
        symbol, sign, value = match.groups()
        others = {other for s, g, other in there if (s, g) == (symbol, sign)}
        if others and value not in others:
            return f"the source says {symbol} {sign} {min(others)}, not {value}"
    return ""


def wrong_place(a: Alignment) -> str:
    """A figure that the source has "on" something else than the claim."""
    for word in a.claim:
        places = [w for w in a.source if w.value and w.value == word.value]
        if not places:
            continue
        mine = _on(a.claim, word)
        if not word.text[0].isdigit() or not mine or not all(a.there[w.place] for w in mine):
            continue
        theirs = [_on(a.source, place) for place in places]
        kept = [w for there in theirs for w in there if a.back[w.place]]
        if all(theirs) and not kept:
            return f"the source says {word.shown} of {theirs[0][0].shown}, not of {mine[0].shown}"
    return ""


def _on(row: Sequence[Word], word: Word) -> list[Word]:
    """The name that follows the next "on", "for" or "in" behind a figure."""
    found: list[Word] = []
    ready = False
    for other in row[word.place + 1 : word.place + 9]:
        if other.clause != word.clause and not found:
            return []
        if ready and not other.plain and other.shown != other.shown.lower():
            found.append(other)
        elif found or (ready and not other.plain):
            break
        ready = ready or other.text in {"on", "for", "in"}
    return found
