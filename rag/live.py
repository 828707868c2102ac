"""The index as others keep changing it: every question sees the newest generation.

Goes in: an index folder. Comes out: an open `Index` for as long as a question needs it. Knows
nothing of questions.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rag import generations
from rag.errors import IndexMissing
from rag.index import Index, open_index


@dataclass(slots=True)
class _Held:
    index: Index
    users: int = 0


class LiveIndex:
    """Holds the newest generation open; an older one closes when its last question ends.

    Chroma raises where a client closes under a running query, so uses are counted.
    """

    def __init__(self, folder: Path, embedder: str) -> None:
        self.folder = folder
        self._embedder = embedder
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._held: _Held | None = _Held(open_index(folder, embedder))

    @contextmanager
    def use(self) -> Iterator[Index]:
        """The newest generation, kept open inside the block."""
        held = self._newest()
        try:
            yield held.index
        finally:
            self._leave(held)

    def close(self) -> None:
        """Close once the last running question ends; later uses raise `IndexMissing`."""
        with self._lock:
            held, self._held = self._held, None
            idle = held is not None and held.users == 0
        if held is not None and idle:
            held.index.close()

    def _newest(self) -> _Held:
        name = generations.current(self.folder)
        held = self._enter(name)
        if held is not None:
            return held
        with self._opening:  # one thread opens, those that come later find it open
            held = self._enter(generations.current(self.folder))
            return held if held is not None else self._replace()

    def _enter(self, name: str | None) -> _Held | None:
        """Count a use of the held generation if it is the one of that name."""
        with self._lock:
            held = self._held
            if held is None:
                raise IndexMissing(
                    f"The assistant over {str(self.folder)!r} was closed; open it again."
                )
            if held.index.lease.name != name:
                return None
            held.users += 1
            return held

    def _replace(self) -> _Held:
        fresh = _Held(open_index(self.folder, self._embedder), users=1)
        with self._lock:
            old = self._held
            if old is not None:  # None: closed meanwhile, the question that runs is the last
                self._held = fresh
            # Looked at here: the last question may leave at any moment, and closes it then.
            idle = old is not None and old.users == 0
        if old is not None and idle:
            old.index.close()
        return fresh

    def _leave(self, held: _Held) -> None:
        with self._lock:
            held.users -= 1
            unused = held.users == 0 and held is not self._held
        if unused:
            held.index.close()
