"""A claim beside its source: a cause that the source does not give, or gives as the effect; pure.

Goes in: an `Alignment`. Comes out: a reason in words, empty where nothing is found. Knows no
grammar: the words around "because" and its like stand for cause and effect, and where most of them
stand in the source says which came first there.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from rag.align import Alignment
from rag.wording import Word

# What stands before these is the cause, in a claim.
FORWARD = frozenset(
    """cause causes causing lead lead_to leads leads_to leading_to led_to result_in induce induces
    inducing impose imposes give_rise_to gives_rise_to giving_rise_to""".split()
)
BACKWARD = frozenset(
    """because because_of due_to stem_from stems_from caused_by driven_by explained_by produced_by
    induced_by""".split()
)
# In a source these tell of a cause as well, but the words are used for much else.
SOFT_FORWARD = FORWARD | frozenset(
    """produce produces explain explains lets let way hence thus therefore thereby results_in
    resulting_in so that enables enable enabling allows allow allowing yields yielding resulting
    drives drive triggers shapes shape making giving give gives provide provides providing caused
    encourages encourage to which""".split()
)
SOFT_BACKWARD = BACKWARD | frozenset(
    """since by via through from if under given follows arise arises thanks_to when""".split()
)
# Of these some stand before the cause at the beginning of a sentence.
FRONTED = BACKWARD | frozenset("since by via through if under given thanks_to when with".split())
# What does this to an effect does not cause it.
REMEDY = frozenset(
    """mitig resolv reduc avoid prevent remov elimin suppress allevi overcom address tackl limit
    counter correct fix solv reliev""".split()
)
SIDE = 5


def wrong_cause(a: Alignment) -> str:
    """A cause of the claim that the source does not give."""
    for word in a.claim:
        forward = word.text in FORWARD or _is_what(a.claim, word)
        if not forward and word.text not in BACKWARD and not _follows(a.claim, word):
            continue
        left, right = _sides(a.claim, word)
        cause, effect = (left, right) if forward else (right, left)
        if not forward and not left:
            cause, effect = _after_because(a.claim, word)
        if not _told(a, cause, effect) or _other_cause(a, cause, effect):
            return f"the source does not give this cause (“{word.shown.replace('_', ' ')}”)"
    return ""


def _is_what(row: Sequence[Word], word: Word) -> bool:
    """Whether a word is the "what" of "is what makes", or the "why" of "the reason why"."""
    earlier = row[word.place - 1].text if word.place else ""
    return (word.text == "what" and earlier in {"is", "are"}) or (
        word.text == "why" and earlier in {"reason", "reasons", "explain", "explains", "is"}
    )


def _follows(row: Sequence[Word], word: Word) -> bool:
    following = row[word.place + 1].text if word.place + 1 < len(row) else ""
    return word.text in _FOLLOWS and following == "from"


_FOLLOWS = frozenset("follows follow results result arises arise comes come derives stem".split())


def _told(a: Alignment, cause: Sequence[Word], effect: Sequence[Word]) -> bool:
    """Whether the source gives that cause, or has no sentence that speaks of both."""
    best = max(a.rows(), key=lambda row: _count(a, cause, row) * _count(a, effect, row), default=[])
    if not _count(a, cause, best) or not _count(a, effect, best):
        return True
    if any(w.stem in _NAMED for w in best):
        return True
    c, e = _middle(a, cause, best), _middle(a, effect, best)
    between = [w.text for w in best if min(c, e) < w.place < max(c, e)]
    stems = {w.stem for w in best if min(c, e) < w.place < max(c, e)}
    if stems & REMEDY and not REMEDY & {w.stem for w in a.claim}:
        return False
    if c < e:
        if any(t in BACKWARD for t in between):
            return False
        first = [w.text for w in best if w.place < c]
        return any(t in SOFT_FORWARD for t in between) or any(t in FRONTED for t in first)
    return any(t in SOFT_BACKWARD for t in between)


def _other_cause(a: Alignment, cause: Sequence[Word], effect: Sequence[Word]) -> bool:
    """Whether the source has most of the effect in a sentence, and hardly anything of the cause in
    any."""
    if len(cause) < 2 or len(effect) < 2:
        return False
    best = max(a.rows(), key=lambda row: _count(a, effect, row), default=[])
    told = any(w.text in BACKWARD | FORWARD for w in best)
    found = _count(a, cause, best) if told else sum(bool(a.there[w.place]) for w in cause)
    return _count(a, effect, best) >= EFFECT * len(effect) and found <= CAUSE * len(cause)


# Shares of an effect and of its cause, between which a claim made a cause up.
EFFECT, CAUSE = 0.6, 0.34


# A source that names a cause may do so on either side.
_NAMED = frozenset("caus reason root origin sourc driver culprit".split())


def _count(a: Alignment, side: Sequence[Word], row: Sequence[Word]) -> int:
    places = {w.place for w in row}
    return sum(bool(places & set(a.there[w.place])) for w in side)


def _middle(a: Alignment, side: Sequence[Word], row: Sequence[Word]) -> float:
    places = {w.place for w in row}
    found = [[j for j in a.there[w.place] if j in places] for w in side]
    fewest = min(len(there) for there in found if there)  # a word that stands all over tells least
    return float(median([j for there in found if len(there) == fewest for j in there]))


def _sides(row: Sequence[Word], word: Word) -> tuple[list[Word], list[Word]]:
    left = [w for w in row[: word.place] if not w.plain]
    right = [w for w in row[word.place + 1 :] if not w.plain]
    close = (
        [w for w in left if w.clause == word.clause],
        [w for w in right if w.clause == word.clause],
    )
    return (close[0] or left)[-SIDE:], (close[1] or right)[:SIDE]


def _after_because(row: Sequence[Word], word: Word) -> tuple[list[Word], list[Word]]:
    rest = [w for w in row[word.place + 1 :] if not w.plain]
    cause = [w for w in rest if w.clause == word.clause]
    return cause, [w for w in rest if w.clause > word.clause][:SIDE]
