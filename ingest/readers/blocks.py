"""Text -> blocks of lines, with the signs that stand before each.

Goes in: the text of a file. Comes out: blocks: the lines between two blank ones, how many were
blank, and whether a line of dashes, a number or a bullet came first. Does not know which blocks
are abstracts, or which belong together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ingest.readers.abstracts import is_prose, word_count

# A line of prose so long is a paragraph of its own, not a line of a wrapped one.
_WORDS_OF_A_PARAGRAPH = 40
_RULE = re.compile(r"\s*([-*_=~#+•·.—–─━═])(?:\s*\1){2,}\s*")
_NUMBER = re.compile(
    r"\s*(?:[\[(【](\d{1,5})[\])】][.:]?(?=\s|$|[^\W\d])"
    r"|(\d{1,5})(?:[.):](?=\s|$)|[、．：)](?=\S)|\s*$)"
    r"|(?:paper|abstract|entry|no\.?|#|第)\s*(\d{1,5})\s*[.):：篇条]*(?=\s|$))\s*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*([-*+•‣◦▪●·–])\s+(?=\S)")
_ABSTRACT_LABEL = re.compile(r"\s*(?:abstract|summary|摘要)\s*(?:[:：.—–]\s*|$)", re.IGNORECASE)
_CJK = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")
_LOOSE_HYPHEN_BEFORE = re.compile(r"(?:and|or|to|und|oder|bis|et|ou|y|o)\b(?!-)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?。！？]['\"”’»)\]]*$")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines without a blank one between. `gap` counts the blank lines before it; `ruled` says that
    a line of dashes stands before it, `marked` that its number or bullet was taken off."""

    lines: tuple[str, ...]
    gap: int = 0
    ruled: bool = False
    marked: bool = False

    @property
    def text(self) -> str:
        return join_lines(self.lines)


def blocks_of(text: str) -> list[Block]:
    """The blocks of `text`, none of them empty."""
    return _one_per_line(_with_contents(_blocks(_lines(text))))


def join_lines(lines: Sequence[str]) -> str:
    """Hard-wrapped lines as one: no blank between Chinese characters or behind a hyphen in a
    word."""
    joined = ""
    for line in (" ".join(line.split()) for line in lines):
        joined += f" {line}" if _needs_blank(joined[-_TAIL:], line) else line
    return joined


def ends_a_sentence(line: str) -> bool:
    """Whether a line ends with a full stop or the like."""
    return _SENTENCE_END.search(line.strip()) is not None


# Enough of a text to see its last word and the hyphens behind it.
_TAIL = 20


def _needs_blank(before: str, after: str) -> bool:
    if not before or not after or (_CJK.match(before[-1]) and _CJK.match(after[0])):
        return False
    if re.match(r"--+\w", after) and before[-1].isalnum():
        return False
    hyphened = re.search(r"\w-+$", before)
    return not hyphened or bool(_LOOSE_HYPHEN_BEFORE.match(after))


def _lines(text: str) -> list[str]:
    """Lines; a page break ends a paragraph only where a sentence ends."""
    text = re.sub(r"([.!?。！？][\"'”’)\]]*)\s*\f\s*", r"\1\n\n", text)
    return re.sub(r"(?<!\s)\s*\f\s*", "\n", text).split("\n")


def _blocks(lines: list[str]) -> list[Block]:
    marks = _marks(lines)
    found: list[tuple[list[str], int, bool, bool]] = []
    current: list[str] | None = None
    gap, ruled = 0, False
    for number, line in enumerate(lines):
        if number not in marks and not line.strip():
            current, gap = None, gap + 1
        elif number not in marks and _RULE.fullmatch(line):
            ruled = ruled or not _is_underline(lines, number)
            current = None
        elif current is not None and number not in marks:
            current.append(line)
        else:
            rest = line[marks.get(number, 0) :]
            current = [rest] if rest.strip() else []
            found.append((current, gap, ruled, number in marks))
            gap, ruled = 0, False
    return [Block(tuple(held), wide, dashed, mark) for held, wide, dashed, mark in found]


