"""Names by which a question can call papers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.names import MOST_OWNERS, Names, named_papers, paper_names
from rag.types import Paper


def paper(name: str, title: str, abstract: str = "", *names: str) -> Paper:
    return Paper(name, title, "given", abstract, abstract, names=names)


PAPERS = (
    paper("orchid", "ORCHID: Packing Molecules", "ORCHID packs. Lanterns and scales differ."),
    paper("tide", "Tides of Weather", "We introduce TidePool-v2.", "TidePool-v2"),
    paper("sam1", "SAM: One Sense", "SAM is short."),
    paper("sam2", "SAM: Another Sense", "SAM has two senses."),
    paper("flow", "Flow Graphs: Maps of Rivers", "Rivers flow."),
    paper("long", "A Title of Very Many Words That Nobody Types", "Long."),
    paper("scale", "SCALE: Weights", "SCALE weighs."),
    paper("qwerty", "QWERTY4: A Keyboard", "QWERTY4 types."),
    paper("plain", "Oaken: A Tree", "Oaken grows."),
)
NAMES = paper_names(PAPERS)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is ORCHID?", ("orchid",)),
        ("what is orchid", ("orchid",)),
        ("How do tidepool-v2 and Orchid differ?", ("tide", "orchid")),
        ("What does SAM mean?", ("sam1", "sam2")),
        ("Do flow graphs help?", ("flow",)),
        ("What does “Tides of Weather” say?", ("tide",)),
        ("What is graph flow?", ()),
        ("", ()),
    ],
)
def test_papers_are_named_in_any_case_and_in_order(
    question: str, expected: tuple[str, ...]
) -> None:
    assert named_papers(question, NAMES) == expected


@pytest.mark.parametrize(
    "typed",
    ["orchd", "orrchid", "orchyd", "ocrhid", "ORCHIDX", "rchid", "tidepol-v2", "tidepoolv2"],
)
def test_a_coined_name_is_found_with_one_slip(typed: str) -> None:
    expected = "tide" if typed.startswith("tide") else "orchid"
    assert named_papers(f"what is {typed}", NAMES) == (expected,)


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("orhd", "two slips"),
        ("sm", "a short name"),
        ("orchids", "a plural"),
        ("scales", "a word of the papers"),
        ("qwerty5", "another number"),
        ("tidepool-v3", "another number"),
        ("oakem", "no coined name"),
    ],
)
def test_what_is_no_slip_names_nothing(typed: str, reason: str) -> None:
    assert named_papers(f"what is {typed}", NAMES) == (), reason


def test_a_word_that_exists_is_no_slip_even_where_a_name_is_near() -> None:
    names = paper_names((*PAPERS, paper("lantern", "LANTERX: Light", "LANTERX shines.")))
    assert named_papers("Which lantern?", names) == ()
    assert named_papers("Which lanterz?", names) == ("lantern",)


def test_the_longest_name_wins() -> None:
    papers = (*PAPERS, paper("more", "Flow Graphs Again: More Rivers"))
    assert named_papers("flow graphs again", paper_names(papers)) == ("more",)


def test_a_name_that_many_papers_bear_names_none() -> None:
    crowd = [paper(str(n), f"BERTA: Part {n}") for n in range(MOST_OWNERS + 1)]
    assert named_papers("BERTA", paper_names(crowd[:-1])) == tuple("012")
    assert named_papers("BERTA", paper_names(crowd)) == ()
    assert named_papers("BERTO", paper_names(crowd)) == ()


def test_no_papers_have_no_names() -> None:
    assert named_papers("ORCHID", paper_names(())) == ()


@given(st.text(max_size=60))
def test_any_text_may_be_asked(text: str) -> None:
    found = named_papers(text, NAMES)
    assert len(set(found)) == len(found)
    assert set(found) <= {paper.id for paper in PAPERS}


@given(st.text(min_size=1, max_size=30), st.text(max_size=30))
def test_any_title_and_name_can_be_a_papers(title: str, name: str) -> None:
    names: Names = paper_names([paper("p", title, name, name)])
    assert set(named_papers(f"{title} {name}", names)) <= {"p"}


def test_a_name_that_is_an_ordinary_word_counts_only_as_it_is_written() -> None:
    papers = [
        paper("shot", "SHOT: Shooting Stars", "SHOT counts them."),
        paper("is", "A", "", "IS"),
    ]
    papers.append(paper("what", "Sorting", "", "What"))
    papers += [paper(f"w{n}", f"T{n}", "One shot is enough.") for n in range(MOST_OWNERS + 1)]
    names = paper_names(papers)
    assert named_papers("What does SHOT do?", names) == ("shot",)
    assert named_papers("What is a shot?", names) == ()
    assert named_papers("How good is IS?", names) == ("is",)
    assert named_papers("WHAT IS A SHOT?", names) == ()


def test_an_acronym_that_many_papers_use_names_the_papers_whose_title_begins_with_it() -> None:
    papers = [
        paper("own", "MAMBA: Snakes", "MAMBA bites."),
        paper("also", "More Snakes", "We build on MAMBA.", "MAMBA"),
    ]
    papers += [paper(f"u{n}", f"T{n}", "It uses MAMBA.") for n in range(MOST_OWNERS + 1)]
    assert named_papers("What is MAMBA?", paper_names(papers)) == ("own",)


def test_a_whole_title_names_its_paper() -> None:
    question = "What does “A Title of Very Many Words That Nobody Types” say?"
    assert named_papers(question, NAMES) == ("long",)
