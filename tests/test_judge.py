"""What kind of answer the evidence allows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag.judge import ANCHORED, FOUND, FOUND_FEW, found_among, judge
from rag.types import Evidence, Paper, Query
from tests.papers import ALL

PAPERS = [Paper(f"p{n}", f"Title {n}", "given", text, text) for n, text in enumerate(ALL)]


def evidence(*similarities: float, counted: int = 0) -> list[Evidence]:
    """The papers with these similarities; the first `counted` belong to a list."""
    return [
        Evidence(paper, 1.0 - place, similarity, counted=place < counted)
        for place, (paper, similarity) in enumerate(zip(PAPERS, similarities, strict=False))
    ]


def query(question: str, *named: str) -> Query:
    return Query(question, question, named=named)


def listing(question: str) -> Query:
    return Query(question, question, "list")


def test_the_best_paper_answers_if_anything_is_near() -> None:
    found = evidence(0.1, FOUND)
    judged = judge(query("Who plans the routes?"), found)
    assert (judged.status, judged.evidence) == ("answered", (found[0],))


def test_nothing_near_is_not_found() -> None:
    judged = judge(query("How will the weather be?"), evidence(FOUND - 0.01, 0.0))
    assert (judged.status, judged.evidence) == ("not_found", ())
    assert judge(query("How?"), []).status == "not_found"


def test_a_short_question_with_a_coined_name_of_a_first_paper_is_about_it() -> None:
    found = evidence(0.0, 0.0, 0.0, 0.0, 0.0)
    judged = judge(query("benzo-40 tidepools?"), found)
    assert judged.evidence == (found[0],)
    assert ALL.index(ALL[4]) >= ANCHORED
    assert judge(query("HUSH?"), found).status == "not_found"


def test_named_papers_answer_in_the_order_in_which_they_are_named() -> None:
    found = evidence(0.0, 0.0, 0.9)
    judged = judge(query("A and B?", "p1", "p0", "gone"), found)
    assert [item.paper.id for item in judged.evidence] == ["p1", "p0"]
    assert judged.status == "answered"


def test_a_list_holds_exactly_the_counted_papers_and_keeps_those_on_the_border() -> None:
    found = evidence(0.0, 0.9, 0.9, counted=1)
    judged = judge(listing("Which papers?"), found, "the rule.", (PAPERS[1],))
    assert (judged.evidence, judged.rule) == ((found[0],), "the rule.")
    assert judged.borderline == (PAPERS[1],)


def test_a_list_without_a_counted_paper_is_not_found() -> None:
    assert judge(listing("Which papers?"), evidence(0.9, 0.9)).status == "not_found"


@given(
    st.text(max_size=40),
    st.lists(st.floats(-1, 1, width=32), max_size=5),
    st.sampled_from(("fact", "list", "explain", "compare")),
    st.integers(0, 5),
)
def test_what_is_answered_rests_on_papers_and_what_is_not_found_on_none(
    question: str, similarities: list[float], intent: str, counted: int
) -> None:
    found = evidence(*similarities, counted=counted)
    asked = Query(question, question, intent)  # type: ignore[arg-type]
    judged = judge(asked, found, "rule" if counted else "")
    assert bool(judged.evidence) == (judged.status == "answered")
    assert set(judged.evidence) <= set(found)


def test_among_more_papers_the_best_must_be_nearer() -> None:
    assert found_among(1) == found_among(FOUND_FEW) == FOUND
    assert FOUND < found_among(3140) < found_among(20_000) < FOUND + 0.1
    assert judge(query("How?"), evidence(FOUND), papers=3140).status == "not_found"
