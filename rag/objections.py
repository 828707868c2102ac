"""A claim and the sentences it rests on -> why they do not carry it, in words; pure.

Goes in: a claim, the sentences that carry it best, the papers they are from. Comes out: a reason,
empty where none was found. Knows no answers and no markers.

Word by word the claim is laid beside its sentences (rag/align.py), and asked: what was added (a
figure, a name, a term), what was lost (a hedge, a condition, a "not"), what was turned (a word into
its opposite, the sides of a comparison or of a cause), what was moved (a figure to another thing).
There is no grammar and no model behind it: docs/benchmarks.md says what it sees and what not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rag import bound, causes, contrasts, denial, hedges, novelty, polarity, roles, sharper
from rag.align import Alignment, align
from rag.figures import coined, figures, wrong_figure, wrong_name
from rag.wording import content

# Of a claim in another language only figures and names can be compared.
_ENGLISH = frozenset("the of and is are with that for by from it its this which to be as".split())
# Function words of German, French, Spanish, Italian, Portuguese and Dutch that English lacks.
_OTHERS = frozenset(
    """der das und ist ein eine einen einer mit auf den dem von nicht wird werden für durch nach
    le la les des est une et pour avec dans sur par du qui que el los las una con para por es del
    il di che della nel gli um uma os da com não em het een van met zijn wordt""".split()
)
# Below this share of a foreign claim's words in its quotes the two are about different things.
LEAST_SHARE = 0.25
# In the order in which a reader would name them.
_CHECKS: tuple[Callable[[Alignment], str], ...] = (
    bound.moved_figure,
    bound.one_of_many,
    bound.wrong_place,
    novelty.added_name,
    novelty.unlike,
    novelty.joined,
    denial.denied,
    polarity.turned_word,
    polarity.exchanged,
    polarity.exclusive,
    roles.turned,
    roles.turned_way,
    roles.replaced,
    roles.beaten,
    contrasts.exchanged,
    causes.wrong_cause,
    sharper.sharper,
    sharper.blunter,
    hedges.dropped_hedge,
    hedges.only_seen,
    hedges.paid,
)


def objection(
    claim: str, quotes: Sequence[str], titles: Sequence[str] = (), abstracts: Sequence[str] = ()
) -> str:
    """Why the quotes do not carry the claim, in words; empty if they do.

    `titles` are the names of the quoted papers, `abstracts` the texts that the quotes are from.
    """
    sources = [*titles, *quotes]
    reason = (
        wrong_figure(claim, sources)
        or wrong_name(claim, sources)
        or bound.wrong_symbol(claim, sources)
    )
    if reason:
        return reason
    if _is_foreign(claim):
        return _foreign(claim, sources)
    laid = align(claim, quotes, "\n".join(titles), abstracts)
    for check in _CHECKS:
        reason = check(laid)
        if reason:
            return reason
    if all(laid.matched(word) for word in laid.content()):
        return ""
    whole = align(claim, abstracts or quotes, "", abstracts)
    return novelty.added_term(novelty.unheard(laid), whole) or novelty.strange(laid, whole)


def _foreign(claim: str, sources: Sequence[str]) -> str:
    """Words cannot be compared across languages; figures and names can, and they agree."""
    wanted = {word.stem for word in content(claim)}
    shared = wanted & {word.stem for source in sources for word in content(source)}
    if figures(claim) or coined(claim) or len(shared) >= LEAST_SHARE * len(wanted):
        return ""
    return "it is in another language than its source: compare them yourself"


def _is_foreign(claim: str) -> bool:
    """Whether a claim is plainly in another language than English, that of the stems here."""
    letters = [character for character in claim if character.isalpha()]
    if 2 * sum(character.isascii() for character in letters) < len(letters):
        return True
    found = set(re.findall(r"[^\W\d_]+", claim.casefold()))
    return bool(found & _OTHERS) and not found & _ENGLISH
