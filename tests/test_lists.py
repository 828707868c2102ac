"""The papers that have the words of a list, and the rule in words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.index import Index, open_index
from rag.lists import listed
from rag.understand import understand
from tests.word_embedder import WordEmbedder, publish_texts

TEXTS = (
    "We train graph neural networks (GNNs) on maps. Maps are large.",
    "A GNN learns from maps of rivers.",
    "Graph theory without a neural network. Rivers flow.",
    "Graph-neural-network training is slow. It flows downhill.",
    "LLMs read maps. Kernel methods do not.",
    "An LLM writes about rivers.",
    "We study PDEs. A PDE is a partial differential equation.",
    "In flow. Matching is another thing. The chain-of-thought (CoT) is long.",
    "CoT helps with sums. Flow matching helps, too.",
    "Pre-trained language models (PLMs) age. GPT-3.5 ages too.",
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("lists")
    publish_texts(folder, {"a": TEXTS}, WordEmbedder())
    opened = open_index(folder, "words")
    yield opened
    opened.close()


def rows(index: Index, *groups: str | tuple[str, ...]) -> list[int]:
    """The numbers of the texts that have one of each group."""
    asked = tuple((group,) if isinstance(group, str) else group for group in groups)
    return [TEXTS.index(index.papers[row].abstract) for row in listed(index, asked).rows.tolist()]


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("river", [1, 2, 5]),
        ("Rivers", [1, 2, 5]),
        ("flow", [2, 3, 7, 8]),
        ("flow matching", [8]),
        ("maps of rivers", [1]),
        ("graph neural network", [0, 1, 3]),
        ("graph-neural networks", [0, 1, 3]),
        ("GNN", [0, 1, 3]),
        ("gnns", [0, 1, 3]),
        ("LLM", [4, 5]),
        ("LLMs", [4, 5]),
        ("PDE", [6]),
        ("chain-of-thought", [7, 8]),
        ("CoT", [7, 8]),
        ("PLM", [9]),
        ("pre-trained language model", [9]),
        ("GPT-3.5", [9]),
        ("zebra", []),
        ("kernel maps", []),
        ("", []),
        ("?!", []),
        ("the", []),
    ],
)
def test_a_term_is_found_whatever_its_number_hyphens_and_short_form(
    index: Index, term: str, expected: list[int]
) -> None:
    assert rows(index, term) == expected


def test_words_of_two_clauses_are_no_phrase(index: Index) -> None:
    assert 7 not in rows(index, "flow matching")


def test_a_paper_needs_one_of_each_group(index: Index) -> None:
    assert rows(index, ("GNN", "LLM"), "rivers") == [1, 5]
    assert rows(index, ("river", "sums")) == [1, 2, 5, 8]
    assert rows(index, "maps", "PDE") == []


def test_the_rule_names_the_words_and_the_forms_that_count(index: Index) -> None:
    rule = listed(index, (("GNN",), ("river", "map"))).rule
    assert rule == (
        "papers whose title, keywords or abstract have “GNN” or “graph neural networks” and "
        "“river” or “map”."
    )


def test_where_no_paper_has_a_word_nothing_is_listed(index: Index) -> None:
    for groups in ((), (("zebra",),), (("zebra", "gnu"), ("zoo",))):
        counted = listed(index, groups)
        assert (len(counted.rows), counted.rule) == (0, "")


def test_an_acronym_means_only_what_its_letters_spell(index: Index) -> None:
    # "neural networks (GNNs)" does not make GNN a word for neural networks.
    assert rows(index, "neural network") == [0, 2, 3]


GROUPS = st.lists(
    st.lists(st.text(max_size=20) | st.sampled_from(("GNN", "maps", "of", "a-b")), max_size=3).map(
        tuple
    ),
    max_size=3,
).map(tuple)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(groups=GROUPS)
def test_any_groups_give_rows_in_order_with_a_rule(
    index: Index, groups: tuple[tuple[str, ...], ...]
) -> None:
    counted = listed(index, groups)
    found = counted.rows.tolist()
    assert found == sorted(set(found))
    assert set(found) <= set(range(len(TEXTS)))
    assert bool(found) == bool(counted.rule)


def test_a_question_gives_the_groups(index: Index) -> None:
    query = understand("Which papers use GNNs or LLMs on rivers?", (), index.names)
    assert rows(index, *query.terms) == [1, 5]
