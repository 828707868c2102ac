"""The generations of an on-disk index: which one is current, who reads it, who may write.

    INDEX/CURRENT                  the name of the current generation
    INDEX/WRITER                   locked by the one process that writes
    INDEX/generations/NAME/LEASE   share-locked by every process that reads that generation
    INDEX/generations/NAME/...     whatever the writer put there; immutable once published

Goes in: folders. Comes out: names, locks and paths. Knows no vendor and not what a generation
holds.

Killing any process at any moment leaves the last published generation whole: a generation becomes
current by one atomic rename, and locks end with their process. Locks are `flock` ones, so POSIX
only.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rag.errors import IndexBusy, IndexMismatch, IndexMissing

CURRENT = "CURRENT"
GENERATIONS = "generations"
_LEASE = "LEASE"
_WRITER = "WRITER"
# What `begin` names a generation: nothing else is ever read or removed as one.
_NAME = re.compile(r"\d{8}T\d{6}-[0-9a-f]{8}")
# A reader loses the race against publish-and-clean only while generations change; 100 rounds of
# that within one opening means something else is wrong.
_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Lease:
    """A generation that is kept from being cleaned away until `release` is called."""

    name: str
    path: Path
    descriptor: int

    def release(self) -> None:
        os.close(self.descriptor)


def current(index: Path) -> str | None:
    """The name of the current generation, None where nothing has been published."""
    try:
        name = (index / CURRENT).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise IndexMismatch(
            f"{str(index)!r} is no index of Colloquy ({error}); name another folder with --index."
        ) from error
    if not _NAME.fullmatch(name):
        raise IndexMismatch(
            f"{str(index / CURRENT)!r} names {name!r}, which is no generation; restore the index "
            "from a copy or make a new one with: colloquy ingest FILE --index NEW_FOLDER"
        )
    return name


def lease(index: Path) -> Lease:
    """Hold the current generation.

    Raises `IndexMissing` where there is none, `IndexMismatch` where it cannot be held.
    """
    for _ in range(_ROUNDS):
        name = current(index)
        if name is None:
            raise IndexMissing(
                f"There is no index at {str(index)!r}; make one with: "
                f"colloquy ingest FILE --index {index}"
            )
        held = _hold(index, name)
        if held is not None:
            return held
    raise IndexMismatch(
        f"The current generation of {str(index)!r}, {name!r}, is not there; restore the index "
        "from a copy or make a new one with: colloquy ingest FILE --index NEW_FOLDER"
    )


def _hold(index: Path, name: str) -> Lease | None:
    """Share-lock a generation; None where the cleaner took it first."""
    path = index / GENERATIONS / name
    try:
        descriptor = os.open(path / _LEASE, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise IndexMismatch(
            f"The current generation of {str(index)!r}, {name!r}, cannot be read ({error}); make "
            "the folder readable or name another one with --index."
        ) from error
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    # The cleaner unlinks LEASE under its exclusive lock before it removes anything.
    if os.fstat(descriptor).st_nlink == 0:
        os.close(descriptor)
        return None
    return Lease(name, path, descriptor)


@contextmanager
def writing(index: Path) -> Iterator[None]:
    """Be the only writer of the index, and its cleaner: before, for what killed writers left, and
    after, for what was read until now by the writer itself.

    Raises `IndexBusy` where another process writes, `IndexMismatch` where nothing can be written.
    """
    try:
        index.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(index / _WRITER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise IndexMismatch(
            f"{str(index)!r} is no folder that an index can be written to ({error}); name another "
            "one with --index."
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise IndexBusy(
                f"Another ingest is writing to {str(index)!r}; wait until it is done, then run "
                "this again."
            ) from error
        clean(index)
        yield
        clean(index)
    finally:
        os.close(descriptor)


def begin(index: Path) -> Path:
    """Make the folder of a new generation; its name is never used twice. Call while `writing`."""
    # Time first, so that a listing shows their order; the rest keeps clocks out of uniqueness.
    name = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{uuid.uuid4().hex[:8]}"
    path = index / GENERATIONS / name
    path.mkdir(parents=True)
    (path / _LEASE).touch()
    return path


def publish(index: Path, generation: Path) -> None:
    """Make a finished generation the current one, durably and atomically. Call while `writing`."""
    for folder, _, files in os.walk(generation):
        for file in files:
            _sync(Path(folder) / file)
        _sync(Path(folder))
    pointer = index / f"{CURRENT}.new"
    pointer.write_text(generation.name + "\n", encoding="utf-8")
    _sync(pointer)
    pointer.replace(index / CURRENT)
    _sync(index)


def discard(index: Path, generation: Path) -> None:
    """Remove a generation that was begun, unless it has become current. Call while `writing`."""
    if generation.name != current(index):
        shutil.rmtree(generation)


def clean(index: Path) -> None:
    """Remove every generation that is neither current nor leased. Call while `writing`."""
    live = current(index)
    (index / f"{CURRENT}.new").unlink(missing_ok=True)
    folder = index / GENERATIONS
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.name != live and _NAME.fullmatch(path.name):
            _remove(path)


def _remove(path: Path) -> None:
    try:
        descriptor = os.open(path / _LEASE, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:  # a cleaner or a writer was killed half-way
        shutil.rmtree(path)
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    else:
        (path / _LEASE).unlink()
        shutil.rmtree(path)
    finally:
        os.close(descriptor)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
