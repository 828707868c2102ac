"""Claims checked against abstracts: figures, names, words, quotes and what must never change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.carry import carrying
from rag.objections import objection
from rag.types import Answer, Draft, DraftClaim, Evidence, Paper, Quote, Span, Usage
from rag.verify import verify

QUESTION = "How well does OAKNET sort leaves?"


def paper(name: str, title: str, abstract: str) -> Paper:
    return Paper(name, title, "given", abstract, abstract)


OAK = paper(
    "oak",
    "OAKNET: Sorting Leaves",
    "Leaves are hard to sort by hand. We propose a network that looks at the veins of each leaf. "
    "On LeafBench-10 it reaches an accuracy of 94.4%, against 91.2% for the best baseline. "
    "Training on 131,072 photographs takes two days, and inference is 20–1000× faster.",
)
ELM = paper(
    "elm",
    "ELM reads bark",
    "Bark is read by a recurrent model with 7 billion weights. It needs no light at all.",
)
EVIDENCE = tuple(Evidence(item, 1.0, 0.5, ()) for item in (OAK, ELM))


def check(
    text: str, markers: tuple[int, ...] = (1,), cited: tuple[Paper, ...] = (OAK, ELM)
) -> Answer:
    """The answer to a draft whose whole text is one claim."""
    draft = Draft(
        text,
        "answered",
        "llm",
        (DraftClaim(0, len(text), markers),),
        cited[: max(markers, default=0)],
    )
    return verify(draft, QUESTION, EVIDENCE)


@pytest.mark.parametrize(
    "text",
    [
        "OAKNET is 94.4% accurate on LeafBench-10",
        "OAKNET reaches 94.4 percent accuracy on LeafBench-10",
        "On LeafBench-10 the accuracy is 94.4%, while the best baseline reaches 91.2%",
        "Training on 131072 photographs takes 2 days",
        "Inference becomes 20-1000x faster",
        "The OAKNET-based network looks at leaf veins",
        "The network looks at each leaf's veins",
    ],
)
def test_a_faithful_claim_is_supported_by_verbatim_sentences(text: str) -> None:
    answer = check(text)
    (claim,) = answer.claims
    assert (claim.support, claim.reason) == ("supported", "")
    assert 1 <= len(claim.citations) <= 2
    for position in claim.citations:
        citation = answer.citations[position]
        assert citation.quote == OAK.abstract[citation.start : citation.end]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("OAKNET is 99.4% accurate on LeafBench-10", "the source says 94.4%, not 99.4%"),
        ("OAKNET is 12.5% accurate on LeafBench-10", "12.5% is not in the cited sentence"),
        ("Training on 131,027 photographs takes two days", "the source says 131,072, not 131,027"),
        ("Training on photographs takes three days", "the source says two days, not three days"),
        ("Training on photographs takes two hours", "the source says two days, not two hours"),
        ("The accuracy grows by 94.4 points", "the source says 94.4%, not 94.4 points"),
        ("Inference is 20-2000x faster", "the source says 1000×, not 2000x"),
        ("OAKNET is accurate on LeafBench-100", "LeafBench-100 is not in the cited sentence"),
        ("PineNet sorts leaves by their veins", "PineNet is not in the cited sentence"),
        ("Quantum annealing solves routing problems", "it shares almost no words"),
    ],
)
def test_a_corrupted_claim_is_unsupported_with_the_reason(text: str, reason: str) -> None:
    (claim,) = check(text).claims
    assert claim.support == "unsupported"
    assert reason in claim.reason
    assert claim.citations


def test_a_claim_without_a_marker_has_no_source() -> None:
    (claim,) = check("OAKNET sorts leaves", markers=()).claims
    assert claim.support == "unsupported"
    assert "no source is given" in claim.reason


def test_a_claim_without_a_marker_is_given_the_one_sentence_that_carries_it() -> None:
    answer = check("OAKNET reaches an accuracy of 94.4% on LeafBench-10", markers=(), cited=())
    (claim,) = answer.claims
    assert (claim.support, claim.markers) == ("supported", (1,))
    assert [citation.paper for citation in answer.citations] == [OAK]
    assert answer.papers == (OAK,)


def test_a_claim_without_a_marker_gets_the_number_that_its_paper_has() -> None:
    text = "ELM has 7B weights [1]. OAKNET reaches an accuracy of 94.4% on LeafBench-10."
    claims = (DraftClaim(0, 18, (1,)), DraftClaim(24, len(text), ()))
    answer = verify(Draft(text, "answered", "llm", claims, (ELM,)), QUESTION, EVIDENCE)
    assert [claim.markers for claim in answer.claims] == [(1,), (2,)]
    assert {citation.marker: citation.paper for citation in answer.citations} == {1: ELM, 2: OAK}


@pytest.mark.parametrize(
    "text",
    ["OAKNET reaches an accuracy of 99.4% on LeafBench-10", "Its network looks at veins of bark"],
)
def test_a_claim_without_a_marker_that_no_sentence_carries_stays_flagged(text: str) -> None:
    answer = check(text, markers=(), cited=())
    assert answer.claims[0].support == "unsupported"
    assert answer.citations == ()


def test_a_claim_under_the_wrong_marker_is_unsupported() -> None:
    (claim,) = check("OAKNET is 94.4% accurate on LeafBench-10", markers=(2,)).claims
    assert claim.support == "unsupported"


def test_a_claim_with_two_markers_may_rest_on_both() -> None:
    answer = check("OAKNET looks at veins, and ELM has 7B weights", markers=(1, 2))
    (claim,) = answer.claims
    assert claim.support == "supported"
    assert {answer.citations[position].marker for position in claim.citations} == {1, 2}


def test_a_claim_in_another_language_is_checked_by_figures_and_names() -> None:
    (right,) = check("OAKNET erreicht auf LeafBench-10 eine Genauigkeit von 94,4 %").claims
    (wrong,) = check("OAKNET erreicht auf LeafBench-10 eine Genauigkeit von 99,4 %").claims
    (silent,) = check("Das Netz sortiert Blätter nach ihren Adern").claims
    assert right.support == "supported"
    assert "94.4%" in wrong.reason
    assert "another language" in silent.reason


def test_a_remark_that_cites_still_opens_a_sentence() -> None:
    draft = Draft("See [1]:", "answered", "llm", (), (OAK,))
    answer = verify(draft, QUESTION, EVIDENCE)
    assert [citation.marker for citation in answer.citations] == [1]
    assert answer.status == "answered"


def test_an_answer_that_states_nothing_is_not_called_answered() -> None:
    answer = verify(Draft("Here it is:", "answered", "llm"), QUESTION, EVIDENCE)
    assert answer.status == "not_stated"
    assert answer.warnings


def extract(text: str, quote: Quote) -> Draft:
    claim = DraftClaim(0, len(text), (1,), (quote,))
    return Draft(text, "answered", "extractive", (claim,), (quote.paper,), (quote.paper,))


def test_an_extract_is_quoted_where_it_is_verbatim() -> None:
    quote = Quote(OAK, Span(0, 32))
    answer = verify(extract(quote.text, quote), QUESTION, EVIDENCE)
    assert answer.claims[0].support == "quoted"
    assert answer.citations[0].quote == quote.text == "Leaves are hard to sort by hand."


def test_an_extract_that_was_changed_is_unsupported() -> None:
    draft = extract("Leaves are easy to sort by hand.", Quote(OAK, Span(0, 32)))
    (claim,) = verify(draft, QUESTION, EVIDENCE).claims
    assert claim.support == "unsupported"
    assert "words" in claim.reason


def test_what_the_draft_says_about_itself_is_kept() -> None:
    usage = Usage("m", 1, 2, 0.1, 0.2)
    draft = Draft(
        "The cost is missing.", "not_stated", "llm", rule="r", warnings=("w",), complete=False,
        error="e", usage=usage,
    )  # fmt: skip
    answer = verify(draft, QUESTION, EVIDENCE)
    assert (answer.status, answer.rule, answer.warnings) == ("not_stated", "r", ("w",))
    assert (answer.complete, answer.error, answer.usage) == (False, "e", usage)
    assert answer.question == QUESTION


def test_nothing_found_has_neither_citations_nor_papers() -> None:
    answer = verify(Draft("Nothing.", "not_found", "llm", papers=(OAK,)), QUESTION, EVIDENCE)
    assert (answer.citations, answer.papers, answer.claims) == ((), (), ())


def test_a_paper_outside_the_evidence_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="not in its evidence"):
        verify(Draft("x [1]", "answered", "llm", cited=(OAK,)), QUESTION, EVIDENCE[1:])


def test_the_sentences_that_carry_a_claim_are_found_in_reading_order() -> None:
    spans = carrying("Training takes two days and the accuracy is 94.4%", OAK)
    quotes = [OAK.abstract[span.start : span.end] for span in spans]
    assert [quote.split()[0] for quote in quotes] == ["On", "Training"]


TEXTS = st.lists(
    st.sampled_from(
        ["OAKNET", "94.4%", "sorts", "x", "7B", "two", "$", "1e9", "[1]", "é", "木", "-"]
    ),
    min_size=1,
    max_size=12,
).map(" ".join)


@given(TEXTS, st.sampled_from([(1,), (2,), (1, 2), ()]))
def test_the_text_is_never_changed_and_every_marker_opens_a_quote(
    text: str, markers: tuple[int, ...]
) -> None:
    answer = check(text, markers)
    assert answer.text == text
    (claim,) = answer.claims
    assert claim.text == text
    assert all(0 <= position < len(answer.citations) for position in claim.citations)
    assert {answer.citations[at].marker for at in claim.citations} == set(claim.markers)
    assert set(markers) <= set(claim.markers)
    assert all(
        citation.quote == citation.paper.abstract[citation.start : citation.end]
        for citation in answer.citations
    )
    assert (claim.support == "unsupported") == bool(claim.reason)


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_text_breaks_the_check(claim: str, source: str) -> None:
    assert isinstance(objection(claim, [source]), str)
