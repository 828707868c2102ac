"""Integrations of LlamaIndex as `llm=`: Ollama and LM Studio, against a scripted server."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import pytest
from llama_index.core.llms.llm import LLM

from rag import Assistant
from rag.errors import ModelError
from rag.llm import context_window, stream
from rag.prompts import Message
from rag.settings import Settings
from rag.types import Answer
from tests.papers import ORCHID
from tests.scripted_ollama import CONTEXT
from tests.scripted_server import MODEL, ScriptedServer
from tests.streams import read

pytestmark = pytest.mark.skipif(
    find_spec("ollama") is None or find_spec("llama_index.llms") is None,
    reason="needs llama-index-llms-ollama and llama-index-llms-lmstudio",
)
QUESTION = "How much memory does ORCHID save on BENZO-40?"
GOOD = "ORCHID cuts peak memory by 37% on BENZO-40 [P1]."


Maker = Callable[[ScriptedServer], LLM]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def ollama() -> Iterator[Maker]:
    from llama_index.llms.ollama import Ollama
    from ollama import Client

    with ExitStack() as closing:

        def make(server: ScriptedServer) -> LLM:
            address = server.base_url.removesuffix("/v1")
            client = closing.enter_context(Client(host=address))
            made: LLM = Ollama(model=MODEL, base_url=address, client=client)
            return made

        yield make


@pytest.fixture(params=["Ollama", "LM Studio"])
def make(request: pytest.FixtureRequest, ollama: Maker) -> Maker:
    """How the model of an integration is made."""
    from llama_index.llms.lmstudio import LMStudio

    def lm_studio(server: ScriptedServer) -> LLM:
        made: LLM = LMStudio(model_name=MODEL, base_url=server.base_url)
        return made

    return ollama if request.param == "Ollama" else lm_studio


def test_an_answer_streams_and_is_checked(
    server: ScriptedServer, small_index: Path, make: Maker
) -> None:
    server.behave("good", answer=f"{GOOD} It cuts peak memory by 73% [P1].")
    with Assistant.open(small_index, llm=make(server), settings=Settings()) as assistant:
        *pieces, answer = assistant.stream(QUESTION)
        assert assistant.about().model == MODEL
    assert isinstance(answer, Answer)
    assert len(pieces) > 5
    assert "".join(map(str, pieces)) == answer.text
    assert [claim.support for claim in answer.claims] == ["supported", "unsupported"]
    assert answer.citations[0].quote in ORCHID
    assert answer.usage is not None
    assert answer.usage.model == MODEL


def test_an_answer_comes_inside_a_running_event_loop_too(
    server: ScriptedServer, small_index: Path, make: Maker
) -> None:
    """As in a notebook."""
    server.behave("good", answer=GOOD)
    with Assistant.open(small_index, llm=make(server), settings=Settings()) as assistant:

        async def run() -> Answer:
            return assistant.ask(QUESTION)

        assert asyncio.run(run()).claims[0].support == "supported"


def test_the_context_and_the_tokens_that_an_integration_tells_are_used(
    server: ScriptedServer, ollama: Maker
) -> None:
    server.behave("good", answer=GOOD)
    assert context_window(ollama(server)) == CONTEXT
    _, ending = read(stream(ollama(server), [Message("user", "Oak?")], 20))
    assert (ending.complete, ending.usage.prompt_tokens) == (True, 11)


def test_an_answer_that_reached_its_length_is_marked_as_cut(
    server: ScriptedServer, ollama: Maker
) -> None:
    server.behave("length", answer="ORCHID cuts")
    text, ending = read(stream(ollama(server), [Message("user", "Oak?")], 20))
    assert "".join(text) == "ORCHID cuts"
    assert ending.error is not None
    assert "length limit" in ending.error


def test_closing_the_stream_closes_the_request(server: ScriptedServer, make: Maker) -> None:
    server.behave("good", answer="word " * 500, pause=0.01)
    pieces = stream(make(server), [Message("user", "Oak?")], 60)
    next(pieces)
    pieces.close()
    assert server.hung_up.wait(5)


def test_a_server_that_is_not_there_is_a_model_error(small_index: Path, make: Maker) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    class Gone(ScriptedServer):
        base_url = f"http://127.0.0.1:{port}/v1"

    with (
        Assistant.open(small_index, llm=make(Gone()), settings=Settings()) as assistant,
        pytest.raises(ModelError, match=r"failed with \w+"),
    ):
        assistant.ask(QUESTION)
