"""Generations of an index: one rename makes one current, leases and locks guard the rest."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag import generations
from rag.errors import IndexBusy, IndexMismatch, IndexMissing

ROOT = Path(__file__).parents[1]
HOLD = """
import sys, time
from pathlib import Path
from rag import generations
with generations.writing(Path(sys.argv[1])):
    print("writing", flush=True)
    time.sleep(60)
"""
TRY = """
import sys
from pathlib import Path
from rag import generations
from rag.errors import IndexBusy
try:
    with generations.writing(Path(sys.argv[1])):
        print("free")
except IndexBusy:
    print("busy")
"""


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index"


def made(index: Path, text: str = "") -> Path:
    """Publish a generation that holds a text."""
    with generations.writing(index):
        path = generations.begin(index)
        (path / "text").write_text(text, encoding="utf-8")
        generations.publish(index, path)
    return path


def cleaned(index: Path) -> set[str]:
    """The names of the generations that a writer leaves."""
    with generations.writing(index):
        pass
    return {path.name for path in (index / generations.GENERATIONS).iterdir()}


def test_nothing_is_current_before_something_is_published(index: Path) -> None:
    assert generations.current(index) is None
    with generations.writing(index):
        generations.begin(index)
        assert generations.current(index) is None
    with pytest.raises(IndexMissing, match="colloquy ingest FILE --index"):
        generations.lease(index)


def test_what_was_published_last_is_current(index: Path) -> None:
    for text in "abc":
        assert generations.current(index) != made(index, text).name
    held = generations.lease(index)
    assert (held.path / "text").read_text(encoding="utf-8") == "c"
    held.release()


def test_a_name_is_never_used_twice(index: Path) -> None:
    with generations.writing(index):
        names = [generations.begin(index).name for _ in range(20)]
    assert len(set(names)) == 20


def test_a_publication_that_fails_leaves_the_current_generation(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = made(index)

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(OSError, match="No space"):
            made(index)
    assert generations.current(index) == first.name
    assert made(index).name == generations.current(index)


def test_a_reader_meets_only_whole_generations_while_others_are_published(index: Path) -> None:
    made(index, "0")
    done = threading.Event()

    def read() -> list[int]:
        seen = []
        while not done.is_set():
            held = generations.lease(index)
            seen.append(int((held.path / "text").read_text(encoding="utf-8")))
            held.release()
        return seen

    with ThreadPoolExecutor() as pool:
        readers = [pool.submit(read) for _ in range(4)]
        for number in range(1, 16):
            made(index, str(number))
        done.set()
        for reader in readers:
            assert reader.result() == sorted(reader.result())
    assert len(cleaned(index)) == 1


def test_a_generation_that_is_read_is_kept_from_the_cleaner_until_it_is_released(
    index: Path,
) -> None:
    first = made(index, "first")
    one, other = generations.lease(index), generations.lease(index)
    second = made(index)
    assert cleaned(index) == {first.name, second.name}
    one.release()
    assert cleaned(index) == {first.name, second.name}
    assert (other.path / "text").read_text(encoding="utf-8") == "first"
    other.release()
    assert cleaned(index) == {second.name}


def test_a_generation_that_was_removed_before_it_was_held_is_given_up_for_the_next(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, second = made(index).name, made(index).name
    assert cleaned(index) == {second}
    names = iter([gone, second])
    monkeypatch.setattr(generations, "current", lambda _index: next(names))
    held = generations.lease(index)
    assert held.name == second
    held.release()


def test_a_generation_that_the_cleaner_takes_while_it_is_being_held_is_given_up(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = made(index)
    lock = fcntl.flock
    overtaken: list[bool] = []

    def late(descriptor: int, operation: int) -> None:
        if not overtaken:  # between opening LEASE and locking it, all this happens
            overtaken.append(True)
            made(index)
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    held = generations.lease(index)
    assert held.name == generations.current(index) != first.name
    assert not first.exists()
    held.release()


def test_a_second_writer_is_told_that_another_ingest_is_running(index: Path) -> None:
    with (
        generations.writing(index),
        pytest.raises(IndexBusy, match="wait until it is done"),
        generations.writing(index),
    ):
        pass
    with generations.writing(index):
        pass


def test_a_second_writer_in_another_process_is_told_as_well(index: Path) -> None:
    def tried() -> str:
        command = [sys.executable, "-c", TRY, str(index)]
        return subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout.strip()

    with generations.writing(index):
        assert tried() == "busy"
    assert tried() == "free"


def test_a_writer_that_was_killed_holds_nothing(index: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(index)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "writing\n"
        with pytest.raises(IndexBusy), generations.writing(index):
            pass
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        with generations.writing(index):
            pass


def test_the_next_writer_removes_what_a_killed_one_left(index: Path) -> None:
    live = made(index)
    whole, torn = generations.begin(index), generations.begin(index)
    (torn / "LEASE").unlink()  # as the cleaner does before it removes the rest
    (index / f"{generations.CURRENT}.new").write_text(whole.name, encoding="utf-8")
    with generations.writing(index):
        assert {path.name for path in (index / "generations").iterdir()} == {live.name}
        assert not (index / f"{generations.CURRENT}.new").exists()


def test_a_build_that_fails_is_discarded_but_never_what_became_current(index: Path) -> None:
    with generations.writing(index):
        failed = generations.begin(index)
        generations.discard(index, failed)
        assert not failed.exists()
        published = generations.begin(index)
        generations.publish(index, published)
        generations.discard(index, published)
    assert generations.current(index) == published.name
    assert published.is_dir()


def test_a_writer_that_read_the_former_generation_leaves_nothing_of_it(index: Path) -> None:
    made(index)
    with generations.writing(index):
        held = generations.lease(index)
        path = generations.begin(index)
        generations.publish(index, path)
        held.release()
    assert {each.name for each in (index / "generations").iterdir()} == {path.name}


def test_the_cleaner_leaves_what_is_no_generation(index: Path) -> None:
    made(index)
    stranger = index / generations.GENERATIONS / "thesis"
    stranger.mkdir()
    (index / generations.GENERATIONS / ".DS_Store").touch()
    assert {"thesis", ".DS_Store"} < cleaned(index)


@pytest.mark.parametrize(
    "junk",
    [b"", b"..", b"a/b", b"/etc", b"MANIFEST-000005\n", b"\x00", b"\xff\xfe", b"x" * 5000],
)
def test_a_pointer_with_junk_in_it_is_said_to_be_none(index: Path, junk: bytes) -> None:
    index.mkdir()
    (index / generations.CURRENT).write_bytes(junk)
    for attempt in (generations.current, generations.lease):
        with pytest.raises(IndexMismatch, match="--index"):
            attempt(index)
    with pytest.raises(IndexMismatch), generations.writing(index):
        pass


def test_a_pointer_to_a_generation_that_is_gone_names_it(index: Path) -> None:
    path = made(index)
    shutil.rmtree(path)
    with pytest.raises(IndexMismatch, match=path.name):
        generations.lease(index)


def test_a_file_in_the_place_of_the_folder_is_said_to_be_no_index(tmp_path: Path) -> None:
    file = tmp_path / "thesis.txt"
    file.write_text("Chapter one.", encoding="utf-8")
    for place in (file, file / "index"):
        with pytest.raises(IndexMismatch, match="name another"):
            generations.current(place)
        with pytest.raises(IndexMismatch, match="name another"), generations.writing(place):
            pass
    assert file.read_text(encoding="utf-8") == "Chapter one."


def test_a_folder_that_may_not_be_written_is_said_to_be_one(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, flags: int, mode: int = 0o777) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(IndexMismatch, match="Permission denied"), generations.writing(index):
        pass


def test_a_folder_of_other_things_is_no_index_and_keeps_them(index: Path) -> None:
    index.mkdir()
    (index / "README.md").write_text("mine", encoding="utf-8")
    with pytest.raises(IndexMissing, match="There is no index"):
        generations.lease(index)
    made(index)
    assert (index / "README.md").read_text(encoding="utf-8") == "mine"
