"""Sentences -> passages of whole sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.passages import LENGTH, OVERLAP, passages
from rag.sentences import sentences
from rag.types import Span


def spans(count: int) -> list[Span]:
    return [Span(10 * n, 10 * n + 9) for n in range(count)]


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, []),
        (1, [(0, 9)]),
        (2, [(0, 19)]),
        (3, [(0, 29)]),
        (4, [(0, 29), (20, 39)]),
        (5, [(0, 29), (20, 49)]),
        (6, [(0, 29), (20, 49), (40, 59)]),
    ],
)
def test_passages_have_three_sentences_and_share_one(
    count: int, expected: list[tuple[int, int]]
) -> None:
    found = passages("p", spans(count))
    assert [(each.span.start, each.span.end) for each in found] == expected


@given(st.integers(0, 40))
def test_every_sentence_and_every_pair_of_neighbours_lies_in_a_passage(count: int) -> None:
    all_spans = spans(count)
    found = [each.span for each in passages("p", all_spans)]
    for first, second in zip(all_spans, all_spans[1:] or all_spans, strict=False):
        assert any(p.start <= first.start and second.end <= p.end for p in found)
    assert all(p.end - p.start < 10 * LENGTH for p in found)
    assert OVERLAP < LENGTH


def test_passages_are_numbered_and_their_ids_begin_with_the_paper() -> None:
    found = passages("0a1b", spans(6))
    assert [each.id for each in found] == ["0a1b:0", "0a1b:1", "0a1b:2"]


@given(st.lists(st.text(alphabet="aB c", min_size=1, max_size=8), max_size=9).map(". ".join))
def test_a_passage_begins_and_ends_where_a_sentence_does(text: str) -> None:
    found = sentences(text)
    for each in passages("p", found):
        assert each.span.start in {span.start for span in found}
        assert each.span.end in {span.end for span in found}
