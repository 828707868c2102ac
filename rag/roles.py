"""A claim beside its source: two sides that changed places; pure.

Goes in: an `Alignment`. Comes out: a reason in words, empty where nothing is found. Knows no
grammar: what stands before and after a word, in both texts, stands for its two sides.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.align import Alignment
from rag.wording import Word

# Words with two sides, and where the first side stands: "A because B" is "B causes A".
FORWARD = frozenset(
    """cause causes caused causing lead lead_to leads leads_to leading_to led_to result_in
    results_in resulting_in resulting induce induces inducing produce produces produced producing
    makes making make explain explains shape shapes shaping enable enables enabling drive drives
    trigger triggers so thus thereby therefore hence impose imposes allow allows allowing lets let
    gives_rise_to give_rise_to giving_rise_to yields yielding encourage encourages hinder
    hinders""".split()
)
BACKWARD = frozenset(
    """because because_of due_to since stem_from stems_from caused_by driven_by explained_by
    follows arises arise""".split()
)
WIN = frozenset(
    """outperform outperforms outperforming outperformed surpass surpasses surpassing exceed
    exceeds exceeding beat beats better superior dominates""".split()
)
LOSE = frozenset(
    """underperform underperforms outperformed_by beaten_by inferior worse lag lags trail trails
    behind dominated_by""".split()
)
OVER = frozenset("over than versus against".split())
# Other verbs of which one cannot swap subject and object, by stem.
VERBS = frozenset(
    """replac substitut inject depend reli encourag conceal govern contain includ requir
    inherit""".split()
)
# Words of content on each side that are looked at, and those next to a word that relates only
# what stands beside it.
SIDE, CLOSE = 6, 3


def turned(a: Alignment) -> str:
    """Two sides of a cause, a comparison or a verb that stand the other way round."""
    theirs = [word for word in a.source if _relates(a.source, word)]
    for word in (word for word in a.claim if _relates(a.claim, word)):
        same = [(other, flip) for other in theirs if (flip := _same_relation(a, word, other))]
        if any(_straight(a, word, other, flip) for other, flip in same):
            continue
        for other, flip in same:
            if _crossed(a, word, other, flip):
                return f"the two sides of “{word.shown.replace('_', ' ')}” have changed places"
    return ""


def turned_way(a: Alignment) -> str:
    """A "from one to the other" that goes the other way in the source."""
    theirs = _ways(a.source)
    for start, end in _ways(a.claim):
        if any(_hits(a, start, one) or _hits(a, end, other) for one, other in theirs):
            continue
        for one, other in theirs:
            if _hits(a, start, other) and _hits(a, end, one):
                return f"the source says from {one[0].shown} to {other[0].shown}"
    return ""


def replaced(a: Alignment) -> str:
    """What replaces in the claim, and is replaced in the source."""
    pair, other_pair = _replacing(a.claim), _replacing(a.source)
    if pair and other_pair:
        crossed = _hits(a, pair[0], other_pair[1]), _hits(a, pair[1], other_pair[0])
        straight = _hits(a, pair[0], other_pair[0]) + _hits(a, pair[1], other_pair[1])
        if all(crossed) and sum(crossed) > straight:
            return "what replaces and what is replaced have changed places"
    return ""


def _ways(row: Sequence[Word]) -> list[tuple[list[Word], list[Word]]]:
    """The words behind "from" and behind the "to" that belongs to it."""
    found = []
    for word in row:
        if word.text == "from":
            to = [w for w in row[word.place + 2 : word.place + 9] if w.text in {"to", "into"}]
            if to:
                start = [w for w in row[word.place + 1 : to[0].place] if not w.plain]
                end = _split(row, to[0], CLOSE)[1]
                if start and end and start[-1].value and end[0].value:
                    start, end = start[-1:], end[:1]
                found.append((start, end))
    return [(start, end) for start, end in found if start and end]


def _replacing(row: Sequence[Word]) -> tuple[list[Word], list[Word]] | None:
    """What is replaced, and by what: "replaces A with B"."""
    for word in row:
        if word.stem == "replac":
            for mark in row[word.place + 1 : word.place + 12]:
                if mark.text in {"with", "by"}:
                    between = [w for w in row[word.place + 1 : mark.place] if not w.plain]
                    return between, _split(row, mark, 4)[1]
    return None


def _relates(row: Sequence[Word], word: Word) -> bool:
    if word.text in _COMPARING:
        following = row[word.place + 1].text if word.place + 1 < len(row) else ""
        return following in {"than", "to"}
    return word.text in _RELATIONS or word.stem in VERBS


# These compare two sides only where "than" or "to" follows.
_COMPARING = frozenset("better worse superior inferior".split())


def _straight(a: Alignment, word: Word, other: Word, flip: int) -> bool:
    """Whether the words next to both stand on the sides on which the source has them."""
    left, right = _split(a.claim, word, CLOSE)
    theirs_left, theirs_right = _split(a.source, other, CLOSE)
    if flip < 0:
        theirs_left, theirs_right = theirs_right, theirs_left
    return bool(
        _hits(a, left, theirs_left, theirs_right) and _hits(a, right, theirs_right, theirs_left)
    )


def _crossed(a: Alignment, word: Word, other: Word, flip: int) -> bool:
    close = word.text in WIN | LOSE or word.text in SWAPS
    left, right = _split(a.claim, word, CLOSE if close else SIDE)
    theirs_left, theirs_right = _split(a.source, other, CLOSE if close else SIDE)
    if flip < 0:
        theirs_left, theirs_right = theirs_right, theirs_left
    straight = _hits(a, left, theirs_left, theirs_right) + _hits(
        a, right, theirs_right, theirs_left
    )
    one = _hits(a, left, theirs_right, theirs_left)
    two = _hits(a, right, theirs_left, theirs_right)
    if one and two and close:
        next_to = _hits(a, left[:1], theirs_right[:1]) and _hits(a, right[:1], theirs_left[:1])
        if next_to or one + two > straight * (2 if word.text in SWAPS else 1):
            return True
    if one and two and one + two >= max(3, 3 * straight) and word.text not in SWAPS:
        return True
    if word.text in WIN | LOSE | OVER | FORWARD | BACKWARD or word.stem in VERBS:
        first, second = _named(left)[:1], _named(right)[:1]
        return (
            bool(first and second)
            and bool(_hits(a, first, theirs_right, theirs_left))
            and bool(_hits(a, second, theirs_left, theirs_right))
        )
    return False


def beaten(a: Alignment) -> str:
    """Who wins a comparison in the claim, and loses it in the source, or the reverse."""
    theirs = [found for word in a.source if (found := _contest(a.source, word))]
    for mark in a.claim:
        mine = _contest(a.claim, mark)
        if mine is None:
            continue
        for winners, losers in theirs:
            win = _hits(a, mine[0], losers, winners) and not _hits(a, mine[0], winners, losers)
            lose = _hits(a, mine[1], winners, losers) and not _hits(a, mine[1], losers, winners)
            if (win and not _hits(a, mine[1], losers, winners)) or (
                lose and not _hits(a, mine[0], winners, losers)
            ):
                return f"the source has who “{mark.shown.replace('_', ' ')}” the other way round"
    return ""


# With "over" behind them these compare, too.
_GAINS = frozenset("improv gain improvement advantag".split())


def _contest(row: Sequence[Word], word: Word) -> tuple[list[Word], list[Word]] | None:
    """The nearest words of the winner and of the loser of a comparison at a word."""
    behind = word
    if word.stem in _GAINS:
        over = [w for w in row[word.place + 1 : word.place + 10] if w.text in {"over", "upon"}]
        if not over:
            return None
        behind = over[0]
    elif word.text not in WIN | LOSE or not _relates(row, word):
        return None
    left, right = _split(row, word, 2 * SIDE)[0], _split(row, behind, 2 * SIDE)[1]
    left = [*left[:CLOSE], *_named(left[CLOSE:])[:1]]
    right = [*right[:CLOSE], *_named(right[CLOSE:])[:1]]
    turn = (word.text in LOSE) != _passive(row, word)
    return (right, left) if turn else (left, right)


# Prepositions and conjunctions with two sides; only the words next to them are theirs.
SWAPS = {
    "into": "into", "than": "than", "over": "than", "rather_than": "rather",
    "instead_of": "rather", "subject_to": "subject", "as_opposed_to": "rather",
}  # fmt: skip


_RELATIONS = WIN | LOSE | FORWARD | BACKWARD | SWAPS.keys()


def _same_relation(a: Alignment, word: Word, other: Word) -> int:
    """1 where both words relate what stands before them to what stands behind, -1 where one of
    them does so the other way round, 0 where they are not the same relation."""
    for one, two in ((WIN, LOSE), (FORWARD, BACKWARD)):
        if word.text in one | two and other.text in one | two:
            same = (word.text in one) == (other.text in one)
            turn = _passive(a.claim, word) != _passive(a.source, other)
            return 1 if same != turn else -1
    if word.text in SWAPS:
        return int(SWAPS[word.text] == SWAPS.get(other.text))
    if word.stem in VERBS and word.stem == other.stem:
        return -1 if _passive(a.claim, word) != _passive(a.source, other) else 1
    return 0


def _passive(row: Sequence[Word], word: Word) -> bool:
    following = [w.text for w in row[word.place + 1 : word.place + 3]]
    return "by" in following and word.text.endswith(("ed", "n", "t", "ne"))


def _split(row: Sequence[Word], word: Word, count: int) -> tuple[list[Word], list[Word]]:
    """The nearest words with content before and after a word, nearest first, of its clause and
    those beside it."""

    def side(words: Sequence[Word]) -> list[Word]:
        return [w for w in words if not w.plain and abs(w.clause - word.clause) <= 2][:count]

    left = side(row[max(0, word.place - 14) : word.place][::-1])
    return left, side(row[word.place + 1 : word.place + 15])


def _named(side: Sequence[Word]) -> list[Word]:
    return [w for w in side if any(c.isupper() for c in w.shown[1:])]


def _hits(
    a: Alignment, mine: Sequence[Word], theirs: Sequence[Word], unless: Sequence[Word] = ()
) -> int:
    """How many words have a counterpart on a side, and none on the other."""
    places, others = {w.place for w in theirs}, {w.place for w in unless}
    found = [set(a.there[w.place]) for w in mine]
    return sum(1 for here in found if here & places and not here & others)
