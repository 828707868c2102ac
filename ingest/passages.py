"""Paper -> sentence-aligned passages: what is embedded into Chroma.

Goes in: an abstract's sentences. Comes out: passages of whole sentences, each overlapping the next
by one. Knows nothing of vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import Passage, Span

# Three sentences hold a statement with what it refers to; one is shared, so that no pair of
# neighbours is torn apart.
LENGTH, OVERLAP = 3, 1


def passages(paper_id: str, sentences: Sequence[Span]) -> tuple[Passage, ...]:
    """Group the sentences of one abstract; every sentence lies in at least one passage."""
    step = LENGTH - OVERLAP
    starts = range(0, max(len(sentences) - OVERLAP, 1), step) if sentences else ()
    return tuple(
        Passage(paper_id, number, Span(group[0].start, group[-1].end))
        for number, group in enumerate(sentences[start : start + LENGTH] for start in starts)
    )
