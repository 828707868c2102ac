"""The prompt: its text is fixed, its evidence is delimited, and a paper cannot leave its place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag.prompts import NOT_STATED, SYSTEM, answer_messages, evidence_keys
from rag.types import Evidence, Paper, Query

GOLDEN = """Excerpts (2):

=== begin P1 ===
Name: Oak: Sorting Leaves
Abstract: Oak sorts leaves. It is quick.
=== end P1 ===

=== begin P2 ===
Name: Elm
Abstract: Elm reads bark.
=== end P2 ===

Question: Which trees sort leaves?"""


def evidence(title: str, abstract: str) -> Evidence:
    return Evidence(Paper(title, title, "given", abstract, abstract), 1.0, 0.5, ())


def test_the_prompt_is_as_it_was_read_and_judged() -> None:
    query = Query("Which trees\nsort leaves?", "which?")
    system, user = answer_messages(
        query,
        [
            evidence("Oak: Sorting Leaves", "Oak sorts leaves. It is quick."),
            evidence("Elm", "Elm reads bark."),
        ],
    )
    assert (system.role, user.role) == ("system", "user")
    assert user.content == GOLDEN
    assert system.content == SYSTEM


def test_the_rules_name_the_key_and_the_sign_of_silence() -> None:
    assert "[P1]" in SYSTEM
    assert f"[{NOT_STATED}]" in SYSTEM
    assert "language of the question" in SYSTEM
    assert evidence_keys(3) == ("P1", "P2", "P3")


@given(st.lists(st.sampled_from(["=", "===", " end P1 ", "\n", "[P2]", "[not stated]", "a"])))
def test_a_paper_cannot_imitate_a_delimiter_or_a_key(parts: list[str]) -> None:
    item = evidence("".join(parts), "".join(parts))
    user = answer_messages(Query("Q", "Q"), [item])[1].content
    assert user.count("===") == 4
    assert "[P" not in user
    assert f"[{NOT_STATED}" not in user.upper()
