"""Figures with their units and coined names: found in a text, and compared with its sources."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.figures import coined, figures, plain_name, wrong_figure, wrong_name


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("131,072 and 131072", ["131072", "131072"]),
        ("94,4 % and 94.4%", ["94.4%", "94.4%"]),
        ("$20$--$1000\\times$ or 20 to 1000x", ["20×", "1000×", "20×", "1000×"]),
        ("7B, 7 billion, 1.5M", ["7000000000", "7000000000", "1500000"]),
        ("2 \\times 10^{5}, $10^{-3}$ and 1e-3", ["200000", "0.001", "0.001"]),
        ("two of twelve, one more", ["2", "12"]),
        ("2.5 percentage points, 2.5 percent", ["2.5points", "2.5%"]),
        ("3-fold, 3 times", ["3×", "3×"]),
        ("by a factor of 90, a factor of two, factors of 2 to 8", ["90×", "2×", "2×", "8×"]),
        ("it doubles, a threefold rise, half of it, 1/4", ["2×", "3×", "50%", "25%"]),
        ("two hundred, three million, one billion", ["200", "3000000", "1000000000"]),
        ("CIFAR-10, GPT-4, H100 and ResNet50", []),
        ("a step in 2024.", ["2024"]),
        ("version 1.2.3", []),
    ],
)
def test_figures_are_read_with_their_units(text: str, values: list[str]) -> None:
    assert [f"{figure.value:f}{figure.unit}" for figure in figures(text)] == values


def test_coined_names_are_acronyms_inner_capitals_and_names_with_digits() -> None:
    text = (
        "We train LeafNet and a GPT-4 model with RL on CIFAR-10, kFFM, Well-Known and plain words."
    )
    assert coined(text) == ("LeafNet", "GPT-4", "RL", "CIFAR-10", "kFFM")


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "It uses LLMs for sorting",
            "A large language model sorts leaves with an LLM for sorting.",
        ),
        ("It uses RL for sorting", "It uses reinforcement learning for sorting."),
        ("Trained on CIFAR10 images", "It is trained on CIFAR-10 images."),
        ("A twelve-layer model of bark", "A 12-layer model of bark."),
        ("It is twice as fast", "It is 2x faster."),
        ("Half of the leaves", "50% of the leaves."),
        ("A share of 94.4%", "A share of 0.944."),
        ("The L2 norm of bark", "The $L_2$ norm of bark."),
    ],
)
def test_other_spellings_of_a_name_or_number_are_the_same(claim: str, source: str) -> None:
    assert wrong_figure(claim, [source]) == ""
    assert wrong_name(claim, [source]) == ""


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("It is 95.4% accurate", "the source says 94.4%, not 95.4%"),
        ("It is 3% accurate", "3% is not in the cited sentence"),
        ("It takes two hours", "the source says two days, not two hours"),
    ],
)
def test_a_figure_that_is_not_in_the_source_is_told_beside_the_nearest(
    claim: str, reason: str
) -> None:
    assert wrong_figure(claim, ["It is 94.4% accurate after two days."]) == reason


def test_a_name_that_is_not_in_the_source_is_told() -> None:
    assert wrong_name("Both Oak and ElmNet sort", ["OakNet sorts."]) == (
        "ElmNet is not in the cited sentence"
    )


def test_a_name_within_a_longer_name_leaves_no_figure_behind() -> None:
    assert figures("On A1, A100 and LEAF-A12 it takes 3 ms.") == figures("3 ms")


def test_spellings_of_one_name_are_equal() -> None:
    assert plain_name("CIFAR-10") == plain_name("cifar10")
    assert plain_name("LLMs") == plain_name("LLM")


PARTS = st.lists(
    st.sampled_from(
        [
            "OAKNET",
            "94.4%",
            "x",
            "7B",
            "two",
            "$",
            "1e9",
            "1e",
            "-",
            "–",
            "to",
            "1,000",
            "\\times",
            " ",
        ]
    ),
    max_size=12,
).map("".join)


@given(PARTS)
def test_every_figure_and_name_of_a_text_is_found_in_the_text_itself(text: str) -> None:
    assert wrong_figure(text, [text]) == ""
    assert wrong_name(text, [text]) == ""


@given(st.text(max_size=80))
def test_no_text_breaks_the_search(text: str) -> None:
    assert all(figure.shown for figure in figures(text))
    assert all(name in text for name in coined(text))
