"""An endpoint's error -> whether the request was too long for the model, and how much fits; pure.

Goes in: the error that it sent, as it sent it. Comes out: an `Overflow` or None. There is no common
form: a few servers give the number in a field, most in a sentence. Knows no client.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

CODES = frozenset(["context_length_exceeded", "exceed_context_size_error"])
# No model that writes has less; smaller numbers in a sentence are something else.
LEAST = 128
_NUMBER = r"(\d[\d,]*)\b"
# Behind these words stands the size, in this order of trust.
_SIZES = tuple(
    re.compile(pattern + _NUMBER, re.IGNORECASE)
    for pattern in (
        r"context (?:length|size|window|limit)\D{0,40}?",
        r"(?:tokens allowed|maximum of|at most|less than|limit of|limit is|<=?|>)\D{0,10}?",
        r"max(?:imum)?\w*\W{0,3}(?:\w+ ){0,4}\D{0,10}?",
    )
)
_LONG = re.compile(
    r"exceed|longer than|too (?:long|large|many)|overflow|larger than|greater than|maximum|"
    r"less than|<=",
    re.IGNORECASE,
)
_ROOM = re.compile(r"\bcontext\b|\btokens?\b|\bprompt is too long\b", re.IGNORECASE)
# Of limits on time and money, which speak of tokens as well.
_RATE = re.compile(r"per (?:minute|min|day|hour|second)|\bTPM\b|rate.?limit|quota", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Overflow:
    """A request was too long; `window` is what the model takes, in tokens, where it was said."""

    window: int | None


def overflow(body: object) -> Overflow | None:
    """Read an error, a mapping or a text; None where it is about something else."""
    fields: Mapping[object, object] = body if isinstance(body, Mapping) else {}
    said = str(fields.get("message", body if isinstance(body, str) else ""))
    coded = bool(CODES & {str(fields.get("code")), str(fields.get("type"))})
    if not coded and not (_ROOM.search(said) and _LONG.search(said)):
        return None
    if _RATE.search(said):
        return None
    told = fields.get("n_ctx")
    if isinstance(told, int) and told >= LEAST:
        return Overflow(told)
    found = (match for size in _SIZES for match in size.findall(said))
    sizes = (int(match.replace(",", "")) for match in found)
    return Overflow(next((size for size in sizes if size >= LEAST), None))
