"""The repair round: a model is shown once what failed, and only a better answer is taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rag import Assistant
from rag.settings import Settings, read_settings
from rag.types import Answer
from tests.scripted_server import MODEL, ScriptedServer
from ui.cli import main

QUESTION = "How much memory does ORCHID save on BENZO-40?"
GOOD = "ORCHID cuts peak memory by 37% on BENZO-40 [P1]."
BAD = "ORCHID cuts peak memory by 73% on BENZO-40 [P1]."
MIXED = f"{GOOD} It was trained on nine planets [P1]."


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def settings(server: ScriptedServer) -> Settings:
    return Settings(model=MODEL, base_url=server.base_url, price=(1.0, 1.0), repair=True)


def ask(server: ScriptedServer, index: Path, *answers: str) -> Answer:
    server.answers = list(answers)
    with Assistant.open(index, settings=settings(server)) as assistant:
        return assistant.ask(QUESTION)


def test_a_better_second_answer_takes_the_place_of_the_first(
    server: ScriptedServer, small_index: Path
) -> None:
    answer = ask(server, small_index, BAD, GOOD)
    assert "37%" in answer.text
    assert [claim.support for claim in answer.claims] == ["supported"]
    assert answer.fallback is None
    assert any("it was shown them and wrote this one" in each for each in answer.warnings)
    assert answer.usage is not None
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (22, 14)
    assert answer.usage.cost == pytest.approx(36e-6)
    assert answer.usage.first_seconds is not None
    assert answer.usage.first_seconds < answer.usage.total_seconds


def test_the_model_is_shown_its_answer_and_what_failed_with_the_reason(
    server: ScriptedServer, small_index: Path
) -> None:
    ask(server, small_index, BAD, GOOD)
    first, second = (asked.body["messages"] for asked in server.chats)
    assert second[:2] == first
    assert second[2] == {"role": "assistant", "content": BAD}
    assert "“ORCHID cuts peak memory by 73% on BENZO-40”" in second[3]["content"]
    assert "37%" in second[3]["content"]


@pytest.mark.parametrize("second", [BAD, "Nothing to see here [NOT STATED]."])
def test_an_answer_that_is_no_better_is_not_taken(
    server: ScriptedServer, small_index: Path, second: str
) -> None:
    answer = ask(server, small_index, MIXED, second)
    assert answer.text.startswith("ORCHID cuts peak memory by 37%")
    assert len(answer.claims) == 2
    assert any("did no better" in warning for warning in answer.warnings)
    assert answer.usage is not None
    assert answer.usage.prompt_tokens == 22


def test_a_model_that_fails_the_second_time_leaves_the_first_answer(
    server: ScriptedServer, small_index: Path
) -> None:
    answer = ask(server, small_index, BAD, " ")
    assert "73%" in answer.text
    assert any("could not write it again" in warning for warning in answer.warnings)
    assert answer.fallback is not None


@pytest.mark.parametrize("answer", [GOOD, "It does not say that [NOT STATED]."])
def test_an_answer_that_holds_is_asked_for_once(
    server: ScriptedServer, small_index: Path, answer: str
) -> None:
    ask(server, small_index, answer)
    assert len(server.chats) == 1


def test_a_model_is_asked_twice_at_most(server: ScriptedServer, small_index: Path) -> None:
    server.answer = BAD
    ask(server, small_index)
    assert len(server.chats) == 2


def test_what_is_streamed_stays(server: ScriptedServer, small_index: Path) -> None:
    server.answers = [BAD, GOOD]
    with Assistant.open(small_index, settings=settings(server)) as assistant:
        *pieces, answer = assistant.stream(QUESTION)
    assert isinstance(answer, Answer)
    assert "".join(map(str, pieces)) == answer.text
    assert "73%" in answer.text
    assert len(server.chats) == 1


def test_it_is_off_unless_it_is_wished(server: ScriptedServer, small_index: Path) -> None:
    assert not read_settings({}).repair
    assert read_settings({"COLLOQUY_REPAIR": "1"}).repair
    server.answers = [BAD, GOOD]
    with Assistant.open(small_index, settings=replace(settings(server), repair=False)) as assistant:
        assert "73%" in assistant.ask(QUESTION).text


def test_the_command_repairs_on_wish(
    server: ScriptedServer,
    small_index: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.answers = [BAD, GOOD]
    assert main(["ask", QUESTION, "--repair", "--index", str(small_index)]) == 0
    assert "37%" in capsys.readouterr().out
