"""Text -> sentences."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.sentences import sentences


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is here. Two is there.", ["One is here.", "Two is there."]),
        (
            "We use e.g. Adam, i.e. a default. It works.",
            ["We use e.g. Adam, i.e. a default.", "It works."],
        ),
        (
            "As Li et al. (2022) show. As in Li et al. We go on.",
            ["As Li et al. (2022) show.", "As in Li et al.", "We go on."],
        ),
        ("It gains 2.57 points. kFFM wins.", ["It gains 2.57 points.", "kFFM wins."]),
        ("Does it? Yes! It does.", ["Does it?", "Yes!", "It does."]),
        ("See $a. B$ there. Then go.", ["See $a. B$ there.", "Then go."]),
        ("He said “stop.” Then he left.", ["He said “stop.”", "Then he left."]),
        ("我们提出方法。效果很好！", ["我们提出方法。", "效果很好！"]),
        ("(1) A first part. (2) A second.", ["(1) A first part.", "(2) A second."]),
        ("", []),
        ("   ", []),
        ("no end mark", ["no end mark"]),
    ],
)
def test_sentences_are_split_where_a_reader_would(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@given(st.text(alphabet="aB .!?。$(\"”'et", max_size=80) | st.text(max_size=80))
def test_spans_are_ordered_trimmed_and_lose_nothing(text: str) -> None:
    end = 0
    for span in sentences(text):
        assert end <= span.start < span.end
        assert text[span.start : span.end].strip() == text[span.start : span.end]
        assert not text[end : span.start].strip()
        end = span.end
    assert not text[end:].strip()
    assert re.sub(r"\s", "", "".join(split(text))) == re.sub(r"\s", "", text)


@pytest.mark.timeout(20)
def test_a_long_run_of_marks_takes_no_time() -> None:
    assert len(sentences(f"See {'.' * 100_000}x and stop. Then go on.")) == 2
