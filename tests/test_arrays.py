"""The arrays of a generation: what is written is read again, paper by paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.arrays import PAPERS, SPANS, TOKEN_RUNS, PaperVectors, read, write
from rag.types import Span

D, E = 6, 4


def vectors(lengths: list[int], title: int, seed: int) -> PaperVectors:
    """A paper with a sentence of so many tokens each, behind the tokens of its title."""
    chance = np.random.default_rng(seed)
    runs = title + np.cumsum([0, *lengths])[:-1]
    return PaperVectors(
        chance.normal(size=D).astype(np.float32),
        chance.normal(size=(len(lengths), D)).astype(np.float32),
        [Span(10 * place, 10 * place + 9) for place in range(len(lengths))],
        chance.integers(-127, 128, (title + sum(lengths), E)).astype(np.int8),
        runs.astype(np.int64),
    )


PAPER = st.builds(
    vectors,
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.integers(0, 3),
    st.integers(0, 9),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(papers=st.lists(PAPER, min_size=1, max_size=5))
def test_every_paper_is_read_as_it_was_written(tmp_path: Path, papers: list[PaperVectors]) -> None:
    count = write(tmp_path, papers)
    opened = read(tmp_path)
    assert count == len(opened.sentences) == len(opened.spans) == opened.first[-1]
    for row, paper in enumerate(papers):
        found = opened.of(row)
        assert found.spans == list(paper.spans)
        assert np.allclose(found.paper, paper.paper, atol=2e-3)
        assert np.allclose(found.sentences, paper.sentences, atol=2e-3)
        assert (found.tokens == paper.tokens).all()
        assert (found.runs == paper.runs).all()


def test_each_sentence_knows_its_paper_and_where_its_tokens_begin(tmp_path: Path) -> None:
    write(tmp_path, [vectors([2, 1], 3, 1), vectors([4], 0, 2)])
    opened = read(tmp_path)
    assert opened.spans[:, 0].tolist() == [0, 0, 1]
    assert opened.first.tolist() == [0, 2, 3]
    assert opened.token_runs.tolist() == [3, 5, 6, 10]
    assert opened.token_papers.tolist() == [0, 6, 10]


def test_large_arrays_stay_on_disk(tmp_path: Path) -> None:
    write(tmp_path, [vectors([2, 1], 3, 1)])
    opened = read(tmp_path)
    for array in (opened.papers, opened.sentences, opened.tokens):
        assert isinstance(array, np.memmap)


@pytest.mark.parametrize("name", [PAPERS, SPANS, TOKEN_RUNS])
def test_a_file_that_is_missing_or_cut_off_is_an_error_of_reading(
    tmp_path: Path, name: str
) -> None:
    write(tmp_path, [vectors([2, 1], 3, 1)])
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[:-2])
    with pytest.raises((OSError, ValueError)):
        read(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(OSError, match=name):
        read(tmp_path)
