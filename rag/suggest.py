"""An answer -> questions that could follow and that this index answers.

Goes in: the papers of an answer, their nearest neighbours, a way to try a question. Comes out:
questions. Knows nothing of how one is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from rag.types import Paper

# More would be a menu.
MOST = 3


def suggest(
    papers: Sequence[Paper], near: Sequence[Paper], asked: str, answers: Callable[[str], bool]
) -> tuple[str, ...]:
    """Up to three questions about the first papers of an answer, each tried with `answers`."""
    fresh = (each for each in _candidates(papers, near) if each.casefold() != asked.casefold())
    return tuple(islice((each for each in fresh if answers(each)), MOST))


def _candidates(papers: Sequence[Paper], near: Sequence[Paper]) -> Iterator[str]:
    callable_by_name = [paper for paper in papers if paper.name != paper.title]
    if len(callable_by_name) > 1:
        first, second = callable_by_name[:2]
        yield f"Compare {first.name} and {second.name}."
    for paper in callable_by_name[:2]:
        yield f"What results does {paper.name} report?"
        yield f"What problem does {paper.name} address?"
    for paper in callable_by_name[:1]:
        yield from (f"Compare {paper.name} and {each.name}." for each in near if _named(each))


def _named(paper: Paper) -> bool:
    return paper.name != paper.title
