"""A BEIR folder -> ranking figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest import ingest
from rag import Assistant
from rag.beir import evaluate_beir
from rag.errors import InputError
from tests.papers import ALL
from ui.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("beir")
    corpus = [{"_id": f"d{n}", "title": "", "text": text} for n, text in enumerate(ALL)]
    (path / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)), encoding="utf-8")
    queries = [{"_id": "q0", "text": "packing molecules"}, {"_id": "q1", "text": "whispering"}]
    (path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
    (path / "qrels").mkdir()
    judged = "query-id\tcorpus-id\tscore\nq0\td0\t1\nq1\td4\t1\n"
    (path / "qrels" / "test.tsv").write_text(judged, encoding="utf-8")
    ingest([path / "corpus.jsonl"], path / "index")
    return path


def test_documents_are_judged_by_the_ids_of_their_file(folder: Path) -> None:
    with Assistant.open(folder / "index") as assistant:
        found = evaluate_beir(assistant, folder)
    assert found == {"queries": 2.0, "nDCG@10": 1.0, "R@100": 1.0}


def test_the_command_takes_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", str(folder), "--index", str(folder / "index")]) == 0
    assert json.loads(capsys.readouterr().out)["nDCG@10"] == 1.0


def test_a_folder_without_judgements_is_refused(folder: Path) -> None:
    with (
        Assistant.open(folder / "index") as assistant,
        pytest.raises(InputError, match=r"dev\.tsv"),
    ):
        evaluate_beir(assistant, folder, "dev")


def test_a_split_that_judges_no_query_is_refused(folder: Path) -> None:
    (folder / "qrels" / "odd.tsv").write_text("query\tcorpus\tscore\nq9\td0\t1\n", "utf-8")
    with (
        Assistant.open(folder / "index") as assistant,
        pytest.raises(InputError, match="no query that is judged"),
    ):
        evaluate_beir(assistant, folder, "odd")
