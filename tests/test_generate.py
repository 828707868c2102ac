"""A draft by a model: what streams is what the draft holds, and its statements are found."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.llms import MockLLM

from rag.citations import Placed, resolve
from rag.errors import ModelError
from rag.generate import find_claims, generate
from rag.llm import open_model
from rag.prompts import evidence_keys
from rag.settings import Settings
from rag.types import Draft, Evidence, Paper, Query, Quote, Span
from tests.scripted_server import MODEL, ScriptedServer
from tests.streams import read

QUERY = Query("How well does Oak sort leaves?", "How well does Oak sort leaves?")


def paper(number: int, abstract: str) -> Paper:
    return Paper(f"p{number}", f"Tree{number}: A Test", "given", abstract, abstract)


OAK = paper(1, "Oak sorts leaves with 94.4% accuracy. It takes 3 ms.")
ELM = paper(2, "Elm reads bark. It needs no light.")
EVIDENCE = tuple(Evidence(item, 1.0, 0.5, (Quote(item, Span(0, 10)),)) for item in (OAK, ELM))


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def draft(server: ScriptedServer, behaviour: str = "good", answer: str | None = None) -> Draft:
    server.behave(behaviour, answer=answer)
    llm = open_model(Settings(model=MODEL, base_url=server.base_url))
    pieces, made = read(generate(QUERY, EVIDENCE, llm, 20))
    assert "".join(pieces) == made.text
    return made


def claims_of(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """The claims of a model's text that is written with keys."""
    _, resolved = read(resolve([text], evidence_keys(9)))
    found = find_claims(resolved.text, resolved.placed, resolved.silences)
    return [(resolved.text[claim.start : claim.end], claim.markers) for claim in found]


def test_a_good_answer_becomes_a_draft_with_its_claim_paper_and_usage(
    server: ScriptedServer,
) -> None:
    made = draft(server)
    assert made.text == "Oak sorts leaves with 94.4% accuracy [1]."
    assert made.mode == "llm"
    assert made.status == "answered"
    assert [made.text[claim.start : claim.end] for claim in made.claims] == [
        "Oak sorts leaves with 94.4% accuracy"
    ]
    assert made.cited == made.papers == (OAK,)
    assert made.complete
    assert made.usage is not None
    assert made.usage.completion_tokens == 7


def test_markers_are_numbered_by_first_use_not_by_rank(server: ScriptedServer) -> None:
    made = draft(server, answer="Elm reads bark [P2]. Oak sorts leaves [P1], as Elm does [P2].")
    assert made.text == "Elm reads bark [1]. Oak sorts leaves [2], as Elm does [1]."
    assert made.cited == (ELM, OAK)
    assert [claim.markers for claim in made.claims] == [(1,), (2, 1)]


def test_an_invented_marker_is_left_out_and_said(server: ScriptedServer) -> None:
    made = draft(server, "invented_marker")
    assert made.text.endswith("It is used everywhere.")
    assert "[P99]" in made.warnings[0]
    assert made.claims[-1].markers == ()


def test_thoughts_whose_beginning_the_server_kept_are_said(server: ScriptedServer) -> None:
    made = draft(server, answer="Which tree? Oak.</think>Oak sorts leaves [P1].")
    assert "</think>" in made.warnings[0]
    assert not draft(server, answer="It is trained with `</think>` tags [P1].").warnings


def test_evidence_is_cut_to_the_context_window_and_that_is_said(server: ScriptedServer) -> None:
    server.models = [{"id": MODEL, "max_model_len": 1000}]
    sentences = [f"Oak sorts leaf number {number} with 94.4% accuracy." for number in range(60)]
    long = paper(3, " ".join(sentences))
    best = long.abstract.index("Oak sorts leaf number 40")
    quote = Quote(long, Span(best, best + len(sentences[40])))
    llm = open_model(Settings(base_url=server.base_url))
    _, made = read(generate(QUERY, (Evidence(long, 1.0, 0.5, (quote,)),), llm, 20))
    assert "context of 1,000 tokens" in made.warnings[0]
    assert sentences[40] in server.chats[0].prompt
    assert sentences[59] not in server.chats[0].prompt
    assert made.cited == (long,)


def test_silence_is_not_stated_and_makes_no_claim(server: ScriptedServer) -> None:
    made = draft(server, "not_stated")
    assert made.text == "The excerpts do not give the cost of training."
    assert made.status == "not_stated"
    assert made.claims == ()
    assert made.cited == ()


def test_an_answer_with_one_part_missing_is_answered(server: ScriptedServer) -> None:
    made = draft(server, answer="Oak sorts leaves [P1]. Its cost is missing [NOT STATED].")
    assert made.status == "answered"
    assert len(made.claims) == 1


@pytest.mark.parametrize("behaviour", ["cut", "no_finish", "length", "error_in_stream"])
def test_a_cut_answer_keeps_its_text_and_its_error(server: ScriptedServer, behaviour: str) -> None:
    made = draft(server, behaviour)
    assert made.text
    assert not made.complete
    assert made.error


def test_a_failure_before_the_first_piece_is_raised(server: ScriptedServer) -> None:
    with pytest.raises(ModelError):
        draft(server, "401")


def test_closing_the_generator_stops_the_model(server: ScriptedServer) -> None:
    server.behave("good", answer="word " * 500, pause=0.01)
    llm = open_model(Settings(model=MODEL, base_url=server.base_url))
    pieces = generate(QUERY, EVIDENCE, llm, 60)
    next(pieces)
    pieces.close()
    assert server.hung_up.wait(5)


def test_any_llama_index_llm_writes_a_draft() -> None:
    pieces, made = read(generate(QUERY, EVIDENCE, MockLLM(max_tokens=3), 20))
    assert made.text == "".join(pieces) == "text text text"
    assert [claim.markers for claim in made.claims] == [()]


