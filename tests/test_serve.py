"""Serving the page: the address, the port, the headers, the mode line."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from rag.errors import IndexMissing, SettingsError
from rag.settings import Settings
from rag.types import About
from tests.browser.scripted_assistant import ScriptedAssistant
from ui.app import serve
from ui.talk import Exchange, exchanges_of
from ui.welcome import head_html, mode_html, placeholder_html


def test_a_port_that_is_taken_is_said_with_the_remedy() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=f"Port {port} .*--port or COLLOQUY_PORT"):
            serve(ScriptedAssistant(), Settings(port=port))


def test_a_host_that_is_none_is_said_with_the_remedy() -> None:
    with pytest.raises(SettingsError, match="COLLOQUY_HOST"):
        serve(ScriptedAssistant(), Settings(host="256.1.1.1"))


def test_the_mode_names_the_model_and_the_endpoint_as_text() -> None:
    about = About("llm", "<b>tidal</b>", "http://127.0.0.1:9/v1", "chroma_db", 3, False)
    assert "&lt;b&gt;tidal&lt;/b&gt; at http://127.0.0.1:9/v1" in mode_html(about)
    extractive = About("extractive", None, None, "chroma_db", 3, True)
    assert "no model" in mode_html(extractive)
    assert "digest, not the authors’ words" in head_html(extractive)


def test_an_empty_index_says_how_to_fill_it() -> None:
    about = About("extractive", None, None, "chroma_db", 0, False)
    assert "colloquy ingest FILE" in placeholder_html(about, ())


def last(exchanges: Iterator[Exchange | None]) -> Exchange:
    *_, end = exchanges
    assert end is not None
    return end


def test_an_exchange_grows_and_ends_with_the_answer() -> None:
    assistant = ScriptedAssistant()
    shown = [e for e in exchanges_of(assistant, "What is TARNIS?", ()) if e is not None]
    assert shown[0] == Exchange("What is TARNIS?")
    assert any(e.running and e.text for e in shown)
    answer = shown[-1].answer
    assert answer is not None
    assert shown[-1].text == answer.text


def test_a_failure_is_shown_in_its_own_words() -> None:
    end = last(exchanges_of(ScriptedAssistant(), "broken", ()))
    assert end.failure == "The model endpoint refused the key; check OPENAI_API_KEY."


def test_a_missing_index_is_shown_in_its_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    assistant = ScriptedAssistant()

    def missing(question: str, history: object = (), papers: object = None) -> Iterator[str]:
        raise IndexMissing("There is no index at 'x'; run colloquy ingest FILE.")

    monkeypatch.setattr(assistant, "stream", missing)
    assert "run colloquy ingest" in last(exchanges_of(assistant, "What?", ())).failure


def test_chosen_papers_are_asked_and_those_that_are_gone_are_told() -> None:
    assistant = ScriptedAssistant()
    end = last(exchanges_of(assistant, "What is TARNIS?", (), ["paper-1", "paper-2"]))
    assert (end.searched, end.chosen, assistant.chosen) == (2, True, [("paper-1", "paper-2")])
    gone = last(exchanges_of(assistant, "What is TARNIS?", (), ["paper-1", "paper-9"]))
    assert "1 of the 2 papers chosen are no longer in the index" in gone.failure
    assert len(assistant.chosen) == 1


def test_a_fault_of_the_program_is_logged_and_does_not_leave_the_page_waiting(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assistant = ScriptedAssistant()

    def faulty(question: str, history: object = (), papers: object = None) -> Iterator[str]:
        raise KeyError("inside")

    monkeypatch.setattr(assistant, "stream", faulty)
    assert "Colloquy itself failed (KeyError)" in last(exchanges_of(assistant, "What?", ())).failure
    assert "inside" in caplog.text
