"""An open index while others change it: which generation a question sees, and when it closes."""

from __future__ import annotations

import gc
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

import pytest

from ingest import ingest
from rag import Assistant, generations
from rag.errors import IndexMismatch, IndexMissing
from rag.index import Index, open_index
from rag.live import LiveIndex
from rag.store import nearest
from rag.types import Answer
from tests.open_files import left_open, open_below
from tests.papers import ALL, write_list
from tests.word_embedder import WordEmbedder, publish_texts

TEXTS = [f"The abstract number {n} speaks of one thing. It has two sentences." for n in range(6)]
WORDS = WordEmbedder()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index with the first two texts."""
    publish_texts(tmp_path / "index", {"a": TEXTS[:2]}, WORDS)
    return tmp_path / "index"


@pytest.fixture
def live(folder: Path) -> Iterator[LiveIndex]:
    opened = LiveIndex(folder, WORDS.name)
    yield opened
    opened.close()


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the generations that were closed, in order."""
    names: list[str] = []
    close = Index.close

    def recorded(self: Index) -> None:
        names.append(self.lease.name)
        close(self)

    monkeypatch.setattr(Index, "close", recorded)
    return names


def read(live: LiveIndex) -> int:
    with live.use() as index:
        return len(index.papers)


def change(folder: Path, count: int) -> None:
    publish_texts(folder, {"a": TEXTS[:count]}, WORDS)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / generations.GENERATIONS).iterdir())


def test_a_question_sees_the_newest_generation(folder: Path, live: LiveIndex) -> None:
    assert read(live) == 2
    change(folder, 3)
    assert read(live) == 3
    change(folder, 1)
    assert read(live) == 1


def test_a_question_keeps_what_it_began_with_and_the_last_one_closes_it(
    folder: Path, live: LiveIndex, closed: list[str]
) -> None:
    first = generations.current(folder)
    assert first is not None
    with live.use() as one, live.use() as other:
        assert one is other
        change(folder, 3)
        closed.clear()  # the writer's own
        assert read(live) == 3
        assert nearest(one.store, one.arrays.of(0).sentences[0], 1) == [one.papers[0].id]
        assert closed == []
        assert first in names(folder)
    assert closed == [first]
    second = generations.current(folder)
    change(folder, 4)
    assert set(names(folder)) == {second, generations.current(folder)}  # the second is still held


def test_an_unused_generation_closes_when_a_newer_one_is_met(
    folder: Path, live: LiveIndex, closed: list[str]
) -> None:
    first = generations.current(folder)
    change(folder, 3)
    closed.clear()
    read(live)
    assert closed == [first]
    assert not left_open(folder / generations.GENERATIONS / str(first))


def test_a_generation_is_opened_once_however_many_ask_at_the_same_time(
    folder: Path, live: LiveIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    def recorded(index: Path, embedder: str) -> Index:
        opened.append(index)
        return open_index(index, embedder)

    monkeypatch.setattr("rag.live.open_index", recorded)
    change(folder, 3)
    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(lambda _: read(live), range(64))) == {3}
    assert len(opened) == 1


