"""A claim beside its source: a denial that only one of the two has; pure.

Goes in: an `Alignment`. Comes out: a reason in words, empty where nothing is found. Knows the
denying words of rag/thesaurus.py and no grammar: a denial speaks of what follows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.align import Alignment, after, before, near
from rag.thesaurus import thesaurus
from rag.wording import Word, denied_form

# So many words around a word may deny it, within its clause or the next. With 5 a paraphrase that
# says "stays the same" for "does not change" was taken for a lost denial.
REACH = 7


def denied(a: Alignment) -> str:
    """A denial that only the claim has, or that only the source has."""
    return _only_claimed(a) or _only_told(a)


def _only_claimed(a: Alignment) -> str:
    """A denial that only the claim has."""
    deny = thesaurus().plain_denial
    for word in a.claim:
        if word.text in deny and not _in_phrase(a.claim, word):
            scope = [w for w in _scope(a.claim, word) if a.there[w.place] and not w.name][:2]
            if word.text == "no" and not _heads(a, word):
                continue  # what there is none of is not in the source by this word
            if _speaks_back(a.claim, word, scope):  # "is not needed" speaks of what stands before
                scope += before(a.claim, word.place, 1)
            places = [j for w in scope for j in a.there[w.place]]
            bare = {w.stem for w in _scope(a.claim, word)}
            said = any(denied_form(w.stem) in bare for w in a.source)
            if places and not said and not any(_denies(a.source, j, a.claim) for j in places):
                return f"it says “{word.shown}”, the source does not"
    return ""


def _only_told(a: Alignment) -> str:
    """A denial that only the source has."""
    deny = thesaurus().plain_denial | _CONTRAST
    for word in a.spoken():
        if word.text in deny and not _in_phrase(a.source, word):
            scope = [w for w in _scope(a.source, word) if w.clause == word.clause][:2]
            if word.text in _CONTRAST and any(
                a.back[w.place] for w in before(a.source, word.place, 1)
            ):
                continue  # the claim has what the source says instead
            hit = [w for w in scope if a.back[w.place]]
            if scope and len(hit) == len(scope) and not _stays(a, scope[0]) and not _said(a, hit):
                places = [i for w in hit for i in a.back[w.place]]
                if not any(_denies(a.claim, i, a.source) for i in places):
                    return f"the source says “{word.shown} {scope[0].shown}”"
    return ""


def _heads(a: Alignment, word: Word) -> bool:
    """Whether the source has one of the words that follow at once."""
    following = _scope(a.claim, word)[:2]
    return any(a.there[w.place] for w in following if w.clause == word.clause)


def _said(a: Alignment, denied: Sequence[Word]) -> bool:
    """Whether the source has each of the denied words elsewhere, undenied: "with and without"."""
    return all(
        any(
            other.stem == word.stem
            and other.place != word.place
            and not _denies(a.source, other.place, a.claim)
            for other in a.source
        )
        for word in denied
    )


def _speaks_back(row: Sequence[Word], word: Word, scope: Sequence[Word]) -> bool:
    following = row[word.place + 1].text if word.place + 1 < len(row) else ""
    return following in {"be", "been"} or (bool(scope) and "~need" in scope[0].keys)


def _stays(a: Alignment, word: Word) -> bool:
    """Whether the source denies a change, and the claim says that all stays as it is."""
    return word.stem in _CHANGES and any(w.text in _STAYS for w in a.claim)


_CHANGES = frozenset("chang alter modifi affect vari influenc impact touch move shift".split())
_STAYS = frozenset(
    "same stay stays remain remains unchanged unaffected constant fixed intact invariant keeps "
    "keep retains preserves preserve".split()
)


# What stands behind these is what a source does not say.
_CONTRAST = frozenset("rather_than instead_of as_opposed_to in_place_of".split())


def _scope(row: Sequence[Word], word: Word) -> list[Word]:
    found = after(row, word.place, 4)
    if found and found[0].stem in _LIGHT and word.text in {"without", "no"}:
        found = found[1:]  # "without using labels" speaks of labels
    return found[:3] or before(row, word.place, 2)


_LIGHT = frozenset("use need requir ani access reli addit introduc incur".split())


def _in_phrase(row: Sequence[Word], word: Word) -> bool:
    """Whether a denial denies nothing: "not only", "no more than", "not necessarily"."""
    following = row[word.place + 1].text if word.place + 1 < len(row) else ""
    return (
        following in {"only", "just", "merely", "necessarily", "longer", "even"}
        and word.text != "no"
    )


def _denies(row: Sequence[Word], place: int, others: Sequence[Word]) -> bool:
    """Whether something denies the word at a place that does not stand in the other text too."""
    plain = thesaurus().plain_denial | _CONTRAST
    theirs = {word.stem for word in others if word.text not in plain}
    return any(
        _negative(word) and word.stem not in theirs and _governs(word, row[place])
        for word in [row[place], *near(row, place, REACH)]
    )


def _governs(denial: Word, word: Word) -> bool:
    """Whether a denial may speak of a word: most deny what follows them, a verb its subject too."""
    if denial.text not in thesaurus().plain_denial:
        return abs(denial.clause - word.clause) <= 1
    ahead = denial.place - word.place
    return denial.clause == word.clause and (ahead <= 0 or (denial.text in _VERBAL and ahead <= 4))


_VERBAL = frozenset("not cannot never fail failed failing fails lack lacks hardly unable".split())


def _negative(word: Word) -> bool:
    return word.text in thesaurus().denial or (
        not word.plain and denied_form(word.stem) is not None
    )
