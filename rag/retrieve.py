"""A query -> the papers that bear on it, each with its sentences, best first.

Goes in: an open index, an embedder, a `Query`. Comes out: `Evidence`, ranked. Knows nothing of
answers.

A paper has four scores: cosine of the question with the whole paper and with its best sentence,
late interaction, and BM25. Each is z-scored over the candidates, then they are summed; without
token states late interaction is the same for all and adds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rag import lexical, store
from rag.embed import Embedder, Floats, embed_question
from rag.errors import UsageError
from rag.index import Index, check_dimension
from rag.mentions import mentions
from rag.tokens import NO_ROWS, QuestionTokens, Rows, cosines, maxsim, question_tokens
from rag.types import Evidence, Paper, Query

# Passages that Chroma and papers that BM25 nominate; below twice that all papers are candidates.
NOMINATED = 100
# A paper that the question names, or that belongs to a list, comes before all others.
PREFERRED = 100.0


@dataclass(frozen=True, slots=True)
class Asked:
    """A text as the index is searched with it: its vector (d,), its tokens, its stems."""

    text: str
    vector: Floats
    tokens: QuestionTokens
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rows of the index with their scores, each (candidates,), best first.

    `similarity` is the mean of the cosines with the paper and with its best sentence, on the scale
    of the bundled model.
    """

    rows: Rows
    fused: Floats
    similarity: Floats


def read_question(index: Index, embedder: Embedder, text: str) -> Asked:
    """Embed a text, once. Raises `ModelError`, or `IndexMismatch` for a vector of another size."""
    encoded = embed_question(embedder, text)
    check_dimension(index.folder, index.manifest, encoded.vector)
    tokens = question_tokens(encoded, text, index.lexical, index.gauge.basis)
    return Asked(text, encoded.vector, tokens, frozenset(lexical.terms(text)))


def retrieve(
    index: Index, asked: Asked, query: Query, k: int = 10, counted: Rows = NO_ROWS
) -> tuple[Evidence, ...]:
    """The k best papers of the index (fewer if it has fewer), best first, without quotes.

    The papers in the rows `counted` come before others, and all of them come.
    """
    ranking = rank(index, asked, query, k, counted)
    shown = slice(max(k, len(counted)))
    return tuple(
        Evidence(index.papers[row], float(score), float(similarity), counted=bool(row in counted))
        for row, score, similarity in zip(
            ranking.rows[shown], ranking.fused[shown], ranking.similarity[shown], strict=True
        )
    )


def resolve(index: Index, embedder: Embedder, query: Query) -> Query:
    """Find the papers that a question mentions without their names, each by its phrase."""
    phrases = mentions(query.asked) if query.intent != "list" else ()
    found = [search(index, embedder, phrase, 1, query.papers)[0].id for phrase in phrases]
    return replace(query, named=tuple(dict.fromkeys([*query.named, *found])))


def search(
    index: Index, embedder: Embedder, text: str, k: int, papers: tuple[str, ...] = ()
) -> tuple[Paper, ...]:
    """The k papers that a text fits best, best first; of those `papers` alone, if any."""
    query = Query(text, text, papers=papers)
    ranking = rank(index, read_question(index, embedder, text), query, k)
    return tuple(index.papers[row] for row in ranking.rows[:k])


def related(index: Index, paper_id: str, k: int) -> tuple[Paper, ...]:
    """The k papers whose abstracts lie nearest to that of a paper, itself left out.

    Raises `UsageError` for an id that the index does not hold.
    """
    row = index.rows[paper_of(index, paper_id).id]
    vectors = index.arrays.papers.astype(np.float32)
    order = np.argsort(-(vectors @ vectors[row]), kind="stable")
    return tuple(index.papers[other] for other in order[: k + 1] if other != row)[:k]


def paper_of(index: Index, paper_id: str) -> Paper:
    """The paper of that id; raises `UsageError` for an id that the index does not hold."""
    if paper_id not in index.rows:
        raise UsageError(f"No paper has the id {paper_id!r}; colloquy papers lists all ids.")
    return index.papers[index.rows[paper_id]]


