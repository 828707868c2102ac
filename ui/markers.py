"""Which claim each marker of an answer's text belongs to, and where each claim stands.

Goes in: an Answer. Comes out: places in its text, and the address of a marker's evidence. Pure;
knows no HTML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.types import Answer

MARKER = re.compile(r"\[(\d{1,4})\]")
# Between a claim and a marker of it stand at most other markers, spaces and an ending.
_NEAR = re.compile(r"(?:[\s.,;:!?)*_\"'”’]|\[\d{1,4}\])*")
ALL = "all"


@dataclass(frozen=True, slots=True)
class Marked:
    """A marker in an answer's text and the position of the claim that it belongs to, if any."""

    start: int
    end: int
    marker: int
    claim: int | None


def source_id(number: int, marker: int, claim: int | None) -> str:
    """The address of a paper with the quotes of one claim, or of all claims, of one answer."""
    return f"src-{number}-{marker}-{ALL if claim is None else claim}"


def placed(answer: Answer) -> list[tuple[int, int] | None]:
    """Where each claim stands in the answer's text, found in order; None where it does not."""
    places: list[tuple[int, int] | None] = []
    done = 0
    for claim in answer.claims:
        start = answer.text.find(claim.text, done) if claim.text else -1
        if start < 0:
            places.append(None)
            continue
        done = start + len(claim.text)
        places.append((start, done))
    return places


def marked(answer: Answer) -> list[Marked]:
    """Every marker of the text with its claim: the one it stands in, or else the nearest before
    it or after it that names the marker. References that a paper's own words have are none."""
    places = placed(answer)
    found = []
    for match in MARKER.finditer(answer.text):
        if _is_a_papers_own(answer, places, match):
            continue
        marker = int(match[1])
        naming = [
            (position, place)
            for position, (claim, place) in enumerate(zip(answer.claims, places, strict=True))
            if place is not None and marker in claim.markers
        ]
        claim = _owner(answer.text, match.start(), match.end(), naming)
        found.append(Marked(match.start(), match.end(), marker, claim))
    return found


def _is_a_papers_own(
    answer: Answer, places: Sequence[tuple[int, int] | None], match: re.Match[str]
) -> bool:
    """Whether it stands in a quote, or, where no model wrote, in a title: those are bold, and where
    nothing is cited all are."""
    quoted = any(
        place is not None
        and claim.support == "quoted"
        and place[0] <= match.start()
        and match.end() <= place[1]
        for claim, place in zip(answer.claims, places, strict=True)
    )
    bold = answer.text.count("**", 0, match.start()) % 2 == 1
    return quoted or (answer.mode == "extractive" and (bold or not answer.citations))


def _owner(
    text: str, start: int, end: int, naming: Sequence[tuple[int, tuple[int, int]]]
) -> int | None:
    for position, place in naming:
        if place[0] <= start and end <= place[1]:
            return position
    before = [(position, place) for position, place in naming if place[1] <= start]
    after = [(position, place) for position, place in naming if end <= place[0]]
    if before and _NEAR.fullmatch(text, before[-1][1][1], start):
        return before[-1][0]
    if after and _NEAR.fullmatch(text, end, after[0][1][0]):
        return after[0][0]
    return before[-1][0] if before else after[0][0] if after else None
