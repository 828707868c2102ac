"""The library's list and the example questions."""

from __future__ import annotations

from dataclasses import replace

from rag.types import Paper
from tests.browser.scripted_assistant import made_up_papers
from ui.examples import example_questions
from ui.library import library_html, matching


def test_every_word_typed_must_occur_and_titles_come_first() -> None:
    papers = made_up_papers()
    assert [p.id for p in matching(papers, "sparse updates")] == ["paper-2", "paper-3"]
    assert matching(papers, "SPARSE zebra") == ()
    assert matching(papers, "  ") == papers


def test_case_and_accents_do_not_matter() -> None:
    paper = replace(made_up_papers()[0], authors=("Zoë Müller",))
    assert matching((paper,), "zoe MULLER") == (paper,)


def test_the_list_says_how_many_are_shown_of_how_many() -> None:
    papers = made_up_papers()
    assert "3 papers, the first 2 shown" in library_html(papers[:2], 3, 3, "")
    assert "2 of 3 papers hold these words" in library_html(papers[:2], 2, 3, "sparse")
    assert "holds no papers" in library_html((), 0, 0, "")


def test_examples_name_what_the_index_holds() -> None:
    questions = example_questions(made_up_papers())
    assert "What is TARNIS?" in questions
    assert "Which papers study sparse updates?" in questions
    assert len(questions) <= 4
    assert questions == example_questions(made_up_papers())


def test_papers_without_names_or_topics_still_give_a_question() -> None:
    paper = Paper("p", "On rivers", "given", "Rivers flow.", "Rivers flow.")
    assert example_questions((paper,)) == ("What does “On rivers” propose?",)
    assert example_questions(()) == ()
