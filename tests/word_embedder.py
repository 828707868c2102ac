"""An embedder without a model: a word is a random direction, a text the mean of its words."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ingest.merge import Candidate, Merge, merge
from ingest.publish import publish
from rag import generations
from rag.embed import Encoded, Floats, unit
from rag.index import open_index
from rag.types import Paper, Span


@dataclass
class WordEmbedder:
    """Equal words give equal vectors, whatever stands around them; `asked` records the texts."""

    name: str = "words"
    dimension: int = 16
    asked: list[str] = field(default_factory=list)

    def encode(
        self, texts: Sequence[str], parts: Sequence[Sequence[Span]] = (), *, asking: bool = False
    ) -> Iterator[tuple[int, Encoded]]:
        self.asked += texts
        for place, text in enumerate(texts):
            found = [(m.group().lower(), m.span()) for m in re.finditer(r"\w+|[^\w\s]", text)]
            states = np.stack([self._direction(word) for word, _ in found])
            offsets = np.asarray([span for _, span in found], dtype=np.int64)
            yield place, Encoded(unit(states.mean(axis=0)), states, offsets)

    def _direction(self, word: str) -> Floats:
        random = np.random.default_rng(zlib.crc32(word.encode()))
        return unit(random.normal(size=self.dimension).astype(np.float32))


def paper(abstract: str, source: str = "a", position: int = 1, title: str = "") -> Paper:
    """A paper as the job hands it to `merge`: without an id."""
    return Paper(
        "",
        title or abstract[:20],
        "given" if title else "derived",
        abstract,
        abstract,
        source=source,
        position=position,
    )


def publish_texts(
    folder: Path, lists: Mapping[str, Sequence[str]], embedder: WordEmbedder, *, sync: bool = False
) -> Merge:
    """Bring an index up to date with lists of abstracts by source, files left out."""
    read = {
        source: [Candidate(paper(text, source, n)) for n, text in enumerate(texts, 1)]
        for source, texts in lists.items()
    }
    with generations.writing(folder):
        old = open_index(folder, embedder.name) if generations.current(folder) else None
        try:
            papers = old.papers if old else ()
            merged = merge(papers, old.keys if old else {}, read, sync=sync)
            sources = {each.source: f"/nowhere/{each.source}" for each in merged.papers}
            publish(folder, old, merged, sources, embedder, _silent, digest=False)
        finally:
            if old is not None:
                old.close()
    return merged


def _silent(_done: int, _total: int) -> None:
    """Report no progress."""
