"""The questions of ../shared: our matching agrees with theirs, and answers stay above floors."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ingest import ingest
from rag import Assistant
from rag.evaluate import Result, conveys, evaluate, figures, normal, read_questions

SHARED = Path(__file__).parents[1].parent / "shared"
QUESTIONS = SHARED / "eval" / "questions-dev.jsonl"
SCORING = SHARED / "eval" / "score_lib.py"
PAPERS = SHARED / "corpus" / "neurips-2026"
if not (QUESTIONS.is_file() and SCORING.is_file() and PAPERS.is_dir()):
    pytest.skip("the questions of ../shared are not here", allow_module_level=True)

pytestmark = pytest.mark.slow

# Texts of answers that are compared.
ANSWERS = 200
# Without a model: the shares of right answers that must not be lost.
FLOORS = {"named-fact": 0.85, "numeric": 0.85}
FLOOR = 0.70


@pytest.fixture(scope="module")
def assistant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    folder = tmp_path_factory.mktemp("dev")
    ingest(sorted(PAPERS.glob("*.txt")), folder)
    with Assistant.open(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def results(assistant: Assistant) -> list[Result]:
    return list(evaluate(assistant, read_questions(QUESTIONS)))


@pytest.fixture(scope="module")
def theirs() -> Any:
    """The module that scores answers, from its file."""
    spec = importlib.util.spec_from_file_location("score_lib", SCORING)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


@cache
def facts() -> list[tuple[str, ...]]:
    return list({tuple(each): None for line in lines() for each in line["key_facts"]})


def compare(texts: Sequence[str], theirs: Any) -> int:
    """Ours and theirs on each text with each fact; returns how often a fact is conveyed."""
    conveyed = 0
    for text in texts:
        assert normal(text) == theirs.norm(text), text
        # What fact_match does for each fact anew.
        plain = theirs.norm(theirs.strip_cites(text))
        for fact in facts():
            said = conveys(text, fact)
            assert said == any(theirs.variant_match(each, plain) for each in fact), (fact, text)
            conveyed += said
        assert conveys(text, facts()[0]) == theirs.fact_match(facts()[0], text)
    return conveyed


def test_every_fact_in_every_evidence_text_is_judged_as_by_the_scoring_of_the_set(
    theirs: Any,
) -> None:
    texts = [each["text"] for line in lines() for each in line["evidence"]]
    assert len(texts) > 50
    assert compare(texts, theirs) >= len(facts()) / 2


def test_every_fact_in_our_answers_is_judged_as_by_the_scoring_of_the_set(
    assistant: Assistant, results: list[Result], theirs: Any
) -> None:
    names = [f"What is {paper.name}?" for paper in assistant.papers()]
    lists = [f"Which papers mention “{paper.name}”?" for paper in assistant.papers()]
    more = (names + lists)[: ANSWERS - len(results)]
    texts = [result.answer.text for result in results]
    texts += [assistant.ask(question).text for question in more]
    assert len(texts) == ANSWERS
    assert compare(texts, theirs) > len(results) / 2


def test_every_quote_is_verbatim(results: list[Result]) -> None:
    assert all(result.quotes for result in results)
    assert sum(len(result.answer.citations) for result in results) > len(results)


def test_answers_stay_above_their_floors(results: list[Result]) -> None:
    found = figures(results)
    assert found["all"]["right"] >= FLOOR
    for kind, floor in FLOORS.items():
        assert found["kinds"][kind]["right"] >= floor, kind
