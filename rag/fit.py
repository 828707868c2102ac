"""Ranked evidence -> as much of it as a model's context window holds, by whole sentences; pure.

Goes in: a `Query`, `Evidence`, the window in tokens. Comes out: the same evidence, or papers whose
abstracts hold only the sentences that say most of what was asked. Knows no model. What is cut is
for the prompt alone: quotes are offsets into the whole abstract.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.errors import ModelError
from rag.prompts import Message, answer_messages
from rag.sentences import sentences
from rag.types import Evidence, Query, Span

# An estimate, because every model has a tokenizer of its own. 200 English abstracts have 5.2
# characters a token for SmolLM2, one in twenty below 4.1, the one with most maths 2.2. Chinese or
# Japanese has 1 to 2: there the endpoint may still refuse the request, in words.
CHARACTERS_PER_TOKEN = 3.5
# Left to the answer: a quarter of the window, or what five sentences and some thinking need.
ANSWER_SHARE, ANSWER_TOKENS = 0.25, 2000
# Stands for sentences that were left out.
GAP = "…"


def fit(
    query: Query,
    evidence: Sequence[Evidence],
    window: int | None,
    further: Sequence[Message] = (),
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """The evidence that fits, in its order, and a warning where that is not all of it.

    Each paper gives its best sentence, then each its second best, while there is room; a paper
    without room for one is left out. `window` is in tokens, None where it is not known: then all
    is given; `further` messages must have room in it too. Raises `ModelError` where not one
    sentence fits.
    """
    if window is None:
        return tuple(evidence), ()
    room = CHARACTERS_PER_TOKEN * (window - min(ANSWER_SHARE * window, ANSWER_TOKENS))
    room -= sum(len(message.content) for message in further)
    if _length(query, evidence) <= room:
        return tuple(evidence), ()
    ranked = [_best_first(item) for item in evidence]
    chosen = _choose(query, evidence, ranked, room)
    count = sum(map(len, chosen))
    if not count:
        raise ModelError(
            f"The model's context of {window:,} tokens does not hold the question and one sentence "
            "of a paper; use a model with a larger context."
        )
    given = [_cut(item, spans) for item, spans in zip(evidence, chosen, strict=True) if spans]
    return tuple(given), (
        f"The model's context of {window:,} tokens does not hold all that was found: it was given "
        f"{count} of {sum(map(len, ranked))} sentences, from {len(given)} of {len(evidence)} "
        "papers.",
    )


def _best_first(item: Evidence) -> list[Span]:
    """All sentences of a paper: those that were found, best first, then the others."""
    ranks = {quote.span: rank for rank, quote in enumerate(item.quotes)}
    spans = sentences(item.paper.abstract)
    return sorted(spans, key=lambda span: ranks.get(span, len(ranks)))


def _choose(
    query: Query, evidence: Sequence[Evidence], ranked: Sequence[Sequence[Span]], room: float
) -> list[set[Span]]:
    """The sentences of each paper that fit into so many characters."""
    frames = [_length(query, [_with_abstract(item, GAP)]) for item in evidence]
    bare = _length(query, [])
    room -= bare
    chosen: list[set[Span]] = [set() for _ in evidence]
    turns = [(turn, number) for number, spans in enumerate(ranked) for turn in range(len(spans))]
    for turn, number in sorted(turns):
        span = ranked[number][turn]
        cost = span.end - span.start + len(f" {GAP} ")
        if not chosen[number]:
            cost += frames[number] - bare
        if cost <= room:
            chosen[number].add(span)
            room -= cost
    return chosen


def _cut(item: Evidence, chosen: set[Span]) -> Evidence:
    parts: list[str] = []
    for span in sentences(item.paper.abstract):
        if span in chosen:
            parts.append(item.paper.abstract[span.start : span.end])
        elif parts[-1:] != [GAP]:
            parts.append(GAP)
    return _with_abstract(item, " ".join(parts))


def _with_abstract(item: Evidence, abstract: str) -> Evidence:
    return replace(item, paper=replace(item.paper, abstract=abstract), quotes=())


def _length(query: Query, evidence: Sequence[Evidence]) -> int:
    """The characters of the messages that a model would be sent."""
    return sum(len(message.content) for message in answer_messages(query, evidence))
