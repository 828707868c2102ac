"""Chosen papers -> their sentences, those first that answer the question.

Goes in: an open index, a question as read, papers. Comes out: `Evidence` with quotes. Knows nothing
of how the papers were chosen.

A sentence scores by late interaction (each word of the question at its best place in it) and by
the rarity of the words that it shares with the question. On SciFact's rationales one of the two
best is a gold one for 78% of the pairs; by cosine for 66% (docs/benchmarks.md).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rag import lexical
from rag.arrays import PaperVectors
from rag.embed import Floats
from rag.figures import coined
from rag.index import Index
from rag.retrieve import Asked, fuse
from rag.tokens import cosines, maxsim
from rag.types import Evidence, Paper, Query, Quote

# Chosen on SciFact's train claims.
LATE, WORDS = 1.0, 0.5
# More than scores differ by within an abstract, so that an introduction comes first.
INTRODUCING = 6.0
# Worth one and a half deviations: a number where one is asked for, an experiment where one is, ...
FITTING = 1.5
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|large|big|long|often|far|fast|high|low|well)\b|\bby what\b"
    r"|\b(?:percentage|factor|number|rate|score|values?)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twice|double|half|thousands?)\b",
    re.IGNORECASE,
)
_ASKS_TEST = re.compile(
    r"\b(?:tr(?:y|ied)|test(?:ed)?|evaluat\w+|benchmarks?|data ?sets?|experiments?|results?|"
    r"perform\w*|outperform\w*|beat|compared?)\b",
    re.IGNORECASE,
)
_TEST = re.compile(
    r"\b(?:experiments?|evaluat\w+|benchmarks?|data ?sets?|outperform\w*|across|improv\w+|"
    r"achiev\w+|results?|baselines?|tested|validat\w+)\b|^On ",
    re.IGNORECASE,
)
_ASKS_NAMES = re.compile(
    r"\b(?:which|what)\s+(?:\w+\s+)?(?:models?|llms?|data ?sets?|benchmarks?|baselines?|networks?|"
    r"architectures?|methods?|algorithms?)\b",
    re.IGNORECASE,
)
# What a sentence loses that stands before the authors speak of their own work, unless the question
# is about what was there before.
BACKGROUND = 2.0
_OWN = re.compile(
    r"\b(?:we|our|us|ours|here|this (?:paper|work|article|study)|the (?:paper|authors?))\b", re.I
)
_ASKS_BACKGROUND = re.compile(
    r"\b(?:why|problems?|challenges?|limitations?|existing|prior|previous|motivat\w+|gaps?|"
    r"bottlenecks?|fail\w*|difficult\w*|obstacles?|issues?|background|usually|so far)\b",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(
    r"\b(?:propos\w+|introduc\w+|present\w*|develop\w*|call(?:ed)?|term(?:ed)?|design\w*|is an?)\b",
    re.IGNORECASE,
)


def with_quotes(
    index: Index, asked: Asked, query: Query, chosen: Sequence[Evidence]
) -> tuple[Evidence, ...]:
    """The papers with all their sentences as quotes, best first."""
    return tuple(replace(item, quotes=_quotes(index, asked, query, item)) for item in chosen)


def _quotes(index: Index, asked: Asked, query: Query, item: Evidence) -> tuple[Quote, ...]:
    paper = item.paper
    vectors = index.arrays.of(index.rows[paper.id])
    texts = [paper.abstract[span.start : span.end] for span in vectors.spans]
    near = _nearness(asked, vectors)
    # A paper's own name is in many of its sentences and tells none of them apart.
    terms = asked.terms.difference(lexical.terms(" ".join([paper.name, *paper.names])))
    shared = [_shared(index, text, terms) for text in texts]
    scores = fuse([(LATE, near), (WORDS, np.asarray(shared, dtype=np.float32))])
    background = _background(asked.text, texts, paper)
    fitting = np.asarray([_fitting(asked.text, text, paper) for text in texts], dtype=np.float32)
    scores += FITTING * fitting * (1 - background) - BACKGROUND * background
    if query.intent == "explain":
        scores += INTRODUCING * np.asarray([_INTRODUCES.search(text) is not None for text in texts])
    order = np.argsort(-scores, kind="stable")
    return tuple(Quote(paper, vectors.spans[place], float(scores[place])) for place in order)


def _nearness(asked: Asked, vectors: PaperVectors) -> Floats:
    """How near each sentence is to the question, (sentences,): by the question's tokens, or by its
    vector where it has none."""
    tokens = asked.tokens
    if not tokens.pieces.size:
        return vectors.sentences @ asked.vector
    found = cosines(tokens.vectors, vectors.tokens)
    return maxsim(tokens.weights / tokens.pieces, found, vectors.runs)


def _background(question: str, texts: Sequence[str], paper: Paper) -> Floats:
    """1 for each sentence before the paper's own work is spoken of, else 0, (sentences,)."""
    own = (_OWN.search(text) or any(name in text for name in paper.names) for text in texts)
    turn = next((place for place, found in enumerate(own) if found), 0)
    asked = _ASKS_BACKGROUND.search(question) is not None
    return np.asarray([place < turn and not asked for place in range(len(texts))], dtype=np.float32)


def _fitting(question: str, sentence: str, paper: Paper) -> int:
    """How many of the kinds of things that a question asks for a sentence has."""
    known = set(paper.names)
    return sum(
        (
            bool(_ASKS_NUMBER.search(question) and _NUMBER.search(sentence)),
            bool(_ASKS_TEST.search(question) and _TEST.search(sentence)),
            bool(_ASKS_NAMES.search(question) and set(coined(sentence)) - known),
        )
    )


def _shared(index: Index, text: str, terms: frozenset[str]) -> float:
    """The rarity of the words that a sentence shares with the question."""
    common = terms.intersection(lexical.terms(text))
    return sum(lexical.rarity(index.lexical, term) for term in common)
