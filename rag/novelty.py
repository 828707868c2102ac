"""A claim beside its source: what it adds, a name, a term, too many other words; pure.

Goes in: an `Alignment`. Comes out: a reason in words, empty where nothing is found. Knows the
words of rag/thesaurus.txt: general English may change in a paraphrase, a term of the field may not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from Stemmer import Stemmer

from rag.align import Alignment, after, before
from rag.thesaurus import thesaurus
from rag.wording import Word, denied_form, stem_of

# Of a claim's words, the share that may be missing from its sentences before the two are about
# different things, and how many at least.
MOST_MISSING, FEWEST = 0.34, 3
# The same of all words, those of general English too.
MOST_ALL = 0.5
# A word of general English counts for less: a paraphrase has a few of its own.
COMMON_WEIGHT = 0.5
# A word that only another sentence of the abstract has counts for more: such a claim joins what the
# paper does not join. Of a claim's words, the share that both kinds may make up, and the least to
# be spoken of. Where the curve of altered claims over faithful ones bends (docs/benchmarks.md).
ELSEWHERE_WEIGHT, MOST_STRANGE, LEAST_STRANGE = 2.5, 0.15, 0.9
# Below this share of a claim's words in its sentences, however short the claim.
LEAST_SHARE = 0.25
_UNITS = frozenset(
    "percent percentage point points times fold factor number dozen half twice".split()
)


def added_name(a: Alignment) -> str:
    """A name that the sentences do not have; coined ones are compared before (rag/figures.py)."""
    for word in a.claim:
        if (
            word.name
            and not (_coined(word) or word.plain or a.matched(word) or _general(word))
            and word.text.isalpha()
        ):
            return f"{word.shown} is not in the cited sentence"
    return ""


def joined(a: Alignment) -> str:
    """What the claim joins with "as well as", and the sentences do not speak of."""
    spoken = {word.place for word in a.spoken()}
    for mark in a.claim:
        if mark.text == "as_well_as":
            for word in (*before(a.claim, mark.place, 1, 4), *after(a.claim, mark.place, 2, 4)):
                if (
                    not _coined(word)
                    and not spoken & set(a.there[word.place])
                    and word.place not in a.titled
                ):
                    return f"the cited sentence does not speak of “{word.shown}”"
    return ""


def unlike(a: Alignment) -> str:
    """Too many words that the sentences do not have."""
    mine = a.content()
    missing = [word for word in mine if not a.matched(word)]
    if mine and len(mine) - len(missing) < LEAST_SHARE * len(mine):
        return "it shares almost no words with the cited sentence"
    if len(missing) >= FEWEST and len(missing) > MOST_ALL * len(mine):
        return _says_nothing_of(missing)
    strange = sum(COMMON_WEIGHT if _general(word) else 1.0 for word in missing)
    if strange >= FEWEST and strange > MOST_MISSING * len(mine):
        return _says_nothing_of(missing)
    return ""


def _says_nothing_of(missing: Sequence[Word]) -> str:
    shown = ", ".join(f"“{word.shown}”" for word in missing[:3])
    return f"the cited sentence says nothing of {shown}"


def unheard(a: Alignment) -> tuple[Word, ...]:
    """Terms of the field in the claim that the sentences do not have."""
    return tuple(
        word
        for word in a.claim
        if not word.plain
        and word.text.isalpha()
        and len(word.text) > 2
        and not a.matched(word)
        and not _general(word)
        and not _coined(word)
    )


def _coined(word: Word) -> bool:
    """Whether a word has a capital inside: an acronym may be written out in the source."""
    return word.shown[1:] != word.shown[1:].lower()


def added_term(missing: Sequence[Word], whole: Alignment) -> str:
    """Which of the missing terms the whole abstract does not have either."""
    denied = {denied_form(word.stem) for word in whole.source}  # rag/denial.py judges denials
    for word in missing:
        if not whole.matched(whole.claim[word.place]) and word.stem not in denied:
            return f"the paper does not speak of “{word.shown}”"
    return ""


def strange(a: Alignment, whole: Alignment) -> str:
    """Too many words that stand nowhere in the abstract, or in other sentences of it alone."""
    mine = a.content()
    denied = {denied_form(word.stem) for word in whole.source}
    missing = [
        word
        for word in mine
        if not (a.matched(word) or word.text in _judged() or word.stem in denied)
    ]
    elsewhere = [word for word in missing if whole.matched(whole.claim[word.place])]
    weight = sum(
        (COMMON_WEIGHT if _general(word) else 1.0) * (ELSEWHERE_WEIGHT if word in elsewhere else 1)
        for word in missing
    )
    if weight >= max(LEAST_STRANGE, MOST_STRANGE * len(mine)):
        return _says_nothing_of(elsewhere or missing)
    return ""


def _general(word: Word) -> bool:
    """Whether a word is of general English: its addition by itself adds no fact of the field."""
    if word.text.endswith("ly") or word.text in _UNITS or word.value:
        return True
    common = _common()
    if word.text.endswith("er") and word.text not in thesaurus().common:
        return False  # a decoder is a term, whatever "to decode" is
    return word.stem in common or denied_form(word.stem) in common


@lru_cache(maxsize=1)
def _judged() -> frozenset[str]:
    """Words that other rules judge: hedges, denials, "all" and its like, units."""
    book = thesaurus()
    careful = frozenset().union(*book.hedge.values(), *(said for said, _ in book.sharp))
    return careful | book.denial | _UNITS


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    stemmer = Stemmer("english")
    book = thesaurus()
    enough = frozenset().union(*(enough for _, enough in book.sharp))
    words = book.common | _judged() | enough
    return frozenset(stem_of(word, stemmer) for word in words)
