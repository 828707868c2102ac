"""Adding files from the page: what would be read, then the ingest with its progress.

Goes in: files that were handed over, and an index folder. Comes out: a `Look` at each file; then
`Step`s of the ingest, the last with its Report or a failure in words. Files are kept in the
index's folder, so that a list of the same name brings its papers up to date. Knows no HTML.
"""

from __future__ import annotations

import logging
import shutil
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest import Report, ingest
from ingest.readers import read_records
from ingest.records import Record, Skipped
from rag.errors import ColloquyError, InputError

LOG = logging.getLogger(__name__)
UPLOADS = "uploads"
# Titles or first words that are enough to see whether a file was read as it was meant.
SHOWN = 3
# How often (seconds) a page hears of progress.
RHYTHM = 0.3


@dataclass(frozen=True, slots=True)
class Look:
    """What would be read from one file: how many papers, the first of them by title or first
    words, and how many rows are left out for which reason; or a failure in words."""

    name: str
    papers: int = 0
    first: tuple[str, ...] = ()
    left_out: tuple[tuple[str, int], ...] = ()
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """How far an ingest has come: papers embedded of those to embed (0 of 0 while it reads)."""

    done: int = 0
    total: int = 0
    report: Report | None = None
    failure: str = ""


def look_at(file: Path) -> Look:
    """Read a file as an ingest would, without keeping anything."""
    first: list[str] = []
    papers, left_out = 0, Counter[str]()
    try:
        for record in read_records(file):
            if isinstance(record, Skipped):
                left_out[record.reason] += 1
                continue
            papers += 1
            if len(first) < SHOWN:
                first.append(_named(record))
    except ColloquyError as error:
        return Look(file.name, failure=str(error).replace(str(file), file.name))
    return Look(file.name, papers, tuple(first), tuple(left_out.most_common()))


def _named(record: Record) -> str:
    text = " ".join((record.title or record.abstract).split())
    return text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}…"


LONGEST_NAME = 120


def add(files: Sequence[Path], index: Path) -> Iterator[Step]:
    """Ingest the files in a thread; it goes on to its end also where nobody watches it."""
    state = _State()
    threading.Thread(target=_ingest, args=(files, index, state), daemon=True).start()
    while not state.finished.wait(RHYTHM):
        yield Step(*state.progress)
    yield Step(*state.progress, report=state.report, failure=state.failure)


class _State:
    """What the thread of an ingest tells the page."""

    def __init__(self) -> None:
        self.progress = (0, 0)
        self.report: Report | None = None
        self.failure = ""
        self.finished = threading.Event()

    def move(self, done: int, total: int) -> None:
        self.progress = (done, total)


def _ingest(files: Sequence[Path], index: Path, state: _State) -> None:
    try:
        state.report = ingest(_kept(files, index), index, progress=state.move)
    except ColloquyError as error:
        state.failure = str(error)
    except Exception as error:
        # A fault of ours must not leave the page waiting; the log has all of it.
        LOG.exception("adding %r failed", [file.name for file in files])
        state.failure = f"Colloquy itself failed ({type(error).__name__}); its terminal says more."
    finally:
        state.finished.set()


def _kept(files: Sequence[Path], index: Path) -> list[Path]:
    """Copies of the files beside the index, each under its own name."""
    folder = index / UPLOADS
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [Path(shutil.copyfile(file, folder / file.name)) for file in files]
    except OSError as error:
        raise InputError(
            f"The files cannot be kept in {str(folder)!r} ({error.strerror}); make room there or "
            "make the folder writable, then add them again."
        ) from error
