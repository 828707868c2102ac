"""Conversations as the browser keeps them, and files that the reader takes along."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from rag.types import Usage
from tests.browser.scripted_assistant import (
    HOSTILE,
    ScriptedAssistant,
    answer_about_tarnis,
    answer_that_is_hostile,
    hostile_paper,
    made_up_papers,
)
from ui.export_answer import answer_parcel, papers_parcel
from ui.keeping import kept_exchange, read_exchanges
from ui.saving import wished_parcel
from ui.talk import Exchange, compared


def without_raw(exchange: Exchange) -> Exchange:
    answer = exchange.answer
    assert answer is not None
    bare = {paper.id: replace(paper, raw="") for paper in made_up_papers()}
    return replace(
        exchange,
        answer=replace(
            answer,
            citations=tuple(replace(c, paper=bare[c.paper.id]) for c in answer.citations),
            papers=tuple(bare[paper.id] for paper in answer.papers),
        ),
    )


def test_what_was_kept_reads_back_as_it_was() -> None:
    usage = Usage("tidal-7b", 100, None, 0.5, 2.5)
    answer = replace(answer_about_tarnis(made_up_papers()), usage=usage)
    exchanges = (
        Exchange("What is TARNIS?", answer.text, answer, searched=3),
        Exchange("slow?", "So far", stopped=True),
        Exchange("broken?", failure="The endpoint failed."),
    )
    text = json.dumps([kept_exchange(exchange) for exchange in exchanges])
    assert read_exchanges(text) == (without_raw(exchanges[0]), *exchanges[1:])


def test_an_exchange_that_was_never_finished_reads_back_as_stopped() -> None:
    (read,) = read_exchanges('[{"question": "What?", "text": ""}]')
    assert read.stopped


def test_a_paper_is_kept_once_and_without_its_raw_text() -> None:
    kept = kept_exchange(Exchange("What?", answer=answer_about_tarnis(made_up_papers())))
    assert sorted(kept["known"]) == ["paper-1", "paper-2"]
    assert json.dumps(kept).count("Serving many small models") == 1


def broken(change: Any) -> str:
    kept = kept_exchange(Exchange("What?", answer=answer_about_tarnis(made_up_papers())))
    change(kept)
    return json.dumps([kept])


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "5",
        "[5]",
        "[{}]",
        broken(lambda kept: kept.pop("known")),
        broken(lambda kept: kept["answer"]["citations"][0].update(paper="gone")),
        broken(lambda kept: kept["answer"]["claims"][0].update(citations=[99])),
        broken(lambda kept: kept["answer"].pop("text")),
    ],
)
def test_what_is_no_conversation_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_exchanges(text)


def test_an_answer_is_saved_as_markdown_with_its_quotes_and_doubts() -> None:
    answer = answer_about_tarnis(made_up_papers())
    parcel = answer_parcel("markdown", "And what is it?", answer)
    assert parcel.name == "And-what-is-it.md"
    assert parcel.text.startswith("# And what is it?\n\nUnderstood as: What is TARNIS?")
    assert "> TARNIS lowers the median delay by 41% on three public traces." in parcel.text
    assert "Not supported: “TARNIS also halves the radio time”" in parcel.text


def test_an_answer_is_saved_as_json_and_its_papers_as_bibtex() -> None:
    answer = answer_about_tarnis(made_up_papers())
    assert json.loads(answer_parcel("json", "What?", answer).text) == answer.to_dict()
    assert answer_parcel("bibtex", "What?", answer).text.count("@inproceedings{") == 2


def test_selected_papers_are_saved_in_the_order_of_the_index() -> None:
    assistant = ScriptedAssistant()
    wanted = {"form": "bibtex", "papers": ["paper-3", "paper-1", "gone"]}
    parcel = wished_parcel(assistant, wanted, ())
    assert parcel == papers_parcel("bibtex", (assistant.known[0], assistant.known[2]))
    assert parcel.name == "2-papers.bib"
    assert wished_parcel(assistant, {"form": "json", "papers": ["gone"]}, ()) is None
    assert wished_parcel(assistant, {"form": "json", "number": 0}, ()) is None


def test_a_file_name_is_harmless_whatever_was_asked() -> None:
    name = answer_parcel("json", HOSTILE, answer_that_is_hostile(hostile_paper())).name
    assert not set(name) & set("/\\<>:\"'|?* ")
    assert (
        answer_parcel("json", "???", answer_about_tarnis(made_up_papers())).name == "colloquy.json"
    )


def test_papers_are_compared_where_the_assistant_can() -> None:
    assistant = ScriptedAssistant()
    exchange = compared(assistant, ["paper-1", "paper-2", "gone"])
    assert exchange is not None
    assert exchange.question == "Compare TARNIS and Quiet Gradients."
    assert exchange.answer is not None
    assert "| TARNIS |" in exchange.answer.text
