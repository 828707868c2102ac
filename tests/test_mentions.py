"""Phrases by which a question speaks of papers without their names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.mentions import is_about_several, mentions


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does the ring-packing paper measure?", ("ring-packing",)),
        (
            "What does the paper on packing sparse molecules measure?",
            ("packing sparse molecules measure",),
        ),
        ("In the study about whispered speech, what falls?", ("whispered speech",)),
        ("Compare the kitchen paper and the whisper paper.", ("kitchen", "whisper")),
        (
            "How do the auction and the whisper adapter differ?",
            ("auction", "whisper adapter"),
        ),
    ],
)
def test_a_phrase_that_stands_for_a_paper_is_found(
    question: str, expected: tuple[str, ...]
) -> None:
    assert mentions(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "What is ORCHID?",
        "Which papers are about molecules?",
        "What does the same paper say?",
        "What does the paper say?",
        "How well does the end-to-end method for packing molecules scale?",
        "Is this approach better?",
        "How do the two papers differ?",
        "What do the authors of the paper claim?",
        "What are the limits of this approach?",
        "What are the results of that study?",
        "",
    ],
)
def test_a_question_that_mentions_no_paper_gives_nothing(question: str) -> None:
    assert mentions(question) == ()


def test_a_phrase_is_given_once() -> None:
    assert mentions("The kitchen paper: what does the kitchen paper say?") == ("kitchen",)


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("What do both papers measure?", True),
        ("A versus B?", True),
        ("Which have auctions in common?", True),
        ("What do the three robot papers say?", True),
        ("What is an auction?", False),
        ("How long does the adaptation take?", False),
    ],
)
def test_a_question_about_several_papers_shows_it(question: str, several: bool) -> None:
    assert is_about_several(question) is several


@given(st.text(max_size=120))
def test_any_text_gives_phrases_that_stand_in_it(text: str) -> None:
    check(text)


PIECES = "the paper on about and , : ? compare both versus study 'x' \n ring-packing of (a)".split(
    " "
)


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_any_order_of_their_words_gives_phrases_that_stand_in_it(pieces: list[str]) -> None:
    check(" ".join(pieces))


def check(text: str) -> None:
    found = mentions(text)
    assert len(set(found)) == len(found)
    assert all(phrase.strip() and phrase in text for phrase in found)
