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
from rag.lists import listed
from rag.mentions import mentions
from rag.retrieve import (
    NOMINATED,
    fuse,
    paper_of,
    rank,
    read_question,
    related,
    resolve,
    retrieve,
    search,
)
from rag.types import Evidence, Query
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


def query(question: str, *named: str) -> Query:
    return Query(question, question, named=named)


def found(
    index: Index, question: str, *named: str, k: int = 10, listing: str = ""
) -> tuple[Evidence, ...]:
    """What made-up words find; the papers with the word `listing` are a list."""
    asked = read_question(index, WordEmbedder(), question)
    exact = listed(index, ((listing,),) if listing else ()).rows
    return retrieve(index, asked, query(question, *named), k, exact)


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
    asked = read_question(index, bundled(), mixed)
    first = retrieve(index, asked, query(mixed, ids[abstract]), 3)[0]
    index.close()
    assert first.paper.abstract == abstract


def test_a_rare_word_brings_its_paper_first_among_many(crowd: Index) -> None:
    for number in (0, 57, CROWD - 1):
        best = search(crowd, WordEmbedder(), f"What is measured near unit{number}?", 3)[0]
        assert best.abstract == abstract(number)


def test_a_paper_that_is_named_comes_before_all_that_it_only_resembles(crowd: Index) -> None:
    named = crowd.papers[7].id
    first, second = found(crowd, "item9 unit9 violins", named, k=2)
    assert first.paper.id == named
    assert second.paper.abstract == abstract(9)


def test_all_papers_of_a_list_come_first_and_say_so(crowd: Index) -> None:
    expected = {each.id for each in crowd.papers if "glaciers" in each.abstract}
    few = found(crowd, "violins", k=3, listing="glaciers")
    assert {each.paper.id for each in few} == expected
    assert all(each.counted for each in few)
    more = found(crowd, "violins", k=len(expected) + 1, listing="glaciers")
    assert [each.counted for each in more] == [True] * len(expected) + [False]


@pytest.mark.parametrize("k", [1, 10, NOMINATED, NOMINATED + 60, CROWD])
def test_a_search_for_k_papers_gives_k_different_ones(crowd: Index, k: int) -> None:
    papers = search(crowd, WordEmbedder(), "upkeep of harbours", k)
    assert len({each.id for each in papers}) == len(papers) == k


def test_a_search_for_more_than_there_are_gives_all(crowd: Index, assistant: Assistant) -> None:
    assert len(search(crowd, WordEmbedder(), "upkeep", CROWD + 1)) == CROWD
    assert len(assistant.search("upkeep", 100)) == len(ALL)


def test_papers_come_best_first_without_quotes(crowd: Index) -> None:
    ranked = found(crowd, "repairs of violins near unit31", k=40)
    scores = [each.score for each in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(-1.001 <= each.similarity <= 1.001 and not each.quotes for each in ranked)


def test_similarity_is_the_mean_cosine_of_a_paper_and_its_best_sentence(crowd: Index) -> None:
    question = "We measure item3 at 3 places near unit3."
    best = found(crowd, question, k=1)[0]
    row = crowd.rows[best.paper.id]
    vectors = crowd.arrays.of(row)
    asked = read_question(crowd, WordEmbedder(), question)
    cosines = vectors.sentences @ asked.vector
    assert cosines.max() == pytest.approx(1, abs=2e-3)
    expected = (float(vectors.paper @ asked.vector) + float(cosines.max())) / 2
    told = crowd.gauge.texts.told(np.asarray(expected))
    assert best.similarity == pytest.approx(float(told), abs=1e-3)


def test_a_question_without_a_word_that_carries_meaning_still_ranks(crowd: Index) -> None:
    for question in ("?", "what is the", "…", "🙂"):
        assert len(found(crowd, question, k=5)) == 5


def test_a_ranking_holds_the_papers_that_must_come_whatever_is_asked(crowd: Index) -> None:
    rows = np.asarray([3, 77, CROWD - 1])
    asked = read_question(crowd, WordEmbedder(), "harbours")
    ranking = rank(crowd, asked, query("harbours"), 1, rows)
    assert set(ranking.rows[:3].tolist()) == set(rows.tolist())


def test_a_mentioned_paper_is_found_by_its_phrase_unless_papers_are_listed(crowd: Index) -> None:
    question = "What does the paper on item8 and unit8 say?"
    assert mentions(question)
    assert resolve(crowd, WordEmbedder(), query(question)).named == (crowd.papers[8].id,)
    listing = Query(question, question, "list")
    assert resolve(crowd, WordEmbedder(), listing) == listing
    twice = resolve(crowd, WordEmbedder(), query(question, crowd.papers[8].id))
    assert twice.named == (crowd.papers[8].id,)


def test_what_is_related_leaves_the_paper_itself_out(crowd: Index) -> None:
    one = crowd.papers[5]
    for k in (1, 10, CROWD - 1, CROWD + 1):
        near = related(crowd, one.id, k)
        assert one.id not in {each.id for each in near}
        assert len({each.id for each in near}) == min(k, CROWD - 1)
    assert THINGS[0] in related(crowd, one.id, 1)[0].abstract


def test_an_id_that_no_paper_has_is_named(crowd: Index) -> None:
    for call in (lambda: related(crowd, "nobody", 3), lambda: paper_of(crowd, "nobody")):
        with pytest.raises(UsageError, match=r"'nobody'.*colloquy papers"):
            call()


def test_a_constant_score_adds_nothing() -> None:
    constant = np.full(4, 3.0, dtype=np.float32)
    assert not fuse([(1.0, constant), (2.0, np.zeros(4, dtype=np.float32))]).any()
    varied = np.asarray([1, 2, 4, 8], dtype=np.float32)
    assert np.allclose(fuse([(5.0, constant), (1.0, varied)]), fuse([(1.0, varied)]))
    assert not fuse([(1.0, np.asarray([7.0], dtype=np.float32))]).any()


def test_a_weight_says_how_much_a_score_counts() -> None:
    one, other = np.asarray([[0, 1, 5], [5, 1, 0]], dtype=np.float32)
    assert fuse([(2.0, one), (1.0, other)]).argmax() == 2
    assert fuse([(1.0, one), (2.0, other)]).argmax() == 0
    assert np.allclose(fuse([(3.0, one)]), 3 * fuse([(1.0, one)]))


@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=20, unique=True),
    st.integers(1, 100),
    st.integers(-100, 100),
)
def test_a_score_counts_the_same_on_any_scale(values: list[int], scale: int, shift: int) -> None:
    scores = np.asarray(values, dtype=np.float32)
    fused = fuse([(1.0, scores)])
    assert np.allclose(fused, fuse([(1.0, scale * scores + shift)]), atol=1e-3)
    assert abs(float(fused.mean())) < 1e-3
    assert float(fused.std()) == pytest.approx(1, abs=1e-3)
    assert (np.argsort(fused) == np.argsort(scores)).all()


def test_the_answer_does_not_depend_on_how_many_threads_ask(crowd: Index) -> None:
    def ids(number: int) -> list[str]:
        return [each.paper.id for each in found(crowd, f"unit{number} and harbours")]

    numbers = list(range(24))
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ids, numbers)) == [ids(number) for number in numbers]
