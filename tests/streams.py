"""Reading a generator to its end: what it yields and what it returns."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

Returned = TypeVar("Returned")


def read(pieces: Generator[str, None, Returned]) -> tuple[list[str], Returned]:
    """All pieces, and what the generator returns."""
    got: list[str] = []
    while True:
        try:
            got.append(next(pieces))
        except StopIteration as stop:
            return got, stop.value