class Door:
    """A lock; what `outside` holds happens just after it was released, once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.outside: list[Callable[[], object]] = []

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()
        if len(self.outside) > 1:
            self.outside.pop()()


def test_a_generation_closes_once_even_if_its_last_question_ends_during_the_change(
    folder: Path, closed: list[str]
) -> None:
    live = LiveIndex(folder, WORDS.name)
    question = live.use()
    first = question.__enter__().lease.name
    change(folder, 3)
    closed.clear()
    door = Door()
    live._lock = door  # type: ignore[assignment]
    # The newest is looked for twice, then the change: after it, before the old one is looked at.
    door.outside = [lambda: None, lambda: question.__exit__(None, None, None), *[lambda: None] * 2]
    assert read(live) == 3
    assert closed == [first]
    live.close()
    assert not left_open(folder)


def test_what_is_closed_says_so(folder: Path, live: LiveIndex) -> None:
    with live.use() as index:
        live.close()
        assert nearest(index.store, index.arrays.of(0).sentences[0], 1)
        with pytest.raises(IndexMissing, match="was closed; open it again"):
            read(live)
        assert open_below(folder)
    del index  # its arrays are mapped
    assert not left_open(folder)
    live.close()


def test_an_index_that_goes_away_is_missed_in_words_and_found_again(
    folder: Path, live: LiveIndex
) -> None:
    pointer = folder / generations.CURRENT
    name = pointer.read_text(encoding="utf-8")
    pointer.unlink()
    with pytest.raises(IndexMissing, match="colloquy ingest"):
        read(live)
    pointer.write_text(name, encoding="utf-8")
    assert read(live) == 2


def test_an_index_of_another_model_is_refused_with_the_command_that_makes_it_anew(
    folder: Path,
) -> None:
    with pytest.raises(IndexMismatch, match=r"'words', this is\s+'others'.*colloquy ingest FILE"):
        open_index(folder, "others")
    assert not left_open(folder)


def test_an_address_and_a_foreign_database_are_no_index(tmp_path: Path) -> None:
    with pytest.raises(IndexMismatch, match=r"'https://host:8000/a' is an address.*--index"):
        open_index(Path("https://host:8000/a"), WORDS.name)
    (tmp_path / "chroma.sqlite3").touch()
    with pytest.raises(IndexMismatch, match=r"did not make.*--index"):
        open_index(tmp_path, WORDS.name)


def _files(folder: Path) -> list[str]:
    """The files of a generation whose loss must be noticed, by their paths in it."""
    generation = folder / generations.GENERATIONS / str(generations.current(folder))
    return sorted(
        str(path.relative_to(generation))
        for path in generation.rglob("*")
        if path.is_file() and path.name != "LEASE" and path.parent.parent.name != "chroma"
    )


def test_a_damaged_file_is_named_and_nothing_stays_open(folder: Path, tmp_path: Path) -> None:
    files = _files(folder)
    assert len(files) > 8
    for number, (file, damage) in enumerate((f, d) for f in files for d in (b"", b"{]", None)):
        copy = tmp_path / f"copy{number}"
        shutil.copytree(folder, copy)
        damaged = copy / generations.GENERATIONS / str(generations.current(copy)) / file
        damaged.unlink()
        if damage is not None:
            damaged.write_bytes(damage)
        with pytest.raises(IndexMismatch, match="colloquy"):
            open_index(copy, WORDS.name)
        assert not left_open(copy), file


def test_an_index_that_may_not_be_written_is_read_from_a_copy(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    chroma = folder / generations.GENERATIONS / str(generations.current(folder)) / "chroma"
    before = {path: path.stat().st_mtime_ns for path in chroma.rglob("*")}
    for path in [chroma, *chroma.iterdir()]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    index = open_index(folder, WORDS.name)
    assert nearest(index.store, index.arrays.of(1).sentences[0], 1) == [index.papers[1].id]
    (copy,) = scratch.iterdir()
    assert all(path.stat().st_mode & 0o200 for path in [copy, *copy.rglob("*")])
    index.close()
    assert list(scratch.iterdir()) == []
    assert {path: path.stat().st_mtime_ns for path in chroma.rglob("*")} == before


def test_a_copy_is_removed_where_opening_fails(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    generation = folder / generations.GENERATIONS / str(generations.current(folder))
    (generation / "chroma" / "chroma.sqlite3").write_bytes(b"junk" * 1000)
    with pytest.raises(IndexMismatch):
        open_index(folder, WORDS.name)
    assert list(scratch.iterdir()) == []


VERSIONS = 10
ASKERS = 32


def edition(number: int) -> list[str]:
    """Ten abstracts that all say which edition they belong to."""
    more = [
        f"Bridges of kind {kind} are inspected from boats. We present SPAN{kind}, which finds "
        f"cracks of {kind} millimetres. In edition {number} it finds {number + 30}% of them."
        for kind in range(2, 7)
    ]
    return [f"{text} This is edition {number} of the text." for text in ALL] + more


def editions(answer: Answer) -> set[int]:
    papers = [*answer.papers, *(citation.paper for citation in answer.citations)]
    texts = [paper.abstract for paper in papers]
    return {int(text.partition("dition ")[2].split()[0]) for text in texts}


@pytest.mark.slow
def test_32_threads_ask_while_ten_generations_are_published_and_cleaned(tmp_path: Path) -> None:
    folder, file = tmp_path / "index", tmp_path / "list.txt"
    ingest([write_list(file, edition(0))], folder)
    begun, published, done = [0], [0], threading.Event()
    first = generations.current(folder)
    assistant = Assistant.open(folder)
    questions = ["What is ORCHID?", "How many lawyers took part?", "Which cracks does SPAN4 find?"]

    def asker(number: int) -> int:
        asked = 0
        while not done.is_set():
            oldest = published[-1]
            answer = assistant.ask(questions[(number + asked) % 3])
            newest = begun[-1]
            assert answer.citations
            assert len(editions(answer)) == 1
            assert oldest <= editions(answer).pop() <= newest
            asked += 1
            time.sleep(0.4)  # at full speed the writer would hardly get a turn
        return asked

    with ThreadPoolExecutor(ASKERS) as pool:
        askers = [pool.submit(asker, number) for number in range(ASKERS)]
        try:
            for version in range(1, VERSIONS + 1):
                begun.append(version)
                report = ingest([write_list(file, edition(version))], folder)
                assert (report.updated, report.papers) == (10, 10)
                published.append(version)
        finally:
            done.set()
        assert sum(each.result() for each in askers) >= ASKERS

    last = generations.current(folder)
    assert editions(assistant.ask(questions[0])) == {VERSIONS}
    with generations.writing(folder):  # what was still read when the last ingest ended
        assert names(folder) == [last]
    assert last != first
    gc.collect()
    here = f"{folder / generations.GENERATIONS / str(last)}/"
    stale = {name for name in open_below(folder) if not name.startswith(here)}
    assert not stale
    assistant.close()
    gc.collect()
    assert not left_open(folder)
