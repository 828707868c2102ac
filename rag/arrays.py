"""The vectors of a generation, memory-mapped: of papers, sentences and tokens.

    papers.npy       (papers, d) float16, unit vectors
    sentences.npy    (sentences, d) float16, unit vectors
    spans.npy        (sentences, 3) int32: row of the paper, start, end in its abstract
    tokens.npy       (tokens, e) int8: see rag.tokens; a given title's tokens come first; e is 0
                     where the model gives no token states
    token_runs.npy   (sentences + 1,) int64: where each sentence's tokens begin, and the end
    token_papers.npy (papers + 1,) int64: where each paper's tokens begin, and the end

Goes in: a paper's vectors, paper by paper. Comes out: arrays over all papers. Knows nothing of
papers themselves and of questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag.embed import Floats
from rag.tokens import Int8, Rows
from rag.types import Span

PAPERS, SENTENCES, SPANS = "papers.npy", "sentences.npy", "spans.npy"
TOKENS, TOKEN_RUNS, TOKEN_PAPERS = "tokens.npy", "token_runs.npy", "token_papers.npy"


@dataclass(frozen=True, slots=True)
class PaperVectors:
    """One paper with n sentences: `paper` (d,), `sentences` (n, d), `spans` of the sentences,
    `tokens` (t, e), `runs` (n,): where each sentence's tokens begin; none is without a token."""

    paper: Floats
    sentences: Floats
    spans: Sequence[Span]
    tokens: Int8
    runs: Rows


@dataclass(frozen=True, slots=True)
class Arrays:
    """The arrays of all papers, row by row; `first` (papers + 1,): each paper's first sentence."""

    papers: NDArray[np.float16]
    sentences: NDArray[np.float16]
    spans: NDArray[np.int32]
    first: Rows
    tokens: Int8
    token_runs: Rows
    token_papers: Rows

    def of(self, row: int) -> PaperVectors:
        """The vectors of one paper."""
        here = slice(self.first[row], self.first[row + 1])
        return PaperVectors(
            self.papers[row].astype(np.float32),
            self.sentences[here].astype(np.float32),
            [Span(int(start), int(end)) for _, start, end in self.spans[here]],
            self.tokens[self.token_papers[row] : self.token_papers[row + 1]],
            self.token_runs[here] - self.token_papers[row],
        )


def write(folder: Path, papers: Sequence[PaperVectors]) -> int:
    """Write the arrays of at least one paper; returns the number of sentences."""
    table = [(row, span.start, span.end) for row, each in enumerate(papers) for span in each.spans]
    ends = np.cumsum([0, *(len(each.tokens) for each in papers)])
    runs = [each.runs + begin for each, begin in zip(papers, ends, strict=False)]
    np.save(folder / PAPERS, np.stack([each.paper for each in papers]).astype(np.float16))
    vectors = np.concatenate([each.sentences for each in papers])
    np.save(folder / SENTENCES, vectors.astype(np.float16))
    np.save(folder / SPANS, np.asarray(table, dtype=np.int32).reshape(-1, 3))
    np.save(folder / TOKENS, np.concatenate([each.tokens for each in papers]))
    np.save(folder / TOKEN_RUNS, np.concatenate([*runs, ends[-1:]]))
    np.save(folder / TOKEN_PAPERS, ends)
    return len(table)


def read(folder: Path) -> Arrays:
    """Open what `write` wrote; the large arrays stay on disk. Raises OSError or ValueError."""
    spans = np.load(folder / SPANS)
    token_papers = np.load(folder / TOKEN_PAPERS)
    return Arrays(
        papers=np.load(folder / PAPERS, mmap_mode="r"),
        sentences=np.load(folder / SENTENCES, mmap_mode="r"),
        spans=spans,
        first=np.searchsorted(spans[:, 0], np.arange(len(token_papers))),
        tokens=np.load(folder / TOKENS, mmap_mode="r"),
        token_runs=np.load(folder / TOKEN_RUNS),
        token_papers=token_papers,
    )
