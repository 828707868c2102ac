"""Evidence cut to a context window: whole sentences, the best first, and a warning that says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ModelError
from rag.fit import ANSWER_SHARE, ANSWER_TOKENS, CHARACTERS_PER_TOKEN, GAP, fit
from rag.prompts import answer_messages
from rag.sentences import sentences
from rag.types import Evidence, Paper, Query, Quote

QUERY = Query("How does Oak sort?", "How does Oak sort?")


def evidence(name: str, count: int, best: int = 0) -> Evidence:
    """A paper of so many sentences, of which one was found."""
    abstract = " ".join(
        f"{name} sorts leaf number {number} by its veins." for number in range(count)
    )
    paper = Paper(name, f"{name}: Sorting", "given", abstract, abstract)
    return Evidence(paper, 1.0, 0.5, (Quote(paper, sentences(abstract)[best]),))


def tokens(given: tuple[Evidence, ...]) -> float:
    """What the messages take, as estimated."""
    return sum(len(each.content) for each in answer_messages(QUERY, given)) / CHARACTERS_PER_TOKEN


FOUND = (evidence("Oak", 30, best=20), evidence("Elm", 30))


@pytest.mark.parametrize("window", [None, 200_000])
def test_what_fits_is_given_as_it_is_without_a_warning(window: int | None) -> None:
    assert fit(QUERY, FOUND, window) == (FOUND, ())


def test_each_paper_gives_its_best_sentences_in_their_order() -> None:
    given, (warning,) = fit(QUERY, FOUND, 900)
    oak, elm = (item.paper.abstract for item in given)
    assert "number 20 " in oak
    assert oak.startswith("Oak sorts leaf number 0 by")
    assert f". {GAP} Oak sorts leaf number 20 by its veins. {GAP}" in oak
    assert elm.startswith("Elm sorts leaf number 0 by its veins. Elm sorts leaf number 1 by")
    kept = sum(oak.count(part) + elm.count(part) for part in ("Oak sorts", "Elm sorts"))
    assert f"900 tokens does not hold all that was found: it was given {kept} of 60" in warning
    assert "from 2 of 2 papers" in warning


def test_a_paper_without_room_for_a_sentence_is_left_out() -> None:
    many = tuple(evidence(f"Tree{number}", 2) for number in range(40))
    given, (warning,) = fit(QUERY, many, 900)
    assert [item.paper.id for item in given] == [item.paper.id for item in many[: len(given)]]
    assert f"from {len(given)} of 40 papers" in warning


def test_a_window_without_room_for_one_sentence_is_an_error_in_words() -> None:
    with pytest.raises(ModelError, match=r"context of 300 tokens.*larger context"):
        fit(QUERY, FOUND, 300)


@given(st.integers(700, 6000), st.lists(st.integers(1, 40), min_size=1, max_size=9))
def test_whatever_the_window_the_messages_leave_room_for_the_answer(
    window: int, lengths: list[int]
) -> None:
    found = tuple(evidence(f"Tree{number}", count) for number, count in enumerate(lengths))
    given, warnings = fit(QUERY, found, window)
    assert tokens(given) <= window - min(ANSWER_SHARE * window, ANSWER_TOKENS)
    assert bool(warnings) == (given != found)
    whole = {item.paper.id: item.paper.abstract for item in found}
    for item in given:
        for run in item.paper.abstract.split(GAP):
            assert run.strip() in whole[item.paper.id]
            assert not run.strip() or run.strip().endswith(".")
