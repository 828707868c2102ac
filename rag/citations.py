"""Markers in a stream of text -> resolved markers, renumbered 1, 2, ... by first use; pure.

Goes in: pieces of a model's text with keys in brackets ([P2], [P1, P3], 【P1】, plain [2]), and the
known keys. Comes out: pieces of the final text, then a `Resolved`. Knows nothing of models, nor of
what the keys stand for.

However a text is split into pieces, the result is the same: every decision looks at the text alone,
and waits where it cannot be made yet. Code, and maths such as `$x \\in [0, 1]$`, pass untouched.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field

from rag.prompts import KEY_LETTER, NOT_STATED

# A marker with more in it than this is none; it bounds what is held back while streaming.
MARKER_LENGTH = 80
# The longest inline maths or code that is looked for; a lone `$` or backtick is a character.
INLINE_LENGTH = 400
DISPLAY_LENGTH = 2000
# [P1-P50] names papers one by one up to here; a longer range is a slip.
RANGE_LENGTH = 50

_OPENING = {"[": "]", "【": "】"}
_BODY = re.compile(rf"(?:[\s\d,;&^\-–—{KEY_LETTER}{KEY_LETTER.lower()}]|and|und|et|y)*")
_ITEM = re.compile(
    rf"\^?\s*([{KEY_LETTER}{KEY_LETTER.lower()}]?)(\d{{1,6}})"
    rf"(?:\s*[-–—]\s*[{KEY_LETTER}{KEY_LETTER.lower()}]?(\d{{1,6}}))?"
)
_SEPARATOR = re.compile(r"\s*(?:[,;&]|and|und|et|y)\s*|\s+")
# Before two plain numbers in brackets these speak of an interval: "a score in [1, 7]".
_INTERVAL = re.compile(r"(?:\b(?:in|range|interval|from|over|within|between)|[∈=])\s*$", re.I)
_FENCE = re.compile(r"(`{3,}|~{3,})[^`\n]*\n?")
_CONTEXT = 24


@dataclass(frozen=True, slots=True)
class Placed:
    """A marker in the final text: `text[start:end]` is `[number]`."""

    start: int
    end: int
    number: int


@dataclass(frozen=True, slots=True)
class Resolved:
    """A text and what it cites.

    `text` is the final one, all pieces together. `order[n - 1]` is the key of marker n, `placed`
    where the markers stand. `dropped` holds the markers that named no known key, as written;
    `silences` the offsets in the text where the model said that the evidence does not state it.
    """

    text: str
    order: tuple[str, ...]
    placed: tuple[Placed, ...]
    dropped: tuple[str, ...]
    silences: tuple[int, ...]


@dataclass(slots=True)
class _State:
    """The text so far, as far as the next decision needs it."""

    known: dict[int, str]
    order: list[str] = field(default_factory=list)
    placed: list[Placed] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    silences: list[int] = field(default_factory=list)
    length: int = 0
    tail: str = ""
    space: str = ""
    swallow: bool = False
    cluster: set[int] = field(default_factory=set)
    fence: str = ""


def resolve(pieces: Iterable[str], known: Sequence[str]) -> Generator[str, None, Resolved]:
    """Resolve and renumber the markers of a text that comes in pieces.

    `known` are keys as the prompt gives them (P1, P2, ...). A marker that resolves to nothing is
    dropped with the space before it. Yields no empty piece.
    """
    state = _State({int(key.removeprefix(KEY_LETTER)): key for key in known})
    parts: list[str] = []
    held = ""
    for piece in pieces:
        held, text = _advance(held + piece, state, final=False)
        if text:
            parts.append(text)
            yield text
    _, text = _advance(held, state, final=True)
    if text:
        parts.append(text)
        yield text
    return Resolved(
        "".join(parts),
        tuple(state.order),
        tuple(state.placed),
        tuple(state.dropped),
        tuple(state.silences),
    )


def _advance(held: str, state: _State, *, final: bool) -> tuple[str, str]:
    """Settle as much of the held text as can be: what is still held, and the text to hand on."""
    parts: list[str] = []
    at = 0
    while at < len(held):
        end = _extent(held, at, state, final=final)
        if end is None:
            break
        parts.append(_settle(held[at:end], state))
        at = end
    return held[at:], "".join(parts)


def _extent(held: str, at: int, state: _State, *, final: bool) -> int | None:
    """Where the unit that begins at `at` ends; None where that cannot be known yet."""
    character = held[at]
    if state.fence:
        return _line_end(held, at, final=final)
    if character in "`~":
        return _code_end(held, at, state, final=final)
    if character in "$\\":
        return _maths_end(held, at, final=final)
    if character in _OPENING:
        return _marker_end(held, at, final=final)
    return at + 1


def _line_end(held: str, at: int, *, final: bool) -> int | None:
    """A line inside a code fence, whole, so that a closing fence is seen as one."""
    newline = held.find("\n", at)
    if newline >= 0:
        return newline + 1
    return len(held) if final else None


def _code_end(held: str, at: int, state: _State, *, final: bool) -> int | None:
    run = re.match(r"`+|~+", held[at:])
    width = run.end() if run else 1
    if at + width == len(held) and not final:
        return None
    if width >= 3 and _at_line_start(state):
        end = _line_end(held, at, final=final)
        if end is None or _FENCE.fullmatch(held, at, end):
            return end
    if held[at] == "~":
        return at + width
    closing = re.compile(rf"(?<!`){'`' * width}(?!`)")
    return _closed(held, at, width, closing, INLINE_LENGTH, final=final)


def _maths_end(held: str, at: int, *, final: bool) -> int | None:
    if at + 1 == len(held):
        return at + 1 if final else None
    pair = held[at : at + 2]
    if pair == "$$":
        return _closed(held, at, 2, re.compile(r"\$\$"), DISPLAY_LENGTH, final=final)
    if pair == "\\[":
        return _closed(held, at, 2, re.compile(r"\\\]"), DISPLAY_LENGTH, final=final)
    if pair == "\\(":
        return _closed(held, at, 2, re.compile(r"\\\)"), INLINE_LENGTH, final=final)
    if pair[0] == "\\":
        return at + 2 if pair[1] in "$`" else at + 1
    if pair[1].isspace():
        return at + 1
    # As in Pandoc: "$5 and $7" is money, because a closing sign has no space before it and no
    # digit after it.
    return _closed(held, at, 1, re.compile(r"(?<![\s\\])\$(?!\d)"), INLINE_LENGTH, final=final)


def _closed(
    held: str, at: int, width: int, closing: re.Pattern[str], length: int, *, final: bool
) -> int | None:
    """The end of a span whose opening is `width` wide; only the opening where nothing closes it.

    An inline span ends within its line, a display at the latest before an empty line.
    """
    stop = "\n" if length == INLINE_LENGTH else "\n\n"
    window = held[at : at + length]
    line = window.find(stop, width)
    bounded = window if line < 0 else window[:line]
    found = closing.search(bounded, width)
    # One character of look-ahead: the next piece may begin with a digit or another backtick.
    sure = final or line >= 0 or len(window) == length
    if found and (found.end() < len(bounded) or sure):
        return at + found.end()
    return at + width if sure else None


def _marker_end(held: str, at: int, *, final: bool) -> int | None:
    """The end of a bracket that may be a marker, or of its opening where it is none."""
    closing = _OPENING[held[at]]
    window = held[at : at + MARKER_LENGTH]
    end = window.find(closing)
    body = window[1:] if end < 0 else window[1:end]
    if end >= 0:
        return at + end + 1 if _markerlike(body) else at + 1
    whole = final or len(window) == MARKER_LENGTH
    return at + 1 if whole or not _may_become_marker(body) else None


def _markerlike(body: str) -> bool:
    return _silent(body) or bool(_BODY.fullmatch(body) and re.search(r"\d", body))


def _may_become_marker(body: str) -> bool:
    if NOT_STATED.startswith(" ".join(body.split()).upper()):
        return True
    found = _BODY.match(body)
    rest = body[found.end() :] if found else body
    return not rest or any(word.startswith(rest) for word in ("and", "und", "et"))


def _silent(body: str) -> bool:
    return " ".join(body.split()).upper() == NOT_STATED


def _at_line_start(state: _State) -> bool:
    return not state.tail or state.tail[-1] == "\n"


def _settle(unit: str, state: _State) -> str:
    """The final text of a unit; white space waits for what follows, which may be dropped."""
    if state.fence:
        if unit.strip().startswith(state.fence) and not unit.strip().strip(state.fence[0]):
            state.fence = ""
        return _put(unit, state)
    if unit in (" ", "\t"):
        state.space += "" if state.swallow else unit
        return ""
    state.swallow = False
    if unit[0] in _OPENING and len(unit) > 1:
        return _settle_marker(unit, state)
    fence = _FENCE.fullmatch(unit)
    if fence and _at_line_start(state):
        state.fence = fence.group(1)
    state.cluster.clear()
    return _put(unit, state)


def _put(text: str, state: _State) -> str:
    text, state.space = state.space + text, ""
    state.length += len(text)
    state.tail = (state.tail + text)[-_CONTEXT:]
    return text


def _settle_marker(unit: str, state: _State) -> str:
    body = unit[1:-1]
    if _silent(body):
        state.silences.append(state.length)
        return _drop(state)
    items = _items(body)
    if items is None or _is_interval(items, state):
        state.cluster.clear()
        return _put(unit, state)
    numbers = [number for _, members in items for number in members]
    state.dropped += _unknown(unit, items, state)
    texts = []
    for number in dict.fromkeys(number for number in numbers if number in state.known):
        if number not in state.cluster:
            state.cluster.add(number)
            texts.append(_place(state.known[number], state))
    return "".join(texts) if texts else _drop(state)


def _drop(state: _State) -> str:
    """Nothing, with the space before it; at the beginning of a line, with the space behind it."""
    state.space = ""
    state.swallow = _at_line_start(state)
    return ""


def _items(body: str) -> list[tuple[bool, range]] | None:
    """The numbers in a marker as (written with a letter, range); None where it is no marker."""
    items: list[tuple[bool, range]] = []
    at = len(body) - len(body.lstrip())
    end = len(body.rstrip())
    while at < end:
        found = _ITEM.match(body, at)
        if found is None:
            return None
        first = int(found.group(2))
        last = int(found.group(3) or first)
        if not first <= last < first + RANGE_LENGTH:
            return None
        items.append((bool(found.group(1)), range(first, last + 1)))
        separator = _SEPARATOR.match(body, found.end())
        at = separator.end() if separator else found.end()
        if separator is None and at < end:
            return None
    return items or None


def _is_interval(items: list[tuple[bool, range]], state: _State) -> bool:
    """Whether plain numbers in brackets are an interval or a vector rather than markers."""
    if any(lettered for lettered, _ in items):
        return False
    numbers = [number for _, members in items for number in members]
    if 0 in numbers:
        return True
    several = len(items) > 1 or len(numbers) > 1
    unknown = any(number not in state.known for number in numbers)
    return several and unknown and bool(_INTERVAL.search(state.tail))


def _unknown(unit: str, items: list[tuple[bool, range]], state: _State) -> list[str]:
    numbers = [number for _, members in items for number in members]
    missing = [number for number in numbers if number not in state.known]
    if len(missing) == len(numbers):
        return [unit]
    letter = KEY_LETTER if any(lettered for lettered, _ in items) else ""
    return [f"[{letter}{number}]" for number in missing]


def _place(key: str, state: _State) -> str:
    if key not in state.order:
        state.order.append(key)
    number = state.order.index(key) + 1
    text = _put(f"[{number}]", state)
    state.placed.append(Placed(state.length - len(f"[{number}]"), state.length, number))
    return text
