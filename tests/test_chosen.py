"""Questions asked of chosen papers alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rag import Assistant, Turn, ask
from rag.errors import UsageError
from rag.index import Index, open_index
from rag.retrieve import NOMINATED, rank, read_question, rows_of
from rag.types import Query
from tests.papers import BEETLE
from tests.word_embedder import WordEmbedder, publish_texts

CROWD = 5 * NOMINATED


@pytest.fixture
def ids(assistant: Assistant) -> dict[str, str]:
    """The papers' ids by the name in their abstracts."""
    names = ("ORCHID", "TIDEPOOL", "LANTERN", "MOSAIC", "BEETLE")
    return {name: paper.id for name, paper in zip(names, assistant.papers(), strict=True)}


def test_only_chosen_papers_are_retrieved_cited_and_suggested(
    assistant: Assistant, ids: dict[str, str]
) -> None:
    chosen = [ids["ORCHID"], ids["MOSAIC"]]
    answer = assistant.ask("By how much does the error rate fall?", papers=chosen)
    assert {paper.id for paper in answer.papers} <= set(chosen)
    free = assistant.ask("What is ORCHID?")
    bound = assistant.ask("What is ORCHID?", papers=chosen)
    assert free.text == bound.text
    assert bound.suggestions
    for suggestion in bound.suggestions:
        assert not any(name in suggestion for name in ids if ids[name] not in chosen)


def test_a_list_counts_among_the_chosen(assistant: Assistant, ids: dict[str, str]) -> None:
    question = "Which papers propose something for robots or stations?"
    assert len(assistant.ask(question).papers) == 2
    answer = assistant.ask(question, papers=[ids["MOSAIC"], ids["BEETLE"], ids["LANTERN"]])
    assert [paper.name for paper in answer.papers] == ["MOSAIC"]
    assert answer.text.startswith("1 of the 3 papers asked. Counted: ")


def test_silence_says_that_only_the_chosen_were_asked(
    assistant: Assistant, ids: dict[str, str]
) -> None:
    chosen = [ids["ORCHID"], ids["LANTERN"]]
    for question, says in (
        ("How long must I boil an egg?", "No paper chosen is about this."),
        ("What is BEETLE?", "**BEETLE** is not among the papers chosen."),
    ):
        answer = assistant.ask(question, papers=chosen)
        assert (answer.status, answer.citations, answer.papers) == ("not_found", (), ())
        assert answer.text.startswith(f"{says} Only 2 papers were asked: ")
        assert "ORCHID" in answer.text
    alone = assistant.ask("What is BEETLE?", papers=[ids["ORCHID"]])
    assert "Only 1 paper was asked" in alone.text


def test_how_many_papers_there_are_tells_how_many_were_chosen(
    assistant: Assistant, ids: dict[str, str]
) -> None:
    answer = assistant.ask("How many papers?", papers=[ids["ORCHID"], ids["LANTERN"]])
    assert answer.status == "answered"
    assert answer.text.startswith("Only 2 papers were asked: ")


def test_a_named_paper_that_was_not_chosen_is_told(
    assistant: Assistant, ids: dict[str, str]
) -> None:
    answer = assistant.ask("Compare BEETLE and ORCHID.", papers=[ids["ORCHID"], ids["MOSAIC"]])
    assert [paper.name for paper in answer.papers] == ["ORCHID"]
    assert "BEETLE is not among the papers chosen and was not asked." in answer.warnings


def test_these_papers_are_the_chosen(assistant: Assistant, ids: dict[str, str]) -> None:
    chosen = [ids["ORCHID"], ids["BEETLE"]]
    table = assistant.ask("Compare these papers.", papers=chosen)
    assert table.text.startswith("| | ORCHID [1] | BEETLE [2] |")
    each = assistant.ask("What problem do these papers address?", papers=chosen)
    assert [paper.id for paper in each.papers] == chosen
    some = assistant.ask("Which of these papers work on speech?", papers=chosen)
    assert [paper.name for paper in some.papers] == ["BEETLE"]


def test_a_follow_up_stays_with_the_chosen(assistant: Assistant, ids: dict[str, str]) -> None:
    before = [Turn("What is BEETLE?", BEETLE, (ids["BEETLE"],))]
    answer = assistant.ask("Do they help with robots?", before, [ids["MOSAIC"], ids["ORCHID"]])
    assert "BEETLE" not in [paper.name for paper in answer.papers]
    kept = assistant.ask("What leaves the device with it?", before, [ids["BEETLE"], ids["MOSAIC"]])
    assert [paper.name for paper in kept.papers] == ["BEETLE"]


def test_which_of_them_picks_among_the_papers_before_or_the_chosen(
    assistant: Assistant, ids: dict[str, str]
) -> None:
    names = ("ORCHID", "MOSAIC", "BEETLE")
    before = [Turn("Which papers?", "Three.", tuple(ids[name] for name in names))]
    answer = assistant.ask("Which of these work on robots or lawyers?", before)
    assert [paper.name for paper in answer.papers] == ["MOSAIC"]
    assert answer.text.startswith("1 of the 3 papers asked.")
    chosen = [ids["LANTERN"], ids["TIDEPOOL"]]
    bound = assistant.ask("How many of them are about lawyers or robots?", before, chosen)
    assert [paper.id for paper in bound.papers] == [ids["LANTERN"]]


def test_unknown_and_no_papers_are_usage_errors(assistant: Assistant, small_index: Path) -> None:
    with pytest.raises(UsageError, match="'nope'"):
        assistant.ask("What is ORCHID?", papers=["nope"])
    with pytest.raises(UsageError, match="No paper was chosen"):
        next(assistant.stream("What is ORCHID?", papers=[]))


def test_the_default_assistant_takes_them_too(
    small_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLLOQUY_INDEX", str(small_index))
    with pytest.raises(UsageError, match="'nope'"):
        ask("What is ORCHID?", papers=["nope"])


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("crowd")
    texts = [f"Harbour item{n} near unit{n}. It needs {n} repairs." for n in range(CROWD)]
    publish_texts(folder, {"a": texts}, WordEmbedder())
    index = open_index(folder, "words")
    yield index
    index.close()


def test_of_many_chosen_the_nearest_and_those_with_the_words_are_ranked(crowd: Index) -> None:
    embedder = WordEmbedder()
    chosen = tuple(paper.id for paper in crowd.papers[::2][: 2 * NOMINATED + 20])
    allowed = rows_of(crowd, chosen)
    assert allowed is not None
    asked = read_question(crowd, embedder, "Which repairs does item40 need?")
    ranking = rank(crowd, asked, Query(asked.text, asked.text, papers=chosen), 10)
    assert len(ranking.rows) <= 2 * NOMINATED
    assert np.isin(ranking.rows, allowed).all()
    assert crowd.papers[ranking.rows[0]].abstract.startswith("Harbour item40 ")
    few = rank(crowd, asked, Query(asked.text, asked.text, papers=chosen[:3]), 10)
    assert sorted(few.rows) == list(allowed[:3])


@pytest.mark.parametrize("papers", ["abc", [["a"]], [None]])
def test_what_is_no_list_of_ids_is_refused_in_words(assistant: Assistant, papers: Any) -> None:
    with pytest.raises(UsageError, match="give a list of ids"):
        assistant.ask("What is BEETLE?", papers=papers)
