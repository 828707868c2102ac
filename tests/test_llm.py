"""The adapter against a scripted server: pieces, endings, failures in words, and the key."""

from __future__ import annotations

import logging
import socket
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms import MockLLM

from rag.errors import ModelError, SettingsError
from rag.llm import Ending, open_model, stream
from rag.prompts import Message
from rag.settings import Settings
from tests.scripted_server import MODEL, ScriptedServer

KEY = "sk-a-very-secret-key"
MESSAGES = (
    Message("system", "Answer from the excerpts."),
    Message(
        "user",
        "=== begin P1 ===\nName: Oak\nAbstract: Oak sorts leaves. It is quick.\n=== end P1 ===",
    ),
)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def settings(server: ScriptedServer, **changes: Any) -> Settings:
    values = {"model": MODEL, "api_key": KEY, "base_url": server.base_url, **changes}
    return Settings(**values)


def read(pieces: Generator[str, None, Ending]) -> tuple[list[str], Ending]:
    """All pieces and the ending."""
    got: list[str] = []
    while True:
        try:
            got.append(next(pieces))
        except StopIteration as stop:
            return got, stop.value


def ask(server: ScriptedServer, seconds: float = 20) -> tuple[str, Ending]:
    pieces, ending = read(stream(open_model(settings(server)), MESSAGES, seconds))
    return "".join(pieces), ending


def test_a_good_answer_streams_in_pieces_and_reports_its_usage(server: ScriptedServer) -> None:
    pieces, ending = read(stream(open_model(settings(server)), MESSAGES, 20))
    assert "".join(pieces) == "Oak sorts leaves [P1]."
    assert len(pieces) > 1
    assert (ending.complete, ending.error, ending.model) == (True, None, MODEL)
    assert (ending.prompt_tokens, ending.completion_tokens) == (11, 7)
    assert ending.first_seconds is not None
    assert 0 < ending.first_seconds <= ending.total_seconds


def test_the_request_carries_the_messages_the_model_and_the_key(server: ScriptedServer) -> None:
    ask(server)
    (asked,) = server.chats
    assert asked.body["model"] == MODEL
    assert asked.body["stream"] is True
    assert asked.body["messages"] == [
        {"role": "system", "content": MESSAGES[0].content},
        {"role": "user", "content": MESSAGES[1].content},
    ]
    assert asked.headers["authorization"] == f"Bearer {KEY}"


def test_nothing_in_the_environment_reaches_the_endpoint(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-environment-admin")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: environment\nAuthorization: environment")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    ask(server)
    assert "environment" not in repr(server.chats[0].headers)


def test_only_an_address_is_enough_and_the_only_model_is_used(server: ScriptedServer) -> None:
    llm = open_model(settings(server, model=None, api_key=None))
    read(stream(llm, MESSAGES, 20))
    assert server.chats[0].body["model"] == MODEL


def test_several_models_are_named_and_none_is_chosen(server: ScriptedServer) -> None:
    server.behave("several_models")
    with pytest.raises(SettingsError, match=r"3 models.*COLLOQUY_MODEL.*scripted-1, scripted-2"):
        open_model(settings(server, model=None))


