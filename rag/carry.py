"""A claim and a paper -> the sentences of its abstract that carry the claim best; pure.

Goes in: a claim, a `Paper`. Comes out: spans, and how much of the claim a sentence has. Knows
nothing of whether the claim is true to them.

A sentence is worth the words of the claim that it has, as they are or in other words for the same,
each weighed by how few of the abstract's sentences have it; figures and names count more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from rag.figures import coined, figures, plain_name
from rag.sentences import sentences
from rag.types import Paper, Span
from rag.wording import content

# A figure or a coined name says more about where a claim comes from than a common word.
FACT_WEIGHT = 2.0
# A word of the same group says less than the word itself.
GROUP_WEIGHT = 0.6
# A second sentence is quoted if it carries at least this share of what the first leaves open. On
# claims with known evidence sentences (SciFact) 0.1 found one of them for 45%, 0.35 for 38%.
SECOND_SHARE = 0.1


def carrying(claim: str, paper: Paper) -> tuple[Span, ...]:
    """The one or two sentences of a paper's abstract that carry a claim best, in reading order.

    Empty only where the abstract is.
    """
    spans, held = _sentences_of(paper.abstract)
    if not spans:
        return ()
    wanted = _weights(_features(claim), held)
    gains = [{name: weight * _found(name, row) for name, weight in wanted.items()} for row in held]
    best = max(range(len(spans)), key=lambda number: sum(gains[number].values()))
    left = {name: wanted[name] - gain for name, gain in gains[best].items() if gain < wanted[name]}
    more = [sum(max(0.0, row[name] - gains[best][name]) for name in left) for row in gains]
    second = max(range(len(spans)), key=more.__getitem__)
    chosen = {best}
    if left and more[second] >= SECOND_SHARE * sum(left.values()) > 0:
        chosen.add(second)
    return tuple(spans[number] for number in sorted(chosen))


def best_sentence(claim: str, paper: Paper) -> tuple[Span, float] | None:
    """The sentence that has most of a claim, and that share, 0 to 1; None where there is none.

    The paper's name does not count: a sentence may say "we" or "it" instead.
    """
    spans, held = _sentences_of(paper.abstract)
    named = {name for name, _ in _features(paper.title)}
    wanted = _weights(frozenset(f for f in _features(claim) if f[0] not in named), held)
    total = sum(wanted.values())
    if not spans or not total:
        return None
    gains = [sum(weight * _found(name, row) for name, weight in wanted.items()) for row in held]
    best = max(range(len(spans)), key=gains.__getitem__)
    return spans[best], gains[best] / total


Feature = tuple[str, frozenset[str]]


@lru_cache(maxsize=256)  # the papers of a few answers: each is asked for once a claim
def _sentences_of(abstract: str) -> tuple[tuple[Span, ...], tuple[frozenset[str], ...]]:
    """The sentences of an abstract, and the keys of each."""
    spans = sentences(abstract)
    rows = [_features(abstract[span.start : span.end]) for span in spans]
    return spans, tuple(frozenset().union(*({name} | keys for name, keys in row)) for row in rows)


def _features(text: str) -> frozenset[Feature]:
    """What a text has: stems with the groups of words they are in, figures (#), names (@)."""
    found: set[Feature] = {
        (f"#{figure.value.normalize()}", frozenset()) for figure in figures(text)
    }
    found |= {(f"@{plain_name(name)}", frozenset()) for name in coined(text)}
    for word in content(text):
        if not word.text[0].isdigit():
            groups = frozenset() if word.name else word.keys - {word.stem}
            found.add((word.stem, groups))
    return frozenset(found)


def _weights(claim: frozenset[Feature], held: Sequence[frozenset[str]]) -> dict[Feature, float]:
    """How much each feature of a claim tells about which sentence it comes from."""
    weights = {}
    for feature in claim:
        count = sum(_found(feature, row) > 0 for row in held)
        rarity = math.log(1 + len(held) / (1 + count))
        weights[feature] = rarity * (FACT_WEIGHT if feature[0][0] in "#@" else 1.0)
    return weights


def _found(feature: Feature, row: frozenset[str]) -> float:
    name, groups = feature
    if name in row:
        return 1.0
    return GROUP_WEIGHT if groups & row else 0.0
