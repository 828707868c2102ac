"""A stream read in another thread: order, errors, silence, and leaving early."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from ui.pump import in_batches


def test_everything_arrives_in_order() -> None:
    batches = in_batches(lambda: iter(range(100)), rhythm=0)
    assert [item for batch in batches for item in batch] == list(range(100))


def test_an_error_comes_after_what_came_before_it() -> None:
    def broken() -> Iterator[str]:
        yield "a"
        raise ValueError("no more")

    arrived: list[str] = []
    with pytest.raises(ValueError, match="no more"):
        arrived.extend(item for batch in in_batches(broken, rhythm=0) for item in batch)
    assert arrived == ["a"]


def test_silence_gives_empty_batches_and_leaving_closes_the_stream() -> None:
    go_on, closed = threading.Event(), threading.Event()

    def slow() -> Iterator[str]:
        try:
            yield "a"
            go_on.wait(10)
            yield "b"
            yield "c"
        finally:
            closed.set()

    with closing(in_batches(slow, rhythm=0, patience=0.01)) as batches:
        while next(batches):
            pass
    go_on.set()
    assert closed.wait(10)
