"""A generator that blocks -> an async one that does not, and that stops the request it reads.

Goes in: how to begin a stream, and its `Line`. Comes out: its items, awaited. The stream runs in a
thread of its own; leaving the async generator, or cancelling its task, hangs the line up. Knows
nothing of models.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Generator
from threading import Thread
from typing import TypeVar

from rag.line import Line

Item = TypeVar("Item")


class _End:
    """Stands behind the last item."""


async def awaited(
    begin: Callable[[Line], Generator[Item, None, None]], line: Line
) -> AsyncGenerator[Item, None]:
    """The items of a blocking stream as they come; what it raises is raised here."""
    loop = asyncio.get_running_loop()
    inbox: asyncio.Queue[Item | Exception | _End] = asyncio.Queue()

    def post(item: Item | Exception | _End) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(inbox.put_nowait, item)

    def pump() -> None:
        try:
            with contextlib.closing(begin(line)) as items:
                for item in items:
                    if line.hung:
                        return
                    post(item)
            post(_End())
        except Exception as error:  # noqa: BLE001 - it crosses to the awaiting task as it is
            post(error)

    Thread(target=pump, name="colloquy-model", daemon=True).start()
    try:
        while not isinstance(item := await inbox.get(), _End):
            if isinstance(item, Exception):
                raise item
            yield item
    finally:
        line.hang_up()