def test_an_endpoint_without_models_is_a_settings_error(server: ScriptedServer) -> None:
    server.behave("no_models")
    with pytest.raises(SettingsError, match="lists no model"):
        open_model(settings(server, model=None))


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("401", "OPENAI_API_KEY"),
        ("404", r"does not list its models.*\(404\).*: set COLLOQUY_MODEL"),
    ],
)
def test_a_list_of_models_that_cannot_be_read_is_a_model_error(
    server: ScriptedServer, behaviour: str, words: str
) -> None:
    server.behave(behaviour)
    with pytest.raises(ModelError, match=words):
        open_model(settings(server, model=None))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"api_key": None, "base_url": None}, "No language model is set up"),
        ({"base_url": "localhost:8080"}, "no web address"),
        ({"api_key": "sk-two words"}, "a space or a character"),
        ({"api_key": "sk-a\nb"}, "a space or a character"),
    ],
)
def test_settings_that_cannot_work_are_told_before_any_request(
    server: ScriptedServer, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(SettingsError, match=words) as caught:
        open_model(settings(server, **changes))
    assert "sk-" not in str(caught.value)
    assert not server.requests


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("400", r"refused the request \(400\).*longer than the context"),
        ("401", r"refused the key \(401\).*OPENAI_API_KEY"),
        ("403", r"\(403\).*COLLOQUY_MODEL"),
        ("404", r"no model 'scripted-1'.*\(404\).*COLLOQUY_MODEL"),
        ("500", r"failed \(500\)"),
        ("429_long", r"too many requests \(429\).*in 600 seconds"),
        ("no_credit", "no credit"),
        ("content_filter", "content filter"),
        ("error_first", "graphics card is on fire"),
        ("broken_json", "not an event stream"),
        ("empty", "without writing anything"),
        ("blank", "without writing anything"),
        ("web_page", "without writing anything"),
        ("redirect", r"elsewhere \(307\).*OPENAI_BASE_URL"),
    ],
)
def test_a_failure_before_the_first_piece_is_a_sentence_with_its_remedy(
    server: ScriptedServer, behaviour: str, words: str
) -> None:
    server.behave(behaviour)
    with pytest.raises(ModelError, match=words) as caught:
        ask(server)
    assert str(caught.value).endswith(".")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("behaviour", "text", "words"),
    [
        ("cut", "It begins well", "broke the connection off"),
        ("no_finish", "Oak sorts leaves [P1].", "ended before the answer did"),
        ("length", "Oak sorts leaves [P1].", "length limit"),
        ("error_in_stream", "It begins well", "graphics card is on fire"),
    ],
)
def test_a_break_after_the_first_piece_keeps_the_text_and_says_why(
    server: ScriptedServer, behaviour: str, text: str, words: str
) -> None:
    server.behave(behaviour)
    got, ending = ask(server)
    assert got == text
    assert ending.complete is False
    assert ending.error is not None
    assert words in ending.error


@pytest.mark.parametrize("behaviour", ["hang_first", "hang_headers", "drip"])
def test_silence_ends_by_the_deadline_and_the_server_is_told(
    server: ScriptedServer, behaviour: str
) -> None:
    server.behave(behaviour)
    with pytest.raises(ModelError, match=r"within 0\.5 seconds|in time"):
        ask(server, 0.5)
    assert server.hung_up.wait(5)


def test_a_hang_in_the_middle_ends_by_the_deadline_and_keeps_the_text(
    server: ScriptedServer,
) -> None:
    server.behave("hang_middle")
    text, ending = ask(server, 0.5)
    assert text == "It begins well"
    assert ending.complete is False
    assert server.hung_up.wait(5)


def test_an_endless_answer_is_stopped(server: ScriptedServer) -> None:
    server.behave("endless")
    text, ending = ask(server, 30)
    assert ending.error is not None
    assert "was stopped after 40,000 characters" in ending.error
    assert len(text) < 50_000
    assert server.hung_up.wait(5)


def test_a_slow_but_steady_answer_ends_by_the_deadline(server: ScriptedServer) -> None:
    server.behave("good", answer="word " * 500, pause=0.05)
    text, ending = ask(server, 0.5)
    assert text.startswith("word")
    assert ending.complete is False


@pytest.mark.parametrize("behaviour", ["good", "hang_middle"])
def test_closing_the_stream_closes_the_request_upstream(
    server: ScriptedServer, behaviour: str
) -> None:
    server.behave(behaviour, answer="word " * 500, pause=0.01)
    pieces = stream(open_model(settings(server)), MESSAGES, 60)
    next(pieces)
    pieces.close()
    assert server.hung_up.wait(5)


def test_a_server_that_asks_to_wait_is_asked_again(server: ScriptedServer) -> None:
    server.behave("429_then_good")
    text, ending = ask(server)
    assert text == "Oak sorts leaves [P1]."
    assert ending.complete
    assert len(server.chats) == 2


def test_retries_are_bounded_and_not_multiplied(server: ScriptedServer) -> None:
    server.behave("500")
    with pytest.raises(ModelError):
        ask(server)
    assert len(server.chats) == 3


