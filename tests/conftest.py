"""What all tests share: no network beyond loopback, no settings of the machine, small indexes."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from ingest import ingest
from rag import Assistant
from tests.papers import write_list

# How long an example takes is the machine's affair.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

for _name in [name for name in os.environ if name.startswith(("OPENAI_", "COLLOQUY_"))]:
    del os.environ[_name]


def _loopback(address: Any) -> bool:
    if not isinstance(address, tuple):  # a Unix socket
        return True
    host = address[0]
    try:
        return host in ("localhost", "") or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """Any connection that leaves this machine fails the test that tries it."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded(self: socket.socket, address: Any) -> None:
        if not _loopback(address):
            raise AssertionError(f"a test tried to reach {address!r}")
        connect(self, address)

    def guarded_ex(self: socket.socket, address: Any) -> int:
        if not _loopback(address):
            raise AssertionError(f"a test tried to reach {address!r}")
        return connect_ex(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        patch.setattr(socket.socket, "connect_ex", guarded_ex)
        yield


@pytest.fixture(scope="session")
def small_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the papers in tests/papers.py; nobody writes to it."""
    folder = tmp_path_factory.mktemp("small")
    ingest([write_list(folder / "list.txt")], folder / "index")
    return folder / "index"


@pytest.fixture(scope="session")
def assistant(small_index: Path) -> Iterator[Assistant]:
    """An assistant without a model over the small index."""
    with Assistant.open(small_index) as opened:
        yield opened
