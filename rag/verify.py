"""Draft + evidence -> Answer: every claim checked against the abstract that it cites; pure.

Goes in: a `Draft`, the question as answered, the evidence it was written from. Comes out: an
`Answer` with the same text, in which each claim is quoted, supported or unsupported with a reason.
Knows no model and no index.

A model's claim is checked so: for each marker the one or two sentences of that paper's abstract
which carry most of the claim are found (rag/carry.py), and laid beside it (rag/objections.py). A
claim without a marker is attributed where one sentence of the evidence carries all of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rag.carry import best_sentence, carrying
from rag.objections import objection
from rag.types import (
    Answer,
    Citation,
    Claim,
    Draft,
    DraftClaim,
    Evidence,
    Paper,
    Span,
    Status,
    Support,
)
from rag.wording import content


def verify(draft: Draft, question: str, evidence: Sequence[Evidence]) -> Answer:
    """Check a draft. `question` is the stand-alone wording; the text is handed on unchanged.

    Raises `ValueError` where a draft's markers or papers contradict each other: a mistake of the
    program, never of a model.
    """
    if draft.status == "not_found":  # what is not found cites nothing, whatever was written
        draft = replace(draft, claims=(), cited=(), papers=())
    known = {item.paper.id for item in evidence}
    strange = [paper.id for paper in draft.cited if paper.id not in known]
    if strange:
        raise ValueError(f"The draft cites papers that are not in its evidence: {strange!r}.")
    citations: list[Citation] = []
    cited = list(draft.cited)
    claims = tuple(_checked(draft, claim, citations, cited, evidence) for claim in draft.claims)
    _cite_the_rest(draft, question, citations)
    status, doubts = _status(draft)
    return Answer(
        question=question,
        text=draft.text,
        status=status,
        mode=draft.mode,
        citations=tuple(citations),
        claims=claims,
        papers=(*(draft.papers or draft.cited), *cited[len(draft.cited) :]),
        borderline=draft.borderline,
        rule=draft.rule,
        warnings=draft.warnings + doubts,
        complete=draft.complete,
        error=draft.error,
        usage=draft.usage,
    )


def _status(draft: Draft) -> tuple[Status, tuple[str, ...]]:
    """The draft's status, unless a model's is "answered" and neither claims nor cites anything."""
    if draft.status == "answered" and draft.mode == "llm" and not (draft.claims or draft.cited):
        return "not_stated", ("The answer states nothing that a paper could carry.",)
    return draft.status, ()


def survived(answer: Answer) -> bool:
    """Whether anything that a model stated is supported, or it stated nothing."""
    return not answer.claims or any(claim.support != "unsupported" for claim in answer.claims)


def _checked(
    draft: Draft,
    claim: DraftClaim,
    citations: list[Citation],
    cited: list[Paper],
    evidence: Sequence[Evidence],
) -> Claim:
    """A claim with its support; `cited` grows by papers of claims that came without a marker."""
    text = draft.text[claim.start : claim.end]
    if claim.quotes:
        return _checked_quote(draft, claim, text, citations)
    bare = _without_markers(text)
    if not claim.markers:
        return _attributed(text, bare, citations, cited, evidence)
    papers = [draft.cited[marker - 1] for marker in claim.markers]
    places: list[int] = []
    for marker, paper in zip(claim.markers, papers, strict=True):
        places += [_cite(citations, marker, paper, span) for span in carrying(bare, paper)]
    quotes = [citations[place].quote for place in places]
    titles, abstracts = [paper.title for paper in papers], [paper.abstract for paper in papers]
    reason = objection(bare, quotes, titles, abstracts)
    support: Support = "unsupported" if reason else "supported"
    return Claim(text, claim.markers, support, reason, tuple(places))


# A claim without a marker is attributed to a sentence that has this share of it, and this many of
# its words: less may be true of any paper of a field.
CARRIED, WORDS = 0.75, 4


def _attributed(
    text: str,
    bare: str,
    citations: list[Citation],
    cited: list[Paper],
    evidence: Sequence[Evidence],
) -> Claim:
    """A claim without a marker: given to the one sentence of the evidence that carries it all."""
    found: list[tuple[float, Paper, Span]] = []
    if len(content(bare)) >= WORDS:
        for paper in (item.paper for item in evidence):
            best = best_sentence(bare, paper)
            if best is not None and best[1] >= CARRIED:
                found.append((best[1], paper, best[0]))
    for _, paper, span in sorted(found, key=lambda item: -item[0]):
        quote = paper.abstract[span.start : span.end]
        if not objection(bare, [quote], [paper.title], [paper.abstract]):
            if paper not in cited:
                cited.append(paper)
            marker = cited.index(paper) + 1
            return Claim(text, (marker,), "supported", "", (_cite(citations, marker, paper, span),))
    return Claim(text, (), "unsupported", "no source is given, and no sentence here carries it")


def _checked_quote(draft: Draft, claim: DraftClaim, text: str, citations: list[Citation]) -> Claim:
    """An extract: the claim's text must be its quotes, word for word."""
    markers = {draft.cited[marker - 1].id: marker for marker in claim.markers}
    places = []
    for quote in claim.quotes:
        if quote.paper.id not in markers:
            raise ValueError(f"A quote of {quote.paper.id!r} stands under no marker of its claim.")
        places.append(_cite(citations, markers[quote.paper.id], quote.paper, quote.span))
    quoted = "".join("".join(quote.text.split()) for quote in claim.quotes)
    # A quoted sentence may itself hold a bracketed number.
    shown = text.replace("\\|", "|")  # a table's cell escapes the bar
    if quoted in ("".join(shown.split()), "".join(_without_markers(shown).split())):
        return Claim(text, claim.markers, "quoted", "", tuple(places))
    reason = "the words are not those of the quoted sentence"
    return Claim(text, claim.markers, "unsupported", reason, tuple(places))


def _cite(citations: list[Citation], marker: int, paper: Paper, span: Span) -> int:
    """The position of a citation, which is added where it is new."""
    quote = paper.abstract[span.start : span.end]
    citation = Citation(marker, paper, quote, span.start, span.end)
    if citation not in citations:
        citations.append(citation)
    return citations.index(citation)


def _cite_the_rest(draft: Draft, question: str, citations: list[Citation]) -> None:
    """A marker outside every claim (in a remark) still opens a sentence: the question's best."""
    cited = {citation.marker for citation in citations}
    for marker, paper in enumerate(draft.cited, start=1):
        if marker not in cited:
            for span in carrying(question, paper)[:1]:
                _cite(citations, marker, paper, span)


def _without_markers(text: str) -> str:
    return re.sub(r"\s?\[\d+\]", "", text)
