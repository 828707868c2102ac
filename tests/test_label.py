"""Names for papers without a title, and how names that collide are told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.coined import coined_names, expansion
from ingest.label import LIMIT, NAMELESS, distinct, label
from ingest.mentions import is_unusual, spells
from ingest.phrases import does, gerund, noun_phrase

BACKGROUND = "Tide tables are costly to compute. Existing LLM agents ignore the moon. "

NAMED = [
    (
        "To fix this, we propose TIDAL, a lightweight method for harbour planning.",
        "TIDAL: Lightweight method for harbour planning",
    ),
    (
        "We introduce Moon-Aware Tide Estimation (MATE), which reads the sky.",
        "MATE: Moon-Aware Tide Estimation",
    ),
    ("We present MATE (Moon-Aware Tide Estimation).", "MATE: Moon-Aware Tide Estimation"),
    (
        "In this paper, we propose MATE, Moon-Aware Tide Estimation, which reads the sky.",
        "MATE: Moon-Aware Tide Estimation",
    ),
    (
        "We introduce kernel Tidal Flow Matching (kTFM), which couples harbours.",
        "kTFM: Kernel Tidal Flow Matching",
    ),
    (
        "We develop a simulator of harbours called Port2Sea that runs on a laptop.",
        "Port2Sea: Simulator of harbours",
    ),
    (
        "We propose a zero-shot framework, Anchor, that detects drifting boats.",
        "Anchor: Zero-shot framework for tide tables",
    ),
    (
        "We introduce lunar smoothing: a combination of two penalties on the tide. "
        "With lunar smoothing, boats arrive.",
        "Lunar smoothing: Combination of two penalties on the tide",
    ),
    ("This method, which we call Silent Harbours, keeps boats apart.", "Silent Harbours"),
    ("We present Tide-SGD, an optimizer for harbour cranes.", "Tide-SGD: Optimizer for harbour"),
    ("We introduce Port+ , the first planner for small boats.", "Port+: Planner for small boats"),
    ("Three boats are compared and S7X is proposed in this work.", "S7X"),
    (
        "The authors introduce Moon-Aware Tide Estimation (MATE), which reads the sky.",
        "MATE: Moon-Aware Tide Estimation",
    ),
    (
        "The proposed Silent-Harbour Network (SHN) keeps boats apart. SHN learns from radar.",
        "SHN: Silent-Harbour Network",
    ),
    ("The paper calls this effect Harbour Drift. Harbour Drift grows.", "Harbour Drift"),
    (
        "The paper proposes ANCHOR, a framework that unlocks the hidden berths of old harbours.",
        "ANCHOR: Framework that unlocks the hidden berths of old harbours",
    ),
    (
        "The paper proposes ANCHOR, a framework that unlocks the hidden berths of old harbours and "
        "brings cranes, boats and pilots of all companies together.",
        "ANCHOR: Unlocking the hidden berths of old harbours",
    ),
    (
        "We introduce ANCHOR, which improves both speed and safety by replacing each buoy with a "
        "light.",
        "ANCHOR: Replacing each buoy with a light",
    ),
    (
        "We propose a Shared Harbour Planner for boats. SHP plans berths and saves water.",
        "SHP: Shared Harbour Planner",
    ),
    (
        "We propose a Deep Ocean Model for crowded harbours (DOMino). Experiments are run.",
        "DOMino",
    ),
    (
        "We introduce Quiet Unloading of Cargo (Quark), which hoists. Quark is slow.",
        "Quark: Quiet Unloading of Cargo",
    ),
    ("Experiments on two harbours show the superiority of our BuoyNet.", "BuoyNet"),
]


@pytest.mark.parametrize(("sentence", "begins"), NAMED)
def test_a_coined_name_comes_first_with_what_it_stands_for_or_is(
    sentence: str, begins: str
) -> None:
    assert label(BACKGROUND + sentence).startswith(begins)


SUBJECTS = [
    (
        "We study berth assignment in crowded harbours, where boats choose freely.",
        "Berth assignment in crowded harbours",
    ),
    (
        "This paper addresses the problem of berth assignment under uncertain tides. We show much.",
        "Berth assignment under uncertain tides",
    ),
    (
        "Boats drift. We therefore propose a novel and efficient estimator of drift (see Fig. 1) "
        "for small boats, which is fast.",
        "Estimator of drift for small boats",
    ),
    (
        "We study a stricter setting: harbours with unknown tides and shared berths, where a boat "
        "must wait.",
        "Harbours with unknown tides and shared berths",
    ),
    ("Tide tables are a popular tool for sailors, but hard to read.", "Tide tables"),
    (
        "Boats drift. We propose to solve berth assignment with integer programs.",
        "Solving berth assignment with integer programs",
    ),
    (
        "Arriving boats are hard to serve. We develop a reservation-driven algorithm.",
        "Reservation-driven algorithm for arriving boats",
    ),
    ("Shallow harbours open the way to silting. A crew digs.", "Shallow harbours"),
    ("Night shipping results in collisions near harbours. A test counts them.", "Night shipping"),
    (
        "Tide tables now equal pilots at short range. A crew digs.",
        "Tide tables",
    ),
    ("Small ports reuse a shared crane across berths. A crew digs.", "Small ports"),
    ("Harbour crews adapt slowly to new tides. A boat sinks.", "Harbour crews"),
    (
        "Boats drift. The authors study berth assignment in crowded harbours.",
        "Berth assignment in crowded harbours",
    ),
    (
        "Boats drift. To test this, the authors curate three collections of photographs of boats.",
        "Collections of photographs of boats",
    ),
    ("We study tides in $\\mathbb{R}^d$ under the assumption that the moon is flat.", "Tides"),
]


@pytest.mark.parametrize(("abstract", "expected"), SUBJECTS)
def test_without_a_coined_name_the_subject_is_a_noun_phrase(abstract: str, expected: str) -> None:
    assert label(abstract) == expected


USED = [
    "We study large language models (LLMs) that plan harbours. LLMs achieve high tides.",
    "We evaluate a boat on ImageNet and CIFAR-100 and compare with PPO and GRPO.",
    "Reinforcement learning (RL) is popular. We show that RL needs two boats, unlike SHAP.",
    "Dynamic berth routing (DBR) has been adopted widely. We study the cost of DBR in harbours.",
    "We propose a novel Bayesian framework for tides. It is fast.",
    "We build on tide tables of old (HARBJ 2009). The paper studies their cost.",
    "The scheme creates a TIDE-dominated regime. We prove that cranes converge.",
    "Ports need models. ImageNet images show few boats. We collect photographs of harbours.",
    "Experiments on the Harbour-10 and Harbour-20 datasets show that our boats arrive.",
]


@pytest.mark.parametrize("abstract", USED)
def test_names_that_are_merely_used_are_not_coined(abstract: str) -> None:
    assert coined_names(abstract) == ()


def test_the_name_of_the_whole_comes_before_the_names_of_its_parts() -> None:
    names = coined_names(
        BACKGROUND
        + "We propose a framework called PORTAL. PORTAL learns berths. We also introduce "
        "a Moon-Phase Loss (MPL). Experiments show that PORTAL outperforms existing planners."
    )
    assert names[0] == "PORTAL"
    assert "MPL" in names


def test_a_strange_word_that_is_the_subject_of_several_sentences_is_coined() -> None:
    text = "Harbour planning needs tides. MOSAIC plans berths. MOSAIC avoids collisions. "
    assert coined_names(text) == ("MOSAIC",)
    assert coined_names("Harbour planning needs tides. MOSAIC plans berths.") == ()


def test_a_name_in_the_address_of_the_code_counts_as_the_authors_own() -> None:
    text = "We plan berths with less water. Code is at https://github.com/harbour/DryDock. "
    assert coined_names(text + "DryDock is small.") == ("DryDock",)


def test_an_expansion_is_found_on_either_side_of_the_name() -> None:
    assert expansion("Our Tidal Hidden Flow (THF) runs.", "THF") == "Tidal Hidden Flow"
    assert expansion("Our THF (Tidal Hidden Flow) runs.", "THF") == "Tidal Hidden Flow"
    assert expansion("Our Water-wave Tide Network (WTN).", "WTN") == "Water-wave Tide Network"
    assert expansion("Our THF (see the appendix) runs.", "THF") is None
    assert expansion("Nothing here.", "THF") is None


def test_spelling_tells_unusual_words_from_common_ones() -> None:
    assert all(map(is_unusual, ["FEROM", "kFFM", "S4", "LoRA+", "Value-Prober-8B", "f-PG"]))
    assert not any(map(is_unusual, ["Tide", "well-known", "a", "2", "65B", "Monte-Carlo"]))
    assert spells("DASH", "Deployment-Aware Silent Harbour")
    assert not spells("DASH", "a silent harbour")


def test_a_phrase_is_cut_only_where_another_phrase_begins() -> None:
    tail = "a novel estimator of drift for small boats in narrow and crowded harbours."
    assert (
        noun_phrase(tail, 90) == "estimator of drift for small boats in narrow and crowded harbours"
    )
    assert noun_phrase(tail, 40) == "estimator of drift for small boats"
    assert noun_phrase("gap between berths and boats on the sea", 20) == "gap"
    assert noun_phrase("in harbours", 40) == ""


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ("framework that applies tides to cranes.", "applying tides to cranes"),
        ("which matches boats", ""),
        ("which fixes boats to berths, fast", "fixing boats to berths"),
        ("model of tides.", ""),
        ("that is slow", ""),
    ],
)
def test_what_a_thing_does_becomes_a_gerund(tail: str, expected: str) -> None:
    assert does(tail, 90) == expected


def test_a_verb_becomes_a_gerund() -> None:
    assert gerund("solve tides, fast", 90) == "solving tides"
    assert gerund("plan berths", 90) == "planning berths"


def test_texts_without_words_still_have_a_name() -> None:
    assert label("") == NAMELESS
    assert label(" \n ") == NAMELESS
    assert label("x" * 500) == "x" * LIMIT
    assert label("我们研究港口的潮汐。") == "我们研究港口的潮汐。"


ALPHABET = st.sampled_from(
    "We propose study a the novel TIDAL (TIDAL) method, for of in that harbours. : – $x$ [1] and "
    "( ) is called FooBar \\frac{a} “quoted” ß — achieves learning with".split()
)
TEXTS = st.one_of(st.text(), st.lists(ALPHABET, max_size=40).map(" ".join))


@given(TEXTS)
def test_a_name_is_one_line_within_the_limit_whatever_the_text(text: str) -> None:
    name = label(text)
    assert 1 <= len(name) <= LIMIT
    assert len(name.splitlines()) == 1
    assert "  " not in name
    assert name == name.strip()


@given(st.lists(st.tuples(st.text(min_size=1, max_size=LIMIT), TEXTS), max_size=8), st.data())
def test_no_two_papers_get_the_same_name_and_none_a_taken_one(
    papers: list[tuple[str, str]], data: st.DataObject
) -> None:
    labels = [name for name, _ in papers] * 2
    abstracts = [abstract for _, abstract in papers] * 2
    taken = data.draw(st.lists(st.sampled_from(labels), max_size=3) if labels else st.just([]))
    names = distinct(labels, abstracts, taken)
    assert len(names) == len(labels)
    assert len({name.casefold() for name in (*names, *set(taken))}) == len(names) + len(
        {name.casefold() for name in taken}
    )
    assert all(1 <= len(name) <= LIMIT for name in names)


def test_names_that_collide_are_told_apart_in_words() -> None:
    first, second, third = distinct(
        ["Tide tables", "Tide tables", "Tide tables"],
        [
            "Tide tables are useful. We study tables on paper.",
            "Tide tables are useful. We study berth assignment in harbours.",
            "",
        ],
    )
    assert first == "Tide tables"
    assert second == "Tide tables (berth assignment in harbours)"
    assert third == "Tide tables (2)"


def test_a_long_name_is_shortened_at_a_phrase_to_make_room_for_what_tells_it_apart() -> None:
    long = "Estimator of drift for small boats in narrow and crowded harbours of the northern seas"
    abstract = "We study cranes that lift boats."
    assert distinct([long], [abstract], [long.upper()]) == [
        "Estimator of drift for small boats (cranes)"
    ]
