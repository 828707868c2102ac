"""What the numbers of an embedding model mean: where its cosines lie, which directions matter.

Goes in: an `Embedder` and some abstracts. Comes out: a `Gauge`: a basis that token states are
stored in, and two scales. Knows nothing of indexes.

What counts as found or as stated was calibrated with the bundled model; the cosines of another may
all lie between .7 and .9. A scale moves them to where the bundled model's would lie: a line through
two points, the mean over questions beside passages that have nothing to do with them, and beside
those that answer them (gauge.txt). There is one for whole texts and one for words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from rag import tokens
from rag.embed import NAME, Embedder, Encoded, Floats, embed_question, unit
from rag.sentences import sentences

FILE = "gauge.npz"
PAIRS = Path(__file__).with_name("gauge.txt")
# The bundled model's means, unrelated and related; tests/test_gauge.py measures them again.
TEXTS = (0.057, 0.573)
WORDS = (0.137, 0.351)
# Means that lie closer tell nothing apart; then nothing counts as found.
CLOSEST = 0.01
# Abstracts that a basis is learned from. Between tokens of 40 others, cosines in 128 directions
# correlate with the true ones by .987, as in the shipped basis (.988); by .957 if learned from
# gauge.txt alone, by .874 in random directions.
SAMPLE = 32
DIRECTIONS = 128


@dataclass(frozen=True, slots=True)
class Scale:
    """A line from a model's cosines to where the bundled model's would lie."""

    slope: float = 1.0
    shift: float = 0.0

    def told(self, cosines: NDArray[np.floating]) -> Floats:
        """The cosines, moved; none leaves -1 to 1."""
        moved: Floats = np.clip(self.slope * cosines + self.shift, -1.0, 1.0).astype(np.float32)
        return moved


@dataclass(frozen=True, slots=True)
class Gauge:
    """`basis` (d, e) is what `rag.tokens` stores token states in; it has no directions where a
    model gives no states. `texts` is for the cosines of texts, `words` for those of tokens."""

    basis: Floats
    texts: Scale
    words: Scale


@lru_cache(maxsize=1)
def shipped() -> Gauge:
    """The bundled model's."""
    return Gauge(np.load(tokens.BASIS).astype(np.float32), Scale(), Scale())


def gauge(embedder: Embedder, abstracts: Sequence[str]) -> Gauge:
    """The gauge of a model, its basis learned from a sample of at least one abstract."""
    if embedder.name == NAME:
        return shipped()
    some = [e for _, e in embedder.encode(abstracts[:: -(-len(abstracts) // SAMPLE)])]
    pairs = read_pairs(embedder)
    basis = learned([*some, *(passage for _, passage in pairs.passages)])
    words = _scale(word_levels(pairs, basis), WORDS) if basis.size else Scale()
    return Gauge(basis, _scale(text_levels(pairs), TEXTS), words)


def save(found: Gauge, folder: Path) -> None:
    """Write a gauge into a generation, unless it is the one that is shipped."""
    if found is not shipped():
        lines = [(each.slope, each.shift) for each in (found.texts, found.words)]
        np.savez(folder / FILE, basis=found.basis, lines=np.asarray(lines))


def load(folder: Path, embedder: str) -> Gauge:
    """The gauge of a generation that the model of that name made. Raises OSError, LookupError or
    ValueError."""
    if embedder == NAME:
        return shipped()
    try:
        with (folder / FILE).open("rb") as content, np.load(content) as file:
            texts, words = (Scale(float(slope), float(shift)) for slope, shift in file["lines"])
            return Gauge(file["basis"], texts, words)
    except BadZipFile as error:
        raise ValueError(f"{FILE} is damaged: {error}") from error


def learned(read: Sequence[Encoded]) -> Floats:
    """A basis (d, e) from texts: the strongest directions of their token states, stretched so that
    almost all values lie in the range that is stored and use it."""
    states = unit(np.concatenate([encoded.states for encoded in read]))
    if not len(states):
        return states.T
    found = strongest(states)
    stretch = tokens.CLIP / float(np.quantile(np.abs(states @ found), 0.999))
    return (found * stretch).astype(np.float32)


def strongest(states: Floats) -> Floats:
    """Up to 128 orthonormal directions (d, e): eigenvectors of the uncentred second moment."""
    _, vectors = np.linalg.eigh(states.T @ states)  # ascending
    found: Floats = vectors[:, ::-1][:, :DIRECTIONS]
    return found


@dataclass(frozen=True, slots=True)
class Pairs:
    """The questions of gauge.txt and the passages that answer them, each with what a model makes
    of it; the n-th question belongs to the n-th passage."""

    questions: Sequence[tuple[str, Encoded]]
    passages: Sequence[tuple[str, Encoded]]


def read_pairs(embedder: Embedder) -> Pairs:
    """Read gauge.txt with a model."""
    blocks = PAIRS.read_text(encoding="utf-8").strip().split("\n\n")
    asked, told = zip(*(block.split("\n") for block in blocks), strict=True)
    read = dict(embedder.encode(told, [sentences(text) for text in told]))
    return Pairs(
        [(question, embed_question(embedder, question)) for question in asked],
        [(text, read[place]) for place, text in enumerate(told)],
    )


def text_levels(pairs: Pairs) -> tuple[float, float]:
    """The mean similarity of questions with others' passages and with their own; similarity is
    that of `rag.retrieve`: the mean of the cosines with the whole and with its best sentence."""
    found = []
    asked = np.stack([encoded.vector for _, encoded in pairs.questions])
    for text, passage in pairs.passages:
        pooled = np.stack([passage.pooled(span.start, span.end) for span in sentences(text)])
        found.append((asked @ passage.vector + (asked @ pooled.T).max(axis=1)) / 2)
    return _levels(np.stack(found))


def word_levels(pairs: Pairs, basis: Floats) -> tuple[float, float]:
    """The mean, over a question's tokens, of the best cosine in others' passages and in its own."""
    stored = [tokens.compress(passage, text, basis)[0] for text, passage in pairs.passages]
    asked = [tokens.meant(encoded, question, basis) for question, encoded in pairs.questions]
    found = [[float(tokens.cosines(q, t).max(axis=1).mean()) for q in asked] for t in stored]
    return _levels(np.asarray(found))


def _levels(found: Floats) -> tuple[float, float]:
    """The means of (passages, questions) off and on the diagonal."""
    own = np.eye(len(found), dtype=bool)
    return float(found[~own].mean()), float(found[own].mean())


def _scale(levels: tuple[float, float], wanted: tuple[float, float]) -> Scale:
    slope = (wanted[1] - wanted[0]) / max(levels[1] - levels[0], CLOSEST)
    return Scale(slope, wanted[0] - slope * levels[0])
