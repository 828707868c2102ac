"""Which papers a list counts: by words where papers have them, else by meaning."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from rag.count import Counted, count
from rag.index import Index, open_index
from rag.near import near, topic_scores
from rag.retrieve import read_question
from rag.understand import understand
from tests.word_embedder import WordEmbedder, publish_texts

# Equal words are alike and others are not: "meaning" is the share of the topic's words.
WORDS = WordEmbedder(dimension=256)
TEXTS = (
    "Lanterns light harbours. Fishing boats come home by night.",
    "Boats carry lanterns. A harbour is deep.",
    "Tides fill a harbour. Gulls cry.",
    "Gulls nest on cliffs.",
    "Bread rises slowly. Ovens are hot.",
    "Fishing boats leave before dawn. Nets are mended.",
    "Fishing for compliments is an art.",
    "Boats of paper float.",
    "Leave the boats ashore.",
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("count")
    publish_texts(folder, {"a": TEXTS}, WORDS)
    opened = open_index(folder, "words")
    yield opened
    opened.close()


def counted(index: Index, question: str) -> Counted:
    query = understand(question, (), index.names)
    return count(index, WORDS, query, read_question(index, WORDS, question))


def texts(index: Index, found: Counted) -> list[int]:
    return sorted(TEXTS.index(index.papers[row].abstract) for row in found.rows)


def test_a_phrase_that_papers_have_is_counted_by_its_words(index: Index) -> None:
    found = counted(index, "Which papers are about fishing boats?")
    assert texts(index, found) == [0, 5]
    assert found.rule == "papers whose title, keywords or abstract have “fishing boats”."
    assert found.borderline == ()


def test_one_word_is_counted_by_itself_even_in_one_paper(index: Index) -> None:
    assert texts(index, counted(index, "How many papers are about bread?")) == [4]


def test_words_that_no_paper_has_as_they_stand_are_counted_by_meaning(index: Index) -> None:
    found = counted(index, "Which papers have boats with lanterns in a harbour?")
    assert 1 in texts(index, found)
    assert "meaning" in counted(index, "Which papers are about boats harbour?").rule


def test_a_phrase_of_one_paper_is_counted_by_meaning_unless_its_words_are_asked_for(
    index: Index,
) -> None:
    by_meaning = counted(index, "Which papers are about boats leave?")
    assert texts(index, by_meaning) == [5, 8]
    assert "meaning" in by_meaning.rule
    for question in ("Which papers mention boats leave?", "Which papers say “boats leave”?"):
        assert texts(index, counted(index, question)) == [5]


def test_a_phrase_of_one_paper_to_which_meaning_adds_none_is_counted_by_its_words(
    index: Index,
) -> None:
    assert "light harbours" in counted(index, "Which papers are about light harbours?").rule


def test_a_phrase_of_which_a_word_is_nowhere_is_not_counted(index: Index) -> None:
    found = counted(index, "Which papers are about quantum boats?")
    assert (texts(index, found), found.rule) == ([], "")


def test_a_question_for_no_list_counts_nothing(index: Index) -> None:
    assert not len(counted(index, "Why do boats float?").rows)


def test_papers_between_the_counted_and_the_usual_ones_are_on_the_border(index: Index) -> None:
    found = counted(index, "Which papers deal with lanterns, harbours, boats and night?")
    names = {paper.abstract for paper in found.borderline}
    assert names.isdisjoint(TEXTS[number] for number in texts(index, found))


def test_every_paper_is_scored_the_same_in_blocks_of_any_size(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = read_question(index, WORDS, "fishing boats and lanterns")
    whole = topic_scores(index, topic)
    monkeypatch.setattr("rag.near.BLOCK", 3)
    assert np.allclose(topic_scores(index, topic), whole, atol=1e-6)
    assert whole.argmax() == 0 or index.papers[int(whole.argmax())].abstract == TEXTS[0]


def test_a_topic_without_meaning_is_near_to_nothing(index: Index) -> None:
    found = near(index, read_question(index, WORDS, "of the and"))
    assert (len(found.rows), len(found.borderline)) == (0, 0)


def test_a_number_alone_has_no_meaning(index: Index) -> None:
    assert not len(counted(index, "How many papers are there in 2019?").rows)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Which papers are not about boats?", "not"),
        ("List papers without boats", "without"),
        ("Which papers don't use boats?", "don't"),
        ("Which papers have neither boats nor boats?", "neither"),
        ("Are there any papers on harbours, except boats?", "except"),
    ],
)
def test_a_list_of_what_papers_lack_says_that_it_is_none(
    index: Index, question: str, word: str
) -> None:
    rule = counted(index, question).rule
    assert rule.startswith("papers whose ")
    assert f"The “{word}” of the question" in rule


@pytest.mark.parametrize(
    "question",
    [
        "Aren't there any papers on boats?",
        "Which papers have not only boats?",
        "Are there papers on boats or not?",
    ],
)
def test_not_every_not_leaves_something_out(index: Index, question: str) -> None:
    assert counted(index, question).rule.endswith("have “boats”.")
