"""Evidence -> what kind of answer it allows, and from which papers.

Goes in: a `Query` and ranked `Evidence`. Comes out: a `Judgement`. Pure; knows nothing of wording.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.types import Evidence, Query, Status

# Best cosine of a sentence with the question below which nothing here is about it, and the
# similarity a paper needs to be counted in a list. Calibrated as docs/benchmarks.md says.
FOUND = 0.30
LISTED = 0.45


@dataclass(frozen=True, slots=True)
class Judgement:
    """`evidence` is what the answer may rest on: empty where the status is not_found.
    `rule` says in words how a list was made, and is empty for other questions."""

    status: Status
    evidence: tuple[Evidence, ...]
    rule: str = ""


def judge(query: Query, evidence: Sequence[Evidence]) -> Judgement:
    """Decide whether the papers are about the question, and which of them answer it."""
    named = tuple(item for item in evidence if item.paper.id in query.named)
    if named:
        return Judgement("answered", named)
    if query.intent == "list" and evidence:
        return _listed(query, evidence)
    if not evidence or max(item.similarity for item in evidence) < FOUND:
        return Judgement("not_found", ())
    return Judgement("answered", tuple(evidence[:1]))


def _listed(query: Query, evidence: Sequence[Evidence]) -> Judgement:
    """The papers that have every word asked for, else those whose meaning is near."""
    exact = tuple(item for item in evidence if item.exact)
    if exact:
        words = ", ".join(f"“{word}”" for word in query.terms)
        rule = f"Counted: papers whose title, keywords or abstract have {words} or inflections."
        return Judgement("answered", exact, rule)
    near = tuple(item for item in evidence if item.similarity >= LISTED)
    rule = "Counted: papers with a sentence whose meaning is near; no paper has all the words."
    return Judgement("answered", near, rule) if near else Judgement("not_found", ())
