"""A query -> ranked papers, each with its sentences."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag import Assistant
from rag.embed import bundled
from rag.errors import UsageError
from rag.index import Index, open_index
from rag.retrieve import NOMINATED, fuse, related, retrieve, search
from rag.types import Query
from tests.papers import ALL
from tests.word_embedder import WordEmbedder, publish_texts

# More than are all looked at: Chroma and BM25 have to nominate.
CROWD = 2 * NOMINATED + 50
THINGS = ("harbours", "violins", "glaciers", "kitchens", "tunnels")


def abstract(number: int) -> str:
    thing = THINGS[number % len(THINGS)]
    return (
        f"This is about {thing} and their upkeep. "
        f"We measure item{number} at {number} places near unit{number}. "
        f"In the end {thing} need {number % 7} repairs a year."
    )


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("crowd")
    publish_texts(folder, {"a": [abstract(n) for n in range(CROWD)]}, WordEmbedder())
    index = open_index(folder, "words")
    yield index
    index.close()


def asked(question: str, *named: str, terms: tuple[str, ...] = ()) -> Query:
    return Query(question, question, named=named, terms=terms)


@pytest.mark.parametrize("abstract", ALL)
def test_a_name_in_a_question_brings_its_paper_first(
    assistant: Assistant, small_index: Path, abstract: str
) -> None:
    name = next(word for word in abstract.split() if word.strip(",").isupper() and len(word) > 4)
    name = name.strip(",")
    assert assistant.search(name, 1)[0].abstract == abstract
    index = open_index(small_index, bundled().name)
    mixed = f"What does {name} do for whispering robots in a kitchen?"
    ids = {each.abstract: each.id for each in index.papers}
    found = retrieve(index, bundled(), asked(mixed, ids[abstract]), 3)
    index.close()
    assert found[0].paper.abstract == abstract


def test_a_rare_word_brings_its_paper_first_among_many(crowd: Index) -> None:
    for number in (0, 57, CROWD - 1):
        found = search(crowd, WordEmbedder(), f"What is measured near unit{number}?", 3)
        assert found[0].abstract == abstract(number)


def test_a_paper_that_is_named_comes_before_all_that_it_only_resembles(crowd: Index) -> None:
    named = crowd.papers[7].id
    found = retrieve(crowd, WordEmbedder(), asked("item9 unit9 violins", named), 5)
    assert found[0].paper.id == named
    assert found[1].paper.abstract == abstract(9)


def test_all_papers_with_the_words_that_are_asked_for_come_first_and_say_so(crowd: Index) -> None:
    terms = ("glaciers",)
    found = retrieve(crowd, WordEmbedder(), asked("violins", terms=terms), 3)
    expected = {each.id for each in crowd.papers if "glaciers" in each.abstract}
    assert {each.paper.id for each in found} == expected
    assert all(each.exact for each in found)
    more = retrieve(crowd, WordEmbedder(), asked("violins", terms=terms), len(expected) + 1)
    assert [each.exact for each in more] == [True] * len(expected) + [False]


@pytest.mark.parametrize("k", [1, 10, NOMINATED, NOMINATED + 60, CROWD])
def test_a_search_for_k_papers_gives_k_different_ones(crowd: Index, k: int) -> None:
    found = search(crowd, WordEmbedder(), "upkeep of harbours", k)
    assert len({each.id for each in found}) == len(found) == k


def test_a_search_for_more_than_there_are_gives_all(crowd: Index, assistant: Assistant) -> None:
    assert len(search(crowd, WordEmbedder(), "upkeep", CROWD + 1)) == CROWD
    assert len(assistant.search("upkeep", 100)) == len(ALL)


def test_the_sentences_of_a_paper_are_verbatim_and_all_there(crowd: Index) -> None:
    for each in retrieve(crowd, WordEmbedder(), asked("repairs of violins"), 20):
        text = each.paper.abstract
        assert all(quote.text == text[quote.span.start : quote.span.end] for quote in each.quotes)
        inorder = sorted(each.quotes, key=lambda quote: quote.span.start)
        assert " ".join(quote.text for quote in inorder) == text
        assert [q.score for q in each.quotes] == sorted(
            (q.score for q in each.quotes), reverse=True
        )
        assert -1.001 <= each.similarity <= 1.001


def test_the_sentence_that_answers_comes_first(assistant: Assistant, small_index: Path) -> None:
    index = open_index(small_index, bundled().name)
    for question, beginning in [
        ("By how much does ORCHID cut peak memory?", "On the BENZO-40"),
        ("How many lawyers took part?", "A pilot with 26"),
        ("What happens when all stations fail?", "It does not help"),
    ]:
        best = retrieve(index, bundled(), asked(question), 1)[0]
        assert best.quotes[0].text.startswith(beginning)
    index.close()


def test_similarity_is_the_cosine_of_the_best_sentence(crowd: Index) -> None:
    embedder = WordEmbedder()
    question = "We measure item3 at 3 places near unit3."
    best = retrieve(crowd, embedder, asked(question), 1)[0]
    assert best.similarity == pytest.approx(1, abs=2e-3)
    assert best.quotes[0].text == question


def test_what_is_related_leaves_the_paper_itself_out(crowd: Index) -> None:
    one = crowd.papers[5]
    for k in (1, 10, CROWD - 1, CROWD + 1):
        found = related(crowd, one.id, k)
        assert one.id not in {each.id for each in found}
        assert len({each.id for each in found}) == min(k, CROWD - 1)
    assert THINGS[0] in related(crowd, one.id, 1)[0].abstract


def test_an_id_that_no_paper_has_is_named(crowd: Index) -> None:
    with pytest.raises(UsageError, match=r"'nobody'.*colloquy papers"):
        related(crowd, "nobody", 3)


def test_a_constant_score_adds_nothing() -> None:
    constant = np.full(4, 3.0, dtype=np.float32)
    assert not fuse([constant, np.zeros(4, dtype=np.float32)]).any()
    varied = np.asarray([1, 2, 4, 8], dtype=np.float32)
    assert np.allclose(fuse([constant, varied]), fuse([varied]))
    assert not fuse([np.asarray([7.0], dtype=np.float32)]).any()


@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=20, unique=True),
    st.integers(1, 100),
    st.integers(-100, 100),
)
def test_a_score_counts_the_same_on_any_scale(values: list[int], scale: int, shift: int) -> None:
    scores = np.asarray(values, dtype=np.float32)
    fused = fuse([scores])
    assert np.allclose(fused, fuse([scale * scores + shift]), atol=1e-3)
    assert abs(float(fused.mean())) < 1e-3
    assert float(fused.std()) == pytest.approx(1, abs=1e-3)
    assert (np.argsort(fused) == np.argsort(scores)).all()


def test_the_answer_does_not_depend_on_how_many_threads_ask(crowd: Index) -> None:
    def found(number: int) -> list[str]:
        query = asked(f"unit{number} and harbours")
        return [each.paper.id for each in retrieve(crowd, WordEmbedder(), query, 10)]

    numbers = list(range(24))
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(found, numbers)) == [found(number) for number in numbers]
