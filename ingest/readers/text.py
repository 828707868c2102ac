"""A plain list of untitled abstracts -> records.

Goes in: the text of a file: maybe a heading, then abstracts between blank lines. Comes out:
`Record | Skipped`, one for each entry. Paragraphs are put together only where the file gives a
sign of it: numbers or bullets at each entry, lines of dashes between entries, or wider gaps
between entries than inside them. Does not know titles: a file with a title above each abstract is
refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import median

from ingest.readers.abstracts import is_prose, why_no_abstract, word_count
from ingest.readers.blocks import Block, blocks_of, ends_a_sentence
from ingest.readers.decode import READ_TODAY
from ingest.records import Record, Skipped
from rag.errors import InputError

# The longest of 3,218 NeurIPS abstracts has 2,551 characters: more in one entry is several.
_LONGEST_ABSTRACT = 2600
# A block of this length may be a whole abstract (the shortest of 57 has 668), so that two of them
# are not put together on the strength of a wider gap alone.
_FULL_ABSTRACT = 650
_MOST_PARAGRAPHS = 4
# Half an abstract is a paragraph, as long a block as the others is not.
_SHARE_OF_A_PARAGRAPH = 0.75
# A first block with a full stop, this much shorter than the others, introduces the list.
_WORDS_OF_AN_INTRODUCTION = 30
_SHARE_OF_AN_INTRODUCTION = 0.15
# Titles: at least for this share of what reads as prose, which long lists of authors do as well.
# Headings of sections and stray lines are fewer.
_TITLED = 0.33
# Wrapped lines fill their width to 85% and more; a line that is shorter was ended on purpose.
_FULL_LINE = 0.8

_GOES_ON = re.compile(r"[-,;，；、]$")
_MARKDOWN_HEADING = re.compile(r"#{1,6}\s+\S")
_FIELD_LABEL = re.compile(r"\s*\**(?:title|authors?|标题|作者)\**\s*[:：]", re.IGNORECASE)

_Entry = tuple[Block, ...]


def read_list(text: str, path: Path) -> Iterator[Record | Skipped]:
    """The abstracts of a text list; raises `InputError` where it holds none, or titles above
    them."""
    blocks = blocks_of(text)
    _refuse_titles(blocks, path)
    heading, rest = _split_heading(blocks)
    if not rest:
        raise InputError(
            f"{str(path)!r} holds no abstract, only short lines; give abstracts separated by blank "
            f"lines, or one of: {READ_TODAY}."
        )
    return _records(heading, _entries(rest), path.name)


def _records(
    heading: list[Block], entries: list[_Entry], source: str
) -> Iterator[Record | Skipped]:
    if heading and ends_a_sentence(heading[-1].text) and is_prose(heading[-1].text):
        reason = "far shorter than the other entries: taken for the introduction of the list"
        yield Skipped(source, 0, None, f"{reason} ({heading[-1].text!r})")
    for position, entry in enumerate(entries, 1):
        text = "\n\n".join(block.text for block in entry if block.text)
        if not is_prose(text):
            shown = text if len(text) <= 60 else f"{text[:60]}…"
            yield Skipped(source, position, None, f"too short to be an abstract ({shown!r})")
        elif (why := why_no_abstract(text)) is not None:
            yield Skipped(source, position, None, why)
        else:
            yield Record(abstract=text, position=position)


def _refuse_titles(blocks: list[Block], path: Path) -> None:
    """Raises `InputError` for a list with a title above each abstract: it would be read wrongly."""
    prose = [number for number, block in enumerate(blocks) if is_prose(block.text)]
    led = sum(_leading_lines(block) > 0 for block in blocks)
    short = sum(after - before > 1 for before, after in pairwise(prose))
    headings = sum(bool(_MARKDOWN_HEADING.match(block.lines[0])) for block in blocks)
    labels = sum(bool(_FIELD_LABEL.match(line)) for block in blocks for line in block.lines)
    if labels > 1 or any(
        count > 1 and _TITLED * len(prose) <= count for count in (led, short, headings)
    ):
        raise InputError(
            f"{str(path)!r} has short lines above its abstracts, such as titles or headings, which "
            f"are not read; give the abstracts alone, or with titles as one of: {READ_TODAY}."
        )


def _leading_lines(block: Block) -> int:
    """How many lines at the head of a block are no part of its prose."""
    pairs = list(pairwise(block.lines))
    width = max(len(line.strip()) for line in block.lines)
    for number, (line, following) in enumerate(pairs):
        if not _is_cut_short(line.strip(), following, width):
            return number
    return len(pairs) if is_prose(block.lines[-1]) else 0


def _is_cut_short(line: str, following: str, width: int) -> bool:
    """Whether a line was ended before it was full and before its sentence was, as headings are."""
    if _MARKDOWN_HEADING.match(line):
        return True
    room = len(line) <= _FULL_LINE * width and len(line) + len(following.split()[0]) < width
    ends = _GOES_ON.search(line) or ends_a_sentence(line)
    return room and not ends and not is_prose(line)


def _is_heading(block: Block) -> bool:
    """A block without prose, or several short lines without the end of a sentence."""
    if not is_prose(block.text):
        return True
    if block.marked or len(block.lines) < 2 or any(map(is_prose, block.lines)):
        return False
    width = max(len(line.strip()) for line in block.lines)
    cut = _is_cut_short(block.lines[0].strip(), block.lines[1], width)
    return cut and not any(ends_a_sentence(line) for line in block.lines)


def _split_heading(blocks: list[Block]) -> tuple[list[Block], list[Block]]:
    """The heading, which may take several blocks or lines, and what follows it."""
    start = next((n for n, block in enumerate(blocks) if not _is_heading(block)), len(blocks))
    heading, rest = blocks[:start], blocks[start:]
    if rest and not rest[0].marked:
        count = _leading_lines(rest[0])
        if count:
            heading.append(replace(rest[0], lines=rest[0].lines[:count]))
            rest[0] = replace(rest[0], lines=rest[0].lines[count:])
        elif _is_introduction(rest):
            heading.append(rest.pop(0))
    return heading, rest


def _is_introduction(blocks: list[Block]) -> bool:
    if len(blocks) < 4 or word_count(blocks[0].text) > _WORDS_OF_AN_INTRODUCTION:
        return False
    usual = median(len(block.text) for block in blocks[1:])
    return len(blocks[0].text) < _SHARE_OF_AN_INTRODUCTION * usual


def _entries(blocks: list[Block]) -> list[_Entry]:
    """The blocks of each abstract, by the first sign that fits the whole file; without one, a block
    is an abstract."""
    marked = _grouped(blocks, lambda block: block.marked)
    if len(marked) > 1 and _has_usual_size(marked):
        return marked
    ruled = _grouped(blocks, lambda block: block.ruled)
    if _is_meant(ruled) and _has_usual_size(ruled):
        return ruled
    wide = _grouped(blocks, lambda block: block.gap > 1)
    if _is_meant(wide) and _has_usual_size(wide) and _has_short_paragraphs(wide):
        return wide
    return [(block,) for block in blocks]


def _grouped(blocks: list[Block], starts: Callable[[Block], bool]) -> list[_Entry]:
    groups: list[list[Block]] = []
    for block in blocks:
        if starts(block) or not groups:
            groups.append([block])
        else:
            groups[-1].append(block)
    return [tuple(group) for group in groups]


def _has_usual_size(groups: list[_Entry]) -> bool:
    """Whether the groups are as long as abstracts: sections of a list are longer."""
    several = [group for group in groups if len(group) > 1] or groups
    lengths = [sum(len(block.text) for block in group) for group in several]
    counts = [len(group) for group in several]
    return median(lengths) <= _LONGEST_ABSTRACT and median(counts) <= _MOST_PARAGRAPHS


def _is_meant(groups: list[_Entry]) -> bool:
    """Whether lines of dashes or wide gaps divide entries, and are not strays: there are at least
    two, and about as many as there are narrow gaps."""
    narrow = sum(len(group) - 1 for group in groups)
    return len(groups) > 2 and 2 * (len(groups) - 1) >= narrow


def _has_short_paragraphs(groups: list[_Entry]) -> bool:
    """Whether what narrow gaps divide is shorter than a whole abstract: those of the same file that
    come in one paragraph, or any."""
    whole = [len(group[0].text) for group in groups if len(group) == 1]
    parts = [len(block.text) for group in groups if len(group) > 1 for block in group]
    if not parts:
        return False
    usual = _SHARE_OF_A_PARAGRAPH * median(whole) if len(whole) > 2 else 0.0
    return median(parts) < max(usual, _FULL_ABSTRACT)
