"""A judgement -> the same, or "not stated" where no chosen paper speaks of what is asked for.

Goes in: an open index, a question as read, a `Judgement`. Comes out: a `Judgement`. Knows nothing
of wording.

The words of the thing asked for are looked for in the paper's title and abstract, and compared
with its tokens: each by its best cosine. The mean over all words of a question tells nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag import lexical
from rag.embed import Floats
from rag.index import Index
from rag.judge import Judgement
from rag.retrieve import Asked
from rag.tokens import cosines
from rag.types import Paper, Query, Span
from rag.wanted import wanted

# Below this cosine a word of the thing asked for is not stated. Calibrated as docs/benchmarks.md
# says.
LEAST = 0.40


def heed_silence(index: Index, asked: Asked, query: Query, judgement: Judgement) -> Judgement:
    """Turn "answered" into "not_stated", with what is missing, where no paper states it."""
    thing = wanted(query.asked)
    if judgement.status != "answered" or judgement.rule or thing is None:
        return judgement
    if any(_worst(index, asked, item.paper, thing.spans) >= LEAST for item in judgement.evidence):
        return judgement
    return replace(judgement, status="not_stated", missing=thing.text)


def covers(index: Index, asked: Asked, paper: Paper) -> bool:
    """Whether a paper speaks of everything that a short text names."""
    spans = tuple(Span(start, end) for start, end, _ in lexical.word_spans(asked.text))
    return _worst(index, asked, paper, spans) >= LEAST


def _worst(index: Index, asked: Asked, paper: Paper, spans: Sequence[Span]) -> float:
    """How well the worst of some words is covered: 1 where it stands there, else its cosine; 1 too
    where the model gives no token states, which leaves that unknown."""
    if not asked.tokens.pieces.size:
        return 1.0
    stored = index.arrays.of(index.rows[paper.id]).tokens
    best = index.gauge.words.told(cosines(asked.tokens.vectors, stored).max(axis=1))
    present = set(lexical.terms(f"{paper.title} {paper.abstract}"))
    return min((_covered(asked, span, best, present) for span in spans), default=1.0)


def _covered(asked: Asked, span: Span, best: Floats, present: set[str]) -> float:
    if present.issuperset(lexical.terms(asked.text[span.start : span.end])):
        return 1.0
    offsets = asked.tokens.offsets
    inside = (offsets[:, 0] >= span.start) & (offsets[:, 1] <= span.end)
    return float(best[inside].mean()) if inside.any() else 1.0