def test_without_evidence_no_model_is_asked(server: ScriptedServer) -> None:
    llm = open_model(Settings(model=MODEL, base_url=server.base_url))
    with pytest.raises(ValueError, match="evidence"):
        next(generate(QUERY, (), llm, 20))
    assert not server.requests


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Oak sorts. [P1] Elm reads. [P2]", [("Oak sorts.", (1,)), ("Elm reads.", (2,))]),
        ("Oak sorts.[P1] Elm reads.[P2]", [("Oak sorts.", (1,)), ("Elm reads.", (2,))]),
        ("Oak sorts [P1]. Elm reads [P2].", [("Oak sorts", (1,)), ("Elm reads", (2,))]),
        (
            "[P1] sorts leaves. [P2] extends it.",
            [("sorts leaves.", (1,)), ("extends it.", (2,))],
        ),
        ("Two trees are named:\n- Oak [P1]\n- Elm [P2]", [("Oak", (1,)), ("Elm", (2,))]),
        ("## Trees\n\n1. **Oak** sorts [P1].", [("**Oak** sorts", (1,))]),
        ("**Trees**\nOak sorts.", [("Oak sorts.", ())]),
        (
            "Oak sorts\nleaves [P1].\nElm reads [P2].",
            [("Oak sorts\nleaves", (1,)), ("Elm reads", (2,))],
        ),
        ("| Tree | Use |\n|---|---|\n| Oak [P1] | sorts |", [("| Oak [1] | sorts |", (1,))]),
        ("The abstracts do not state the cost.", []),
        ("The cost is not stated in the abstracts.", []),
        ("It does not give guarantees.", [("It does not give guarantees.", ())]),
        ("```\nOak sorts.\n```", []),
        ("Oak [P1] sorts as elm [P2] does.", [("Oak [1] sorts as elm [2] does.", (1, 2))]),
    ],
)
def test_statements_are_found_with_their_markers(
    text: str, claims: list[tuple[str, tuple[int, ...]]]
) -> None:
    assert claims_of(text) == claims


WORDS = st.lists(
    st.sampled_from(["Oak", "sorts", ".", "\n", "- ", "[P1]", "[P2].", ":", " ", "[1]", "3.5%"]),
    max_size=30,
)


@given(WORDS.map(" ".join))
def test_claims_are_ordered_disjoint_slices(text: str) -> None:
    _, resolved = read(resolve([text], evidence_keys(2)))
    final = resolved.text
    claims = find_claims(final, resolved.placed)
    assert all(0 <= claim.start < claim.end <= len(final) for claim in claims)
    assert all(a.end <= b.start for a, b in pairwise(claims))
    assert all(not final[claim.start : claim.end].startswith(" ") for claim in claims)


def test_a_marker_at_the_edge_is_not_in_the_claim() -> None:
    claims = find_claims("Oak sorts [1].", [Placed(10, 13, 1)])
    assert [("Oak sorts [1]."[claim.start : claim.end], claim.markers) for claim in claims] == [
        ("Oak sorts", (1,))
    ]


@pytest.mark.timeout(20)
def test_a_model_that_writes_white_space_on_and_on_takes_no_time() -> None:
    (claim,) = find_claims(f"{' ' * 5000}It sorts apples [1].", ())
    assert claim.start == 5000


@pytest.fixture
def narrow() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        running.behave("narrow")
        yield running


def forest(count: int = 60) -> tuple[Evidence, ...]:
    """A paper that is too long for a narrow model."""
    text = " ".join(
        f"Tree {number} sorts its leaves by colour and size." for number in range(count)
    )
    return (Evidence(Paper("wood", "Wood", "given", text, text), 1.0, 0.5, ()),)


@pytest.mark.parametrize("named", [True, False])
def test_a_request_that_was_too_long_is_cut_to_what_the_endpoint_names(
    narrow: ScriptedServer, named: bool
) -> None:
    narrow.names_context = named
    narrow.models = [{"id": MODEL, "max_model_len": 1000}, {"id": "other", "max_model_len": 9}]
    llm = open_model(Settings(model=MODEL, base_url=narrow.base_url))
    query = Query("How are leaves sorted?", "How are leaves sorted?")
    for asked in (2, 1):  # what was learned is used for the next question
        before = len(narrow.chats)
        _, draft = read(generate(query, forest(), llm, 20))
        assert len(narrow.chats) - before == asked
        assert draft.text == "Tree 0 sorts its leaves by colour and size [1]."
        assert "context of 1,000 tokens does not hold all" in draft.warnings[0]
    assert len([each for each in narrow.requests if each.method == "GET"]) == (0 if named else 1)


def test_a_wrong_estimate_is_mended_once(narrow: ScriptedServer) -> None:
    narrow.models = [{"id": MODEL, "max_model_len": 1000}]
    narrow.context = 700
    llm = open_model(Settings(base_url=narrow.base_url))
    narrow.context = 650
    query = Query("How are leaves sorted?", "How are leaves sorted?")
    _, draft = read(generate(query, forest(), llm, 20))
    assert len(narrow.chats) == 2
    assert draft.warnings


def test_a_request_that_is_too_long_and_nobody_says_how_much_is_an_error_in_words(
    narrow: ScriptedServer,
) -> None:
    narrow.names_context = False
    llm = open_model(Settings(model=MODEL, base_url=narrow.base_url))
    query = Query("How are leaves sorted?", "How are leaves sorted?")
    with pytest.raises(ModelError, match="a model with a larger context may be needed"):
        next(generate(query, forest(), llm, 20))
    assert len(narrow.chats) == 1
