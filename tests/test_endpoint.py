"""The endpoint against a scripted server: what is sent, tried again and told, and the key."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage

from rag.endpoint import Endpoint, Listed, listed_models
from rag.errors import ModelError
from rag.llm import Ending, open_model, stream
from rag.prompts import Message
from rag.settings import Settings
from tests.scripted_server import MODEL, ScriptedServer
from tests.streams import read

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


def ask(server: ScriptedServer, seconds: float = 20) -> tuple[str, Ending]:
    pieces, ending = read(stream(open_model(settings(server)), MESSAGES, seconds))
    return "".join(pieces), ending


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


def test_the_llama_index_ways_in_give_the_same_text(server: ScriptedServer) -> None:
    server.behave("good", answer="Oak sorts leaves.")
    llm = open_model(settings(server))
    message = ChatMessage(role="user", content="What does Oak do?")
    assert llm.chat([message]).message.content == "Oak sorts leaves."
    assert llm.complete("What does Oak do?").text == "Oak sorts leaves."
    assert list(llm.stream_complete("Oak?"))[-1].text == "Oak sorts leaves."
    assert "".join(part.delta or "" for part in llm.stream_chat([message])) == "Oak sorts leaves."


@pytest.mark.parametrize(
    ("fields", "window"),
    [
        ({}, None),
        ({"max_model_len": 8192}, 8192),
        ({"meta": {"n_ctx": 1536, "n_ctx_train": 8192}}, 1536),
        ({"meta": None, "context_length": 32768}, 32768),
        ({"max_model_len": 0}, None),
        ({"max_model_len": "many"}, None),
    ],
)
def test_a_listed_model_tells_its_context_window_if_the_server_does(
    server: ScriptedServer, fields: dict[str, Any], window: int | None
) -> None:
    server.models = [{"id": "b", **fields}, {"id": "a"}]
    listed = listed_models(Endpoint(server.base_url, KEY))
    assert listed == [Listed("a", None), Listed("b", window)]
