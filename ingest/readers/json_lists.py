"""JSON and JSONL -> records.

Goes in: the text of a file. Comes out: `Record | Skipped`, one for each object or string of its
list. Finds the list by its shape (an array, an array inside wrappers, objects keyed by id,
columns), not by a fixed name. Does not know what the fields of an object are called: see
fields.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ingest.readers.fields import has_abstract, has_title, make_record, make_untitled
from ingest.records import Record, Skipped
from rag.errors import InputError

_SUFFIXES = {".json", ".jsonl", ".ndjson"}
# Deeper wrappers than Crossref's message.items or DBLP's result.hits.hit were not met.
_DEEPEST = 5

# Half of a pair that only UTF-16 knows; written out as an escape it passes for a character.
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_TOO_DEEP = "JSON that is nested too deeply"

Keyed = tuple[str | None, object]


def is_json(text: str, suffixes: set[str]) -> bool:
    """Whether `text` is meant as JSON or JSONL, sound or not."""
    start = text.lstrip()
    if re.match(r'\{\s*(?:["}]|$)|\[\s*(?:[{"\]]|\[\s*["\d]|$)', start):
        return True
    return bool(suffixes & _SUFFIXES) or _mostly_objects(text)


def read_json(text: str, path: Path) -> Iterator[Record | Skipped]:
    """The papers of a JSON or JSONL text; raises `InputError` where it is neither or has no
    list."""
    try:
        items = _items(_load(text), path)
    except ValueError as error:  # an integer of thousands of digits is one as well
        if _mostly_objects(text):
            return _read_lines(text, path.name)
        raise InputError(
            f"{str(path)!r} is not valid JSON ({error}); export it again, or mend that place."
        ) from error
    except RecursionError as error:
        raise InputError(
            f"{str(path)!r} is nested too deeply to be a list of papers; export it as a list."
        ) from error
    return (_entry(item, position, path.name, key) for position, (key, item) in enumerate(items, 1))


def _load(text: str) -> object:
    """The value of a JSON text; a lone surrogate, which no file can hold, is a question mark in it.

    Raises ValueError or RecursionError.
    """
    value = json.loads(text)
    if _HALF.search(text):
        value = json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    return value


def _mostly_objects(text: str) -> bool:
    """JSONL: at least half of the lines begin like an object; a broken line does not hide it."""
    lines = [line.lstrip() for line in text.split("\n") if line.strip()]
    return 2 * sum(bool(re.match(r'\{\s*"', line)) for line in lines) >= len(lines)


def _read_lines(text: str, source: str) -> Iterator[Record | Skipped]:
    lines = (line for line in text.split("\n") if line.strip())
    for position, line in enumerate(lines, 1):
        try:
            value = _load(line)
        except ValueError as error:
            yield Skipped(source, position, None, f"not valid JSON ({error})")
        except RecursionError:
            yield Skipped(source, position, None, _TOO_DEEP)
        else:
            yield _entry(value, position, source, None)


def _entry(item: object, position: int, source: str, key: str | None) -> Record | Skipped:
    try:
        if isinstance(item, Mapping):
            return make_record(item, position, source, key)
        if isinstance(item, str):
            return make_untitled(item, position, source)
        return Skipped(source, position, None, f"not an object with fields but {_cut(item)}")
    except RecursionError:
        return Skipped(source, position, None, _TOO_DEEP)


def _cut(item: object) -> str:
    text = json.dumps(item, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _items(value: object, path: Path) -> list[Keyed]:
    found = _find(value, _DEEPEST)
    if found is None:
        kind = type(value).__name__
        if isinstance(value, dict):
            kind = f"an object with {', '.join(map(repr, value))}"
        elif isinstance(value, list):
            kind = f"an array of {type(value[0]).__name__}" if value else "an empty array"
        raise InputError(
            f"{str(path)!r} holds no list of papers ({kind[:200]}); give a JSON array of objects "
            "with 'title' and 'abstract'."
        )
    return found


def _find(value: object, depth: int) -> list[Keyed] | None:
    """The list of papers in `value`, with the keys of an object that is keyed by id."""
    if isinstance(value, list):
        return [(None, item) for item in value] if _is_list_of_papers(value) else None
    if not isinstance(value, dict) or depth == 0:
        return None
    if (columns := _from_columns(value)) is not None:
        return columns
    if has_abstract(value) and not _lists_of_objects(value):
        return [(None, value)]
    if (lists := _best_lists(value)) is not None:
        return lists
    if value and all(isinstance(item, dict) for item in value.values()):
        papers = [item for item in value.values() if has_abstract(item) or has_title(item)]
        if 2 * len(papers) > len(value):
            return [(str(key), item) for key, item in value.items()]
    inner = [found for item in value.values() if (found := _find(item, depth - 1))]
    return [item for found in inner for item in found] or None


def _is_list_of_papers(value: list[object]) -> bool:
    return any(isinstance(item, dict | str) for item in value)


def _lists_of_objects(value: dict[str, object]) -> dict[str, list[object]]:
    return {
        key: item
        for key, item in value.items()
        if isinstance(item, list) and any(isinstance(part, dict) for part in item)
    }


def _best_lists(value: dict[str, object]) -> list[Keyed] | None:
    """All lists whose objects have abstracts; where none has, those with titles; else the only
    one."""
    lists = list(_lists_of_objects(value).values())
    for test in (has_abstract, has_title):
        fitting = [
            items for items in lists if any(isinstance(item, dict) and test(item) for item in items)
        ]
        if fitting:
            return [(None, item) for items in fitting for item in items]
    return [(None, item) for item in lists[0]] if len(lists) == 1 else None


def _from_columns(value: dict[str, object]) -> list[Keyed] | None:
    """A table written by columns, or as "columns" and "data", as data frames are exported."""
    columns, data = value.get("columns"), value.get("data")
    if isinstance(columns, list) and isinstance(data, list):
        names = [str(name) for name in columns]
        rows = [row for row in data if isinstance(row, list)]
        if len(rows) == len(data):
            return [(None, dict(zip(names, row, strict=False))) for row in rows]
    if not has_abstract(value) or not has_title(value):
        return None
    parts = list(value.values())
    if all(isinstance(part, dict) for part in parts):
        table = {name: part for name, part in value.items() if isinstance(part, dict)}
        keys = dict.fromkeys(key for part in table.values() for key in part)
        return [(k, {name: part.get(k) for name, part in table.items()}) for k in keys]
    if all(isinstance(part, list) for part in parts):
        lists = {name: part for name, part in value.items() if isinstance(part, list)}
        if len({len(part) for part in lists.values()}) == 1:
            turned = zip(*lists.values(), strict=True)
            return [(None, dict(zip(lists, row, strict=True))) for row in turned]
    return None