def _is_underline(lines: list[str], number: int) -> bool:
    """Whether the line of dashes underlines a heading: one short line right above it."""
    above = lines[number - 1] if number else ""
    alone = number < 2 or not lines[number - 2].strip() or bool(_RULE.fullmatch(lines[number - 2]))
    return alone and bool(above.strip()) and not is_prose(above)


def _marks(lines: list[str]) -> dict[int, int]:
    """The lines that begin an entry with a number or bullet -> the length of that mark.

    A sign only where the first abstract has it too. Marks behind a blank line go first: an
    abstract may have a numbered list inside.
    """
    texts = [number for number, line in enumerate(lines) if line.strip()]
    first = [
        n for n in texts if n == 0 or not lines[n - 1].strip() or _RULE.fullmatch(lines[n - 1])
    ]
    begins = frozenset(first)
    ended = [n for n in texts if n in begins or ends_a_sentence(lines[n - 1])]
    for candidates in (first, ended):
        for find in (_numbers, _bullets, _labels):
            marks = find(lines, candidates)
            if len(marks) > 1 and not _has_prose(lines[: min(marks)]):
                return marks
    return {}


def _has_prose(lines: list[str]) -> bool:
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines))
    return any(is_prose(paragraph) for paragraph in paragraphs)


def _numbers(lines: list[str], candidates: list[int]) -> dict[int, int]:
    """Numbers that count up by one from entry to entry; any other number is text."""
    marks: dict[int, int] = {}
    last: int | None = None
    for number in candidates:
        if match := _NUMBER.match(lines[number]):
            count = int(next(group for group in match.groups() if group))
            if last is None or count == last + 1:
                marks[number], last = match.end(), count
    return marks


def _bullets(lines: list[str], candidates: list[int]) -> dict[int, int]:
    """The bullets of the kind that the first one has."""
    found = {n: match for n in candidates if (match := _BULLET.match(lines[n]))}
    if not found:
        return {}
    kind = next(iter(found.values())).group()
    return {n: match.end() for n, match in found.items() if match.group() == kind}


def _labels(lines: list[str], candidates: list[int]) -> dict[int, int]:
    """Lines that begin with the word "Abstract"."""
    found = {n: match for n in candidates if (match := _ABSTRACT_LABEL.match(lines[n]))}
    return {n: match.end() for n, match in found.items()}


def _with_contents(blocks: list[Block]) -> list[Block]:
    """A number or label that stands alone marks the block after it."""
    kept: list[Block] = []
    marked = False
    for block in blocks:
        if block.lines:
            kept.append(replace(block, marked=block.marked or marked))
        marked = not block.lines
    return kept


def _one_per_line(blocks: list[Block]) -> list[Block]:
    """A file without blank lines between its abstracts, each on a line of its own or with its first
    line indented, as a block for each."""
    prose = [block for block in blocks if is_prose(block.text)]
    if len(prose) != 1 or len(prose[0].lines) < 3:
        return blocks
    starts = _paragraph_starts(prose[0].lines)
    if len(starts) < 2:
        return blocks
    lines, place = prose[0].lines, blocks.index(prose[0])
    edges = [*sorted({0, *starts}), len(lines)]
    split = [Block(lines[a:b], gap=1) for a, b in pairwise(edges)]
    return [*blocks[:place], *split, *blocks[place + 1 :]]


def _paragraph_starts(lines: Sequence[str]) -> list[int]:
    ended = [ends_a_sentence(line) for line in lines]
    long = [word_count(line) >= _WORDS_OF_A_PARAGRAPH for line in lines]
    first = 0 if long[0] else 1  # the first line may be a heading
    if all(ended[first:]) and all(long[first:]):
        return list(range(first, len(lines)))
    indented = [number for number, line in enumerate(lines) if re.match(r"[ \t\u3000]{2}", line)]
    behind = [number for number in indented if number == 0 or ended[number - 1] or number == 1]
    return behind if len(behind) == len(indented) and indented[:1] in ([0], [1]) else []
