"""A claim beside its source: a word turned into its opposite, or into another of its class; pure.

Goes in: an `Alignment`. Comes out: a reason in words, empty where nothing is found. Knows the
words of rag/thesaurus.py and no grammar: a word's neighbours stand for what it speaks of.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from Stemmer import Stemmer

from rag.align import Alignment, after, before, near
from rag.thesaurus import thesaurus
from rag.wording import Word, denied_form, stem_of

# What of a word's neighbours two texts must share for their words to speak of the same thing, and
# by how much more than with any word of the same sense.
ABOUT, MORE = 1.2, 0.4
# What is taken off where both texts have both words.
BOTH = 1.0


def turned_word(a: Alignment) -> str:
    """A word of the claim that the source has the opposite of, about the same things."""
    for word in a.claim:
        reason = "" if word.plain else _prefix(a, word)
        if reason:
            return reason
    for word in a.claim:
        opposite = _opposite(a, word) if _sides(word.stem) and not _keeps_from(a, word) else None
        if opposite is not None and not _odd_denial(a.claim, word):
            return f"the source says “{opposite.shown}”, not “{word.shown}”"
    return ""


def _keeps_from(a: Alignment, word: Word) -> bool:
    """Whether a word keeps something from happening, and so prevents it."""
    following = a.claim[word.place + 1 : word.place + 6]
    return word.stem == "keep" and any(w.text == "from" for w in following)


def _opposite(a: Alignment, word: Word) -> Word | None:
    """The opposite of a word in the source, where it speaks of what the word speaks of, and no
    word of the same sense speaks of nearly as much of it."""
    sides, mine = _sides(word.stem), _context(a.claim, word)
    stems = {other.stem for other in a.claim}
    around = [*before(a.claim, word.place, 6, 9), *after(a.claim, word.place, 2)]
    of_quality = any(w.stem in _QUALITIES for w in around)
    best_same, best_other, found = 0.0, 0.0, None
    for other in a.spoken():
        theirs = _sides(other.stem)
        same = not other.keys.isdisjoint(word.keys)
        if not theirs and not same:
            continue
        shared = _shared(a, mine, _context(a.source, other))
        if other.stem in stems and not same:
            shared -= BOTH  # the claim has both words, each for its own thing
        if same:
            best_same = max(best_same, shared + 0.5)
        elif _allied(sides, theirs) and not _opposed(sides, theirs, of_quality):
            best_same = max(best_same, shared)
        elif (
            shared > best_other
            and _opposed(sides, theirs, of_quality)
            and not _odd_denial(a.source, other)
        ):
            best_other, found = shared, other
    return found if best_other >= ABOUT and best_other > best_same + MORE else None


def exchanged(a: Alignment) -> str:
    """Two opposites that both texts have, each beside what the other speaks of in the source."""
    told = [w for w in a.claim if not w.plain and len(a.there[w.place]) == 1 and _sides(w.stem)]
    for number, one in enumerate(told):
        for two in told[number + 1 :]:
            if not _opposed(_sides(one.stem), _sides(two.stem), False):
                continue
            first, second = (a.source[a.there[w.place][0]] for w in (one, two))
            mine = _context(a.claim, one), _context(a.claim, two)
            theirs = _context(a.source, first), _context(a.source, second)
            kept = _shared(a, mine[0], theirs[0]) + _shared(a, mine[1], theirs[1])
            turned = _shared(a, mine[0], theirs[1]), _shared(a, mine[1], theirs[0])
            if min(turned) >= BESIDE and sum(turned) > kept + MORE:
                return f"“{one.shown}” and “{two.shown}” have changed places"
    return ""


def _odd_denial(row: Sequence[Word], word: Word) -> bool:
    """Whether a word is denied, so that it says the same as its opposite."""
    return any(w.text in thesaurus().denial for w in row[max(0, word.place - 3) : word.place])


def _prefix(a: Alignment, word: Word) -> str:
    """A word that differs from one of the source by a prefix that denies, and no other denial."""
    if a.there[word.place]:
        return ""
    bare = denied_form(word.stem)
    for other in a.source:
        if other.plain:
            continue
        theirs = denied_form(other.stem)
        adds = bare is not None and other.stem == bare and not a.back[other.place]
        drops = theirs is not None and theirs == word.stem and not a.back[other.place]
        if (adds or drops) and not (
            _denied_near(a.source, other.place) or _denied_near(a.claim, word.place)
        ):
            return f"the source says “{other.shown}”, not “{word.shown}”"
    return ""


def _denied_near(row: Sequence[Word], place: int) -> bool:
    return any(
        word.text in thesaurus().denial or word.stem in _LESSENS for word in near(row, place, 3)
    )


_LESSENS = frozenset("reduc mitig allevi lower decreas counter diminish resolv address".split())


def _context(row: Sequence[Word], word: Word) -> list[tuple[Word, float]]:
    """What a word speaks of: the nearest content words, those behind it first."""
    behind = after(row, word.place, 3, 6)
    ahead = before(row, word.place, 2, 5)
    weights = (1.0, 0.8, 0.6)
    return [*zip(behind, weights, strict=False), *zip(ahead, (0.7, 0.5), strict=False)]


def _shared(
    a: Alignment, mine: list[tuple[Word, float]], theirs: list[tuple[Word, float]]
) -> float:
    total = 0.0
    for word, weight in mine:
        for other, their_weight in theirs:
            if other.place in a.there[word.place]:
                total += max(weight, their_weight)
                break
    return total


@lru_cache(maxsize=4096)
def _sides(stem: str) -> frozenset[str]:
    return frozenset(name for name, stems in _named().items() if stem in stems)


def _opposed(one: frozenset[str], other: frozenset[str], of_quality: bool) -> bool:
    """Whether two words are opposites; of a quality also "decline" and "improve" are."""
    against = _against()
    if any(not other.isdisjoint(against.get(name, ())) for name in one):
        return True
    return of_quality and any(
        (a in one and b in other) or (a in other and b in one) for a, b in _TURNED
    )


_QUALITIES = frozenset(
    """perform accuraci effect qualiti gain lead robust score util efficaci fidel precis recal
    success advantag improv throughput reliabl""".split()
)
_TURNED = (("better", "down"), ("worse", "up"))


@lru_cache(maxsize=1)
def _against() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one, other in thesaurus().opposite:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return found


def _allied(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one & other) or any(one & kin and other & kin for kin in _KIN)


# What raises a figure often improves it, and the other way round.
_KIN = (frozenset(("up", "better")), frozenset(("down", "worse")), frozenset(("down", "lose")))


@lru_cache(maxsize=1)
def _named() -> dict[str, frozenset[str]]:
    stemmer = Stemmer("english")
    return {
        name: frozenset(stem_of(word, stemmer) for word in group)
        for name, group in thesaurus().named.items()
    }


def exclusive(a: Alignment) -> str:
    """A word of the claim in whose place the source has another of a class of which one is true."""
    theirs = {word.text for word in a.source}
    mine = {word.text for word in a.claim}
    for word in a.claim:
        for own, others in _classes().get(word.text, ()):
            if theirs & own or not theirs & others:
                continue
            for other in a.source:
                if other.text not in others or mine & _member(other.text, others):
                    continue
                if _shared(a, _context(a.claim, word), _context(a.source, other)) >= BESIDE:
                    return f"the source says “{other.shown}”, not “{word.shown}”"
    return ""


# A neighbour that directly follows both words, or nearly so, is shared.
BESIDE = 0.7


def _member(text: str, others: frozenset[str]) -> frozenset[str]:
    """The forms of the one member that a word is of."""
    return next(
        (own for own, rest in _classes()[text] if not rest.isdisjoint(others) or own <= others),
        frozenset((text,)),
    )


@lru_cache(maxsize=1)
def _classes() -> dict[str, list[tuple[frozenset[str], frozenset[str]]]]:
    """For each word of a class its own forms, and the words of all other members."""
    found: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
    for line in thesaurus().exclusive:
        for own in line:
            others = frozenset().union(*(member for member in line if member is not own))
            for form in own:
                found.setdefault(form, []).append((own, others))
    return found
