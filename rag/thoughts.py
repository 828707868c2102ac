"""A stream of a model's text -> the same without what the model thought before it answered; pure.

Goes in: pieces of text. Comes out: pieces of what is meant for the reader. Knows nothing of what
the text says.

Reasoning models write their thoughts between tags. A server that is set up for the model takes
them out; from any other they arrive in the text. However a text is split into pieces, the result
is the same: what may be a part of a tag waits for the next piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

# DeepSeek, Qwen and most others; Nova; Gemma's fine-tunes; Magistral.
TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "[THINK]": "[/THINK]",
}
_OPENING = re.compile("|".join(map(re.escape, TAGS)))
# A thought stands where a sentence may begin. Elsewhere a tag is what the answer speaks about: "it
# is trained to put <think> before its steps" would lose all that follows.
_PLACE = re.compile(r"(?:\A|[\n.!?…。！？\]])\s*\Z")
# Enough of the text before to see its last mark; longer white space counts as a new beginning.
_CONTEXT = 24


def spoken(pieces: Iterable[str]) -> Iterator[str]:
    """The text without thoughts, an unclosed one included; yields no empty piece."""
    held, before, closing = "", "", ""
    for piece in pieces:
        held += piece
        passed, held, closing = _advance(held, before, closing)
        before = (before + passed)[-_CONTEXT:]
        if passed:
            yield passed
    if held and not closing:
        yield held


def _advance(held: str, before: str, closing: str) -> tuple[str, str, str]:
    """What is surely spoken, what is still held, and the tag that ends the thought, if in one."""
    passed = ""
    while True:
        if closing:
            _, end, rest = held.partition(closing)
            if not end:
                return passed, _beginning(held, [closing]), closing
            held, closing = rest, ""
        opening = _first_opening(held, before + passed)
        if opening is None:
            kept = _beginning(held, TAGS)
            return passed + held[: len(held) - len(kept)], kept, ""
        passed += held[: opening.start()]
        held, closing = held[opening.end() :], TAGS[opening.group()]


def _first_opening(held: str, before: str) -> re.Match[str] | None:
    for found in _OPENING.finditer(held):
        if _PLACE.search((before + held[: found.start()])[-_CONTEXT:]):
            return found
    return None


def _beginning(text: str, tags: Iterable[str]) -> str:
    """The longest end of a text with which one of the tags may begin; empty if there is none."""
    longest = max(map(len, TAGS.values()))
    ends = [text[-length:] for length in range(longest, 0, -1)]
    return next(
        (end for end in ends if any(tag != end and tag.startswith(end) for tag in tags)), ""
    )
