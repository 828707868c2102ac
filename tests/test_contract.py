"""What other programs rely on: names, types and promises of an answer."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from pathlib import Path

import pytest

from rag import Answer, Assistant, IndexMissing, Paper, QuestionError, Turn
from rag.errors import IndexMismatch, UsageError
from tests.papers import ALL

MARKER = re.compile(r"\[(\d+)\]")


def test_an_answer_names_its_paper_and_quotes_it_verbatim(assistant: Assistant) -> None:
    answer = assistant.ask("What is ORCHID?")
    assert answer.status == "answered"
    assert answer.mode == "extractive"
    assert [paper.name for paper in answer.papers] == ["ORCHID"]
    for citation in answer.citations:
        assert citation.paper.abstract[citation.start : citation.end] == citation.quote


def test_every_marker_resolves_and_markers_count_from_one(assistant: Assistant) -> None:
    answer = assistant.ask("Compare ORCHID and TIDEPOOL: what do they gain?")
    found = [int(number) for number in MARKER.findall(answer.text)]
    assert list(dict.fromkeys(found)) == [1, 2]
    assert {citation.marker for citation in answer.citations} == {1, 2}
    assert len({citation.paper.id for citation in answer.citations}) == 2


def test_every_claim_is_a_slice_of_the_text_and_cites(assistant: Assistant) -> None:
    answer = assistant.ask("By how much does TIDEPOOL lower the error?")
    assert answer.claims
    for claim in answer.claims:
        assert claim.text in answer.text
        assert claim.support == "quoted"
        assert claim.citations
        for place in claim.citations:
            assert answer.citations[place].marker in claim.markers


def test_the_pieces_of_a_stream_make_the_text_of_its_answer(assistant: Assistant) -> None:
    *pieces, answer = assistant.stream("What does MOSAIC avoid?")
    assert isinstance(answer, Answer)
    assert len(pieces) > 1
    assert "".join(str(piece) for piece in pieces) == answer.text


def test_how_many_papers_there_are_is_answered_with_their_number(assistant: Assistant) -> None:
    answer = assistant.ask("How many papers are there?")
    assert (answer.status, answer.warnings) == ("answered", ())
    assert answer.text.startswith(f"The index holds {len(assistant.papers()):,} papers")


def test_an_off_topic_question_is_not_found_and_cites_nothing(assistant: Assistant) -> None:
    answer = assistant.ask("How long must I boil an egg?")
    assert answer.status == "not_found"
    assert not answer.citations
    assert not answer.papers
    assert not MARKER.search(answer.text)
    assert "5 papers" in answer.text


def test_a_follow_up_is_answered_about_the_paper_before(assistant: Assistant) -> None:
    first = assistant.ask("What is BEETLE?")
    answer = assistant.ask(
        "And what leaves the device with it?", [Turn(first.question, first.text)]
    )
    assert [paper.name for paper in answer.papers] == ["BEETLE"]
    assert "Nothing leaves the device" in answer.text
    assert answer.question != "And what leaves the device with it?"


def test_an_answer_is_plain_json_and_reads_back(assistant: Assistant) -> None:
    answer = assistant.ask("What is LANTERN?")
    fields = answer.to_dict()
    assert json.loads(json.dumps(fields)) == fields
    assert set(fields) == {field.name for field in dataclasses.fields(Answer)}
    assert fields["citations"][0]["paper"]["id"] == answer.citations[0].paper.id


def test_types_of_the_contract_are_frozen_and_slotted() -> None:
    from rag import types

    for _, kind in inspect.getmembers(types, inspect.isclass):
        if dataclasses.is_dataclass(kind):
            assert kind.__dataclass_params__.frozen, kind  # type: ignore[attr-defined]
            assert "__slots__" in vars(kind), kind


def test_papers_search_and_related_return_papers(assistant: Assistant) -> None:
    papers = assistant.papers()
    assert [paper.abstract for paper in papers] == list(ALL)
    assert assistant.search("whispering to a phone", k=2)[0].name == "BEETLE"
    near = assistant.related(papers[0].id, k=3)
    assert len(near) == 3
    assert papers[0] not in near
    assert all(isinstance(paper, Paper) for paper in near)


def test_the_retriever_is_one_of_llama_index(assistant: Assistant) -> None:
    nodes = assistant.as_retriever(k=2).retrieve("auctions for robots")
    assert len(nodes) == 2
    assert "MOSAIC" in nodes[0].get_content()
    sentence = nodes[0].metadata["best_sentence"]
    start, end = nodes[0].metadata["start"], nodes[0].metadata["end"]
    assert nodes[0].get_content()[start:end].startswith(sentence[:20])


@pytest.mark.parametrize("question", ["", "  \n ", "x" * 100_000])
def test_an_empty_or_endless_question_is_refused_with_a_sentence(
    assistant: Assistant, question: str
) -> None:
    with pytest.raises(QuestionError, match=r"question (is empty|has 100,000 characters)"):
        assistant.ask(question)


def test_a_missing_index_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing, match="colloquy ingest"):
        Assistant.open(tmp_path / "nowhere")


def test_a_foreign_chroma_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "chroma.sqlite3").write_bytes(b"not ours")
    with pytest.raises(IndexMismatch, match="did not make"):
        Assistant.open(tmp_path)


def test_a_closed_assistant_says_so(small_index: Path) -> None:
    opened = Assistant.open(small_index)
    opened.close()
    with pytest.raises(IndexMissing, match="was closed"):
        opened.ask("What is ORCHID?")


def test_bad_arguments_are_usage_errors(assistant: Assistant) -> None:
    with pytest.raises(UsageError, match="k is 0"):
        assistant.search("robots", k=0)
    with pytest.raises(UsageError, match="'nope'"):
        assistant.related("nope")


def test_about_names_the_mode_and_the_index(assistant: Assistant, small_index: Path) -> None:
    about = assistant.about()
    assert (about.mode, about.model, about.endpoint) == ("extractive", None, None)
    assert (about.papers, about.digest, about.index) == (5, False, str(small_index))


def test_compare_is_a_table_whose_cells_quote_or_say_not_stated(assistant: Assistant) -> None:
    ids = [paper.id for paper in assistant.papers()[:2]]
    answer = assistant.compare(ids)
    rows = answer.text.splitlines()
    assert rows[0] == "| | ORCHID [1] | TIDEPOOL [2] |"
    assert [row.split("|")[1].strip(" *") for row in rows[2:]] == ["Problem", "Approach", "Result"]
    assert [paper.id for paper in answer.papers] == ids
    assert all(claim.support == "quoted" for claim in answer.claims)
    asked = assistant.compare(ids, ["stations", "colour of the cover"])
    assert "not stated" in asked.text
    assert "missing station" in asked.text


def test_compare_refuses_one_paper_an_unknown_one_and_an_empty_aspect(assistant: Assistant) -> None:
    ids = [paper.id for paper in assistant.papers()[:2]]
    for papers, aspects in ((ids[:1], None), ([*ids, "nope"], None), (ids, [" "])):
        with pytest.raises(UsageError):
            assistant.compare(papers, aspects)


def test_a_question_that_compares_is_answered_with_a_table(assistant: Assistant) -> None:
    answer = assistant.ask("Compare BEETLE with MOSAIC.")
    assert answer.text.startswith("| | BEETLE [1] | MOSAIC [2] |")


def test_what_the_abstract_does_not_give_is_named(assistant: Assistant) -> None:
    answer = assistant.ask("What learning rate does BEETLE use?")
    assert answer.status == "not_stated"
    assert "“learning rate”" in answer.text
    assert [paper.name for paper in answer.papers] == ["BEETLE"]
