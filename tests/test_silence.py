"""Whether any chosen paper speaks of what is asked for; with the real model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.embed import bundled
from rag.index import Index, open_index
from rag.judge import Judgement
from rag.retrieve import read_question
from rag.silence import covers, heed_silence
from rag.types import Evidence, Paper, Query
from tests.papers import BEETLE, MOSAIC, ORCHID
from tests.word_embedder import WordEmbedder, publish_texts


@pytest.fixture(scope="module")
def index(small_index: Path) -> Iterator[Index]:
    opened = open_index(small_index, bundled().name)
    yield opened
    opened.close()


def paper(index: Index, abstract: str) -> Paper:
    return next(paper for paper in index.papers if paper.abstract == abstract)


def heeded(index: Index, question: str, *abstracts: str, rule: str = "") -> Judgement:
    evidence = tuple(Evidence(paper(index, text), 1.0, 0.5) for text in abstracts)
    judgement = Judgement("answered", evidence, rule)
    asked = read_question(index, bundled(), question)
    return heed_silence(index, asked, Query(question, question), judgement)


@pytest.mark.parametrize(
    ("question", "abstract", "missing"),
    [
        ("What learning rate did BEETLE use?", BEETLE, "learning rate"),
        ("Which license does MOSAIC have?", MOSAIC, "license"),
        ("How many salaries does ORCHID pay?", ORCHID, "salaries"),
        ("What entropy threshold triggers ORCHID?", ORCHID, "entropy threshold triggers"),
    ],
)
def test_what_no_paper_speaks_of_is_not_stated(
    index: Index, question: str, abstract: str, missing: str
) -> None:
    judged = heeded(index, question, abstract)
    assert judged.status == "not_stated"
    assert missing in judged.missing
    assert [item.paper.abstract for item in judged.evidence] == [abstract]


@pytest.mark.parametrize(
    ("question", "abstract"),
    [
        ("What word error rate does BEETLE reach?", BEETLE),
        ("Which corpus is BEETLE tested on?", BEETLE),
        ("How many robots does MOSAIC plan for?", MOSAIC),
        ("How much memory does ORCHID save?", ORCHID),
        ("How many robots took part?", MOSAIC),
        ("What does BEETLE do?", BEETLE),
    ],
)
def test_what_the_paper_speaks_of_stays_answered(
    index: Index, question: str, abstract: str
) -> None:
    assert heeded(index, question, abstract).status == "answered"


def test_one_paper_that_speaks_of_it_is_enough(index: Index) -> None:
    question = "What word error rate is reached?"
    assert heeded(index, question, ORCHID, BEETLE).status == "answered"
    assert heeded(index, "What learning rate is used?", ORCHID, BEETLE).status == "not_stated"


def test_lists_and_what_is_not_found_are_left_as_they_are(index: Index) -> None:
    question = "What learning rate do the papers use?"
    assert heeded(index, question, BEETLE, rule="rule").status == "answered"
    nothing = Judgement("not_found", ())
    asked = read_question(index, bundled(), question)
    assert heed_silence(index, asked, Query(question, question), nothing) == nothing
    found = Judgement("not_stated", (), missing="x")
    assert heed_silence(index, asked, Query(question, question), found) == found


@pytest.mark.parametrize(
    ("text", "covered"), [("error rate", True), ("stations", False), ("colour of the cover", False)]
)
def test_a_paper_covers_what_it_speaks_of(index: Index, text: str, covered: bool) -> None:
    asked = read_question(index, bundled(), text)
    assert covers(index, asked, paper(index, BEETLE)) is covered


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("silence")
    publish_texts(folder, {"a": [BEETLE, "?! of the."]}, WordEmbedder())
    opened = open_index(folder, "words")
    yield opened
    opened.close()


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1, max_size=50))
def test_any_question_is_judged_and_any_text_covered_or_not(words: Index, text: str) -> None:
    question = f"What {text}x"
    asked = read_question(words, WordEmbedder(), question)
    evidence = tuple(Evidence(paper, 1.0, 0.5) for paper in words.papers[:1])
    before = Judgement("answered", evidence)
    after = heed_silence(words, asked, Query(question, question), before)
    assert after == before or after == replace(before, status="not_stated", missing=after.missing)
    assert after.missing in question
    assert covers(words, asked, words.papers[0]) in (True, False)
