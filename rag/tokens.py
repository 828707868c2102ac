"""Token states -> late interaction: how well a text covers each word of a question.

Goes in: what the model makes of a text (`Encoded`). Comes out: small token vectors to store, and
MaxSim scores of a question against runs of them. Knows nothing of papers and files.

For each token of the question the most similar token of a text is looked for; the similarities,
weighed by how rare the question's words are, make the score. It ranks papers and their sentences.

Stored are the tokens of words that carry meaning, projected to 128 of 384 dimensions, as int8: a
tenth of the bytes of all tokens in half precision, at the same quality (docs/benchmarks.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag import lexical
from rag.embed import Encoded, Floats, unit
from rag.lexical import Lexical

Int8 = NDArray[np.int8]
Rows = NDArray[np.int64]

# The 128 strongest directions of the token states of the sample's abstracts (tests/make_basis.py);
# one learned on 3,140 other abstracts does as well.
BASIS = Path(__file__).with_name("basis.npy")
# Projected unit states stay within this range but for one value in a thousand.
CLIP = 0.5
SCALE = 127 / CLIP
# A word that is everywhere still says a little; chosen on SciFact's train claims, where 0 and 0.1
# are level, and on questions that share no rare word with their abstract, where 0.1 is better.
LEAST_WEIGHT = 0.1


@dataclass(frozen=True, slots=True)
class QuestionTokens:
    """A question's n tokens that carry meaning: `vectors` (n, d), `weights` (n,) by the rarity of
    their words, `pieces` (n,): how many tokens make up the word, `offsets` (n, 2): half-open ranges
    of characters."""

    vectors: Floats
    weights: Floats
    pieces: Floats
    offsets: Rows


def compress(encoded: Encoded, text: str) -> tuple[Int8, Rows]:
    """The token vectors (n, d) of a text to be stored, and their offsets (n, 2)."""
    kept = np.array([word is not None for word in _words_at(encoded, text)], dtype=bool)
    projected = _projected(encoded.states[kept])
    values = np.rint(np.clip(projected, -CLIP, CLIP) * SCALE).astype(np.int8)
    return values, encoded.offsets[kept]


def question_tokens(encoded: Encoded, question: str, postings: Lexical) -> QuestionTokens:
    """The tokens of a question, weighed by the rarity of their words in the index."""
    owners = _words_at(encoded, question)
    kept = np.array([word is not None for word in owners], dtype=bool)
    words = [word for word in owners if word is not None]
    runs = [len(list(run)) for _, run in groupby(words)]
    top = float(np.log(postings.texts + 1))
    weights = [LEAST_WEIGHT + _rarity(word, postings) / top for word in words]
    return QuestionTokens(
        _projected(encoded.states[kept]) / SCALE,
        np.asarray(weights, dtype=np.float32),
        np.repeat(runs, runs).astype(np.float32),
        encoded.offsets[kept],
    )


def similarities(question: QuestionTokens, tokens: Int8) -> Floats:
    """The cosine of each question token with each stored token, (question tokens, tokens)."""
    found: Floats = question.vectors @ tokens.astype(np.float32).T
    return found


def maxsim(weights: Floats, cosines: Floats, starts: Rows) -> Floats:
    """The score of each run of tokens, (runs,): the weighed mean over the question's tokens of the
    best cosine in the run. Run i goes from `starts[i]` to the next start; none is empty."""
    if not len(weights):
        return np.zeros(len(starts), dtype=np.float32)
    best = np.maximum.reduceat(cosines, starts, axis=1)
    weighed: Floats = (weights @ best / weights.sum()).astype(np.float32)
    return weighed


def _projected(states: Floats) -> Floats:
    basis = _basis()
    return unit(states) @ basis if basis.shape[0] == states.shape[1] else unit(states)


@lru_cache(maxsize=1)
def _basis() -> Floats:
    loaded: Floats = np.load(BASIS).astype(np.float32)
    return loaded


def _words_at(encoded: Encoded, text: str) -> list[str | None]:
    """The word that each token is part of; None for punctuation and words without meaning."""
    owners: list[str | None] = [None] * len(encoded.offsets)
    place = 0
    for start, end, word in lexical.word_spans(text):
        meant = word not in lexical.STOPWORDS
        while place < len(owners) and encoded.offsets[place, 0] < end:
            if meant and encoded.offsets[place, 1] > start:
                owners[place] = word
            place += 1
    return owners


def _rarity(word: str, postings: Lexical) -> float:
    stems = lexical.terms(word)
    return lexical.rarity(postings, stems[0]) if stems else 0.0
