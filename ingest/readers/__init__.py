"""Files with abstracts -> records, a module for each family of formats.

Goes in: a path. Comes out: every record of the file as `Record`, or as `Skipped` with the reason.
Does not clean, name or compare what it reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from ingest.readers.decode import read_text
from ingest.readers.json_lists import read_json
from ingest.readers.kinds import kind_of
from ingest.readers.tables import read_table
from ingest.readers.text import read_list
from ingest.records import Record, Skipped
from rag.errors import InputError

__all__ = ["read_records"]

_READERS = {"json": read_json, "table": read_table, "list": read_list}


def read_records(path: Path) -> Iterator[Record | Skipped]:
    """Every record of the file in its order, good or not.

    Raises `InputError` at once where the file cannot be read, is of a kind that is not read, or
    has no list of papers; and at the end, after all that was skipped, where no record was good.
    """
    text = read_text(path)
    records = _READERS[kind_of(text, path)](text, path)
    return _at_least_one(records, path)


def _at_least_one(records: Iterable[Record | Skipped], path: Path) -> Iterator[Record | Skipped]:
    reasons: Counter[str] = Counter()
    found = False
    for record in records:
        if isinstance(record, Skipped):
            reasons[record.reason] += 1
        else:
            found = True
        yield record
    if not found:
        shown = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common(3))
        raise InputError(
            f"{str(path)!r} holds no paper with an abstract ({shown or 'no rows'}); give a file in "
            "which each paper has one."
        )
