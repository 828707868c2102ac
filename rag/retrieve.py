"""A query -> the papers that bear on it, each with its sentences, best first.

Goes in: an open index, an embedder, a `Query`. Comes out: `Evidence`, ranked. Knows nothing of
answers.

A paper has three scores: cosine of the question with the whole paper and with its best sentence,
and BM25. Each is z-scored over the candidates, then they are summed (docs/benchmarks.md compares
this with its parts).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from rag import lexical, store
from rag.embed import Embedder, Floats, embed_question
from rag.errors import UsageError
from rag.index import Index
from rag.types import Evidence, Paper, Query, Quote

# Passages that Chroma and papers that BM25 nominate; below twice that all papers are candidates.
NOMINATED = 100
# A paper that the question names, or that has all words asked for, comes before all others.
PREFERRED = 100.0
# More than two z-scores differ by within an abstract, so that an introduction comes first.
INTRODUCING = 6.0
_INTRODUCES = re.compile(
    r"\b(?:propos\w+|introduc\w+|present\w*|develop\w*|call(?:ed)?|term(?:ed)?|design\w*|is an?)\b",
    re.IGNORECASE,
)
NO_ROWS: NDArray[np.int64] = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rows of the index with their scores, each (candidates,), best first."""

    rows: NDArray[np.int64]
    fused: Floats
    similarity: Floats


def retrieve(index: Index, embedder: Embedder, query: Query, k: int = 10) -> tuple[Evidence, ...]:
    """The k best papers of the index (fewer if it has fewer), best first.

    Papers that have all `query.terms` come before others, and all of them come.
    """
    vector = embed_question(embedder, query.question).vector
    exact = _having_all(index, query.terms)
    ranking = rank(index, vector, query, k, exact)
    # Which sentence answers depends on what was typed; what was asked before only finds the paper.
    focus = vector
    if query.asked != query.question:
        focus = embed_question(embedder, query.asked).vector
    terms = frozenset(lexical.terms(query.asked))
    shown = max(k, len(exact))
    return tuple(
        Evidence(
            paper=index.papers[row],
            score=float(score),
            similarity=float(similarity),
            quotes=_quotes(index, int(row), focus, terms, query),
            exact=bool(row in exact),
        )
        for row, score, similarity in zip(
            ranking.rows[:shown], ranking.fused[:shown], ranking.similarity[:shown], strict=True
        )
    )


def search(index: Index, embedder: Embedder, text: str, k: int) -> tuple[Paper, ...]:
    """The k papers that a text fits best, best first."""
    ranking = rank(index, embed_question(embedder, text).vector, Query(text, text), k)
    return tuple(index.papers[row] for row in ranking.rows[:k])


def related(index: Index, paper_id: str, k: int) -> tuple[Paper, ...]:
    """The k papers whose abstracts lie nearest to that of a paper, itself left out.

    Raises `UsageError` for an id that the index does not hold.
    """
    row = index.rows.get(paper_id)
    if row is None:
        raise UsageError(f"No paper has the id {paper_id!r}; colloquy papers lists all ids.")
    vectors = index.paper_vectors.astype(np.float32)
    order = np.argsort(-(vectors @ vectors[row]), kind="stable")
    return tuple(index.papers[other] for other in order[: k + 1] if other != row)[:k]


def rank(
    index: Index, vector: Floats, query: Query, k: int, exact: NDArray[np.int64] = NO_ROWS
) -> Ranking:
    """Score at least k candidates, `exact` rows among them, for a question with the vector (d,)."""
    words = lexical.scores(index.lexical, query.question)
    named = [index.rows[name] for name in query.named]
    preferred = np.union1d(exact, np.asarray(named, dtype=np.int64))
    rows = _candidates(index, vector, words, preferred, k)
    paper = index.paper_vectors[rows].astype(np.float32) @ vector
    sentence = _best_sentences(index, rows, vector)
    fused = fuse([paper, sentence, words[rows]])
    fused += PREFERRED * np.isin(rows, preferred)
    order = np.argsort(-fused, kind="stable")
    return Ranking(rows[order], fused[order], sentence[order])


def fuse(scores: Sequence[Floats]) -> Floats:
    """The sum of z-scores: each array to mean 0 and deviation 1, a constant one to 0."""
    total = np.zeros_like(scores[0])
    for array in scores:
        total += (array - array.mean()) / max(float(array.std()), 1e-9)
    return total


def _best_sentences(index: Index, rows: NDArray[np.int64], vector: Floats) -> Floats:
    """The cosine of the best sentence of each paper, (papers,)."""
    lengths = index.first[rows + 1] - index.first[rows]
    starts = np.cumsum(lengths) - lengths
    places = np.repeat(index.first[rows] - starts, lengths) + np.arange(lengths.sum())
    cosines = index.sentence_vectors[places].astype(np.float32) @ vector
    best: Floats = np.maximum.reduceat(cosines, starts)
    return best


def _candidates(
    index: Index, vector: Floats, words: Floats, preferred: NDArray[np.int64], k: int
) -> NDArray[np.int64]:
    count = len(index.papers)
    if count <= 2 * NOMINATED:
        return np.arange(count)
    near = [index.rows[name] for name in store.nearest(index.store, vector, NOMINATED)]
    shared = np.argpartition(-words, NOMINATED)[:NOMINATED]
    rows = np.unique(np.concatenate([near, shared[words[shared] > 0], preferred]).astype(np.int64))
    if len(rows) >= k:
        return rows
    by_paper = np.argsort(-(index.paper_vectors.astype(np.float32) @ vector), kind="stable")
    return np.union1d(rows, by_paper[~np.isin(by_paper, rows)][: k - len(rows)])


def _having_all(index: Index, terms: Sequence[str]) -> NDArray[np.int64]:
    """The rows of the papers in which every word occurs, inflected or not; none without words."""
    stems = [stem for term in terms for stem in lexical.terms(term)[:1]]
    held = [lexical.holders(index.lexical, stem) for stem in stems]
    return reduce(np.intersect1d, held) if held else NO_ROWS


def _quotes(
    index: Index, row: int, vector: Floats, terms: frozenset[str], query: Query
) -> tuple[Quote, ...]:
    """All sentences of a paper, those first that say most of what was asked, in meaning and in
    words; where a paper is to be explained, those that introduce it."""
    paper = index.papers[row]
    spans, vectors = index.sentences(row)
    texts = [paper.abstract[span.start : span.end] for span in spans]
    shared = [_shared(index, set(lexical.terms(text)), terms) for text in texts]
    scores = fuse([vectors @ vector, np.asarray(shared, dtype=np.float32)])
    if query.intent == "explain":
        scores += INTRODUCING * np.asarray([_INTRODUCES.search(text) is not None for text in texts])
    order = np.argsort(-scores, kind="stable")
    return tuple(Quote(paper, spans[place], float(scores[place])) for place in order)


def _shared(index: Index, words: set[str], terms: frozenset[str]) -> float:
    """The rarity of the words that a sentence shares with the question, long ones discounted."""
    weight = sum(lexical.rarity(index.lexical, term) for term in terms & words)
    return weight / float(np.sqrt(len(words) + 1))
