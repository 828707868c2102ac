"""Markers in a stream: resolved, renumbered, held back at the edges of pieces, dropped aloud."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.citations import Resolved, resolve
from rag.prompts import NOT_STATED, evidence_keys

KEYS = evidence_keys(4)


def run(pieces: list[str]) -> tuple[list[str], Resolved]:
    stream = resolve(pieces, KEYS)
    got: list[str] = []
    while True:
        try:
            got.append(next(stream))
        except StopIteration as stop:
            return got, stop.value


def text_of(text: str) -> str:
    return "".join(run([text])[0])


@pytest.mark.parametrize(
    ("written", "final"),
    [
        ("Oak sorts [P3]. Elm reads [P1].", "Oak sorts [1]. Elm reads [2]."),
        ("Both [P1, P2].", "Both [1][2]."),
        ("Both [P1][P2] and [P1].", "Both [1][2] and [1]."),
        ("All [P1-P3].", "All [1][2][3]."),
        ("All [P1–3], and again [p2].", "All [1][2][3], and again [2]."),
        ("Twice [P1][P1].", "Twice [1]."),
        ("Twice [P1] [P1], once [P2].", "Twice [1], once [2]."),
        ("Twice [P1, P1].", "Twice [1]."),
        ("Wide 【P2】.", "Wide [1]."),
        ("A footnote [^P2] and [^1].", "A footnote [1] and [2]."),
        ("Joined [P1 and P2; P3 & P4].", "Joined [1][2][3][4]."),
        ("Plain [2] and [1, 2] and [1-3].", "Plain [1] and [2][1] and [2][1][3]."),
        ("Glued[2].", "Glued[1]."),
    ],
)
def test_markers_are_numbered_by_first_use(written: str, final: str) -> None:
    assert text_of(written) == final


@pytest.mark.parametrize(
    ("written", "final", "dropped"),
    [
        ("Oak sorts [P9].", "Oak sorts.", ("[P9]",)),
        ("Oak sorts [P9] leaves [P1].", "Oak sorts leaves [1].", ("[P9]",)),
        ("Oak sorts [P1, P9].", "Oak sorts [1].", ("[P9]",)),
        ("Oak sorts [1, 9].", "Oak sorts [1].", ("[9]",)),
        ("Oak sorts [7].", "Oak sorts.", ("[7]",)),
        ("Oak sorts [P3-P6].", "Oak sorts [1][2].", ("[P5]", "[P6]")),
        ("[P9] Oak sorts.", "Oak sorts.", ("[P9]",)),
        ("- [P9] Oak sorts.", "- Oak sorts.", ("[P9]",)),
        ("Oak sorts [8, 9].", "Oak sorts.", ("[8, 9]",)),
    ],
)
def test_what_does_not_resolve_is_dropped_with_its_space_and_reported(
    written: str, final: str, dropped: tuple[str, ...]
) -> None:
    pieces, resolved = run([written])
    assert "".join(pieces) == final
    assert resolved.dropped == dropped


@pytest.mark.parametrize(
    "text",
    [
        "Values in $[0, 1]$ and $x[1]$.",
        "Values in [0, 1] and [0,1).",
        "A score in [1, 7] is usual.",
        "Call `a[1]` or ``b`[2]``.",
        "```python\nx[1] = y[P1]\n```\nDone.",
        "```x[1]``` is inline",
        "~~~\nx[1]\n~~~",
        "$$\na[1]\n$$",
        "\\(a[1]\\) and \\[b[2]\\]",
        "A [link](https://example.org) and a [note].",
        "Open [P1 and no end",
        "Matrix [[0, 1], [0, 2]].",
        "Decimal [0.5, 1.5] and [-1, 1].",
    ],
)
def test_maths_code_intervals_and_links_are_left_alone(text: str) -> None:
    pieces, resolved = run([text])
    assert "".join(pieces) == text
    assert resolved.dropped == ()


@pytest.mark.parametrize(
    ("written", "final"),
    [
        ("It costs $5 [P1] and $7 [P2].", "It costs $5 [1] and $7 [2]."),
        ("A lone ` mark [P1].", "A lone ` mark [1]."),
        ("```\nx[1]\n```\nAfter [P2].", "```\nx[1]\n```\nAfter [1]."),
        ("Maths $x$ then [P2].", "Maths $x$ then [1]."),
        ("```\nnever closed [P1]", "```\nnever closed [P1]"),
    ],
)
def test_markers_beside_maths_and_code_are_seen(written: str, final: str) -> None:
    assert text_of(written) == final


def test_the_places_of_the_markers_are_told() -> None:
    pieces, resolved = run(["Oak [P2], elm `x[1]` [P1, P2]."])
    text = "".join(pieces)
    assert resolved.order == ("P2", "P1")
    assert [(text[at.start : at.end], at.number) for at in resolved.placed] == [
        ("[1]", 1),
        ("[2]", 2),
        ("[1]", 1),
    ]


def test_the_sign_of_silence_is_taken_out_and_its_place_told() -> None:
    pieces, resolved = run(["Oak sorts [P1]. The cost is not given [not st", "ated]."])
    text = "".join(pieces)
    assert text == "Oak sorts [1]. The cost is not given."
    assert resolved.silences == (len(text) - 1,)
    assert NOT_STATED == "NOT STATED"


def test_a_partial_marker_is_held_back_and_plain_text_is_not() -> None:
    stream = resolve(iter(["Oak sorts [", "P", "1", "] all"]), KEYS)
    assert next(stream) == "Oak sorts"
    assert next(stream) == " [1] all"


ALPHABET = st.sampled_from(
    [
        *"[]P12 9,-–`$\\()\n.x0^【】~",
        "[P1]",
        "[P2, P9]",
        "[1-3]",
        "```",
        "$$",
        " and ",
        "[NOT STATED]",
    ]
)


@given(st.lists(ALPHABET, max_size=40).map("".join), st.data())
def test_any_split_of_a_text_gives_the_same_result(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    edges = [0, *cuts, len(text)]
    pieces = [text[start:end] for start, end in pairwise(edges)]
    whole, resolved = run([text])
    split, again = run(pieces)
    single, third = run(list(text))
    assert "".join(whole) == "".join(split) == "".join(single)
    assert resolved == again == third
    assert all(split)


@given(st.lists(ALPHABET, max_size=40).map("".join))
def test_every_marker_that_is_placed_is_numbered_by_first_use(text: str) -> None:
    pieces, resolved = run([text])
    final = "".join(pieces)
    first_uses = list(dict.fromkeys(at.number for at in resolved.placed))
    assert first_uses == list(range(1, len(resolved.order) + 1))
    assert all(final[at.start : at.end] == f"[{at.number}]" for at in resolved.placed)
    assert all(key in KEYS for key in resolved.order)


@given(st.text(alphabet="abc ,.\n[]", max_size=60))
def test_a_text_without_markers_passes_unchanged_up_to_spaces_at_its_end(text: str) -> None:
    assert text_of(text).rstrip(" ") == text.rstrip(" ")
