"""What is there against what was read: which papers are added, updated, kept and removed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from ingest.merge import ID_LENGTH, Candidate, Merge, embedded_text, fingerprint, merge
from rag.types import Paper
from tests.word_embedder import paper

ANTS = "Ants carry leaves home along paths that they mark with a scent which fades in the rain."
BEES = "Bees dance to tell where flowers are, and the length of a dance tells how far they are."
COWS = "Cows stand north to south when they graze, unless a power line hums above the meadow."
# More than half of all words are shared with ANTS.
ANTS_AGAIN = "Ants carry leaves home along paths that they mark with a scent which lasts two days."


def listed(source: str, *texts: str, keys: Sequence[str | None] = ()) -> list[Candidate]:
    """The candidates of one file."""
    names = list(keys) or [None] * len(texts)
    return [
        Candidate(paper(text, source, position), key)
        for position, (text, key) in enumerate(zip(texts, names, strict=True), 1)
    ]


def after(
    old: Merge | None, read: Mapping[str, Sequence[Candidate]], *, sync: bool = False
) -> Merge:
    return merge(old.papers if old else (), old.keys if old else {}, read, sync=sync)


def ids(merged: Merge) -> dict[str, str]:
    """Ids by abstract."""
    return {each.abstract: each.id for each in merged.papers}


def counted(merged: Merge) -> tuple[int, int, int, int]:
    return len(merged.added), len(merged.updated), merged.unchanged, len(merged.gone)


def test_ids_do_not_depend_on_the_order_of_the_files() -> None:
    files = {"a": listed("a", ANTS, BEES), "b": listed("b", COWS), "c": listed("c", ANTS_AGAIN)}
    found = [ids(after(None, {n: files[n] for n in order})) for order in permutations(files)]
    assert all(each == found[0] for each in found)
    assert len(set(found[0].values())) == 4


def test_the_same_text_is_unchanged_and_needs_no_model() -> None:
    first = after(None, {"a": listed("a", ANTS, BEES)})
    assert counted(first) == (2, 0, 0, 0)
    assert first.fresh == set(first.added)
    second = after(first, {"a": listed("a", ANTS, BEES)})
    assert counted(second) == (0, 0, 2, 0)
    assert not second.fresh
    assert second.papers == first.papers


def test_reading_one_of_several_sources_again_changes_nothing_not_even_the_order() -> None:
    first = after(None, {"a": listed("a", ANTS), "b": listed("b", BEES)})
    assert after(first, {"a": listed("a", ANTS)}).papers == first.papers
    both = {"b": listed("b", BEES), "a": listed("a", ANTS)}
    assert after(first, both).papers == first.papers


def test_another_case_or_white_space_is_the_same_paper_but_new_words_for_the_reader() -> None:
    first = after(None, {"a": listed("a", ANTS)})
    second = after(first, {"a": listed("a", ANTS.upper())})
    assert counted(second) == (0, 1, 0, 0)
    assert second.updated == first.added


def test_the_same_key_in_the_same_source_is_updated_whatever_its_text_says() -> None:
    first = after(None, {"a": listed("a", ANTS, BEES, keys=["1", "2"])})
    second = after(first, {"a": listed("a", BEES, COWS, keys=["2", "1"])})
    assert counted(second) == (0, 1, 1, 0)
    assert ids(second)[COWS] == ids(first)[ANTS]
    assert second.keys == {ids(first)[ANTS]: "1", ids(first)[BEES]: "2"}
    assert second.fresh == {ids(first)[ANTS]}


def test_the_same_key_in_another_source_is_another_paper() -> None:
    first = after(None, {"a": listed("a", ANTS, keys=["1"])})
    second = after(first, {"b": listed("b", BEES, keys=["1"])}, sync=True)
    assert counted(second) == (1, 0, 0, 1)


def test_the_same_place_with_most_words_shared_is_updated() -> None:
    first = after(None, {"a": listed("a", ANTS, BEES)})
    second = after(first, {"a": listed("a", ANTS_AGAIN, BEES)})
    assert counted(second) == (0, 1, 1, 0)
    assert ids(second)[ANTS_AGAIN] == ids(first)[ANTS]


def test_the_same_place_with_other_words_is_another_paper() -> None:
    first = after(None, {"a": listed("a", ANTS, BEES)})
    second = after(first, {"a": listed("a", COWS, BEES)})
    assert counted(second) == (1, 0, 1, 1)
    assert second.gone == (ids(first)[ANTS],)


def test_what_a_source_no_longer_holds_is_removed_and_other_sources_stay() -> None:
    first = after(None, {"a": listed("a", ANTS, BEES), "b": listed("b", COWS)})
    second = after(first, {"a": listed("a", BEES)})
    assert counted(second) == (0, 0, 2, 1)
    assert ids(second) == {BEES: ids(first)[BEES], COWS: ids(first)[COWS]}


def test_sync_removes_the_sources_that_are_not_named() -> None:
    first = after(None, {"a": listed("a", ANTS, BEES), "b": listed("b", COWS)})
    second = after(first, {"a": listed("a", ANTS, BEES)}, sync=True)
    assert counted(second) == (0, 0, 2, 1)
    assert COWS not in ids(second)


def test_a_paper_twice_in_one_file_is_skipped_and_says_where_the_first_stands() -> None:
    merged = after(None, {"a": listed("a", ANTS, BEES, f"  {ANTS.swapcase()}")})
    assert counted(merged) == (2, 0, 0, 0)
    (skipped,) = merged.skipped
    assert (skipped.source, skipped.row) == ("a", 3)
    assert skipped.reason == "the same abstract as number 1 of a"


def test_a_paper_in_two_files_is_skipped_in_the_second() -> None:
    merged = after(None, {"a": listed("a", ANTS), "b": listed("b", BEES, ANTS)})
    (skipped,) = merged.skipped
    assert (skipped.source, skipped.row, skipped.reason) == (
        "b",
        2,
        "the same abstract as number 1 of a",
    )


def test_a_paper_that_another_source_brought_before_is_skipped() -> None:
    first = after(None, {"a": listed("a", BEES, ANTS)})
    second = after(first, {"b": listed("b", ANTS, COWS)})
    assert counted(second) == (1, 0, 2, 0)
    assert [each.reason for each in second.skipped] == ["the same abstract as number 2 of a"]


def test_a_text_that_moves_to_another_file_or_place_keeps_its_id() -> None:
    first = after(None, {"a": listed("a", ANTS, BEES), "b": listed("b", COWS)})
    second = after(first, {"a": listed("a", COWS, BEES), "b": listed("b", ANTS)})
    assert counted(second) == (0, 0, 3, 0)
    assert ids(second) == ids(first)
    assert not second.fresh
    assert {p.abstract: (p.source, p.position) for p in second.papers} == {
        COWS: ("a", 1),
        BEES: ("a", 2),
        ANTS: ("b", 1),
    }


def test_a_text_whose_id_an_updated_paper_carries_gets_another_one() -> None:
    first = after(None, {"a": listed("a", ANTS, keys=["1"])})
    second = after(first, {"a": listed("a", BEES, keys=["1"])})
    third = after(second, {"b": listed("b", ANTS)})
    assert ids(third)[BEES] == ids(first)[ANTS]
    assert ids(third)[ANTS].startswith(ids(first)[ANTS])
    assert len(set(ids(third).values())) == 2


def test_an_id_is_the_beginning_of_a_sum_over_the_words() -> None:
    (made,) = after(None, {"a": listed("a", ANTS)}).papers
    assert made.id == hashlib.sha256(fingerprint(made).encode()).hexdigest()[:ID_LENGTH]


def test_a_title_that_the_file_gives_is_read_by_the_model_and_a_derived_one_is_not() -> None:
    derived = paper(ANTS)
    given_ = replace(derived, title="On Ants", title_source="given")
    assert embedded_text(derived) == ANTS
    assert embedded_text(given_) == f"On Ants. {ANTS}"
    first = after(None, {"a": [Candidate(derived)]})
    second = after(first, {"a": [Candidate(given_)]})
    assert second.updated == first.added
    assert second.fresh == set(first.added)


@pytest.mark.parametrize(
    ("change", "updated"),
    [
        ({"title": "Another derived name"}, False),
        ({"position": 7}, False),
        ({"year": 2027}, True),
        ({"authors": ("A. Nt",)}, True),
        ({"url": "https://example.org"}, True),
    ],
)
def test_only_what_a_paper_says_of_itself_is_a_change(
    change: dict[str, object], updated: bool
) -> None:
    first = after(None, {"a": [Candidate(paper(ANTS))]})
    changed = replace(paper(ANTS), **change)  # type: ignore[arg-type]
    second = after(first, {"a": [Candidate(changed)]})
    assert bool(second.updated) == updated
    assert not second.fresh
    for name, value in change.items():
        assert getattr(second.papers[0], name) == value


WORDS = st.lists(st.sampled_from("ant bee cow dog elk fox gnu hen".split()), min_size=1, max_size=6)
ROWS = st.lists(
    st.tuples(WORDS.map(" ".join), st.sampled_from([None, "1", "2", "3"])), min_size=1, max_size=6
)


class Updates(RuleBasedStateMachine):
    """Files are read again and again with other contents, in every mixture."""

    def __init__(self) -> None:
        super().__init__()
        self.papers: tuple[Paper, ...] = ()
        self.keys: Mapping[str, str] = {}

    @rule(
        files=st.dictionaries(st.sampled_from("abc"), ROWS, min_size=1, max_size=3),
        sync=st.booleans(),
    )
    def read(self, files: dict[str, list[tuple[str, str | None]]], sync: bool) -> None:
        read = {
            source: listed(source, *(text for text, _ in rows), keys=[key for _, key in rows])
            for source, rows in files.items()
        }
        before = {fingerprint(each): each.id for each in self.papers}
        others = [each for each in self.papers if each.source not in files]
        merged = merge(self.papers, self.keys, read, sync=sync)
        now = {fingerprint(each): each.id for each in merged.papers}
        given_ = {fingerprint(each.paper) for group in read.values() for each in group}

        assert given_ <= now.keys()
        assert sync or set(others) <= set(merged.papers)
        assert now.keys() == given_ | (set() if sync else {fingerprint(p) for p in others})
        assert all(now[text] == before[text] for text in now.keys() & before.keys())
        assert merged.unchanged == len(merged.papers) - len(merged.added) - len(merged.updated) >= 0
        assert set(merged.gone) == set(before.values()) - set(now.values())
        assert set(merged.added) == set(now.values()) - set(before.values())
        texts = {each.id: embedded_text(each) for each in self.papers}
        assert merged.fresh == {
            each.id for each in merged.papers if texts.get(each.id) != embedded_text(each)
        }
        rows = sum(len(group) for group in read.values())
        kept = 0 if sync else len(others)
        assert len(merged.skipped) == rows + kept - len(merged.papers)
        again = merge(merged.papers, merged.keys, read, sync=sync)
        assert (again.papers, again.keys) == (merged.papers, merged.keys)
        self.papers, self.keys = merged.papers, merged.keys

    @invariant()
    def ids_are_never_shared(self) -> None:
        assert len({each.id for each in self.papers}) == len(self.papers)
        assert self.keys.keys() <= {each.id for each in self.papers}


TestUpdates = Updates.TestCase
TestUpdates.settings = settings(max_examples=60, stateful_step_count=6, deadline=None)


@given(st.dictionaries(st.sampled_from("abcd"), ROWS, min_size=1), st.randoms())
def test_ids_are_the_same_for_any_files_in_any_order(
    files: dict[str, list[tuple[str, str | None]]], random: Random
) -> None:
    read = {source: listed(source, *(text for text, _ in rows)) for source, rows in files.items()}
    order = list(read)
    random.shuffle(order)

    def by_text(merged: Merge) -> dict[str, str]:
        return {fingerprint(each): each.id for each in merged.papers}

    assert by_text(after(None, read)) == by_text(after(None, {n: read[n] for n in order}))