def test_a_wait_beyond_the_deadline_is_not_begun(server: ScriptedServer) -> None:
    server.behave("429_long")
    with pytest.raises(ModelError):
        ask(server)
    assert len(server.chats) == 1


def test_options_that_a_server_refuses_by_name_are_left_out(server: ScriptedServer) -> None:
    server.behave("picky")
    llm = open_model(settings(server))
    read(stream(llm, MESSAGES, 20))
    assert len(server.chats) == 3
    read(stream(llm, MESSAGES, 20))
    assert len(server.chats) == 4


def test_nothing_that_listens_is_said_with_the_address() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    llm = open_model(Settings(model=MODEL, base_url=f"http://127.0.0.1:{port}/v1"))
    with pytest.raises(ModelError, match=f"127.0.0.1:{port}/v1 cannot be reached: start"):
        next(stream(llm, MESSAGES, 20))


def test_an_unknown_host_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    llm = open_model(Settings(model=MODEL, base_url="http://no-such-host.invalid/v1"))
    with pytest.raises(ModelError, match=r"'no-such-host\.invalid', which is not known"):
        next(stream(llm, MESSAGES, 20))


def test_the_key_stays_out_of_messages_reprs_and_logs(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.behave("echo_key")
    llm = open_model(settings(server))
    with pytest.raises(ModelError, match=r"\*\*\*") as caught:
        next(stream(llm, MESSAGES, 20))
    shown = [str(caught.value), repr(llm), str(llm.to_dict()), llm.model_dump_json(), caplog.text]
    shown += [repr(caught.getrepr(style="long", showlocals=True))]
    assert not any(KEY in text for text in shown)
    assert caught.value.__cause__ is None


def test_a_redirect_never_carries_the_key_to_another_host(server: ScriptedServer) -> None:
    with ScriptedServer() as other:
        server.behave("redirect")
        server.forward_to = other.base_url
        with pytest.raises(ModelError):
            ask(server)
        assert not other.requests


def test_a_password_in_the_address_is_not_repeated(server: ScriptedServer) -> None:
    server.behave("500")
    url = server.base_url.replace("http://", "http://someone:hidden@")
    with pytest.raises(ModelError) as caught:
        next(stream(open_model(settings(server, base_url=url)), MESSAGES, 20))
    assert "hidden" not in str(caught.value)


def test_any_llama_index_llm_streams() -> None:
    pieces, ending = read(stream(MockLLM(max_tokens=4), MESSAGES, 20))
    assert "".join(pieces) == "text text text text"
    assert ending.complete
    assert ending.prompt_tokens is None


class Broken(MockLLM):
    """An LLM of another vendor that fails with an error of its own."""

    after: int = 0

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    def stream_chat(self, messages: Any, **_: Any) -> Any:
        for _number in range(self.after):
            yield ChatResponse(message=ChatMessage(role="assistant", content="a"), delta="a")
        raise RuntimeError("out of memory")


def test_a_foreign_failure_becomes_a_model_error() -> None:
    with pytest.raises(ModelError, match=r"RuntimeError \(out of memory\)"):
        next(stream(Broken(0), MESSAGES, 20))


def test_a_foreign_failure_in_the_middle_ends_incomplete() -> None:
    pieces, ending = read(stream(Broken(3), MESSAGES, 20))
    assert "".join(pieces) == "aaa"
    assert ending.error is not None
    assert "out of memory" in ending.error


def test_the_llama_index_ways_in_give_the_same_text(server: ScriptedServer) -> None:
    server.behave("good", answer="Oak sorts leaves.")
    llm = open_model(settings(server))
    message = ChatMessage(role="user", content="What does Oak do?")
    assert llm.chat([message]).message.content == "Oak sorts leaves."
    assert llm.complete("What does Oak do?").text == "Oak sorts leaves."
    assert list(llm.stream_complete("Oak?"))[-1].text == "Oak sorts leaves."
    assert "".join(part.delta or "" for part in llm.stream_chat([message])) == "Oak sorts leaves."
