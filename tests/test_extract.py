"""A draft of the papers' own sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.extract import SHOWN, WORDS_FIRST, WORDS_MORE, extract, nothing_found
from rag.judge import Judgement
from rag.sentences import sentences
from rag.types import Draft, Evidence, Paper, Quote
from rag.verify import verify
from tests.papers import ALL, BEETLE, ORCHID

RULE = "papers whose title, keywords or abstract have “x”."


def evidence(abstract: str, title: str, first: int = 0) -> Evidence:
    """A paper whose sentence of that number answers best; the others follow in order."""
    paper = Paper(title, title, "given", abstract, abstract)
    spans = list(sentences(abstract))
    spans.insert(0, spans.pop(first % len(spans)))
    quotes = tuple(Quote(paper, span, 9.0 - place / 10) for place, span in enumerate(spans))
    return Evidence(paper, 1.0, 0.5, quotes)


def drafted(*abstracts: str, rule: str = "") -> Draft:
    items = tuple(evidence(text, f"Paper {n}: On It", n) for n, text in enumerate(abstracts))
    return extract(Judgement("answered", items, rule))


def length(draft: Draft) -> int:
    return len(draft.text.split())


def test_the_best_sentence_comes_first_and_the_rest_in_the_abstracts_order() -> None:
    draft = extract(Judgement("answered", (evidence(ORCHID, "ORCHID", 3),)))
    quotes = [claim.quotes[0] for claim in draft.claims]
    assert quotes[0].text.startswith("On the BENZO-40")
    starts = [quote.span.start for quote in quotes[1:]]
    assert starts == sorted(starts)
    assert draft.text.startswith("**ORCHID**:\n\n- “On the BENZO-40")
    assert draft.text.endswith("” [1]")


def test_one_sentence_stands_behind_its_paper_without_a_bullet() -> None:
    text = "We propose OAK, which sorts leaves."
    draft = extract(Judgement("answered", (evidence(text, "OAK"),)))
    assert draft.text == f"**OAK**: “{text}” [1]"


def test_each_paper_has_its_marker_and_its_name() -> None:
    draft = drafted(*ALL[:3])
    assert [claim.markers for claim in draft.claims] == sorted(c.markers for c in draft.claims)
    assert {marker for claim in draft.claims for marker in claim.markers} == {1, 2, 3}
    assert [paper.id for paper in draft.cited] == [f"Paper {n}: On It" for n in range(3)]
    assert all(f"**Paper {n}: On It**:" in draft.text for n in range(3))


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_an_answer_is_brief(count: int) -> None:
    long = [" ".join([text] * 4) for text in ALL[:count]]
    assert length(drafted(*long)) <= WORDS_FIRST + WORDS_MORE * (count - 1) + 8


def test_a_sentence_that_an_abstract_repeats_is_quoted_once() -> None:
    draft = extract(Judgement("answered", (evidence("It sorts. It sorts. It rests.", "OAK"),)))
    texts = [claim.quotes[0].text for claim in draft.claims]
    assert len(texts) == len(set(texts)) == 2


@pytest.mark.parametrize(("count", "head"), [(1, "1 paper. "), (3, "3 papers. ")])
def test_a_list_begins_with_its_number_and_its_rule(count: int, head: str) -> None:
    draft = drafted(*ALL[:count], rule=RULE)
    first, *others = draft.text.split("\n\n")
    assert first == f"{head}Counted: {RULE}"
    assert len(others) == len(draft.claims) == count
    assert draft.rule == RULE
    assert "**Paper 0**: “" in others[0]
    assert not draft.text[: len(first)].count("[")


def test_what_is_no_list_counts_nothing() -> None:
    assert drafted(*ALL[:2]).text.startswith("**Paper 0: On It**:")


def test_what_is_not_stated_is_named_and_the_nearest_sentence_quoted() -> None:
    items = (evidence(BEETLE, "BEETLE", 2), evidence(ORCHID, "ORCHID"))
    one = extract(Judgement("not_stated", items[:1], missing="learning rate"))
    assert one.text.startswith("The abstract of **BEETLE** says nothing of “learning rate”.")
    assert one.status == "not_stated"
    assert [claim.quotes[0].text[:19] for claim in one.claims] == ["The word error rate"]
    both = extract(Judgement("not_stated", items, missing="learning rate"))
    assert both.text.startswith("The abstracts of **BEETLE** and **ORCHID** say nothing of")
    assert [paper.id for paper in both.papers] == ["BEETLE", "ORCHID"]
    assert [paper.id for paper in both.cited] == ["BEETLE"]


def test_what_is_not_found_says_what_the_index_holds_and_cites_nothing() -> None:
    papers = [evidence(text, f"T{n}").paper for n, text in enumerate(ALL)]
    draft = nothing_found(papers, 1234)
    assert "1,234 papers" in draft.text
    assert draft.text.count("“") == SHOWN
    assert (draft.status, draft.claims, draft.cited, draft.papers) == ("not_found", (), (), ())
    assert "one paper" in nothing_found(papers[:1], 1).text
    with pytest.raises(ValueError, match="nothing to quote"):
        extract(Judgement("not_found", ()))


def test_stars_of_a_title_are_no_markup() -> None:
    draft = extract(Judgement("answered", (evidence(ORCHID, "A* and B**"),)))
    assert draft.text.startswith("**A\\* and B\\*\\***:")


ABSTRACTS = st.lists(st.sampled_from(ALL), min_size=1, max_size=5)
TEXTS = st.text(min_size=1, max_size=60).filter(str.strip)


@given(
    st.lists(st.tuples(st.sampled_from(ALL) | TEXTS, TEXTS, st.integers(0, 9)), min_size=1,
             max_size=4, unique_by=lambda item: item[1]),
    st.sampled_from(["", RULE]),
    st.sampled_from(["answered", "not_stated"]),
)  # fmt: skip
def test_every_claim_is_the_quote_that_it_stands_for(
    papers: list[tuple[str, str, int]], rule: str, status: str
) -> None:
    items = tuple(evidence(" ".join(text.split()), title, first) for text, title, first in papers)
    draft = extract(Judgement(status, items, rule, "x"))  # type: ignore[arg-type]
    for claim in draft.claims:
        assert draft.text[claim.start : claim.end] == claim.quotes[0].text
        assert draft.text[claim.end :].startswith(f"” [{claim.markers[0]}]")
    answer = verify(draft, "?", items)
    assert all(claim.support == "quoted" for claim in answer.claims)
    assert answer.text == draft.text
    assert answer.rule == draft.rule
