"""Vectors from an endpoint: batched, retried, checked; and an index that is made with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ingest import ingest
from rag import Assistant, remote
from rag.doctor import examine
from rag.embed import Embedder, embed_question, unit
from rag.embedders import open_embedder
from rag.errors import IndexMismatch, ModelError, SettingsError
from rag.remote import BATCH
from rag.sentences import sentences
from rag.settings import Settings
from tests.papers import ALL, MOSAIC, write_list
from tests.scripted_embeddings import vector
from tests.scripted_server import ScriptedServer
from ui.cli import main

KEY = "sk-a-very-secret-key"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def settings(server: ScriptedServer, index: Path | None = None) -> Settings:
    """An endpoint that is there for embeddings alone."""
    return Settings(
        index=str(index or "nowhere"),
        model="none",
        embedder="openai:words-1",
        api_key=KEY,
        base_url=server.base_url,
    )


def embedder(server: ScriptedServer) -> Embedder:
    return open_embedder(settings(server))


def unit_of(text: str) -> object:
    return pytest.approx(unit(np.asarray(vector(text), dtype=np.float32)), abs=1e-6)


def test_a_text_and_each_of_its_sentences_get_a_vector_and_no_token_does(
    server: ScriptedServer,
) -> None:
    spans = sentences(MOSAIC)
    ((_, found),) = embedder(server).encode([MOSAIC], [spans])
    texts = [MOSAIC[span.start : span.end] for span in spans]
    assert found.vector == unit_of(MOSAIC)
    for span, text in zip(spans, texts, strict=True):
        assert found.pooled(span.start, span.end) == unit_of(text)
    assert found.states.shape == (0, len(found.vector))
    assert [asked.body for asked in server.requests] == [
        {"model": "words-1", "input": [MOSAIC, *texts], "encoding_format": "float"}
    ]


@pytest.mark.parametrize("behaviour", ["good", "backwards", "limited"])
def test_many_texts_come_in_batches_and_in_their_order(
    server: ScriptedServer, behaviour: str
) -> None:
    server.embedding = behaviour
    texts = [f"Tree {number} is old. It has {number} leaves." for number in range(70)]
    found = dict(embedder(server).encode(texts, [sentences(text) for text in texts]))
    assert sorted(found) == list(range(70))
    for number in (0, 33, 69):
        assert found[number].vector == unit_of(texts[number])
    sent = [asked.body["input"] for asked in server.requests]
    assert max(map(len, sent)) == BATCH
    assert len(sent) <= 2 * 7


def test_a_question_is_asked_for_once(server: ScriptedServer) -> None:
    asking = embedder(server)
    assert embed_question(asking, "Oaks?").vector == unit_of("Oaks?")
    embed_question(asking, "Oaks?")
    embed_question(asking, "")
    assert [asked.body["input"] for asked in server.requests] == [["Oaks?"], [" "]]


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("short", r"gave 1 vectors for 2 texts: check that 'words-1' is an embedding model"),
        ("strange", "gave 0 vectors for 2 texts"),
        ("web_page", r"gave 0 vectors for 2 texts.*often it ends in /v1"),
        ("uneven", r"vectors of \[24, 25\] dimensions"),
        ("not_numbers", "not of numbers"),
        ("broken", "is not"),
        ("deep", "is not"),
        ("no_text", "is not"),
        ("digits", "is not"),
        ("number", "gave 0 vectors for 2 texts"),
        ("huge", "not of numbers"),
        ("refused", r"refused the key \(401\).*OPENAI_API_KEY"),
        ("unknown", r"no model 'words-1', or no embeddings.*set COLLOQUY_EMBEDDER"),
        ("fails", r"failed \(500\)"),
    ],
)
def test_vectors_that_cannot_be_used_are_an_error_in_words(
    server: ScriptedServer, behaviour: str, words: str
) -> None:
    server.embedding = behaviour
    with pytest.raises(ModelError, match=words) as caught:
        list(embedder(server).encode(["Oaks are old.", "Elms are tall."]))
    assert KEY not in str(caught.value)
    assert str(caught.value).endswith(".")
    assert len(server.requests) == (3 if behaviour == "fails" else 1)


def test_a_server_that_drips_ends_by_the_deadline(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "QUESTION_SECONDS", 0.4)
    server.embedding = "drip"
    with pytest.raises(ModelError, match=r"no vectors within 0\.4 seconds"):
        embed_question(embedder(server), "Oaks?")
    assert server.hung_up.wait(5)


def test_an_embedder_without_an_endpoint_says_what_to_set() -> None:
    with pytest.raises(SettingsError, match=r"openai:words-1.*OPENAI_BASE_URL"):
        open_embedder(Settings(embedder="openai:words-1"))


@pytest.fixture
def index(server: ScriptedServer, tmp_path: Path) -> Path:
    folder = tmp_path / "index"
    ingest([write_list(tmp_path / "list.txt")], folder, settings=settings(server, folder))
    return folder


def test_an_index_answers_without_token_states(server: ScriptedServer, index: Path) -> None:
    with Assistant.open(settings=settings(server, index)) as assistant:
        answer = assistant.ask("Which auction plans the routes of several robots?")
        table = assistant.compare([paper.id for paper in assistant.papers()[:2]])
    assert answer.mode == "extractive"
    assert answer.papers[0].abstract == MOSAIC
    assert "one auction per minute" in answer.text
    assert table.claims
    assert not server.chats


def test_an_index_grows_and_is_sound(server: ScriptedServer, index: Path, tmp_path: Path) -> None:
    file = write_list(tmp_path / "list.txt", [*ALL, "Oaks are old. Elms are tall and green."])
    before = len(server.requests)
    report = ingest([file], index, settings=settings(server, index))
    assert (report.added, report.unchanged) == (1, 5)
    assert [len(asked.body["input"]) for asked in server.requests[before:]] == [3]
    findings = examine(index, settings(server, index))
    assert all(finding.sound for finding in findings)
    assert findings[0].text == "openai:words-1, 24 dimensions, one vector a text"
    assert findings[-1].text == "extractive: COLLOQUY_MODEL is none"


def test_a_model_that_changed_its_size_is_refused_with_the_command(
    server: ScriptedServer, index: Path, tmp_path: Path
) -> None:
    server.embedding = "other_size"
    with (
        Assistant.open(settings=settings(server, index)) as assistant,
        pytest.raises(IndexMismatch, match=r"24 dimensions.*gives 25.*colloquy ingest"),
    ):
        assistant.ask("Which robots?")
    file = write_list(tmp_path / "list.txt", [*ALL, "Oaks are old. Elms are tall and green."])
    with pytest.raises(IndexMismatch, match=r"24 dimensions"):
        ingest([file], index, settings=settings(server, index))


def test_doctor_says_what_to_do_about_an_endpoint_that_refuses(
    server: ScriptedServer, index: Path
) -> None:
    server.embedding = "refused"
    found = examine(index, settings(server, index))[0]
    assert not found.sound
    assert "OPENAI_API_KEY" in found.remedy
    assert KEY not in found.text + found.remedy


def test_what_no_model_answers_needs_no_chat_at_the_endpoint(
    server: ScriptedServer,
    index: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLLOQUY_EMBEDDER", "openai:words-1")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.models = []
    assert main(["papers", "robots in a kitchen", "--index", str(index)]) == 0
    assert re.match(r"\S+  MOSAIC", capsys.readouterr().out)
