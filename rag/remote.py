"""Text -> vectors by a model behind an OpenAI-compatible endpoint.

Goes in: an `Endpoint`, texts and their parts. Comes out: `Encoded` without token states: an
endpoint gives one vector a text, so each part is sent as a text of its own. Knows nothing of the
wire and of papers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rag.embed import Encoded, Floats, unit, with_parts
from rag.endpoint import Endpoint, embeddings
from rag.errors import ModelError
from rag.line import Line
from rag.settings import ENDPOINT
from rag.types import Span

# Texts a request: few enough for a local server, enough to hide a round trip. llama.cpp with 135
# million weights on two busy cores took 1.5 to 3 seconds a text.
BATCH = 32
# One request with its retries: of a batch, and of a question.
BATCH_SECONDS = 300.0
QUESTION_SECONDS = 60.0
# Questions whose vectors are kept: an answer asks for those of its follow-ups and aspects anew.
REMEMBERED = 512


def remote_embedder(endpoint: Endpoint, model: str) -> RemoteEmbedder:
    """The embedding model of that name at an endpoint; no request is made."""

    def ask(question: str) -> Encoded:
        return _encoded(_vectors(endpoint, model, [question], QUESTION_SECONDS)[0])

    return RemoteEmbedder(f"{ENDPOINT}:{model}", endpoint, model, lru_cache(REMEMBERED)(ask))


@dataclass(frozen=True, slots=True)
class RemoteEmbedder:
    """A model behind an endpoint; `ask` embeds a question, and remembers."""

    name: str
    endpoint: Endpoint
    model: str
    ask: Callable[[str], Encoded]

    def encode(
        self, texts: Sequence[str], parts: Sequence[Sequence[Span]] = (), *, asking: bool = False
    ) -> Iterator[tuple[int, Encoded]]:
        """See `Embedder.encode`; raises `ModelError`."""
        if asking:
            return ((place, self.ask(text)) for place, text in enumerate(texts))
        return with_parts(texts, parts, self._read)

    def _read(self, texts: Sequence[str]) -> Iterator[tuple[int, Encoded]]:
        for begin in range(0, len(texts), BATCH):
            batch = texts[begin : begin + BATCH]
            vectors = _vectors(self.endpoint, self.model, batch, BATCH_SECONDS)
            for place, vector in enumerate(vectors, begin):
                yield place, _encoded(vector)


def _encoded(vector: Floats) -> Encoded:
    nothing = np.empty((0, len(vector)), dtype=np.float32)
    return Encoded(vector, nothing, np.empty((0, 2), dtype=np.int64))


def _vectors(endpoint: Endpoint, model: str, texts: Sequence[str], seconds: float) -> Floats:
    """Unit vectors (texts, d); raises `ModelError` where they are not of one size or of numbers."""
    # Most servers refuse an empty text.
    found = embeddings(endpoint, model, [text or " " for text in texts], Line(seconds))
    sizes = sorted({len(vector) for vector in found})
    if len(sizes) > 1 or sizes == [0]:
        raise ModelError(
            f"The embedding model {model!r} gave vectors of {sizes} dimensions in one answer; "
            "check what the endpoint serves under that name."
        )
    rows = _numbers(found)
    if not np.isfinite(rows).all():
        raise ModelError(
            f"The embedding model {model!r} gave a vector that is not of numbers; look at the "
            "endpoint's log."
        )
    return unit(rows)


def _numbers(found: list[list[float]]) -> Floats:
    """The vectors; what is too large for a number of theirs is infinite."""
    try:
        with np.errstate(over="ignore"):
            return np.asarray(found, dtype=np.float32)
    except OverflowError:  # a whole number of hundreds of digits
        return np.full((1, 1), np.inf, dtype=np.float32)
