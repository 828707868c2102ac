"""What a model thinks is left out, wherever the text is split; what it says about tags is not."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.thoughts import TAGS, spoken


def heard(*pieces: str) -> str:
    return "".join(spoken(pieces))


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("<think>Oak?</think>Oak sorts.", "Oak sorts."),
        ("\n <think>Oak?</think>\n\nOak sorts.", "\n \n\nOak sorts."),
        ("<think></think><think>Elm?</think>Oak sorts.", "Oak sorts."),
        ("<think>a < b </thin </think>Oak sorts.", "Oak sorts."),
        ("<think>To <think> is to be.</think>Oak sorts.", "Oak sorts."),
        ("[THINK]Oak?[/THINK]Oak sorts.", "Oak sorts."),
        ("Oak sorts [P1].\n<think>Elm?</think>\nElm reads.", "Oak sorts [P1].\n\nElm reads."),
        ("Oak sorts. <think>Elm?</think>Elm reads.", "Oak sorts. Elm reads."),
        ("Oak sorts [P1] <think>Elm?</think>.", "Oak sorts [P1] ."),
    ],
)
def test_a_thought_is_left_out(written: str, text: str) -> None:
    assert heard(written) == text


@pytest.mark.parametrize("written", ["<think>Oak, or", "<think>Oak</think", "<think>"])
def test_a_thought_that_is_not_closed_is_left_out(written: str) -> None:
    assert heard(f"It sorts. {written}") == "It sorts. "
    assert heard(written) == ""


@pytest.mark.parametrize(
    "text",
    [
        "It puts <think> before and </think> after its steps.",
        "Its steps stand in `<think>` tags.",
        "It is quick: 3 < 5 and <thin> leaves.",
        "It ends in a part of a tag <thin",
        "Only closed.</think> It sorts.",
        "",
    ],
)
def test_what_is_no_thought_is_kept(text: str) -> None:
    assert heard(text) == text


PARTS = [*TAGS, *TAGS.values(), "<", "<thi", "nk>", "</", "Oak", ".", " ", "\n", "[P1]", "[", "`"]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=20).map("".join)


@given(TEXTS, st.lists(st.integers(0, 80), max_size=12))
def test_the_text_is_the_same_wherever_it_is_split(text: str, cuts: list[int]) -> None:
    edges = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    pieces = [text[a:b] for a, b in pairwise(edges)]
    assert heard(*pieces) == heard(*text) == heard(text)


@given(TEXTS)
def test_no_piece_is_empty_and_nothing_is_added(text: str) -> None:
    pieces = list(spoken(text))
    assert all(pieces)
    rest = iter(text)
    assert all(character in rest for character in "".join(pieces))


@given(st.text(alphabet="abc .\n", max_size=20), st.text(alphabet="abc<>/ \n", max_size=40))
def test_a_whole_thought_before_an_answer_leaves_the_answer(answer: str, thought: str) -> None:
    assert heard(f"<think>{thought}</think>{answer}") == answer
