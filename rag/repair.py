"""A model's answer with unsupported claims -> the same, or a better one that the model wrote anew.

Goes in: a checked `Answer`, what it was written from, the model. Comes out: an `Answer`. The model
is shown once what failed the check; what it then writes is checked like the first answer.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING

from rag.errors import ModelError
from rag.types import Answer, Draft, Usage
from rag.verify import verify
from rag.write import DEADLINE_SECONDS, Material, model_evidence, priced

if TYPE_CHECKING:
    from llama_index.core.llms.llm import LLM


def repaired(
    answer: Answer, material: Material, llm: LLM, price: tuple[float, float] | None
) -> Answer:
    """The second answer where it has fewer unsupported claims and not fewer supported ones, else
    the first; a warning says which.

    Whatever was asked is counted in the usage. Never raises for a model that fails: then the first
    answer stands. An answer without unsupported claims, or cut, is handed back as it is.
    """
    usage = answer.usage
    left = DEADLINE_SECONDS - usage.total_seconds if usage is not None else 0.0
    if usage is None or left <= 0 or not answer.complete or not _counts(answer)[0]:
        return answer
    from rag.generate import generate  # loads llama_index

    evidence = model_evidence(material)
    try:
        draft = _last(generate(material.query, evidence, llm, left, answer))
    except ModelError as error:
        return _kept(answer, f"could not write it again ({error})")
    usage = priced(_sum(usage, draft.usage), price)
    second = verify(draft, answer.question, material.found)
    if not _better(answer, second):
        return _kept(replace(answer, usage=usage), "did no better")
    warning = (
        f"Statements of the model's first answer that were not supported: {_counts(answer)[0]}; "
        "it was shown them and wrote this one."
    )
    return replace(second, usage=usage, warnings=(*second.warnings, warning))


def _better(first: Answer, second: Answer) -> bool:
    failed, held = _counts(first)
    fails, holds = _counts(second)
    return second.complete and fails < failed and holds >= held


def _counts(answer: Answer) -> tuple[int, int]:
    """The unsupported claims and the others."""
    failed = sum(claim.support == "unsupported" for claim in answer.claims)
    return failed, len(answer.claims) - failed


def _kept(answer: Answer, what: str) -> Answer:
    warning = f"The model was shown which of its statements are not supported and {what}."
    return replace(answer, warnings=(*answer.warnings, warning))


def _sum(first: Usage, second: Usage | None) -> Usage:
    """What both requests took; the first words were those of the first."""
    if second is None:
        return first
    return replace(
        first,
        prompt_tokens=_added(first.prompt_tokens, second.prompt_tokens),
        completion_tokens=_added(first.completion_tokens, second.completion_tokens),
        total_seconds=first.total_seconds + second.total_seconds,
    )


def _added(first: int | None, second: int | None) -> int | None:
    """A sum, unknown where one of the two is."""
    return None if first is None or second is None else first + second


def _last(pieces: Generator[str, None, Draft]) -> Draft:
    """The draft of a stream that nobody reads along."""
    while True:
        try:
            next(pieces)
        except StopIteration as stop:
            draft: Draft = stop.value
            return draft
