"""CSV and TSV -> records.

Goes in: the text of a file with a header row. Comes out: `Record | Skipped`, one for each data
row. Finds out the delimiter from the header and whether quotes quote from all rows; a row that
breaks the rules of quoting is read once more, leniently. Does not know what the columns are
called: see fields.py.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ingest.readers.fields import ABSTRACT, KNOWN, TITLE, make_record, plain_name
from ingest.records import Record, Skipped
from rag.errors import InputError

_DELIMITERS = (",", "\t", ";", "|")
_SUFFIXES = {".csv", ".tsv", ".tab"}
# csv's own limit, 131,072 characters, is below a full paper in a cell; C longs end here.
_FIELD_LIMIT = 2**31 - 1
# A column's name is a word or three; a sentence before the first delimiter is no header.
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a table is written; `quoted` is False where a `"` is a character like any other, `spaced`
    says that a blank follows each delimiter."""

    delimiter: str
    quoted: bool
    spaced: bool = False


@dataclass(frozen=True, slots=True)
class _Row:
    """The cells of one row; `sound` is False where its quotes do not follow the rules."""

    cells: list[str]
    raw: str
    lines: int
    sound: bool


def is_table(text: str, suffixes: set[str]) -> bool:
    """Whether the first line names columns of papers, or the name or every line says a table."""
    if suffixes & _SUFFIXES:
        return True
    header = _header(_body(text).split("\n", 1)[0])
    names = {plain_name(cell) for cell in header}
    if len(header) > 1 and names & {*ABSTRACT, *TITLE} and len(names & KNOWN) > 1:
        return True
    lines = [line for line in text.split("\n") if line.strip()]
    tabs = {line.count("\t") for line in lines}
    return len(lines) > 1 and len(tabs) == 1 and tabs.pop() > 1


def read_table(text: str, path: Path) -> Iterator[Record | Skipped]:
    """The papers of a table; raises `InputError` where no column is known to hold abstracts."""
    with _long_fields():
        lines = [f"{line}\n" for line in _body(text).split("\n")]
        dialect = _dialect(lines)
        rows = _rows(lines, dialect)
        first = next(rows, None)
        header = [cell.strip() for cell in first.cells] if first else []
        if not {plain_name(name) for name in header} & set(ABSTRACT):
            raise InputError(
                f"{str(path)!r} has no column that is known to hold abstracts (its first row: "
                f"{_shown(header)}); give it a header row with a column 'abstract'."
            )
        return iter(list(_records(rows, header, dialect, path.name)))


@contextmanager
def _long_fields() -> Iterator[None]:
    before = csv.field_size_limit(_FIELD_LIMIT)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _body(text: str) -> str:
    """The text from the header on, without the line that only tells a spreadsheet the delimiter."""
    return re.sub(r'^"?sep=.*\n', "", text.lstrip("\n"), count=1, flags=re.IGNORECASE)


def _shown(header: Sequence[str]) -> str:
    shown = ", ".join(repr(name[:_LONGEST_NAME]) for name in header[:30])
    return f"{shown}, …" if len(header) > 30 else shown


def _header(line: str) -> list[str]:
    """The first line's cells under the delimiter that yields most known names."""
    best = _cells(line, _delimiter(line))
    return [] if any(len(cell) > _LONGEST_NAME for cell in best) else best


def _delimiter(line: str) -> str:
    def known(delimiter: str) -> tuple[int, int]:
        cells = _cells(line, delimiter)
        return sum(plain_name(cell) in KNOWN for cell in cells), len(cells)

    return max(_DELIMITERS, key=known)


def _cells(line: str, delimiter: str) -> list[str]:
    with _long_fields():
        return next(csv.reader([line], delimiter=delimiter), [])


def _dialect(lines: list[str]) -> Dialect:
    """Quoting is on unless the rows come out better without it. Where both fit alike, it is on
    between commas, and elsewhere if every cell that begins with a quote is enclosed in quotes."""
    first = next((line for line in lines if line.strip()), "")
    delimiter = _delimiter(first.rstrip("\n"))
    spaced = delimiter in first and not re.search(rf"{re.escape(delimiter)}[^ \n]", first)
    quoted, bare = Dialect(delimiter, True, spaced), Dialect(delimiter, False)
    if not any('"' in line for line in lines):
        return quoted
    fit = {dialect: _fit(lines, dialect) for dialect in (quoted, bare)}
    if fit[quoted] != fit[bare]:
        return max(fit, key=fit.__getitem__)
    opened = (cell for row in _rows(lines, bare) for cell in row.cells if cell.startswith('"'))
    return quoted if delimiter == "," or all(map(_is_quoted, opened)) else bare


def _fit(lines: list[str], dialect: Dialect) -> tuple[int, int]:
    """How many rows have as many cells as the header, and (below zero) how many have not."""
    counts = [len(row.cells) for row in _rows(lines, dialect, mend=False)]
    fitting = sum(count == counts[0] for count in counts)
    return fitting, fitting - len(counts)


def _is_quoted(cell: str) -> bool:
    return re.fullmatch(r'"(?:[^"]|"")*"', cell) is not None


