"""What a model's numbers mean: other models' cosines are moved to where the bundled one's lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from rag import gauge
from rag.embed import NAME, Encoded, bundled, embed_question, unit
from rag.gauge import Scale, shipped
from rag.sentences import sentences
from rag.tokens import CLIP, compress, cosines, meant
from rag.types import Span
from tests.papers import ALL, MOSAIC, ORCHID
from tests.word_embedder import WordEmbedder


@dataclass
class Leaning:
    """The bundled model with a direction added to everything: all its cosines lie close together,
    as those of many models do."""

    name: str = "leaning"
    lean: float = 1.0

    def encode(
        self, texts: Sequence[str], parts: Sequence[Sequence[Span]] = (), *, asking: bool = False
    ) -> Iterator[tuple[int, Encoded]]:
        aside = unit(np.random.default_rng(3).normal(size=384).astype(np.float32))
        for place, found in bundled().encode(texts, parts, asking=asking):
            lengths = np.linalg.norm(found.states, axis=1, keepdims=True)
            states = found.states + self.lean * lengths * aside
            yield place, Encoded(unit(found.vector + self.lean * aside), states, found.offsets)


def test_the_levels_of_the_bundled_model_are_those_that_are_shipped() -> None:
    pairs = gauge.read_pairs(bundled())
    assert gauge.text_levels(pairs) == pytest.approx(gauge.TEXTS, abs=1e-3)
    assert gauge.word_levels(pairs, shipped().basis) == pytest.approx(gauge.WORDS, abs=1e-3)
    assert gauge.gauge(bundled(), ALL) is shipped()


def test_the_questions_are_answered_by_their_passages_alone() -> None:
    pairs = gauge.read_pairs(bundled())
    asked = np.stack([encoded.vector for _, encoded in pairs.questions])
    told = np.stack([encoded.vector for _, encoded in pairs.passages])
    assert ((asked @ told.T).argmax(axis=1) == np.arange(len(asked))).all()
    assert all(len(sentences(text)) == 3 for text, _ in pairs.passages)


def test_a_leaning_models_cosines_are_moved_to_the_bundled_ones() -> None:
    leaning, plain = Leaning(), bundled()
    found = gauge.gauge(leaning, ALL)
    for question in ("Which robots share a kitchen?", "How do I bake bread?"):
        truth = float(embed_question(plain, question).vector @ embed_question(plain, MOSAIC).vector)
        raw = embed_question(leaning, question).vector @ embed_question(leaning, MOSAIC).vector
        assert float(raw) > truth + 0.1
        assert float(found.texts.told(np.asarray(raw))) == pytest.approx(truth, abs=0.06)


def test_a_leaning_models_words_are_moved_as_well() -> None:
    question = "packing molecules auction"
    best = []
    for embedder in (bundled(), Leaning()):
        found = gauge.gauge(embedder, ALL)
        tokens, _ = compress(embed_question(embedder, ORCHID), ORCHID, found.basis)
        vectors = meant(embed_question(embedder, question), question, found.basis)
        best.append(found.words.told(cosines(vectors, tokens).max(axis=1)))
    assert best[1] == pytest.approx(best[0], abs=0.1)


def test_a_basis_keeps_cosines_and_uses_the_range_that_is_stored() -> None:
    read = [encoded for _, encoded in bundled().encode(ALL)]
    basis = gauge.learned(read)
    states = unit(read[0].states)
    true, kept = states @ states.T, (states @ basis) @ (states @ basis).T
    assert basis.shape == (384, 128)
    assert float(np.corrcoef(true.ravel(), kept.ravel())[0, 1]) > 0.98
    values = np.abs(np.concatenate([unit(each.states) @ basis for each in read]))
    assert float(np.quantile(values, 0.999)) == pytest.approx(CLIP, rel=1e-3)


def test_a_model_without_token_states_has_a_basis_without_directions() -> None:
    nothing = Encoded(
        np.ones(7, np.float32), np.empty((0, 7), np.float32), np.empty((0, 2), np.int64)
    )
    assert gauge.learned([nothing]).shape == (7, 0)


def test_a_gauge_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = gauge.gauge(WordEmbedder(), ALL)
    gauge.save(found, tmp_path)
    again = gauge.load(tmp_path, "words")
    assert (again.basis == found.basis).all()
    assert (again.texts, again.words) == (found.texts, found.words)


def test_the_shipped_gauge_is_not_written(tmp_path: Path) -> None:
    gauge.save(shipped(), tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert gauge.load(tmp_path, NAME) is shipped()


def test_a_gauge_that_is_cut_off_is_an_error_of_reading(tmp_path: Path) -> None:
    gauge.save(gauge.gauge(WordEmbedder(), ALL), tmp_path)
    file = tmp_path / gauge.FILE
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(ValueError, match="damaged"):
        gauge.load(tmp_path, "words")


def test_a_moved_cosine_is_still_one() -> None:
    told = Scale(9.0, -0.5).told(np.asarray([-1.0, 0.1, 1.0]))
    assert told.tolist() == pytest.approx([-1.0, 0.4, 1.0])
