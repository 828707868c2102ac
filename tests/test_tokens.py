"""Token states: what is stored of them, and late interaction."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag import lexical
from rag.embed import Encoded, bundled, embed_question
from rag.gauge import shipped
from rag.lexical import Lexical
from rag.tokens import (
    BASIS,
    CLIP,
    LEAST_WEIGHT,
    SCALE,
    compress,
    cosines,
    maxsim,
    question_tokens,
)
from tests.papers import ALL, ORCHID
from tests.word_embedder import WordEmbedder

WORDS = WordEmbedder()
PLAIN = np.eye(WORDS.dimension, dtype=np.float32)
TEXTS = st.text(
    st.sampled_from("abcxyzÉßİ 012-'’_.,?!$\\{}中文🙂\n\t"), min_size=1, max_size=80
).filter(lambda text: any(not letter.isspace() for letter in text))


@pytest.fixture(scope="module")
def postings(tmp_path_factory: pytest.TempPathFactory) -> Lexical:
    folder = tmp_path_factory.mktemp("words") / "lexical"
    lexical.build(ALL, folder)
    return lexical.load(folder)


def encoded(text: str) -> Encoded:
    return embed_question(WORDS, text)


def test_only_tokens_of_words_that_carry_meaning_are_stored() -> None:
    text = "The padding, of sparse molecules!"
    tokens, offsets = compress(encoded(text), text, PLAIN)
    assert [text[start:end] for start, end in offsets] == ["padding", "sparse", "molecules"]
    assert tokens.shape == (3, WORDS.dimension)
    assert tokens.dtype == np.int8


def test_a_text_of_stopwords_and_signs_stores_nothing() -> None:
    tokens, offsets = compress(encoded("It is the, of …"), "It is the, of …", PLAIN)
    assert (len(tokens), len(offsets)) == (0, 0)


def test_the_real_model_stores_a_third_of_its_dimensions() -> None:
    basis = np.load(BASIS)
    assert basis.shape == (384, 128)
    assert np.allclose(basis.T.astype(np.float32) @ basis, np.eye(128), atol=1e-2)
    tokens, offsets = compress(embed_question(bundled(), ORCHID), ORCHID, shipped().basis)
    assert tokens.shape == (len(offsets), 128)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_offsets_are_ordered_and_lie_in_the_text(text: str) -> None:
    tokens, offsets = compress(encoded(text), text, PLAIN)
    assert len(tokens) == len(offsets)
    assert all(0 <= start < end <= len(text) for start, end in offsets)
    assert all(before[1] <= after[0] for before, after in pairwise(offsets))


@settings(deadline=None, max_examples=50)
@given(text=TEXTS)
def test_any_question_has_weights_and_pieces_for_its_tokens(postings: Lexical, text: str) -> None:
    asked = question_tokens(encoded(text), text, postings, PLAIN)
    count = len(asked.offsets)
    assert asked.vectors.shape == (count, WORDS.dimension)
    assert asked.weights.shape == asked.pieces.shape == (count,)
    assert (asked.weights >= LEAST_WEIGHT - 1e-6).all()
    assert (asked.weights <= LEAST_WEIGHT + 1 + 1e-6).all()
    assert (asked.pieces >= 1).all()


def test_a_rare_word_weighs_more_than_a_common_one(postings: Lexical) -> None:
    question = "auction of a system that nobody knows"
    asked = question_tokens(encoded(question), question, postings, PLAIN)
    weights = {
        question[start:end]: weight
        for (start, end), weight in zip(asked.offsets, asked.weights, strict=True)
    }
    assert weights["nobody"] > weights["auction"] > weights["system"] - 1e-6


def test_the_tokens_of_a_long_word_say_how_many_they_are(postings: Lexical) -> None:
    question = "What does TIDEPOOL forecast?"
    asked = question_tokens(
        embed_question(bundled(), question), question, postings, shipped().basis
    )
    pieces = [
        pieces
        for (start, _), pieces in zip(asked.offsets, asked.pieces, strict=True)
        if start < question.index("forecast")
    ]
    assert len(pieces) > 1
    assert set(pieces) == {len(pieces)}


def test_a_word_is_its_own_best_match(postings: Lexical) -> None:
    question = "sparse molecules"
    asked = question_tokens(encoded(question), question, postings, PLAIN)
    tokens, _ = compress(encoded(ORCHID), ORCHID, PLAIN)
    best = cosines(asked.vectors, tokens).max(axis=1)
    assert best == pytest.approx(np.ones(2), abs=0.25)  # values beyond CLIP are cut


def test_the_score_of_a_run_is_the_weighed_mean_of_the_best_cosines() -> None:
    cosines = np.asarray([[0.1, 0.9, 0.3, 0.2], [0.5, 0.4, 0.8, 0.0]], dtype=np.float32)
    weights = np.asarray([3.0, 1.0], dtype=np.float32)
    scores = maxsim(weights, cosines, np.asarray([0, 2]))
    assert scores == pytest.approx([(3 * 0.9 + 0.5) / 4, (3 * 0.3 + 0.8) / 4])


def test_a_question_without_tokens_scores_zero_everywhere() -> None:
    nothing = np.zeros((0, 7), dtype=np.float32)
    assert maxsim(np.zeros(0, dtype=np.float32), nothing, np.asarray([0, 3])).tolist() == [0, 0]


@given(st.integers(1, 6), st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(0, 99))
def test_maxsim_is_what_a_loop_gives(words: int, lengths: list[int], seed: int) -> None:
    chance = np.random.default_rng(seed)
    cosines = chance.uniform(-1, 1, (words, sum(lengths))).astype(np.float32)
    weights = chance.uniform(0.1, 1, words).astype(np.float32)
    starts = np.cumsum([0, *lengths])
    expected = [
        float(weights @ cosines[:, start:end].max(axis=1) / weights.sum())
        for start, end in pairwise(starts)
    ]
    assert maxsim(weights, cosines, starts[:-1]) == pytest.approx(expected, abs=1e-5)


def test_the_range_of_a_byte_is_used() -> None:
    assert round(CLIP * SCALE) == np.iinfo(np.int8).max
