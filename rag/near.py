"""A topic in words -> the papers whose meaning is near to it, and those on the border.

Goes in: an open index, the topic as read. Comes out: rows of the index, best first. Every paper is
looked at. Knows nothing of the words that a paper must have.

A paper scores by late interaction with the topic, the mean of that of the whole paper and of its
best sentence; by their cosines where the model gives no token states. It counts where it lies
further than `COUNTED` of the way from the usual paper (the median) to the best one: the scores of
two topics differ more than those of their papers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rag.embed import Floats
from rag.index import Index
from rag.retrieve import Asked
from rag.tokens import NO_ROWS, Rows, cosines

# The score that the best paper must reach: of 16 topics off the field of 57 papers the best had
# .31, of 22 that some papers are about all but one .34 or more.
FOUND = 0.32
# Set on 22 lists with known papers (docs/benchmarks.md).
COUNTED, BORDERLINE = 0.6, 0.45
# What leads the usual paper by less does not stand out: of the 22 topics the least lead was .05.
LEAST_LEAD = 0.03
# More would hide what was counted.
MOST_BORDERLINE = 5
# Papers whose tokens are read into memory at once: 60 MB.
BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Near:
    """The rows of the papers that are near, and of those that nearly are, best first."""

    rows: Rows
    borderline: Rows


def near(index: Index, topic: Asked, within: Rows | None = None) -> Near:
    """The papers (of the rows `within`, where given) that a topic's meaning is near to; none where
    the best of the index is not near enough."""
    scores = topic_scores(index, topic)
    best, usual = float(scores.max()), float(np.median(scores))
    if best < FOUND or best - usual < LEAST_LEAD:
        return Near(NO_ROWS, NO_ROWS)
    order = np.argsort(-scores, kind="stable")
    if within is not None:
        order = order[np.isin(order, within)]
    share = (scores[order] - usual) / (best - usual)
    border = order[(share < COUNTED) & (share >= BORDERLINE)]
    return Near(order[share >= COUNTED], border[:MOST_BORDERLINE])


def topic_scores(index: Index, topic: Asked) -> Floats:
    """How well each paper of the index covers a topic, (papers,), up to 1."""
    if not index.gauge.basis.size:
        sentences = index.arrays.sentences.astype(np.float32) @ topic.vector
        best = np.maximum.reduceat(sentences, index.arrays.first[:-1])
        papers = index.arrays.papers.astype(np.float32) @ topic.vector
        return index.gauge.texts.told((papers + best) / 2)
    if not len(topic.tokens.weights):
        return np.zeros(len(index.papers), dtype=np.float32)
    blocks = range(0, len(index.papers), BLOCK)
    found = np.concatenate([_block_scores(index, topic, begin) for begin in blocks])
    return index.gauge.words.told(found)


def _block_scores(index: Index, topic: Asked, begin: int) -> Floats:
    arrays = index.arrays
    end = min(begin + BLOCK, len(index.papers))
    papers = arrays.token_papers[begin:end]
    sentences = arrays.token_runs[arrays.first[begin] : arrays.first[end]]
    # A title's tokens stand before those of the first sentence: a run that is no sentence.
    runs = np.union1d(papers, sentences)
    tokens = arrays.tokens[papers[0] : arrays.token_papers[end]]
    best_of_run = np.maximum.reduceat(
        cosines(topic.tokens.vectors, tokens), runs - papers[0], axis=1
    )
    whole = np.maximum.reduceat(best_of_run, np.searchsorted(runs, papers), axis=1)
    weights = topic.tokens.weights / topic.tokens.weights.sum()
    by_sentence = weights @ best_of_run[:, np.searchsorted(runs, sentences)]
    starts = arrays.first[begin:end] - arrays.first[begin]
    mean: Floats = (weights @ whole + np.maximum.reduceat(by_sentence, starts)) / 2
    return mean
