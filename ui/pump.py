"""A blocking stream of pieces, read in another thread so that nobody waits for it.

Goes in: a function that makes an iterator. Comes out: batches of what arrived, an empty batch
whenever nothing did for a while. Closing the result closes the stream as soon as it gives its
next item. Knows nothing of answers or pages.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")

# Text that arrives at this rhythm (seconds) reads as flowing, and a page keeps up with it.
RHYTHM = 0.06
# A stop is noticed within this time (seconds), also while a model says nothing.
PATIENCE = 0.25


@dataclass(frozen=True, slots=True)
class _Ended:
    failure: BaseException | None


def in_batches(
    make: Callable[[], Iterator[Item]],
    *,
    rhythm: float = RHYTHM,
    patience: float = PATIENCE,
) -> Generator[list[Item], None, None]:
    """Yield what the iterator gives, at most every `rhythm` seconds, [] after `patience` seconds
    of silence. An error of the iterator is raised here, after what came before it."""
    arrived: queue.SimpleQueue[Item | _Ended] = queue.SimpleQueue()
    stopped = threading.Event()
    threading.Thread(target=_read, args=(make, arrived, stopped), daemon=True).start()
    try:
        while True:
            batch, ended = _next_batch(arrived, patience)
            if batch or ended is None:
                yield batch
            if ended is not None:
                if ended.failure is not None:
                    raise ended.failure
                return
            if batch:
                time.sleep(rhythm)
    finally:
        stopped.set()


def _next_batch(
    arrived: queue.SimpleQueue[Item | _Ended], patience: float
) -> tuple[list[Item], _Ended | None]:
    batch: list[Item] = []
    try:
        item = arrived.get(timeout=patience)
        while not isinstance(item, _Ended):
            batch.append(item)
            item = arrived.get_nowait()
    except queue.Empty:
        return batch, None
    return batch, item


def _read(
    make: Callable[[], Iterator[Item]],
    arrived: queue.SimpleQueue[Item | _Ended],
    stopped: threading.Event,
) -> None:
    failure: BaseException | None = None
    try:
        items = make()
        try:
            for item in items:
                if stopped.is_set():
                    break
                arrived.put(item)
        finally:
            if isinstance(items, Generator):
                items.close()
    except Exception as error:  # noqa: BLE001  the reader of the batches raises it
        failure = error
    arrived.put(_Ended(failure))
