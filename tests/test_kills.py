"""Processes that are killed at any moment: the index stays what it was, or is what it should be."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ingest import ingest
from rag import Assistant, generations
from rag.errors import IndexMissing
from tests.papers import ALL, write_list
from ui.cli import main

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
COLLOQUY = [sys.executable, "-c", "from ui.cli import main; raise SystemExit(main())"]
READER = """
import sys
from pathlib import Path
from rag import store
from rag.embed import bundled
from rag.index import open_index
print("reading", flush=True)
while True:
    index = open_index(Path(sys.argv[1]), bundled().name)
    store.nearest(index.store, index.arrays.of(0).sentences[0], 3)
    index.close()
"""
QUESTION = "By how much does ORCHID cut peak memory?"
# Left to themselves, runs are over long before.
PATIENCE = 60.0


def edition(number: int) -> list[str]:
    """Five abstracts, each of which says which edition it belongs to."""
    return [f"{text} This is edition {number} of the text." for text in ALL]


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> float:
    """Wait until something has happened, or the process has ended; returns the time."""
    deadline = time.monotonic() + PATIENCE
    while not condition() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    return time.monotonic()


class Writer:
    """A `colloquy ingest` in another process, and what can be seen of it from outside."""

    def __init__(self, file: Path, index: Path) -> None:
        self._index = index
        self._before = self._names()
        self._current = generations.current(index)
        self.process = subprocess.Popen(
            [*COLLOQUY, "ingest", str(file), "--index", str(index)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
        )

    def _names(self) -> set[str]:
        folder = self._index / generations.GENERATIONS
        return {path.name for path in folder.iterdir()} if folder.is_dir() else set()

    def has(self, file: str) -> bool:
        """Whether the new generation has come as far as this file."""
        folder = self._index / generations.GENERATIONS
        return any((folder / name / file).exists() for name in self._names() - self._before)

    def has_published(self) -> bool:
        return generations.current(self._index) != self._current

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def duration(file: Path, index: Path) -> float:
    """The seconds that an undisturbed run takes from its first file to its end."""
    writer = Writer(file, index)
    begun = wait_for(lambda: writer.has("LEASE"), writer.process)
    assert writer.process.wait(PATIENCE) == 0
    return time.monotonic() - begun


def moments(seconds: float) -> Sequence[tuple[Callable[[Writer], bool], float]]:
    """Ten moments: what must have happened, and the seconds to wait from then on.

    Five are spread over the whole run, five lie just behind a step that takes too little time to
    be hit by chance.
    """
    chance = random.Random(20261206)
    spread = [(lambda w: w.has("LEASE"), (n + chance.random()) / 5 * seconds) for n in range(5)]
    steps: list[Callable[[Writer], bool]] = [
        lambda w: w.has("chroma/chroma.sqlite3"),
        lambda w: w.has("papers.npy"),
        lambda w: w.has("lexical"),
        lambda w: w.has("manifest.json"),
        lambda w: w.has_published(),
    ]
    return [*spread, *((step, chance.random() * 0.02) for step in steps)]


def contents(index: Path) -> tuple[list[str], dict[str, Any]]:
    """All abstracts, and the answer to a question."""
    with Assistant.open(index) as assistant:
        texts = [paper.abstract for paper in assistant.papers()]
        return texts, assistant.ask(QUESTION).to_dict()


def test_after_ten_kills_of_ingest_the_index_is_the_old_or_the_new_one_and_the_next_run_succeeds(
    tmp_path: Path,
) -> None:
    file, index = tmp_path / "list.txt", tmp_path / "index"
    ingest([write_list(file, edition(0))], index)
    seconds = duration(write_list(file, edition(1)), index)
    struck = []
    before, old = contents(index)
    for number, (happened, delay) in enumerate(moments(seconds), 2):
        write_list(file, edition(number))
        writer = Writer(file, index)
        wait_for(lambda w=writer, h=happened: h(w), writer.process)  # type: ignore[misc]
        time.sleep(delay)
        writer.kill()
        struck.append(writer.process.returncode)

        assert main(["doctor", "--index", str(index)]) == 0
        now, answer = contents(index)
        if now == before:
            assert answer == old
        else:
            assert now == edition(number)
            assert f"edition {number}" in answer["citations"][0]["paper"]["abstract"]
        report = ingest([file], index)
        assert report.updated == (len(ALL) if now == before else 0)
        before, old = contents(index)
        assert before == edition(number)
        left = sorted(path.name for path in (index / generations.GENERATIONS).iterdir())
        assert left == [generations.current(index)]
        assert sorted(path.name for path in index.iterdir()) == ["CURRENT", "WRITER", "generations"]
    assert struck.count(-9) >= 5  # most were still running


def test_a_first_ingest_that_is_killed_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    file, index = write_list(tmp_path / "list.txt"), tmp_path / "index"
    for step in ("LEASE", "papers.npy"):
        writer = Writer(file, index)
        wait_for(lambda w=writer, s=step: w.has(s), writer.process)  # type: ignore[misc]
        writer.kill()
        if generations.current(index) is None:
            with pytest.raises(IndexMissing, match="colloquy ingest"):
                Assistant.open(index)
    assert ingest([file], index).papers == len(ALL)
    assert len(list((index / generations.GENERATIONS).iterdir())) == 1
    assert main(["doctor", "--index", str(index)]) == 0


def test_readers_that_are_killed_while_they_open_and_close_leave_the_index_whole(
    small_index: Path, tmp_path: Path
) -> None:
    index = tmp_path / "index"
    shutil.copytree(small_index, index)
    expected = contents(index)
    chance = random.Random(20261207)
    for _ in range(4):
        command = [sys.executable, "-c", READER, str(index)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as reader:
            assert reader.stdout is not None
            assert reader.stdout.readline() == b"reading\n"
            time.sleep(0.5 + chance.random())
            assert reader.poll() is None
            reader.kill()
        assert contents(index) == expected
    assert main(["doctor", "--index", str(index)]) == 0
