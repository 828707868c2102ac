"""Made-up abstracts that tests ask about: every fact in them is invented."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

ORCHID = (
    "Training graph networks on sparse molecules wastes memory on padding. "
    "We propose ORCHID, a packing scheme that groups molecules by ring count before batching. "
    "ORCHID needs no change to the optimizer. "
    "On the BENZO-40 benchmark it cuts peak memory by 37% and keeps accuracy within 0.2 points. "
    "Gains shrink for graphs with more than 900 atoms."
)
TIDEPOOL = (
    "Weather stations drop out, and forecasting models are rarely told. "
    "We introduce TIDEPOOL, a recurrent forecaster that treats missing stations as hidden states. "
    "TIDEPOOL is trained with simulated outages of up to six hours. "
    "Across 14 coastal regions it lowers the error by 9.5% against the strongest baseline. "
    "It does not help when all stations fail at once."
)
LANTERN = (
    "Readers of legal texts ask which clause an answer rests on. "
    "LANTERN, our question answering system, returns the clause together with the answer. "
    "A pilot with 26 lawyers shows that LANTERN halves the time of a search. "
    "The system refuses to answer where no clause applies."
)
MOSAIC = (
    "Robots that share a kitchen must not block each other. "
    "We present MOSAIC, which plans the routes of several robots with one auction per minute. "
    "In simulation with eight robots, MOSAIC avoids 95% of the blockades. "
    "The auction is robust to robots that report wrong positions."
)
BEETLE = (
    "Speech recognizers fail on whispered speech. "
    "We propose BEETLE, which adapts a recognizer with ten minutes of whispers of the user. "
    "The word error rate falls from 31% to 18% on the HUSH corpus. "
    "Nothing leaves the device during adaptation."
)
ALL = (ORCHID, TIDEPOOL, LANTERN, MOSAIC, BEETLE)


def write_list(path: Path, abstracts: Sequence[str] = ALL, heading: str = "Some papers") -> Path:
    """Write a text list: a heading, then the abstracts with blank lines between."""
    path.write_text("\n\n".join([heading, *abstracts]) + "\n", encoding="utf-8")
    return path
