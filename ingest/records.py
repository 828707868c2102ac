"""What a reader hands on: a paper as it stands in a file, or the reason why a row is none.

Goes in: nothing. Comes out: two frozen dataclasses. Knows no format.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """One paper as it was read, nothing cleaned.

    `title` is None where the file gives none; `key` is the file's own identifier for the paper, if
    it has one; `position` is the 1-based number of the record among all records of its file, good
    or not, so that a person can find it.
    """

    abstract: str
    position: int
    title: str | None = None
    key: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str | None = None
    url: str | None = None
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that gave no paper: where it stands, its title if it has one, and why, in words."""

    source: str
    row: int
    title: str | None
    reason: str
