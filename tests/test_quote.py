"""The sentences of chosen papers, those first that answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.embed import Embedder, bundled
from rag.index import Index, open_index
from rag.quote import with_quotes
from rag.retrieve import read_question
from rag.types import Evidence, Intent, Query, Quote
from tests.papers import ALL, BEETLE, LANTERN, MOSAIC, ORCHID, TIDEPOOL
from tests.word_embedder import WordEmbedder, publish_texts

STRANGE = "?! … The of. $x$ is 中文。また明日。 İß ends here! It"


@pytest.fixture(scope="module")
def real(small_index: Path) -> Iterator[Index]:
    opened = open_index(small_index, bundled().name)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("quotes")
    publish_texts(folder, {"a": [*ALL, STRANGE]}, WordEmbedder())
    opened = open_index(folder, "words")
    yield opened
    opened.close()


def quotes(
    index: Index, embedder: Embedder, question: str, abstract: str, intent: Intent = "fact"
) -> tuple[Quote, ...]:
    paper = next(paper for paper in index.papers if paper.abstract == abstract)
    asked = read_question(index, embedder, question)
    query = Query(question, question, intent)
    return with_quotes(index, asked, query, [Evidence(paper, 1.0, 0.5)])[0].quotes


@pytest.mark.parametrize(
    ("question", "abstract", "beginning"),
    [
        ("By how much does ORCHID cut peak memory?", ORCHID, "On the BENZO-40"),
        ("How many lawyers took part?", LANTERN, "A pilot with 26"),
        ("What happens when all stations fail?", TIDEPOOL, "It does not help"),
        ("Which corpus was BEETLE tested on?", BEETLE, "The word error rate"),
        ("Why do molecules waste memory?", ORCHID, "Training graph networks"),
        ("Is MOSAIC robust to wrong positions?", MOSAIC, "The auction is robust"),
    ],
)
def test_the_sentence_that_answers_comes_first(
    real: Index, question: str, abstract: str, beginning: str
) -> None:
    assert quotes(real, bundled(), question, abstract)[0].text.startswith(beginning)


@pytest.mark.parametrize("abstract", [ORCHID, TIDEPOOL, MOSAIC, BEETLE])
def test_what_a_paper_is_begins_with_the_sentence_that_introduces_it(
    real: Index, abstract: str
) -> None:
    name = next(word.strip(",") for word in abstract.split() if word.strip(",").isupper())
    first = quotes(real, bundled(), f"What is {name}?", abstract, "explain")[0]
    assert any(word in first.text for word in ("propose", "introduce", "present"))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    question=st.text(min_size=1, max_size=60).map(lambda text: f"{text}?"),
    abstract=st.sampled_from([*ALL, STRANGE]),
    intent=st.sampled_from(("fact", "explain", "list")),
)
def test_for_any_question_the_sentences_are_verbatim_and_all_there(
    words: Index, question: str, abstract: str, intent: Intent
) -> None:
    found = quotes(words, WordEmbedder(), question, abstract, intent)
    for quote in found:
        assert quote.text == abstract[quote.span.start : quote.span.end]
    inorder = sorted(found, key=lambda quote: quote.span.start)
    assert "".join("".join(quote.text for quote in inorder).split()) == "".join(abstract.split())
    scores = [quote.score for quote in found]
    assert scores == sorted(scores, reverse=True)


def test_papers_keep_their_order_and_scores(words: Index) -> None:
    asked = read_question(words, WordEmbedder(), "robots")
    given_ = [Evidence(paper, 3.0, 0.4, counted=True) for paper in words.papers]
    found = with_quotes(words, asked, Query("robots", "robots"), given_)
    assert [item.paper for item in found] == list(words.papers)
    assert all((item.score, item.similarity, item.counted) == (3.0, 0.4, True) for item in found)
    assert with_quotes(words, asked, Query("robots", "robots"), []) == ()
