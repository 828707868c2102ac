"""BM25 over whole papers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag import lexical
from tests.papers import ALL, BEETLE, MOSAIC


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Flow matching", ["flow", "matching"]),
        ("state-of-the-art", ["state-of-the-art", "state", "of", "the", "art"]),
        ("BENZO-40", ["benzo-40", "benzo", "40"]),
        ("model's snake_case", ["model", "snake_case", "snake", "case"]),
        ("", []),
        ("?!", []),
    ],
)
def test_a_hyphenated_word_gives_itself_and_its_parts(text: str, expected: list[str]) -> None:
    assert lexical.words(text) == expected


def test_inflections_count_as_one_word_and_question_words_as_none() -> None:
    assert lexical.terms("Which of the papers were about training?") == ["paper", "train"]
    assert lexical.terms("trains") == lexical.terms("trained") == lexical.terms("training")


@given(st.text(max_size=60))
def test_any_text_has_terms_in_lower_case(text: str) -> None:
    assert all(term and term == term.lower() for term in lexical.terms(text))


def test_the_paper_that_shares_the_rare_word_scores_highest(tmp_path: Path) -> None:
    lexical.build(ALL, tmp_path / "lexical")
    index = lexical.load(tmp_path / "lexical")
    scores = lexical.scores(index, "Which robots share a kitchen?")
    assert scores.shape == (len(ALL),)
    assert int(scores.argmax()) == ALL.index(MOSAIC)
    assert scores[ALL.index(BEETLE)] == 0


def test_a_question_that_shares_no_word_scores_zero_everywhere(tmp_path: Path) -> None:
    lexical.build(ALL, tmp_path / "lexical")
    index = lexical.load(tmp_path / "lexical")
    for question in ("xylophone zeppelin", "the of and", ""):
        assert not lexical.scores(index, question).any()


def test_a_text_without_a_word_is_a_text_like_others(tmp_path: Path) -> None:
    lexical.build(["", "?!", "the of", MOSAIC], tmp_path / "lexical")
    scores = lexical.scores(lexical.load(tmp_path / "lexical"), "robots")
    assert (scores > 0).tolist() == [False, False, False, True]


def test_one_text_alone_makes_an_index(tmp_path: Path) -> None:
    lexical.build([MOSAIC], tmp_path / "lexical")
    index = lexical.load(tmp_path / "lexical")
    assert lexical.scores(index, "robots")[0] > 0


def test_a_word_is_the_rarer_the_fewer_texts_have_it(tmp_path: Path) -> None:
    texts = ["cat dog", "cat cow", "cat dog elk"]
    lexical.build(texts, tmp_path / "lexical")
    index = lexical.load(tmp_path / "lexical")
    in_all, in_two, in_one, in_none = (
        lexical.rarity(index, term) for term in ("cat", "dog", "elk", "fox")
    )
    assert [lexical.holders(index, term).tolist() for term in ("dog", "fox")] == [[0, 2], []]
    assert in_all == 0
    assert in_all < in_two < in_one < in_none
    assert in_none == pytest.approx(np.log(4))
