"""A claim beside its source: a cause or a purpose that the source does not give; pure.

Goes in: an `Alignment`. Comes out: a reason in words, empty where nothing is found. Knows no
grammar: what stands behind "because" or "in order to" fills a place, and the sentence that says
what it is the cause of has that place too, filled by the same or by something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from rag.align import Alignment
from rag.wording import Word

# What stands before these is the cause, in a claim.
FORWARD = frozenset(
    """cause causes causing lead lead_to leads leads_to leading_to led_to result_in results_in
    induce induces inducing impose imposes give_rise_to gives_rise_to giving_rise_to""".split()
)
BACKWARD = frozenset(
    """because because_of due_to stem_from stems_from caused_by driven_by explained_by produced_by
    traced_to induced_by thanks_to owing_to as_a_result_of attributed_to""".split()
)
# In a source these tell of a cause as well, but the words are used for much else.
SOFT_FORWARD = FORWARD | frozenset(
    """produce produces explain explains lets let way hence thus therefore thereby resulting_in so
    that enables enable enabling allows allow allowing yields yielding resulting drives drive
    triggers shapes shape making giving give gives provide provides providing caused encourages
    encourage to which""".split()
)
SOFT_BACKWARD = BACKWARD | frozenset(
    """since as by via through from if under given follows arise arises when reflecting
    reflects""".split()
)
PURPOSE = frozenset("in_order_to so_as_to serves_to serve_to".split())
# In a source these begin a purpose, or what something does.
SOFT_PURPOSE = PURPOSE | frozenset("to for that which so_that enabling allowing".split())
# Of these some stand before the cause at the beginning of a sentence.
FRONTED = BACKWARD | frozenset("since by via through if under given when with".split())
# What does this to an effect does not cause it.
REMEDY = frozenset(
    """mitig resolv reduc avoid prevent remov elimin suppress allevi overcom address tackl limit
    counter correct fix solv reliev""".split()
)
# So many words beside a mark are a cause or an effect.
SIDE = 6
# Shares: of the rest of a claim that a sentence must have to be the one that it is from; of the
# filling of a place that at most stands there, where it is another; of the filling that the
# sentence has instead, and that the claim lacks at least.
REST, KEPT, OWN, WHOLE = 0.5, 0.34, 0.6, 0.6
# The same where the sentence need not have another cause in that place.
APART_REST, APART_KEPT = 0.6, 0.34


def wrong_cause(a: Alignment) -> str:
    """A cause or a purpose of the claim in whose place the source has another, or the effect."""
    for word in a.claim:
        shown = word.shown.replace("_", " ")
        if word.text in PURPOSE or _is_purpose(a.claim, word):
            rest, filling = _parts(a.claim, word)
            if _other(a, rest, filling, SOFT_PURPOSE) or _apart(a, rest, filling):
                return f"the source gives another purpose (“{shown}”)"
            continue
        named = _named_cause(a.claim, word)
        if named is not None:
            if _other(a, *named, SOFT_BACKWARD) or _apart(a, *named):
                return f"the source does not give this cause (“{shown}”)"
            continue
        forward = word.text in FORWARD or _is_what(a.claim, word)
        if not forward and word.text not in BACKWARD and not _follows(a.claim, word):
            continue
        left, right = _sides(a.claim, word)
        cause, effect = (left, right) if forward else (right, left)
        if not forward and not left:
            cause, effect = _after_because(a.claim, word)
        if not forward and all(w.name for w in cause):
            continue  # "the construction due to Euler" names whose it is
        if (
            _reversed(a, cause, effect)
            or _other(a, effect, cause, SOFT_BACKWARD)
            or (word.text != "lead" and _apart(a, effect, cause))
        ):
            return f"the source does not give this cause (“{shown}”)"
    return ""


def _is_purpose(row: Sequence[Word], word: Word) -> bool:
    """Whether a "to" says what something is for: "is used to", or at the very beginning."""
    earlier = row[word.place - 1] if word.place else word
    return word.text == "to" and (not word.place or earlier.text in _USED)


_USED = frozenset("used serves serve designed meant intended introduced aims aim".split())


def _named_cause(row: Sequence[Word], word: Word) -> tuple[list[Word], list[Word]] | None:
    """Effect and cause of "the cause of growth is rain", "rain as the cause of growth"."""
    if word.text not in {"cause", "reason", "source"}:
        return None
    following = row[word.place + 1 : word.place + 12]
    marks = [w for w in following if w.text in {"as", "is", "be", "in"}]
    if not marks or following[0].text not in {"of", "for", "behind"}:
        return None
    effect = [w for w in row[word.place + 1 : marks[0].place] if not w.plain]
    cause = [w for w in row[marks[0].place + 1 :] if not w.plain and w.clause == marks[0].clause]
    return [*(w for w in row[: word.place] if not w.plain), *effect], cause[:SIDE]


def _is_what(row: Sequence[Word], word: Word) -> bool:
    """Whether a word is the "what" of "is what makes", or the "why" of "the reason why"."""
    earlier = row[word.place - 1].text if word.place else ""
    return (word.text == "what" and earlier in {"is", "are"}) or (
        word.text == "why" and earlier in {"reason", "reasons", "explain", "explains", "is"}
    )


def _follows(row: Sequence[Word], word: Word) -> bool:
    following = row[word.place + 1].text if word.place + 1 < len(row) else ""
    return word.text in _FOLLOWS and following == "from"


_FOLLOWS = frozenset("follows follow results result arises arise derives stem".split())


def _reversed(a: Alignment, cause: Sequence[Word], effect: Sequence[Word]) -> bool:
    """Whether a sentence of the source gives the effect as the cause, or the cause as a remedy."""
    best = max(a.rows(), key=lambda row: _count(a, cause, row) * _count(a, effect, row), default=[])
    if not _count(a, cause, best) or not _count(a, effect, best):
        return False
    if not _certain(a, cause, best) or not _certain(a, effect, best):
        return False
    c, e = _middle(a, cause, best), _middle(a, effect, best)
    between = [w for w in best if min(c, e) < w.place < max(c, e)]
    texts = {w.text for w in between}
    told = texts & (FORWARD if c < e else BACKWARD)
    if not told and {w.stem for w in between} & REMEDY and not REMEDY & {w.stem for w in a.claim}:
        return True
    whole = _whole(a, cause, best) and _whole(a, effect, best)
    first = {w.text for w in best if w.place < min(c, e)}
    if c < e:
        told = texts & SOFT_FORWARD or first & FRONTED
        return not told and bool(texts & (SOFT_BACKWARD if whole else BACKWARD))
    told = texts & SOFT_BACKWARD or first & FRONTED
    return not told and (whole or bool(texts & FORWARD))


def _whole(a: Alignment, side: Sequence[Word], row: Sequence[Word]) -> bool:
    return _count(a, side, row) >= WHOLE * len(side)


def _other(
    a: Alignment, rest: Sequence[Word], filling: Sequence[Word], marks: frozenset[str]
) -> bool:
    """Whether the sentence that has the rest of a claim fills its place with something else."""
    if len(rest) < 2 or len(filling) < 2:
        return False
    best = max(a.rows(), key=lambda row: _count(a, rest, row), default=[])
    if _count(a, rest, best) < max(2, REST * len(rest)):
        return False
    if _count(a, filling, best) > KEPT * len(filling):
        return False
    return any(
        len(theirs) > 1 and sum(not a.back[w.place] for w in theirs) >= OWN * len(theirs)
        for mark in best
        if mark.text in marks
        for theirs in [_behind(a.source, mark)]
    )


def _apart(a: Alignment, rest: Sequence[Word], filling: Sequence[Word]) -> bool:
    """Whether the sentence that has nearly all of the rest of a claim has next to nothing of what
    the claim gives as its cause or purpose."""
    if len(rest) < 2 or len(filling) < 2:
        return False
    best = max(a.rows(), key=lambda row: _count(a, rest, row), default=[])
    return _count(a, rest, best) >= max(2, APART_REST * len(rest)) and _count(
        a, filling, best
    ) <= APART_KEPT * len(filling)


def _behind(row: Sequence[Word], word: Word) -> list[Word]:
    rest = [w for w in row[word.place + 1 : word.place + 12] if not w.plain]
    return [w for w in rest if w.clause <= word.clause + 1][:SIDE]


def _parts(row: Sequence[Word], word: Word) -> tuple[list[Word], list[Word]]:
    """The rest of a claim and what stands behind a mark, up to the end of its clause."""
    rest = [w for w in row[word.place + 1 :] if not w.plain]
    behind = [w for w in rest if w.clause == word.clause]
    ahead = [w for w in row[: word.place] if not w.plain]
    return ahead or [w for w in rest if w.clause > word.clause], behind[:SIDE]


def _count(a: Alignment, side: Sequence[Word], row: Sequence[Word]) -> int:
    places = {w.place for w in row}
    return sum(bool(places & set(a.there[w.place])) for w in side)


def _certain(a: Alignment, side: Sequence[Word], row: Sequence[Word]) -> bool:
    """Whether a word of a side stands once in a sentence, so that its place is known."""
    places = {w.place for w in row}
    return any(len(places & set(a.there[w.place])) == 1 for w in side)


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
