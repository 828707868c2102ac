"""The prompt: its text is fixed, its evidence is delimited, and a paper cannot leave its place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag.prompts import NOT_STATED, SYSTEM, answer_messages, evidence_keys, repair_messages
from rag.types import Answer, Claim, Evidence, Paper, Query

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


REPAIR = """A check found statements in your answer that the excerpts do not carry:

- “Elm [P2] reads 99 barks”: the source says 94, not 99
- “It is (P1] == a key”: no source is given

Write the whole answer again, under the same rules. Correct each of these statements by what the \
excerpts say, or leave it out. Keep everything else as it is. Do not speak of the check."""


def test_what_failed_is_shown_as_it_was_read_and_judged() -> None:
    papers = tuple(evidence(name, "A text.").paper for name in ("Elm", "Oak", "Ash"))
    answer = Answer(
        question="Q",
        text="Oak sorts leaves [2]. Elm [1] reads 99 barks [1][3]. It is [P1] ==== a key [7].",
        status="answered",
        mode="llm",
        papers=papers,
        claims=(
            Claim("Oak sorts leaves", (2,), "supported"),
            Claim("Elm [1] reads 99 barks", (1,), "unsupported", "the source says 94, not 99"),
            Claim("It is [P1] ==== a key", (), "unsupported", "no source is given"),
        ),
    )
    said, failed = repair_messages(answer, {"Oak": "P1", "Elm": "P2"})
    assert (said.role, failed.role) == ("assistant", "user")
    assert said.content.startswith("Oak sorts leaves [P1]. Elm [P2] reads 99 barks [P2].")
    assert failed.content == REPAIR
