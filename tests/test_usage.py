"""What an answer took, what it cost, and whether the endpoint works at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag import Assistant
from rag.doctor import Finding, examine
from rag.settings import Settings
from rag.types import Usage
from tests.scripted_server import MODEL, ScriptedServer
from ui.terminal import readable
from ui.usage import usage_line


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def test_a_usage_is_told_in_a_line() -> None:
    told = usage_line(Usage("m", 1200, 34, 0.25, 1.5, 0.0002))
    assert told == "m · 1,200 + 34 tokens · first words after 0.2 s · 1.5 s in all · cost 0.0002"
    assert usage_line(Usage("m", None, None, None, 2.0)) == "m · 2.0 s in all"


@pytest.mark.parametrize(("price", "cost"), [((2.0, 10.0), (11 * 2 + 7 * 10) / 1e6), (None, None)])
def test_an_answer_costs_what_its_tokens_cost(
    server: ScriptedServer,
    small_index: Path,
    price: tuple[float, float] | None,
    cost: float | None,
) -> None:
    settings = Settings(model=MODEL, base_url=server.base_url, price=price)
    with Assistant.open(small_index, settings=settings) as assistant:
        answer = assistant.ask("What is ORCHID?")
    assert answer.usage is not None
    assert answer.usage.cost == cost
    assert ("cost" in readable(answer)) == (cost is not None)


def endpoint(index: Path, settings: Settings) -> Finding:
    return next(f for f in examine(index, settings) if f.subject in ("model endpoint", "answers"))


def test_doctor_asks_the_endpoint_for_a_word(server: ScriptedServer, small_index: Path) -> None:
    server.behave("good", answer="ready")
    found = endpoint(small_index, Settings(base_url=server.base_url))
    assert found.sound
    assert MODEL in found.text
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    ("behaviour", "remedy"), [("401", "OPENAI_API_KEY"), ("empty", "ask again"), ("cut", "log")]
)
def test_doctor_says_what_to_do_about_an_endpoint_that_fails(
    server: ScriptedServer, small_index: Path, behaviour: str, remedy: str
) -> None:
    server.behave(behaviour)
    settings = Settings(model=MODEL, api_key="sk-secret", base_url=server.base_url)
    found = endpoint(small_index, settings)
    assert not found.sound
    assert remedy in found.remedy
    assert "sk-secret" not in found.text + found.remedy


def test_doctor_without_an_endpoint_says_that_answers_are_quotes(small_index: Path) -> None:
    assert "extractive" in endpoint(small_index, Settings()).text
