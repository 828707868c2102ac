"""Question sets, and what makes an answer right."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag import Assistant
from rag.errors import InputError
from rag.evaluate import (
    WORDS,
    WORDS_LISTED,
    WORDS_MORE,
    Question,
    conveys,
    evaluate,
    figures,
    normal,
    read_questions,
    read_saved,
    resolve,
    saved,
    score,
)
from rag.types import Answer, Citation, Paper
from tests.papers import ALL, BEETLE, ORCHID

PAPERS = tuple(
    Paper(f"id{n}", f"Title {n}", "given", text, text, source="list.txt", position=n)
    for n, text in enumerate(ALL, 1)
)
LINE = {
    "qid": "q1",
    "kind": "numeric",
    "question": "By how much does ORCHID cut peak memory?",
    "gold_papers": ["list-01"],
    "key_facts": [["37%", "37 percent"]],
}


def question(kind: str = "fact", **fields: object) -> Question:
    made = Question("q", kind, "?", ("list-01",), (), (("37%",),), (), "")
    return replace(made, **fields)  # type: ignore[arg-type]


def citation(number: int, quote: str = "") -> Citation:
    paper = PAPERS[number - 1]
    quote = quote or paper.abstract[:20]
    return Citation(number, paper, quote, 0, len(quote))


def answer(text: str = "It cuts 37% [1].", *cited: int, status: str = "answered") -> Answer:
    return Answer(
        "?",
        text,
        status,  # type: ignore[arg-type]
        "extractive",
        citations=tuple(citation(number) for number in cited),
        papers=tuple(PAPERS[number - 1] for number in cited),
    )


def write(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n", encoding="utf-8")
    return path


def test_a_question_set_is_read_with_what_may_be_left_out(tmp_path: Path) -> None:
    turns = [{"question": "a", "answer": "b"}]
    full = LINE | {"acceptable_papers": ["list-02"], "history": turns, "notes": "n"}
    one, other = read_questions(write(tmp_path / "set.jsonl", LINE, full))
    assert (one.gold, one.acceptable, one.facts) == (("list-01",), (), (("37%", "37 percent"),))
    assert (one.history, one.notes) == ((), "")
    assert (other.acceptable, other.notes) == (("list-02",), "n")
    assert [(turn.question, turn.answer) for turn in other.history] == [("a", "b")]


@pytest.mark.parametrize(
    "line",
    [
        *([], 3, {"qid": "q"}, LINE | {"history": [1]}),
        *(LINE | {"key_facts": [[fact]]} for fact in ("", "$", "re:(")),
    ],
)
def test_a_line_that_is_no_question_is_named(tmp_path: Path, line: object) -> None:
    with pytest.raises(InputError, match=r"Line 2 of .*set\.jsonl"):
        read_questions(write(tmp_path / "set.jsonl", LINE, line))


def test_a_set_that_is_missing_empty_or_no_text_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_questions(tmp_path / "none.jsonl")
    (tmp_path / "set.jsonl").write_bytes(b"\n \n")
    with pytest.raises(InputError, match="holds no questions"):
        read_questions(tmp_path / "set.jsonl")
    (tmp_path / "set.jsonl").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(InputError, match="cannot be read"):
        read_questions(tmp_path / "set.jsonl")
    (tmp_path / "set.jsonl").write_text("{]", encoding="utf-8")
    with pytest.raises(InputError, match="Line 1"):
        read_questions(tmp_path / "set.jsonl")


def test_papers_are_named_by_id_or_by_place() -> None:
    assert resolve(["list-01", "list-5", "id2"], PAPERS) == {"id1", "id5", "id2"}
    other = replace(PAPERS[0], id="other", source="list-2.txt")
    assert resolve(["list-01", "list-2-1"], [other, *PAPERS]) == {"id1", "other"}
    for name in ("list-99", "other-01", "-1", ""):
        with pytest.raises(InputError, match=repr(name)):
            resolve([name], PAPERS)


@pytest.mark.parametrize(
    ("text", "alternatives", "said"),
    [
        ("It cuts 37 % of it", ["37%"], True),
        ("It cuts 137%", ["37%"], False),
        ("It cuts 3.7%", ["7%"], False),
        ("[37] says so", ["37"], False),
        ("1,024 papers", ["1024"], True),
        ("A Frank–Wolfe solver", ["frank-wolfe"], True),
        ("success", ["CCE"], False),
        ("two auctions", ["auction"], True),
        ("Rényi", ["Renyi"], True),
        ("20$\\times$ faster", ["20x"], True),
        ("one or other", ["re:\\bother$"], True),
        ("nothing", ["a", "re:^some"], False),
    ],
)
def test_a_fact_is_conveyed_as_whole_words_in_any_spelling(
    text: str, alternatives: list[str], said: bool
) -> None:
    assert conveys(text, alternatives) is said


@given(st.text(max_size=80))
def test_normal_text_is_normal(text: str) -> None:
    once = normal(text)
    assert once == once.strip()
    assert "  " not in once


def test_an_answer_with_all_parts_is_right() -> None:
    assert score(question(), answer("It cuts 37% [1].", 1), PAPERS).right


@pytest.mark.parametrize(
    ("part", "given_"),
    [
        ("facts", answer("It cuts 38% [1].", 1)),
        ("citations", answer("It cuts 37%.")),
        ("citations", answer("It cuts 37% [1] [2].", 1, 2)),
        ("quotes", replace(answer("37% [1]", 1), citations=(citation(1, "not its words"),))),
        ("brief", answer("It cuts 37% [1]. " + "very " * WORDS, 1)),
        ("status", answer("It cuts 37% [1].", 1, status="not_stated")),
    ],
)
def test_an_answer_that_lacks_a_part_is_wrong(part: str, given_: Answer) -> None:
    result = score(question(), given_, PAPERS)
    assert not getattr(result, part)
    assert not result.right


def test_what_may_be_cited_need_not_be() -> None:
    asked = question(acceptable=("list-02",))
    assert score(asked, answer("37% [1] [2]", 1, 2), PAPERS).right
    assert score(asked, answer("37% [1]", 1), PAPERS).right
    assert not score(asked, answer("37% [2]", 2), PAPERS).citations


def test_what_cannot_be_answered_must_not_be() -> None:
    off = question(gold=(), facts=())
    assert score(off, answer("Nothing.", status="not_found"), PAPERS).right
    assert not score(off, answer("Nothing.", status="not_stated"), PAPERS).status
    left_out = question(gold=(), facts=(), acceptable=("list-01",))
    assert score(left_out, answer("Not said [1].", 1, status="not_stated"), PAPERS).right
    assert score(left_out, answer("Nothing.", status="not_found"), PAPERS).right
    assert not score(left_out, answer("37% [1]", 1), PAPERS).status
    premise = question(gold=(), acceptable=("list-01",))
    assert score(premise, answer("No: 37% [1]", 1), PAPERS).right


def test_more_papers_may_take_more_words() -> None:
    two = question(gold=("list-01", "list-02"))
    words = "37% " + "w " * (WORDS + WORDS_MORE - 1)
    assert score(two, answer(words, 1, 2), PAPERS).brief
    assert not score(two, answer(f"{words} w", 1, 2), PAPERS).brief
    table = f"| 37% | {'w ' * (WORDS - 1)} |"
    assert score(question(), answer(table, 1), PAPERS).brief


def test_a_listing_is_scored_by_its_papers_as_well() -> None:
    asked = question("listing", gold=("list-01", "list-02"), facts=())
    result = score(asked, answer("[1] [3]", 1, 3), PAPERS)
    assert (result.precision, result.recall, result.exact) == (0.5, 0.5, False)
    assert score(asked, answer("", 2, 1), PAPERS).exact
    assert score(asked, answer("w " * (2 * WORDS_LISTED), 2, 1), PAPERS).brief
    assert score(question(), answer("37%", 1), PAPERS).precision is None


def test_figures_are_shares_in_all_and_by_kind() -> None:
    right = score(question(), answer("37% [1]", 1), PAPERS, 0.2)
    wrong = score(question("listing"), answer("38% [1]", 1), PAPERS, 0.4)
    found = figures([right, wrong])
    assert (found["all"]["right"], found["all"]["questions"]) == (0.5, 2)
    assert found["kinds"]["fact"]["right"] == 1
    assert (found["kinds"]["listing"]["right"], found["kinds"]["listing"]["exact"]) == (0, 1)
    assert "exact" not in found["kinds"]["fact"]
    assert found["seconds"]["median"] == pytest.approx(0.3)


def test_a_saved_result_is_plain_json() -> None:
    result = score(question(), answer("37% [1]", 1), PAPERS, 0.2)
    kept = json.loads(json.dumps(saved(result)))
    assert (kept["qid"], kept["right"], kept["answer"]["text"]) == ("q", True, "37% [1]")


def test_the_questions_are_asked_in_order_and_scored(assistant: Assistant) -> None:
    asked = [
        question(facts=(("37%",),), question="By how much does ORCHID cut peak memory?"),
        question(gold=("list-05",), facts=(("18%",),), question="How low does BEETLE bring it?"),
    ]
    results = list(evaluate(assistant, asked))
    assert [result.question for result in results] == asked
    assert [result.answer.papers[0].abstract for result in results] == [ORCHID, BEETLE]
    assert all(result.citations and result.quotes and result.brief for result in results)
    assert results[0].right
    assert all(result.seconds > 0 for result in results)


def test_a_line_ends_at_its_line_end_alone(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl"
    odd = "a\u2028b\x85c"
    file.write_text(json.dumps(LINE | {"question": odd}, ensure_ascii=False), encoding="utf-8")
    assert read_questions(file)[0].question == odd
    row = {"qid": odd, "right": True}
    file.write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    assert read_saved(file) == {odd: True}
