"""The command: exit codes, streams, sentences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.papers import ORCHID, write_list
from ui.cli import main

Captured = pytest.CaptureFixture[str]


def test_ingest_counts_and_a_second_run_changes_nothing(tmp_path: Path, capsys: Captured) -> None:
    listed = str(write_list(tmp_path / "list.txt"))
    index = str(tmp_path / "index")
    assert main(["ingest", listed, "--index", index]) == 0
    assert "5 added, 0 updated, 0 unchanged" in capsys.readouterr().out
    assert main(["ingest", listed, "--index", index, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["added"], report["unchanged"], report["papers"]) == (0, 5, 5)


def test_ask_prints_the_answer_its_source_and_its_mode(small_index: Path, capsys: Captured) -> None:
    assert main(["ask", "What is ORCHID?", "--index", str(small_index)]) == 0
    out = capsys.readouterr().out
    assert "a packing scheme" in out
    assert "[1] ORCHID" in out
    assert "list.txt, number 1" in out
    assert "No model" in out


def test_ask_as_json_is_the_whole_answer(small_index: Path, capsys: Captured) -> None:
    assert main(["ask", "What is ORCHID?", "--index", str(small_index), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "answered"
    assert answer["citations"][0]["quote"] in ORCHID


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["ask", ""], 1, "The question is empty"),
        (["ask", "x" * 100_000], 1, "100,000 characters"),
        (["ingest"], 2, "Name the files to ingest"),
        (["ingest", "no-such-file.txt"], 1, "no-such-file.txt"),
        (["papers", "robots", "-k", "0"], 1, "k is 0"),
        (["serve", "--port", "70000"], 2, "70000"),
        (["export", "--output", "/no/such/folder/x.json"], 1, "cannot be written"),
    ],
)
def test_a_failure_is_one_sentence_on_stderr(
    small_index: Path, capsys: Captured, arguments: list[str], code: int, message: str
) -> None:
    assert main([*arguments, "--index", str(small_index)]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert len(captured.err.strip().splitlines()) == 1


@pytest.mark.parametrize("command", [["ask", "Why?"], ["papers"], ["export"]])
def test_a_missing_index_names_the_command_that_makes_one(
    tmp_path: Path, capsys: Captured, command: list[str]
) -> None:
    assert main([*command, "--index", str(tmp_path / "none")]) == 1
    assert "colloquy ingest FILE" in capsys.readouterr().err


def test_serve_on_a_missing_index_is_refused_where_nobody_could_add_papers(
    tmp_path: Path, capsys: Captured
) -> None:
    missing = ["--index", str(tmp_path / "none")]
    assert main(["serve", "--host", "0.0.0.0", *missing]) == 1
    assert "colloquy ingest FILE" in capsys.readouterr().err


def test_serve_on_a_missing_index_starts_an_empty_page(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[Any] = []
    monkeypatch.setattr("ui.app.serve", lambda assistant, settings: served.append(assistant))
    assert main(["serve", "--index", str(tmp_path / "none")]) == 0
    assert "the page starts empty" in capsys.readouterr().err
    assert served[0].papers() == ()


def test_papers_lists_all_and_searches(small_index: Path, capsys: Captured) -> None:
    assert main(["papers", "--index", str(small_index)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
    assert main(["papers", "robots in a kitchen", "-k", "1", "--index", str(small_index)]) == 0
    assert "MOSAIC" in capsys.readouterr().out


def test_doctor_finds_a_sound_index_and_a_broken_one(tmp_path: Path, capsys: Captured) -> None:
    index = tmp_path / "index"
    main(["ingest", str(write_list(tmp_path / "list.txt")), "--index", str(index)])
    capsys.readouterr()
    assert main(["doctor", "--index", str(index)]) == 0
    assert "5 papers" in capsys.readouterr().out
    spans = next(index.glob("generations/*/spans.npy"))
    spans.write_bytes(b"junk")
    assert main(["doctor", "--index", str(index)]) == 1
    out = capsys.readouterr().out
    assert "cannot be read" in out
    assert "-> " in out


@pytest.mark.parametrize("form", ["json", "jsonl", "bibtex", "markdown"])
def test_export_writes_every_paper(small_index: Path, capsys: Captured, form: str) -> None:
    assert main(["export", "--format", form, "--index", str(small_index)]) == 0
    out = capsys.readouterr().out
    assert "MOSAIC" in out
    assert "BEETLE" in out


def test_export_to_a_file(small_index: Path, tmp_path: Path) -> None:
    target = tmp_path / "papers.json"
    assert main(["export", "--output", str(target), "--index", str(small_index)]) == 0
    assert len(json.loads(target.read_text(encoding="utf-8"))) == 5


def test_help_and_wrong_usage_exit_as_usual(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    with pytest.raises(SystemExit) as stopped:
        main(["fly"])
    assert stopped.value.code == 2
