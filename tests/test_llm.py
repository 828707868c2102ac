"""A model's stream: pieces, thoughts left out, endings, deadlines, and how it is opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata
from llama_index.core.llms import MockLLM

from rag.errors import ModelError, SettingsError
from rag.llm import Ending, context_window, open_model, stream
from rag.prompts import Message
from rag.settings import Settings
from tests.scripted_server import MODEL, ScriptedServer
from tests.streams import read

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
    values = {"model": MODEL, "api_key": "sk-key", "base_url": server.base_url, **changes}
    return Settings(**values)


def ask(server: ScriptedServer, seconds: float = 20) -> tuple[str, Ending]:
    pieces, ending = read(stream(open_model(settings(server)), MESSAGES, seconds))
    return "".join(pieces), ending


def test_a_good_answer_streams_in_pieces_and_reports_its_usage(server: ScriptedServer) -> None:
    pieces, ending = read(stream(open_model(settings(server)), MESSAGES, 20))
    assert "".join(pieces) == "Oak sorts leaves [P1]."
    assert len(pieces) > 1
    assert (ending.complete, ending.error, ending.usage.model) == (True, None, MODEL)
    assert (ending.usage.prompt_tokens, ending.usage.completion_tokens) == (11, 7)
    assert ending.usage.first_seconds is not None
    assert 0 < ending.usage.first_seconds <= ending.usage.total_seconds


def test_only_an_address_is_enough_and_the_only_model_is_used(server: ScriptedServer) -> None:
    llm = open_model(settings(server, model=None, api_key=None))
    read(stream(llm, MESSAGES, 20))
    assert server.chats[0].body["model"] == MODEL


def test_several_models_are_named_and_none_is_chosen(server: ScriptedServer) -> None:
    server.models = [{"id": name} for name in ("scripted-1", "scripted-3", "scripted-2")]
    with pytest.raises(SettingsError, match=r"3 models.*COLLOQUY_MODEL.*scripted-1, scripted-2"):
        open_model(settings(server, model=None))


def test_an_endpoint_without_models_is_a_settings_error(server: ScriptedServer) -> None:
    server.models = []
    with pytest.raises(SettingsError, match="lists no model"):
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


def test_any_llama_index_llm_streams() -> None:
    pieces, ending = read(stream(MockLLM(max_tokens=4), MESSAGES, 20))
    assert "".join(pieces) == "text text text text"
    assert ending.complete
    assert ending.usage.prompt_tokens is None


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


@pytest.mark.parametrize(
    "answer",
    [
        "<think>Which tree?\nOak.</think>\n\nOak sorts leaves [P1].",
        "\n<think></think><thinking>Hm.</thinking> Oak sorts leaves [P1].",
        "[THINK]Oak, no doubt.[/THINK]Oak sorts leaves [P1].",
    ],
)
def test_thoughts_are_left_out_of_the_text(server: ScriptedServer, answer: str) -> None:
    server.behave("good", answer=answer)
    text, ending = ask(server)
    assert text == "Oak sorts leaves [P1]."
    assert ending.complete


def test_an_answer_that_was_all_thoughts_is_an_error_in_words(server: ScriptedServer) -> None:
    server.behave("good", answer="<think>Which tree could it be?")
    with pytest.raises(ModelError, match="wrote down its thoughts and then no answer"):
        ask(server)


def test_thoughts_that_ran_into_the_length_limit_are_told_as_that(server: ScriptedServer) -> None:
    server.behave("length", answer="<think>Which tree could it be?")
    with pytest.raises(ModelError, match="length limit"):
        ask(server)


def test_long_thoughts_do_not_count_as_a_runaway_answer(server: ScriptedServer) -> None:
    script = f"<think>{'hm ' * 20_000}</think>Oak sorts leaves."
    pieces, ending = read(stream(Scripted(script), MESSAGES, 20))
    assert "".join(pieces) == "Oak sorts leaves."
    assert ending.complete


class Scripted(MockLLM):
    """An LLM of another vendor that says what it was given, and tells how much it takes."""

    script: str = ""
    window: int | None = None

    def __init__(self, script: str, window: int | None = None) -> None:
        super().__init__()
        self.script = script
        self.window = window

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata() if self.window is None else LLMMetadata(context_window=self.window)

    def stream_chat(self, messages: Any, **_: Any) -> Any:
        for start in range(0, len(self.script), 1000):
            delta = self.script[start : start + 1000]
            yield ChatResponse(message=ChatMessage(role="assistant", content=""), delta=delta)


def test_the_context_window_is_known_only_where_the_metadata_gives_it() -> None:
    assert context_window(Scripted("", window=4096)) == 4096
    assert context_window(Scripted("")) is None


def test_the_context_window_of_the_only_listed_model_is_kept(server: ScriptedServer) -> None:
    server.models = [{"id": MODEL, "max_model_len": 4096}]
    assert context_window(open_model(settings(server, model=None))) == 4096
    assert context_window(open_model(settings(server))) is None
