"""Evidence -> what kind of answer it allows, and from which papers.

Goes in: a `Query` and ranked `Evidence`. Comes out: a `Judgement`. Pure; knows nothing of wording.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.figures import coined, plain_name
from rag.types import Evidence, Paper, Query, Status

# The similarity that the best paper must reach for anything here to be about the question: among
# more papers the best of those that are not lies nearer. Calibrated on 57 and on 3,140 papers
# (docs/benchmarks.md): .23 and .28.
FOUND, FOUND_FEW, FOUND_RISE = 0.23, 57, 0.03
# Short questions of names and acronyms resemble nothing; one of the first papers has the name.
ANCHORED = 3
# Shorter words of a title ("for", "with", "deep") say little.
LONG = 5
_WORD = re.compile(r"\w[\w.+-]+\w")


@dataclass(frozen=True, slots=True)
class Judgement:
    """`evidence` is what the answer may rest on: empty where the status is not_found.
    `rule` says in words how a list was made, `borderline` are papers that it nearly has, `missing`
    is what a not_stated answer lacks.
    """

    status: Status
    evidence: tuple[Evidence, ...]
    rule: str = ""
    borderline: tuple[Paper, ...] = ()
    missing: str = ""


def found_among(papers: int) -> float:
    """The similarity that the best of so many papers must reach."""
    return FOUND + FOUND_RISE * math.log10(max(papers / FOUND_FEW, 1.0))


def judge(
    query: Query,
    evidence: Sequence[Evidence],
    rule: str = "",
    borderline: tuple[Paper, ...] = (),
    papers: int = 1,
) -> Judgement:
    """Decide whether the papers are about the question, and which of them answer it.

    `rule` says how the counted papers of a list were found, `borderline` are those left out;
    `papers` is how many the index holds.
    """
    by_id = {item.paper.id: item for item in evidence}
    named = tuple(by_id[name] for name in query.named if name in by_id)
    if query.named:  # papers that were not chosen cannot answer
        return Judgement("answered" if named else "not_found", named)
    if query.intent == "list" and evidence:
        counted = tuple(item for item in evidence if item.counted)
        found = Judgement("answered", counted, rule, borderline)
        return found if counted else Judgement("not_found", ())
    best = evidence[:1]
    if max((item.similarity for item in evidence), default=0.0) < found_among(papers):
        best = [item for item in evidence[:ANCHORED] if _names_shared(query, item)][:1]
    return Judgement("answered", tuple(best)) if best else Judgement("not_found", ())


def _names_shared(query: Query, item: Evidence) -> bool:
    """Whether a question, in whatever case, has an acronym or coined name of the abstract, or two
    words of the title."""
    words = {plain_name(word) for word in _WORD.findall(query.asked)}
    if any(plain_name(name) in words for name in coined(item.paper.abstract)):
        return True
    title = {plain_name(word) for word in _WORD.findall(item.paper.title)}
    return len({word for word in words & title if len(word) >= LONG}) >= 2
