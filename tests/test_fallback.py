"""Where nothing that a model wrote is carried, the papers' own sentences stand beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag import Assistant
from rag.settings import Settings
from rag.types import Answer
from tests.scripted_server import MODEL, ScriptedServer
from ui.chat import answer_html
from ui.terminal import readable

QUESTION = "How much memory does ORCHID save on BENZO-40?"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def ask(server: ScriptedServer, index: Path, answer: str) -> Answer:
    server.behave("good", answer=answer)
    settings = Settings(model=MODEL, api_key="sk-key", base_url=server.base_url)
    with Assistant.open(index, settings=settings) as assistant:
        return assistant.ask(QUESTION)


def test_nothing_supported_offers_the_papers_own_sentences(
    server: ScriptedServer, small_index: Path
) -> None:
    answer = ask(server, small_index, "ORCHID cuts peak memory by 73% on BENZO-40 [P1].")
    assert [claim.support for claim in answer.claims] == ["unsupported"]
    assert answer.fallback is not None
    assert (answer.fallback.mode, answer.fallback.question) == ("extractive", answer.question)
    assert "37%" in answer.fallback.text
    assert "37%" not in answer.text
    assert any("stand beside it" in warning for warning in answer.warnings)
    assert json.loads(json.dumps(answer.to_dict()))["fallback"]["mode"] == "extractive"


def test_the_faces_label_the_papers_own_sentences(
    server: ScriptedServer, small_index: Path
) -> None:
    answer = ask(server, small_index, "ORCHID cuts peak memory by 73% on BENZO-40 [P1].")
    assert "In the papers' own sentences:" in readable(answer)
    html = answer_html(1, answer)
    assert "own sentences, without the model" in html
    assert "37%" in html


@pytest.mark.parametrize(
    "text",
    [
        "It cuts peak memory by 37% on BENZO-40 [P1]. It cuts peak memory by 73% [P1].",
        "The abstract does not say how much memory it saves [NOT STATED].",
    ],
)
def test_an_answer_that_holds_or_says_that_nothing_is_stated_stands_alone(
    server: ScriptedServer, small_index: Path, text: str
) -> None:
    answer = ask(server, small_index, text)
    assert answer.fallback is None
    assert not any("stand beside it" in warning for warning in answer.warnings)
