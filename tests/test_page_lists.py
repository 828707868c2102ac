"""The library: what words and filters find, in which order; the example questions."""

from __future__ import annotations

from dataclasses import replace

from rag.types import Paper
from tests.browser.scripted_assistant import made_up_papers
from ui.catalogue import Wish, catalogue_of, folded, matching
from ui.examples import example_questions
from ui.library import library_html, paper_page_html


def ids(papers: tuple[Paper, ...], wish: Wish) -> list[str]:
    return [paper.id for paper in matching(catalogue_of(papers), wish)]


def varied_papers() -> tuple[Paper, ...]:
    one, two, three = made_up_papers()
    return (
        replace(one, year=2030, venue="North", keywords=("routing", "memory")),
        replace(two, year=2031, venue="South", keywords=("memory",), source="other.txt"),
        replace(three, year=None, venue="South"),
    )


def test_every_word_typed_must_occur_and_titles_come_first() -> None:
    papers = made_up_papers()
    assert ids(papers, Wish("sparse updates")) == ["paper-2", "paper-3"]
    assert ids(papers, Wish("SPARSE zebra")) == []
    assert ids(papers, Wish("  ")) == ["paper-1", "paper-2", "paper-3"]


def test_case_and_accents_do_not_matter() -> None:
    paper = replace(made_up_papers()[0], authors=("Zoë Müller",))
    assert ids((paper,), Wish("zoe MULLER")) == ["paper-1"]
    assert folded("Žluťoučký ＫŮŇ") == "zlutoucky kun"


def test_filters_narrow_by_the_fields_that_are_there() -> None:
    papers = varied_papers()
    assert ids(papers, Wish(filters={"venue": "South"})) == ["paper-2", "paper-3"]
    assert ids(papers, Wish(filters={"year": "2031", "keyword": "memory"})) == ["paper-2"]
    assert ids(papers, Wish("sparse", {"source": "other.txt"})) == ["paper-2"]


def test_a_filter_offers_what_tells_papers_apart_and_nothing_else() -> None:
    choices = catalogue_of(varied_papers()).choices
    assert choices["year"] == ("2031", "2030")
    assert choices["venue"] == ("North", "South")
    assert choices["keyword"] == ("memory", "routing")
    assert catalogue_of(made_up_papers()).choices["year"] == ()


def test_the_list_is_ordered_as_wished() -> None:
    papers = varied_papers()
    assert ids(papers, Wish(order="Title")) == ["paper-3", "paper-2", "paper-1"]
    assert ids(papers, Wish(order="Newest first")) == ["paper-2", "paper-1", "paper-3"]
    assert ids(papers, Wish("updates", order="As listed")) == ["paper-2", "paper-3"]


def test_the_catalogue_of_an_index_is_made_once() -> None:
    papers = made_up_papers()
    assert catalogue_of(papers) is catalogue_of(papers)
    assert catalogue_of(made_up_papers()) is not catalogue_of(papers)


def test_the_list_says_how_many_are_shown_of_how_many() -> None:
    papers = made_up_papers()
    assert "3 papers, the first 2 shown" in library_html(papers[:2], 3, 3, narrowed=False)
    assert "2 of 3 papers fit" in library_html(papers[:2], 2, 3, narrowed=True)
    assert "holds no papers" in library_html((), 0, 0, narrowed=False)


def test_a_paper_page_holds_all_that_is_known_and_the_nearest_papers() -> None:
    paper = replace(made_up_papers()[0], keywords=("routing",), url="https://papers.example/1")
    page = paper_page_html(paper, made_up_papers()[1:])
    for part in (
        "Ada Quill",
        "Made-up Conference",
        "2031",
        "routing",
        'href="#save-bibtex-paper-1"',
    ):
        assert part in page
    assert 'href="https://papers.example/1"' in page
    assert 'href="#paper-paper-2"' in page
    assert "What does “TARNIS” propose?" in page


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