def _rows(lines: list[str], dialect: Dialect, *, mend: bool = True) -> Iterator[_Row]:
    """The rows that are not blank. With `mend`, a row that breaks the rules of quoting and swallows
    whole rows after it gives them back."""
    start, width = 0, 0
    while start < len(lines):
        for row in _read(lines[start:], dialect, check=mend):
            taken = row.lines
            if mend and width and row.lines > 1 and (len(row.cells) != width or not row.sound):
                taken = _swallowed_from(lines[start : start + row.lines], dialect, width)
            start += taken
            kept = row if taken == row.lines else _cut_row(lines[start - taken : start], dialect)
            width = width or len(kept.cells)
            if any(cell.strip(" -:\t\xa0") for cell in kept.cells):  # not a rule under the header
                yield kept
            if kept is not row:
                break  # the reader has gone past the rows that were given back


def _read(lines: Sequence[str], dialect: Dialect, *, check: bool) -> Iterator[_Row]:
    """The rows as csv takes them; `check` finds out whether each is sound."""
    if not dialect.quoted:
        for line in lines:
            yield _Row(line.rstrip("\n").split(dialect.delimiter), line, 1, sound=True)
        return
    reader = csv.reader(lines, delimiter=dialect.delimiter, skipinitialspace=dialect.spaced)
    before = 0
    for cells in reader:
        raw = "".join(lines[before : reader.line_num])
        cells = [cell.rstrip("\n") if cell.endswith("\n") else cell for cell in cells]
        yield _Row(cells, raw, reader.line_num - before, not check or _is_sound(raw, dialect))
        before = reader.line_num


def _is_sound(raw: str, dialect: Dialect) -> bool:
    if '"' not in raw:
        return True
    try:
        next(
            csv.reader(
                [raw],
                delimiter=dialect.delimiter,
                skipinitialspace=dialect.spaced,
                strict=True,
            ),
            None,
        )
    except csv.Error:
        return False
    return True


def _swallowed_from(lines: list[str], dialect: Dialect, width: int) -> int:
    """How many of the lines belong to the first row: up to the next that is a row in itself."""
    for number, line in enumerate(lines[1:], 1):
        if len(_cells(line.rstrip("\n"), dialect.delimiter)) == width and _is_sound(line, dialect):
            return number
    return len(lines)


def _cut_row(lines: list[str], dialect: Dialect) -> _Row:
    raw = "".join(lines)
    return _Row(_lenient_cells(raw, dialect.delimiter), raw, len(lines), sound=False)


def _records(
    rows: Iterable[_Row], header: list[str], dialect: Dialect, source: str
) -> Iterator[Record | Skipped]:
    for position, row in enumerate(rows, 1):
        cells = row.cells
        if len(cells) > len(header) and not any(map(str.strip, cells[len(header) :])):
            cells = cells[: len(header)]
        if len(cells) > len(header) or not row.sound:
            cells = _mended(row, header, dialect)
        if len(cells) > len(header):
            title = _title(header, cells)
            reason = f"the row has {len(cells)} cells, the header names {len(header)} columns"
            yield Skipped(source, position, title, reason)
            continue
        named = _named(header, cells)
        short = len(cells) < len(header)
        remark = f"the row has {len(cells)} cells, the header names {len(header)}" if short else ""
        yield make_record(named, position, source, remark=remark)


def _named(header: list[str], cells: list[str]) -> dict[str, object]:
    """Cells under their names; of two columns of one name the first that says something counts."""
    named: dict[str, object] = {}
    for name, cell in zip(header, cells, strict=False):
        if not str(named.get(name, "")).strip():
            named[name] = cell
    return named


def _title(header: list[str], cells: list[str]) -> str | None:
    """The title of a row that does not fit, if it stands before where the row can have gone
    wrong."""
    for name, cell in zip(header, cells, strict=False):
        if plain_name(name) in TITLE:
            return " ".join(cell.split()) or None
    return None


def _mended(row: _Row, header: list[str], dialect: Dialect) -> list[str]:
    """The cells of a row with loose quotes or delimiters: in prose a comma is followed by a blank,
    a delimiter is not."""
    cells = _lenient_cells(row.raw, dialect.delimiter) if dialect.quoted else row.cells
    if len(cells) <= len(header) or dialect.spaced:
        return cells
    joined: list[str] = []
    for cell in cells:
        if joined and cell.startswith(" "):
            joined[-1] += dialect.delimiter + cell
        else:
            joined.append(cell)
    return joined if len(joined) == len(header) else cells


def _lenient_cells(raw: str, delimiter: str) -> list[str]:
    """The cells of one row, where a quote closes a cell only before a delimiter without a blank
    behind it, or at the end: every other quote is text."""
    raw = raw.rstrip("\n")
    mark = re.escape(delimiter)
    closing = re.compile(rf'"(?={mark}(?! )|$(?!\n))')
    cells: list[str] = []
    place = 0
    while True:
        if raw.startswith('"', place) and (match := _closing(closing, raw, place + 1)):
            cells.append(raw[place + 1 : match.start()].replace('""', '"'))
            place = match.end()
        else:
            end = raw.find(delimiter, place)
            end = len(raw) if end < 0 else end
            cells.append(raw[place:end])
            place = end
        if place >= len(raw):
            return cells
        place += len(delimiter)
        if place >= len(raw):
            return [*cells, ""]


def _closing(closing: re.Pattern[str], raw: str, start: int) -> re.Match[str] | None:
    """The first closing quote from `start` on that is not the second half of a doubled quote."""
    for match in closing.finditer(raw, start):
        before = len(raw[start : match.start()]) - len(raw[start : match.start()].rstrip('"'))
        if before % 2 == 0:
            return match
    return None
