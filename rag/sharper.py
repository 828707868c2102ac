"""A claim beside its source: a word that says more than the source does; pure.

Goes in: an `Alignment`. Comes out: a reason in words, empty where nothing is found. Knows the
words of rag/thesaurus.py: which say "all", "always" or "only", and what in a source is as much.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.align import Alignment, after, before
from rag.thesaurus import thesaurus
from rag.wording import Word


def sharper(a: Alignment) -> str:
    """A word of the claim that says more than its source: "all", "always", "only"."""
    for word in a.claim:
        for said, enough in thesaurus().sharp:
            if word.text in said and not _said_as_much(a, word, said | enough):
                if word.text.startswith("even_") and _conditioned(a, word):
                    continue
                if word.text == "all" and _apposed(a.claim, word):
                    continue
                if word.text == "any" and _hardly(a.claim, word):
                    continue
                if word.text == "only" and _merely(a.claim, word):
                    continue
                return f"the source does not say “{word.shown.replace('_', ' ')}”"
    return ""


def blunter(a: Alignment) -> str:
    """A "most" or "some" of the claim where the source says "all" of the same."""
    for word in a.claim:
        if word.text not in _PARTS or any(w.text in _PARTS for w in a.source):
            continue
        of = {j for w in after(a.claim, word.place, 2, 4) for j in a.there[w.place]}
        for other in a.spoken():
            if other.text in _WHOLES and of & {w.place for w in after(a.source, other.place, 2, 4)}:
                return f"the source says “{other.shown}”, not “{word.shown}”"
    return ""


_PARTS = frozenset("most some many majority half few".split())
# Words that say "all" of what follows them.
_WHOLES = frozenset("all every each any".split())


def _hardly(row: Sequence[Word], word: Word) -> bool:
    """Whether an "any" says how little: "hardly any"."""
    return word.place > 0 and row[word.place - 1].text in _BARELY


_BARELY = frozenset("hardly barely scarcely".split())


def _apposed(row: Sequence[Word], word: Word) -> bool:
    """Whether an "all" only takes up what was named before: "small ones, all drawn from it"."""
    following = row[word.place + 1] if word.place + 1 < len(row) else word
    new = word.place > 0 and row[word.place - 1].clause != word.clause
    return new and following.text.endswith(("ed", "wn", "ing"))


def _few(row: Sequence[Word], article: Word) -> bool:
    return any(w.text in _SOME for w in row[article.place + 1 : article.place + 3])


_SOME = frozenset("few small subset fraction part portion single handful minority".split())


def _merely(row: Sequence[Word], word: Word) -> bool:
    """Whether an "only" says how little, and shuts nothing out: "only a few"."""
    following = row[word.place + 1] if word.place + 1 < len(row) else word
    ahead = row[word.place - 1] if word.place else word
    needs = any(w.stem in {"need", "requir", "use", "involv"} for w in (ahead, following))
    little = following.text == "to" or (following is not word and following.text.endswith("ly"))
    return needs or little or (following.text in {"a", "an"} and not _few(row, following))


def _conditioned(a: Alignment, word: Word) -> bool:
    """Whether the source makes a condition of what follows "even under"."""
    places = {j for w in after(a.claim, word.place, 2) for j in a.there[w.place]}
    return any(
        w.place in places
        for other in a.spoken()
        if other.text in _CONDITIONS
        for w in after(a.source, other.place, 2)
    )


_CONDITIONS = frozenset("under in when with if for at".split())


_WHATEVER = frozenset("whatever whichever no_matter however_large however_small".split())
# Of families with these the object may stand far from the verb.
_VERBS = frozenset("prove eliminate".split())


def _said_as_much(a: Alignment, word: Word, enough: frozenset[str]) -> bool:
    """Whether the source says as much, beside what the word speaks of."""
    if any(w.stem == word.stem and not w.plain for w in a.source):
        return True  # "purely" for "pure"
    theirs = [w for w in a.source if w.text in enough]
    of = [w for w in after(a.claim, word.place, 2, 4) if a.there[w.place]]
    if enough & _VERBS or word.text in _WHATEVER:
        return bool(theirs)
    if word.text not in _WHOLES:
        of += [w for w in before(a.claim, word.place, 2, 5) if a.there[w.place]]
    if not of or not theirs:
        return bool(theirs)
    places = {j for w in of for j in a.there[w.place]}
    return any(
        w.place in places
        for other in theirs
        for w in (
            other,
            *after(a.source, other.place, 4, 8),
            *(before(a.source, other.place, 4, 8) if other.text not in _WHOLES else ()),
        )
    )
