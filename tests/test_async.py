"""The model's async methods: they do not block the loop, and stopping stops the server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.llm import LLM

from rag.errors import ModelError
from rag.llm import open_model
from rag.settings import Settings
from tests.scripted_server import MODEL, ScriptedServer

ASKED = ChatMessage(
    role="user", content="=== begin P1 ===\nName: Oak\nAbstract: Oak sorts leaves.\n=== end P1 ==="
)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def model(server: ScriptedServer) -> LLM:
    return open_model(Settings(model=MODEL, api_key="sk-key", base_url=server.base_url))


def test_an_answer_is_awaited_whole_or_in_pieces(server: ScriptedServer) -> None:
    async def run() -> tuple[str, list[str], str]:
        llm = model(server)
        whole = (await llm.achat([ASKED])).message.content or ""
        pieces = [part.delta or "" async for part in await llm.astream_chat([ASKED])]
        return whole, pieces, (await llm.acomplete(str(ASKED.content))).text

    whole, pieces, completed = asyncio.run(run())
    assert whole == "".join(pieces) == completed == "Oak sorts leaves [P1]."
    assert len([piece for piece in pieces if piece]) > 1


def test_other_tasks_run_while_an_answer_is_awaited(server: ScriptedServer) -> None:
    server.behave("good", answer="word " * 30, pause=0.01)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def run() -> None:
        counting = asyncio.create_task(count())
        await model(server).achat([ASKED])
        counting.cancel()

    asyncio.run(run())
    assert turns > 30


def test_cancelling_closes_the_request_upstream(server: ScriptedServer) -> None:
    server.behave("hang_middle")

    async def run() -> None:
        async for part in await model(server).astream_chat([ASKED]):
            if part.delta:
                raise TimeoutError

    with pytest.raises(TimeoutError):
        asyncio.run(run())
    assert server.hung_up.wait(5)


def test_a_failure_is_raised_where_it_is_awaited(server: ScriptedServer) -> None:
    server.behave("401")
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        asyncio.run(model(server).achat([ASKED]))
