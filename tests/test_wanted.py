"""The thing that a question asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.wanted import MOST_WORDS, wanted


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What learning rate does ORCHID use?", "learning rate"),
        ("Which optimizer did they choose?", "optimizer"),
        ("How many lawyers took part?", "lawyers"),
        ("How much peak memory is saved?", "peak memory"),
        ("What is the word error rate of BEETLE?", "word error rate"),
        ("What kind of auction plans the routes?", "auction plans"),
        ("For BEETLE, what corpus is used?", "corpus"),
        ("On which benchmark was ORCHID tried?", "benchmark"),
        ("What is ORCHID and which license has it?", "ORCHID"),
        ("Which specific hyperparameters were tuned?", "hyperparameters"),
        ("What step size schedule does ORCHID use?", "size schedule"),
        ("Which values of the two hyperparameters did they use?", "hyperparameters"),
        ("Which kernel and bandwidth does ORCHID use?", "kernel and bandwidth"),
        ("Which random seed was set?", "random seed"),
        ("What is the largest environment mentioned in the study?", "largest environment"),
        ("Which application serves as the case study?", "application"),
        ("What share of the memory does it need?", "memory"),
        ("How many extra parameters does it add?", "parameters"),
        ("What are the names of the street maps on which it ran?", "street maps"),
    ],
)
def test_what_stands_behind_the_question_word_is_wanted(question: str, text: str) -> None:
    found = wanted(question)
    assert found is not None
    assert found.text == text


@pytest.mark.parametrize(
    "question",
    [
        "What does ORCHID do?",
        "Which method is used?",
        "Which method beats the others?",
        "How much faster is it?",
        "What is the idea behind ORCHID?",
        "What is proposed against it?",
        "By what means does it work?",
        "Which method can be trusted?",
        "What results are there?",
        "How does the auction work?",
        "Is it robust?",
        "Explain ORCHID.",
        "What?",
        "",
    ],
)
def test_words_that_any_abstract_answers_are_not_wanted(question: str) -> None:
    assert wanted(question) is None


PIECES = (
    "what which how many much is are the a kind of for on in learning rate, best method models "
    "ORCHID's — ? and but, 10%"
).split()


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_the_words_wanted_stand_where_they_are_said_to(pieces: list[str]) -> None:
    check(" ".join(pieces))


@given(st.text(max_size=100))
def test_any_text_may_be_asked(text: str) -> None:
    check(text)
    check(f"What {text}")


def check(question: str) -> None:
    found = wanted(question)
    if found is None:
        return
    assert 0 < len(found.spans) <= MOST_WORDS
    assert question[found.spans[0].start : found.spans[-1].end] == found.text
    ends = [0]
    for span in found.spans:
        assert ends[-1] <= span.start < span.end <= len(question)
        assert not question[span.start : span.end].isspace()
        ends.append(span.end)
