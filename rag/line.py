"""A line to a server: a request in progress, its deadline, and how another thread ends it.

Goes in: seconds. Comes out: a `Line` that a request reports its sockets to. Hanging up shuts them
down, which wakes a read that waits and tells the server at once. Knows nothing of what is asked.
"""

from __future__ import annotations

import contextlib
import socket
import time
from threading import Event, Lock
from typing import Any


class Line:
    """A request in progress: its deadline, and its socket so that another thread can hang up."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.began = time.monotonic()
        self._hung = Event()
        self._lock = Lock()
        self._sockets: list[socket.socket] = []

    @property
    def left(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(0.0, self.seconds - self.passed)

    @property
    def passed(self) -> float:
        """Seconds since the request began."""
        return time.monotonic() - self.began

    @property
    def hung(self) -> bool:
        return self._hung.is_set()

    def wait(self, seconds: float) -> None:
        """Sleep, but no longer than until somebody hangs up."""
        self._hung.wait(seconds)

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """The HTTP client's trace: keeps the socket of each connection that was opened."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            found = info["return_value"].get_extra_info("socket")
            if isinstance(found, socket.socket):
                with self._lock:
                    self._sockets.append(found)
                    if self.hung:
                        _shut(found)

    def hang_up(self) -> None:
        """End the request now: a read that waits in another thread returns."""
        with self._lock:
            self._hung.set()
            for found in self._sockets:
                _shut(found)


def _shut(found: socket.socket) -> None:
    # The plain socket's shutdown also for TLS: a clean TLS goodbye could block. An error means
    # that the connection is closed already, which is what is wanted.
    with contextlib.suppress(OSError):
        socket.socket.shutdown(found, socket.SHUT_RDWR)
