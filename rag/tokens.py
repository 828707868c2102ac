"""Token states -> late interaction: how well a text covers each word of a question.

Goes in: what the model makes of a text (`Encoded`). Comes out: small token vectors to store, and
MaxSim scores of a question against runs of them. Knows nothing of papers and files.

For each token of the question the most similar token of a text is looked for; the similarities,
weighed by how rare the question's words are, make the score. It ranks papers and their sentences.

Stored are the tokens of words that carry meaning, in 128 directions, as int8: of the bundled
model's 384 dimensions a tenth of the bytes of all tokens in half precision, at the same quality
(docs/benchmarks.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag import lexical
from rag.embed import Encoded, Floats, unit
from rag.lexical import Lexical

Int8 = NDArray[np.int8]
Rows = NDArray[np.int64]
NO_ROWS: Rows = np.empty(0, dtype=np.int64)

# The bundled model's: the 128 strongest directions of the token states of the sample's abstracts
# (tests/make_basis.py); those learned on 3,140 other abstracts do as well.
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


def compress(encoded: Encoded, text: str, basis: Floats) -> tuple[Int8, Rows]:
    """The token vectors (n, e) of a text to be stored, and their offsets (n, 2).

    `basis` (d, e) is that of the index's model: see `rag.gauge`.
    """
    kept = _kept(_words_at(encoded, text))
    projected = unit(encoded.states[kept]) @ basis
    values = np.rint(np.clip(projected, -CLIP, CLIP) * SCALE).astype(np.int8)
    return values, encoded.offsets[kept]


def meant(encoded: Encoded, question: str, basis: Floats) -> Floats:
    """The vectors (n, e) of a question's tokens that carry meaning."""
    kept = _kept(_words_at(encoded, question))
    vectors: Floats = unit(encoded.states[kept]) @ basis / SCALE
    return vectors


def question_tokens(
    encoded: Encoded, question: str, postings: Lexical, basis: Floats
) -> QuestionTokens:
    """The tokens of a question, weighed by the rarity of their words in the index; none where the
    model gives no token states."""
    owners = _words_at(encoded, question)
    words = [word for word in owners if word is not None]
    runs = [len(list(run)) for _, run in groupby(words)]
    top = float(np.log(postings.texts + 1))
    weights = [LEAST_WEIGHT + _rarity(word, postings) / top for word in words]
    return QuestionTokens(
        meant(encoded, question, basis),
        np.asarray(weights, dtype=np.float32),
        np.repeat(runs, runs).astype(np.float32),
        encoded.offsets[_kept(owners)],
    )


def cosines(vectors: Floats, tokens: Int8) -> Floats:
    """The cosine of each question token (n, e) with each stored token (m, e), (n, m)."""
    found: Floats = vectors @ tokens.astype(np.float32).T
    return found


def maxsim(weights: Floats, cosines: Floats, starts: Rows) -> Floats:
    """The score of each run of tokens, (runs,): the weighed mean over the question's tokens of the
    best cosine in the run. Run i goes from `starts[i]` to the next start; none is empty."""
    if not len(weights):
        return np.zeros(len(starts), dtype=np.float32)
    best = np.maximum.reduceat(cosines, starts, axis=1)
    weighed: Floats = (weights @ best / weights.sum()).astype(np.float32)
    return weighed


def _kept(owners: Sequence[str | None]) -> NDArray[np.bool_]:
    return np.array([word is not None for word in owners], dtype=bool)


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
