"""What the doctor finds in an index folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from rag import generations
from rag.doctor import Finding, examine
from rag.settings import Settings
from tests.scripted_server import ScriptedServer


@pytest.fixture
def folder(small_index: Path, tmp_path: Path) -> Path:
    """A copy of the small index, to be damaged."""
    shutil.copytree(small_index, tmp_path / "index")
    return tmp_path / "index"


def generation(folder: Path) -> Path:
    return folder / generations.GENERATIONS / str(generations.current(folder))


def unsound(folder: Path) -> list[Finding]:
    return [finding for finding in examine(folder, Settings()) if not finding.sound]


def said(folder: Path, settings: Settings = Settings()) -> dict[str, str]:  # noqa: B008
    return {finding.subject: finding.text for finding in examine(folder, settings)}


def test_a_sound_index_is_described(small_index: Path) -> None:
    assert unsound(small_index) == []
    found = said(small_index)
    assert "holds 5 papers" in found["index"]
    assert "5 papers" in found["Chroma"]
    assert "sentences within abstracts" in found["quotes"]
    assert found["answers"].startswith("extractive")


def test_no_index_is_found_with_the_command_that_makes_one(tmp_path: Path) -> None:
    (finding,) = unsound(tmp_path / "none")
    assert finding.subject == "index"
    assert "colloquy ingest" in finding.remedy + finding.text


@pytest.mark.parametrize("file", ["order.json", "tokens.npy", "papers.npy", "manifest.json"])
def test_a_file_that_is_gone_is_found(folder: Path, file: str) -> None:
    (generation(folder) / file).unlink()
    (finding,) = unsound(folder)
    assert finding.subject == "index"
    assert "colloquy ingest" in finding.remedy


def test_vectors_that_are_no_unit_vectors_are_found(folder: Path) -> None:
    path = generation(folder) / "sentences.npy"
    np.save(path, np.load(path) * np.float16(0.5))
    assert [finding.subject for finding in unsound(folder)] == ["sentence vectors"]


def test_sentences_beyond_their_abstract_are_found(folder: Path) -> None:
    path = generation(folder) / "spans.npy"
    spans = np.load(path)
    spans[-1, 2] += 10_000
    np.save(path, spans)
    assert [finding.subject for finding in unsound(folder)] == ["quotes"]


def test_a_database_with_other_counts_than_the_manifest_is_found(folder: Path) -> None:
    path = generation(folder) / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(manifest | {"passages": 99}), encoding="utf-8")
    (finding,) = unsound(folder)
    assert finding.subject == "Chroma"
    assert str(folder) in finding.remedy


@pytest.mark.parametrize("file", ["tokens.npy", "token_runs.npy", "token_papers.npy"])
def test_token_vectors_that_do_not_fit_the_papers_are_found(folder: Path, file: str) -> None:
    path = generation(folder) / file
    np.save(path, np.load(path)[:-1])
    assert [finding.subject for finding in unsound(folder)] == ["token vectors"]


def test_leftovers_and_moved_sources_are_told_but_are_sound(folder: Path) -> None:
    (folder / generations.GENERATIONS / "unfinished").mkdir()
    path = generation(folder) / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    moved = {"long.txt": f"/{'a' * 300}", "list.txt": "/no/such/list.txt"}
    path.write_text(json.dumps(manifest | {"sources": moved}), encoding="utf-8")
    assert unsound(folder) == []
    found = said(folder)
    assert found["generations"].startswith("1 older or unfinished")
    assert "'/no/such/list.txt'" in found["source"]


def test_who_writes_the_answers_is_told(small_index: Path) -> None:
    assert said(small_index, Settings())["answers"].startswith("extractive")
    with ScriptedServer() as server:
        served = Settings(base_url=server.base_url, model="oak")
        assert "answers with scripted-1" in said(small_index, served)["model endpoint"]
    assert "cannot be reached" in said(small_index, served)["model endpoint"]