def rank(index: Index, asked: Asked, query: Query, k: int, counted: Rows = NO_ROWS) -> Ranking:
    """Score at least k candidates, `counted` rows among them."""
    words = lexical.scores(index.lexical, asked.text)
    allowed = rows_of(index, query.papers)
    named = [index.rows[name] for name in query.named if allowed is None or name in query.papers]
    preferred = np.union1d(counted, np.asarray(named, dtype=np.int64))
    if allowed is None:
        rows = _candidates(index, asked.vector, words, preferred, k)
    else:
        rows = _candidates_among(index, allowed, asked.vector, words, preferred, k)
    paper = index.arrays.papers[rows].astype(np.float32) @ asked.vector
    sentence = _best_sentences(index, rows, asked.vector)
    late = _late(index, rows, asked.tokens)
    # Equal weights: of all mixtures tried on SciFact's 809 train claims none is better.
    fused = fuse([(1.0, scores) for scores in (paper, sentence, words[rows], late)])
    fused[np.isin(rows, preferred)] += PREFERRED
    order = np.argsort(-fused, kind="stable")
    similarity = index.gauge.texts.told((paper + sentence) / 2)
    return Ranking(rows[order], fused[order], similarity[order])


def rows_of(index: Index, papers: Sequence[str]) -> Rows | None:
    """The rows of papers by id, in the index's order; None for no papers: all may answer."""
    return np.unique([index.rows[name] for name in papers]) if papers else None


def fuse(scores: Sequence[tuple[float, Floats]]) -> Floats:
    """The weighed sum of z-scores: each array to mean 0 and deviation 1, a constant one to 0."""
    total = np.zeros(len(scores[0][1]), dtype=np.float32)
    for weight, array in scores:
        total += weight * (array - array.mean()) / max(float(array.std()), 1e-9)
    return total


def _best_sentences(index: Index, rows: Rows, vector: Floats) -> Floats:
    """The cosine of the best sentence of each paper, (papers,)."""
    places, starts = _runs(index.arrays.first, rows)
    best: Floats = np.maximum.reduceat(
        index.arrays.sentences[places].astype(np.float32) @ vector, starts
    )
    return best


def _late(index: Index, rows: Rows, tokens: QuestionTokens) -> Floats:
    """The late interaction of the question with each paper, (papers,)."""
    places, starts = _runs(index.arrays.token_papers, rows)
    return maxsim(tokens.weights, cosines(tokens.vectors, index.arrays.tokens[places]), starts)


def _runs(first: Rows, rows: Rows) -> tuple[Rows, Rows]:
    """The places that the rows own, one after the other, and where each row's begin."""
    lengths = first[rows + 1] - first[rows]
    starts = np.cumsum(lengths) - lengths
    return np.repeat(first[rows] - starts, lengths) + np.arange(lengths.sum()), starts


def _candidates(index: Index, vector: Floats, words: Floats, preferred: Rows, k: int) -> Rows:
    count = len(index.papers)
    if count <= 2 * NOMINATED:
        return np.arange(count)
    near = [index.rows[name] for name in store.nearest(index.store, vector, NOMINATED)]
    shared = np.argpartition(-words, NOMINATED)[:NOMINATED]
    rows = np.unique(np.concatenate([near, shared[words[shared] > 0], preferred]).astype(np.int64))
    if len(rows) >= k:
        return rows
    by_paper = np.argsort(-(index.arrays.papers.astype(np.float32) @ vector), kind="stable")
    return np.union1d(rows, by_paper[~np.isin(by_paper, rows)][: k - len(rows)])


def _candidates_among(
    index: Index, allowed: Rows, vector: Floats, words: Floats, preferred: Rows, k: int
) -> Rows:
    """The same among chosen rows; Chroma cannot be asked for the nearest of some alone."""
    if len(allowed) <= 2 * NOMINATED:
        return allowed
    cosines = index.arrays.papers[allowed].astype(np.float32) @ vector
    near = allowed[np.argsort(-cosines, kind="stable")[: max(NOMINATED, k)]]
    shared = allowed[np.argsort(-words[allowed], kind="stable")[:NOMINATED]]
    return np.union1d(np.union1d(near, shared), preferred)
