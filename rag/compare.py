"""Papers and aspects -> a draft that is a table: papers as columns, aspects as rows.

Goes in: an open index, an embedder, papers, aspects. Comes out: a `Draft` whose cells quote one
sentence with its marker, or say that nothing is stated. Knows nothing of how papers were chosen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.embed import Embedder
from rag.index import Index
from rag.quote import with_quotes
from rag.retrieve import Asked, read_question
from rag.silence import covers
from rag.types import Draft, DraftClaim, Evidence, Paper, Query, Quote

NOT_STATED = "not stated"
# The aspects that every paper has, with what tells the sentence that states it.
PROBLEM, APPROACH, RESULT = "Problem", "Approach", "Result"
ASPECTS = (PROBLEM, APPROACH, RESULT)
_TELLING = {
    PROBLEM: re.compile(
        r"\b(?:however|yet|but|challeng\w+|problems?|limit\w*|difficult\w*|lacks?|fails?|remains?|"
        r"suffers?|struggl\w+|despite|existing|bottleneck|unstable|poorly|costly|expensive)\b",
        re.IGNORECASE,
    ),
    APPROACH: re.compile(
        r"\b(?:propos\w+|introduc\w+|present\w*|develop\w*|"
        r"we (?:study|design|build|formali[sz]e))\b",
        re.IGNORECASE,
    ),
    RESULT: re.compile(
        r"\d\s?%|\d\.\d|\b(?:experiments?|results?|outperform\w*|improv\w+|achiev\w+|reduc\w+|"
        r"state-of-the-art|demonstrat\w+|guarantee\w*|prov(?:e|es|ed|ing)|evaluat\w+)\b",
        re.IGNORECASE,
    ),
}
_ASKED = {
    PROBLEM: re.compile(r"\b(?:problems?|challenges?|motivat\w+|address\w*)\b", re.IGNORECASE),
    APPROACH: re.compile(
        r"\b(?:how|mechanisms?|methods?|approach\w*|ideas?|techniques?|propos\w+)\b", re.IGNORECASE
    ),
    RESULT: re.compile(
        r"\b(?:results?|perform\w*|gains?|well|better|numbers?|improve\w*|achiev\w*)\b",
        re.IGNORECASE,
    ),
}


def asked_aspects(question: str) -> tuple[str, ...]:
    """Which of problem, approach and result a question asks for; all where it names none."""
    named = tuple(aspect for aspect, pattern in _ASKED.items() if pattern.search(question))
    return named or ASPECTS


def compare(
    index: Index, embedder: Embedder, papers: Sequence[Paper], aspects: Sequence[str]
) -> Draft:
    """The table of at least one paper and one aspect; marker n is the n-th paper."""
    head = " | ".join(f"{_cell(paper.name)} [{n}]" for n, paper in enumerate(papers, 1))
    text = f"| | {head} |\n|{'---|' * (len(papers) + 1)}"
    claims: list[DraftClaim] = []
    for aspect in aspects:
        asked = read_question(index, embedder, aspect)
        text += f"\n| **{_cell(aspect)}** |"
        for marker, paper in enumerate(papers, 1):
            quote = _stating(index, asked, aspect, paper)
            if quote is None:
                text += f" {NOT_STATED} |"
                continue
            cell = _cell(quote.text)
            start = len(text) + len(" “")
            claims.append(DraftClaim(start, start + len(cell), (marker,), (quote,)))
            text += f" “{cell}” [{marker}] |"
    return Draft(
        text=text,
        status="answered" if claims else "not_stated",
        mode="extractive",
        claims=tuple(claims),
        cited=tuple(papers),
        papers=tuple(papers),
    )


def _stating(index: Index, asked: Asked, aspect: str, paper: Paper) -> Quote | None:
    """The sentence of a paper that states an aspect; None where nothing does."""
    item = Evidence(paper, 0.0, 0.0)
    quotes = with_quotes(index, asked, Query(aspect, aspect), [item])[0].quotes
    telling = _TELLING.get(aspect)
    if telling is None:
        return quotes[0] if covers(index, asked, paper) else None
    told = [quote for quote in quotes if telling.search(quote.text)]
    if aspect in (PROBLEM, APPROACH):  # the first to speak of it, before what follows from it
        told = sorted(told, key=lambda quote: quote.span.start)
    elif aspect == RESULT:
        told = sorted(told, key=lambda quote: (len(telling.findall(quote.text)), quote.span.start))
        told.reverse()
    return told[0] if told else None


def _cell(text: str) -> str:
    """A text that cannot end its cell."""
    return text.replace("|", "\\|")
