"""A claim beside its source: a hedge or a condition that was left out; pure.

Goes in: an `Alignment`. Comes out: a reason in words, empty where nothing is found. Knows the
words of rag/thesaurus.py and no grammar.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.align import Alignment, after
from rag.thesaurus import thesaurus
from rag.wording import Word, alike

# Hedges whose loss makes another statement; "can" alone is often only a manner of speaking.
_HARD = {
    "modal": "may might could potential potentially possibly perhaps probably likely "
    "presumably plausible suggest suggests seem seems appear conjecture hypothesize speculate "
    "anticipate expect hope".split(),
    "often": "often typically usually generally sometimes frequently commonly tend tends tendency "
    "largely mainly mostly partially partly".split(),
    "many": "most majority certain".split(),
    "near": "nearly almost approximately about around roughly near close_to virtually ≈".split(),
    "limit": "up_to at_most as_much_as as_many_as no_more_than at_best".split(),
    "least": "at_least more_than no_less_than".split(),
    "par": "comparable competitive on_par similar".split(),
}
_BETTER = frozenset(
    "outperforms outperform improves improve exceeds exceed better superior beats surpasses".split()
)


def dropped_hedge(a: Alignment) -> str:
    """A hedge of the source over something that the claim states without one."""
    mine = {word.text for word in a.claim if not _shows_up(a.claim, word)}
    for word in a.spoken():
        for name, hard in _HARD.items():
            if word.text not in hard or _shows_up(a.source, word):
                continue
            if not mine & _as_careful(name) and not _kept(a, word) and _states(a, word, name):
                first = after(a.source, word.place, 1, 6)[0]
                return f"the source says “{word.shown.replace('_', ' ')} {first.shown}”"
    return ""


def _kept(a: Alignment, word: Word) -> bool:
    """Whether the claim has another form of the hedge itself: "competitively"."""
    return not word.plain and any(alike(other.stem, word.stem) for other in a.claim)


_AMOUNTS = frozenset("factor magnitude half third quarter dozens hundreds thousands".split())


def _shows_up(row: Sequence[Word], word: Word) -> bool:
    """Whether a thing appears, which is no hedge, rather than appears to be something."""
    following = row[word.place + 1].text if word.place + 1 < len(row) else ""
    return word.text in {"appear", "appears"} and following != "to"


def _as_careful(name: str) -> frozenset[str]:
    """The words with which a claim keeps a hedge of this family."""
    families = thesaurus().hedge
    if name == "modal":
        return families["modal"] | families["can"]
    if name in ("often", "many"):
        return families[name] | families["modal"] | families["can"] | families["often"]
    return families[name]


def _states(a: Alignment, word: Word, name: str) -> bool:
    """Whether the claim says what a hedge of the source stands before."""
    scope = after(a.source, word.place, 3, 6)
    if word.text == "up_to" and not any(w.value or w.text in _AMOUNTS for w in scope[:2]):
        return False  # "up to constants" leaves something open, and limits nothing
    if word.text in {"about", "around"} and not any(w.value for w in scope[:1]):
        return False
    if not scope or not a.back[scope[0].place]:
        return False
    if name == "par" and not {w.text for w in a.claim} & _BETTER:
        return False
    hit = [w for w in scope if a.back[w.place]]
    return scope[0].text[0].isdigit() or 2 * len(hit) >= len(scope)


def only_seen(a: Alignment) -> str:
    """A proof in the claim of what the source has from experiments."""
    proof = next((word for word in a.claim if word.text in _PROVES), None)
    told = a.spoken()
    if proof is None or any(word.stem.startswith(_PROOF) for word in told):
        return ""
    seen = next((word for word in told if word.stem in _SEEN), None)
    return f"the source says “{seen.shown}”, not “{proof.shown}”" if seen else ""


_PROVES = frozenset("prove proves proven proved proving theorem theoretically".split())
_PROOF = ("prove", "provab", "proof", "theorem", "guarante", "certif")
_SEEN = frozenset("empir experi experiment observ".split())


def paid(a: Alignment) -> str:
    """A price of something in the claim, where the source tells of no loss."""
    for word in a.claim:
        if word.text in _PRICES and not {w.stem for w in a.source} & _LOSSES:
            of = after(a.claim, word.place, 1)
            return f"the source tells of no loss of {of[0].shown}" if of else ""
    return ""


_PRICES = frozenset("at_the_expense_of at_the_cost_of at_the_price_of".split())
_LOSSES = frozenset(
    """expens cost price loss lose sacrific degrad drop reduc decreas lower wors trade suffer hurt
    harm requir need but howev albeit though although despit fewer less compromis""".split()
)
