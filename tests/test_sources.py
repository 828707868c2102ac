"""Names of files as sources: the file name, with folders only where two share it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.sources import source_names


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two folders with two files of one name."""
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "list.txt").touch()
    return tmp_path


def known(names: dict[str, Path]) -> dict[str, str]:
    return {name: str(path) for name, path in names.items()}


def test_a_file_goes_by_its_name(folder: Path) -> None:
    assert source_names([folder / "x" / "list.txt"], {}) == {"list.txt": folder / "x" / "list.txt"}


def test_two_files_of_one_name_are_told_apart_by_their_folders(folder: Path) -> None:
    paths = [folder / "x" / "list.txt", folder / "y" / "list.txt"]
    assert list(source_names(paths, {})) == ["x/list.txt", "y/list.txt"]


def test_as_many_folders_as_it_takes_tell_files_apart(tmp_path: Path) -> None:
    paths = [tmp_path / top / "2026" / "list.txt" for top in ("icml", "iclr")]
    names = source_names(paths, {})
    assert len(names) == 2
    assert list(names.values()) == paths
    assert all(str(path).endswith(name) for name, path in names.items())


def test_a_file_keeps_the_name_that_it_was_given(folder: Path) -> None:
    one, other = folder / "x" / "list.txt", folder / "y" / "list.txt"
    alone = source_names([one], {})
    later = source_names([other], known(alone))
    assert later == {"y/list.txt": other}
    both = source_names([other, one], known(alone | later))
    assert both == {"y/list.txt": other, "list.txt": one}


def test_a_file_that_moved_keeps_its_name(folder: Path) -> None:
    (folder / "old").mkdir()
    former = {"list.txt": str(folder / "old" / "list.txt")}
    assert source_names([folder / "x" / "list.txt"], former) == {
        "list.txt": folder / "x" / "list.txt"
    }


def test_a_file_that_is_named_twice_is_one_source(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    paths = [Path("x/list.txt"), folder / "y" / ".." / "x" / "list.txt", Path("x/list.txt")]
    assert source_names(paths, {}) == {"list.txt": folder / "x" / "list.txt"}


def test_a_link_goes_by_its_own_name(folder: Path) -> None:
    link = folder / "papers.txt"
    link.symlink_to(folder / "x" / "list.txt")
    names = source_names([link], {})
    assert names == {"papers.txt": link}
    link.unlink()
    link.symlink_to(folder / "y" / "list.txt")
    assert source_names([link], known(names)) == names


def test_a_former_place_that_cannot_be_looked_at_keeps_its_name(folder: Path) -> None:
    former = {"list.txt": str(folder / ("a" * 300) / "list.txt")}
    names = source_names([folder / "x" / "list.txt"], former)
    assert list(names) == ["x/list.txt"]


def test_a_link_that_goes_round_in_a_circle_has_a_name(folder: Path) -> None:
    (folder / "loop").symlink_to(folder / "loop")
    assert list(source_names([folder / "loop"], {})) == ["loop"]
    assert list(source_names([folder / "loop" / "list.txt"], {})) == ["list.txt"]
