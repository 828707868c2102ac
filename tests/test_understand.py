"""A question and the turns before it -> what is looked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import QuestionError
from rag.names import paper_names
from rag.types import Paper, Turn
from rag.understand import LONGEST, check_question, understand
from tests.papers import BEETLE, MOSAIC, ORCHID

PAPERS = (
    Paper("orchid", "ORCHID: Packing Molecules", "given", ORCHID, ORCHID),
    Paper("mosaic", "MOSAIC: Routes for Robots", "given", MOSAIC, MOSAIC),
    Paper("beetle", "BEETLE: Whispers", "given", BEETLE, BEETLE),
)
NAMES = paper_names(PAPERS)


def groups(question: str) -> tuple[tuple[str, ...], ...]:
    query = understand(question, (), NAMES)
    assert query.intent == "list"
    return query.terms


@pytest.mark.parametrize(
    ("question", "intent", "named"),
    [
        ("What is ORCHID?", "explain", ("orchid",)),
        ("what is orchid", "explain", ("orchid",)),
        ("Explain MOSAIC.", "explain", ("mosaic",)),
        ("What is the word error rate of BEETLE on the HUSH corpus?", "fact", ("beetle",)),
        ("Compare BEETLE with MOSAIC.", "compare", ("beetle", "mosaic")),
        ("Who plans the routes of robots?", "fact", ()),
        ("Which papers plan routes?", "list", ()),
        ("How many papers are about robots?", "list", ()),
        ("Which papers mention ORCHID?", "list", ()),
        ("How many papers use ORCHID?", "list", ()),
        ("Is there anything about robots?", "list", ()),
        ("Anything new on robots?", "list", ()),
        ("Which methods plan routes?", "list", ()),
        ("Which methods does ORCHID beat?", "fact", ("orchid",)),
        ("They said something about robots; who plans their routes?", "fact", ()),
        ("Which of the ORCHID and MOSAIC papers is newer?", "fact", ("orchid", "mosaic")),
    ],
)
def test_a_question_has_an_intent_and_names_papers(
    question: str, intent: str, named: tuple[str, ...]
) -> None:
    query = understand(question, (), NAMES)
    assert (query.intent, query.named) == (intent, named)
    assert query.question == query.asked == question


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which papers use flow matching?", (("flow matching",),)),
        ("Which papers work on image or video segmentation?",
         (("image segmentation", "video segmentation"),)),
        ("Which papers use GANs or normalizing flows?", (("GANs", "normalizing flows"),)),
        ("Which papers use LoRA, adapters or prompt tuning?",
         (("LoRA", "adapters", "prompt tuning"),)),
        ("Which papers use robots, and kitchens?", (("robots",), ("kitchens",))),
        ("Which papers study whispers in kitchens?", (("whispers",), ("kitchens",))),
        ("Which papers mention “kernel methods”?", (("kernel methods",),)),
        ('How many papers use "optimal use" or tides?', (("optimal use", "tides"),)),
        ("List papers about Q learning.", (("Q learning",),)),
        ("Which papers mention GPT-3.5?", (("GPT-3.5",),)),
        ("Which papers are there?", ()),
        ("zeroth-order optimization papers", (("zeroth-order optimization",),)),
        ("Which papers promise to release code?", (("release code",),)),
        ("How many papers evaluate on CIFAR-10?", (("CIFAR-10",),)),
        ("Which papers mention test accuracy?", (("test accuracy",),)),
    ],
)  # fmt: skip
def test_what_a_listed_paper_must_have(
    question: str, expected: tuple[tuple[str, ...], ...]
) -> None:
    assert groups(question) == expected


def test_a_question_that_leans_on_the_last_one_is_asked_with_it() -> None:
    turn = Turn("What is ORCHID?", "A packing scheme [1].", ("orchid",))
    query = understand("And does it need training?", [turn], NAMES)
    assert query.named == ("orchid",)
    assert query.asked == "And does it need training?"
    assert "What is ORCHID?" in query.question


@pytest.mark.parametrize(
    "question", ["At what price?", "How much faster?", "Which corpora?", "Why?", "On what robots?"]
)
def test_a_question_of_a_word_or_two_goes_on_with_what_was_spoken_of(question: str) -> None:
    turn = Turn("What is ORCHID?", "A packing scheme [1].", ("orchid",))
    assert understand(question, [turn], NAMES).named == ("orchid",)


@pytest.mark.parametrize("question", ["What is dropout?", "Which papers are there?", "Robots?"])
def test_a_short_question_of_something_new_stands_alone(question: str) -> None:
    turn = Turn("What is ORCHID?", "A packing scheme [1].", ("orchid",))
    assert understand(question, [turn], NAMES).question == question


def test_without_known_papers_the_names_in_the_last_turn_count() -> None:
    turn = Turn("What plans routes?", "MOSAIC does.")
    assert understand("How fast is it?", [turn], NAMES).named == ("mosaic",)


def test_a_question_that_names_its_paper_or_leans_on_nothing_stands_alone() -> None:
    turn = Turn("What is ORCHID?", "A packing scheme [1].", ("orchid",))
    assert understand("What is BEETLE?", [turn], NAMES).named == ("beetle",)
    alone = understand("Who plans routes in a kitchen?", [turn], NAMES)
    assert (alone.named, alone.question) == ((), alone.asked)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What does the second paper measure?", ("mosaic",)),
        ("And the last one?", ("beetle",)),
        ("Is the first or the third of them faster?", ("orchid", "beetle")),
        ("And [2]?", ("mosaic",)),
        ("What is the first step?", ("orchid", "mosaic", "beetle")),
        ("And the fifth?", ("orchid", "mosaic", "beetle")),
    ],
)
def test_a_place_in_the_last_list_names_its_paper(question: str, named: tuple[str, ...]) -> None:
    turn = Turn("Which papers?", "Three.", ("orchid", "mosaic", "beetle"))
    assert understand(question, [turn], NAMES).named == named


def test_a_place_that_the_last_turn_has_not_counts_in_the_one_before() -> None:
    turns = [Turn("Which?", "Two.", ("orchid", "mosaic")), Turn("More?", "One.", ("orchid",))]
    assert understand("What about the second?", turns, NAMES).named == ("mosaic",)


def test_an_empty_and_an_endless_question_are_refused_in_words() -> None:
    with pytest.raises(QuestionError, match="empty"):
        check_question(" \n ")
    with pytest.raises(QuestionError, match=f"{LONGEST + 1:,} characters"):
        check_question("x" * (LONGEST + 1))
    assert check_question(" why? ") == "why?"


PIECES = (
    'which papers use or and , . ? "flow “ ” matching" how many it ORCHID the of vs Q x - é 中'
).split(" ")


@given(
    st.text(min_size=1, max_size=120) | st.lists(st.sampled_from(PIECES), min_size=1).map(" ".join),
    st.lists(st.builds(Turn, st.text(max_size=20), st.text(max_size=20)), max_size=2),
)
def test_any_question_is_understood(question: str, history: list[Turn]) -> None:
    if not question.strip():
        return
    query = understand(question, history, NAMES)
    assert query.asked == question.strip()
    assert query.asked in query.question
    assert set(query.named) <= {"orchid", "mosaic", "beetle"}
    for group in query.terms:
        assert group
        assert all(term.strip() for term in group)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "question",
    [f"what is a{' ' * 3900}b ? c", f"what is{' ' * 3900}b ? c", "x" * 4000, f"the{' ' * 3900}x"],
)
def test_a_question_of_white_space_or_one_word_takes_no_time(question: str) -> None:
    assert understand(question, (), NAMES).asked == question


def test_a_follow_up_forgets_the_papers_that_have_gone_since() -> None:
    turn = Turn("What is ORCHID?", "A packing scheme [1] [2].", ("gone", "orchid"))
    assert understand("Does it need training?", [turn], NAMES).named == ("orchid",)
    turn = Turn("What is NARWHAL?", "A whale [1].", ("gone",))
    assert understand("Does it need training?", [turn], NAMES).named == ()


def test_bytes_that_are_no_text_are_question_marks() -> None:
    assert check_question("what is \udcff") == "what is ?"


def test_which_ones_asks_for_all_papers_of_the_answer_before() -> None:
    turn = Turn("How many papers plan?", "Two [1] [2].", ("orchid", "mosaic"))
    query = understand("which ones", [turn], NAMES)
    assert (query.intent, query.named) == ("fact", ("orchid", "mosaic"))


def test_a_turn_that_is_no_text_or_a_document_is_cut_to_what_can_be_read() -> None:
    turn = Turn("\ud800" + "word " * LONGEST, "", ("orchid",))
    wording = understand("What about it?", [turn], NAMES).question
    assert "(asked after: ?word word" in wording
    assert len(wording) < LONGEST + 100


@pytest.mark.parametrize(
    "question",
    [
        "Which papers contain the phrase “flow fields”?",
        "List the top 3 papers on flow fields",
        "Which papers don't use flow fields?",
        "Which papers use the term flow fields?",
        "Which papers contain neither flow fields nor flow fields?",
    ],
)
def test_how_a_list_is_asked_for_is_not_what_it_must_have(question: str) -> None:
    assert groups(question) == (("flow fields",),)


@pytest.mark.parametrize(
    "question", ["Are there papers that study bridges?", "Which papers use methods that scale?"]
)
def test_a_list_of_papers_that_do_something_stands_alone(question: str) -> None:
    turn = Turn("What is ORCHID?", "A packing scheme [1].", ("orchid",))
    query = understand(question, [turn], NAMES)
    assert (query.intent, query.named, query.question) == ("list", (), question)
    assert understand("Does that scale?", [turn], NAMES).named == ("orchid",)
