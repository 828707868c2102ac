"""What was found -> a draft: a table, quotes, or a model's text.

Goes in: `Material`, a model or none. Comes out: str pieces of the draft's text, then the `Draft`.
Knows nothing of how the material was found and does not check what it writes.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rag.chosen import outside
from rag.compare import asked_aspects, compare
from rag.embed import Embedder
from rag.extract import all_papers, extract, nothing_chosen, nothing_found
from rag.index import Index
from rag.judge import Judgement
from rag.language import remark
from rag.quote import with_quotes
from rag.retrieve import Asked
from rag.types import Answer, Draft, Evidence, Query, Usage
from rag.verify import verify

if TYPE_CHECKING:
    from llama_index.core.llms.llm import LLM

# Papers that a model is given, where the question does not name more.
GIVEN = 6
# A model's answer as a whole; a local one on a processor needs minutes.
DEADLINE_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Material:
    """What an answer is written from. `asked` is what was typed, as the index reads it: which
    sentence answers depends on that; what was asked before only finds the paper."""

    index: Index
    embedder: Embedder
    query: Query
    asked: Asked
    judgement: Judgement
    found: Sequence[Evidence]


def write(
    material: Material, llm: LLM | None, price: tuple[float, float] | None
) -> Generator[str, None, Draft]:
    """Yield the text in pieces and return the draft. An empty find never reaches a model, and
    neither does a list: it is computed.

    `price` is that of a million tokens read and written. Raises `ModelError`.
    """
    if llm is not None and material.judgement.status != "not_found" and not material.judgement.rule:
        from rag.generate import generate  # loads llama_index

        evidence = model_evidence(material)
        draft = yield from generate(material.query, evidence, llm, DEADLINE_SECONDS)
        return replace(draft, usage=priced(draft.usage, price))
    draft = own_sentences(material)
    yield from _pieces(draft)
    said = remark(material.query.asked) if llm is None else ""
    return replace(draft, warnings=(said,)) if said else draft


def model_evidence(material: Material) -> tuple[Evidence, ...]:
    """What a model is given, with the sentences that were found in it."""
    given = _given(material.judgement.evidence, material.found)
    return with_quotes(material.index, material.asked, material.query, given)


def own_sentences(material: Material) -> Draft:
    """The answer in the papers' own sentences: what there is no model for, or too little of."""
    index, query = material.index, material.query
    papers = [item.paper for item in material.judgement.evidence]
    if not papers:
        nearest = [item.paper for item in material.found]
        if query.intent == "list" and not query.terms:
            return all_papers(nearest, len(index.papers), len(query.papers))
        if query.papers:
            return nothing_chosen(nearest, len(query.papers), outside(index, query))
        return nothing_found(nearest, len(index.papers))
    if query.intent == "compare" and len(papers) > 1:
        return compare(index, material.embedder, papers, asked_aspects(query.asked))
    quoted = with_quotes(index, material.asked, query, material.judgement.evidence)
    return extract(replace(material.judgement, evidence=quoted), len(query.papers))


def beside(answer: Answer, material: Material) -> Answer:
    """A model's answer of which nothing is supported, with the papers' own sentences beside it."""
    own = verify(own_sentences(material), answer.question, material.found)
    warning = (
        "Nothing that the model wrote is carried by the abstracts; "
        "the papers' own sentences stand beside it."
    )
    return replace(answer, fallback=own, warnings=(*answer.warnings, warning))


def _given(chosen: Sequence[Evidence], ranked: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """What a model reads: the papers chosen for an extract, then the next best, up to GIVEN."""
    others = [item for item in ranked if item not in chosen]
    return (*chosen, *others)[: max(GIVEN, len(chosen))]


def _pieces(draft: Draft) -> Iterator[str]:
    """An extract's text, cut after each claim, so that a page shows it as it grows."""
    start = 0
    for claim in draft.claims:
        yield draft.text[start : claim.end]
        start = claim.end
    yield draft.text[start:]


def priced(usage: Usage | None, price: tuple[float, float] | None) -> Usage | None:
    """The usage with its cost, where the endpoint told the tokens and a price is set."""
    if usage is None or price is None or usage.prompt_tokens is None:
        return usage
    answer = usage.completion_tokens or 0
    return replace(usage, cost=(usage.prompt_tokens * price[0] + answer * price[1]) / 1e6)
