"""Models in folders as hubs publish them, run by the code that runs the bundled one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingest import ingest
from rag import Assistant
from rag.embed import OnnxEmbedder, bundled, embed_question, unit
from rag.errors import IndexMismatch, SettingsError
from rag.folder import open_folder
from rag.sentences import sentences
from rag.settings import Settings
from tests.model_folder import CLS, MEAN, bundled_folder, describe, small_model, write
from tests.papers import ALL, ORCHID, write_list

WORDS = 30522
# Files of a folder that hold JSON of another shape.
PROMPTS = "config_sentence_transformers.json"
WRONG: Mapping[str, tuple[str, Any]] = {
    "wrong json": ("modules.json", {}),
    "wrong module": ("modules.json", ["Pooling"]),
    "wrong prompts": (PROMPTS, {"prompts": ["ask: "]}),
    "wrong prompt": (PROMPTS, {"prompts": {"query": None}}),
}
TABLE = np.random.default_rng(7).normal(size=(WORDS, 8)).astype(np.float32)


def small(folder: Path, pooling: Mapping[str, Any] = MEAN, **options: Any) -> OnnxEmbedder:
    """A small model in a folder, opened."""
    small_model(folder / "model.onnx", TABLE, **options)
    describe(folder, pooling)
    return open_folder(folder)


def rows(embedder: OnnxEmbedder, text: str) -> Any:
    """The rows of the table that a text is made of, special tokens included."""
    return TABLE[embedder.tokenizer.encode(text).ids]


def test_the_bundled_model_as_a_folder_gives_the_same_vectors(tmp_path: Path) -> None:
    opened = open_folder(bundled_folder(tmp_path / "mine", model="onnx/model.onnx"))
    for (_, mine), (_, theirs) in zip(opened.encode(ALL), bundled().encode(ALL), strict=True):
        assert (mine.vector == theirs.vector).all()
        assert (mine.states == theirs.states).all()
        assert (mine.offsets == theirs.offsets).all()


def test_a_model_is_named_by_its_folder_and_whatever_decides_its_vectors(tmp_path: Path) -> None:
    names = [
        open_folder(bundled_folder(tmp_path / place / "mine", pooling, prompts)).name
        for place, pooling, prompts in [
            ("a", MEAN, None),
            ("b", MEAN, None),
            ("c", CLS, None),
            ("d", MEAN, {"prompts": {"query": "ask: "}}),
        ]
    ]
    assert all(name.startswith("mine@") for name in names)
    assert names[0] == names[1]
    assert len(set(names)) == 3


def test_first_tokens_are_the_vectors_where_the_folder_says_so(tmp_path: Path) -> None:
    opened = small(tmp_path, CLS)
    found = embed_question(opened, "one two three")
    assert np.allclose(found.vector, unit(rows(opened, "one two three")[0]), atol=1e-6)
    assert np.allclose(found.states, rows(opened, "one two three")[1:-1], atol=1e-6)


def test_the_newer_form_of_the_pooling_file_is_read(tmp_path: Path) -> None:
    assert small(tmp_path, {"pooling_mode": "cls"}).pooling == "cls"


def test_without_means_every_sentence_is_read_by_itself(tmp_path: Path) -> None:
    opened = open_folder(bundled_folder(tmp_path / "first", CLS))
    spans = sentences(ORCHID)
    ((_, found),) = opened.encode([ORCHID], [spans])
    third = embed_question(opened, ORCHID[spans[2].start : spans[2].end])
    assert np.allclose(found.pooled(spans[2].start, spans[2].end), third.vector, atol=1e-4)
    both = unit(found.pooled(spans[0].start, spans[1].end))
    each = [found.pooled(span.start, span.end) for span in spans[:2]]
    assert np.allclose(both, unit(np.mean(each, axis=0)), atol=1e-6)
    assert len(found.states) > len(spans)


@pytest.mark.parametrize("counts", [True, False])
def test_prompts_go_before_questions_and_papers_and_have_no_offsets(
    tmp_path: Path, counts: bool
) -> None:
    prompts = {"prompts": {"query": "find: ", "passage": "read: "}, "default_prompt_name": None}
    folder = bundled_folder(tmp_path / "mine", {**MEAN, "include_prompt": counts}, prompts)
    opened, plain = open_folder(folder), bundled()
    text = "Oaks grow slowly"
    asked = embed_question(opened, text)
    ((_, told),) = opened.encode([text])
    whole = embed_question(plain, f"find: {text}")
    assert asked.offsets.tolist() == embed_question(plain, text).offsets.tolist()
    assert not np.allclose(asked.vector, told.vector, atol=1e-2)
    assert np.allclose(asked.vector, whole.vector, atol=1e-5) == counts
    assert np.allclose(asked.states, whole.states[-3:], atol=1e-4)


def test_a_usual_prompt_is_for_both_where_none_is_for_one(tmp_path: Path) -> None:
    prompts = {"prompts": {"all": "text: "}, "default_prompt_name": "all"}
    assert open_folder(bundled_folder(tmp_path, MEAN, prompts)).prompts == ("text: ", "text: ")


def test_a_model_reads_as_many_tokens_at_a_time_as_its_files_say(tmp_path: Path) -> None:
    long = " ".join(ALL)
    for length, windows in [(64, 5), (512, 1)]:
        opened = open_folder(bundled_folder(tmp_path / str(length), length=length))
        assert len(opened.tokenizer.encode(long).overflowing) >= windows - 1
        assert len(embed_question(opened, long).states) == len(
            embed_question(bundled(), long).states
        )
    (folder := tmp_path / "64" / "sentence_bert_config.json").unlink()
    write(folder.with_name("tokenizer_config.json"), {"model_max_length": 10**30})
    open_folder.cache_clear()
    unlimited = open_folder(folder.parent).tokenizer.truncation
    assert unlimited is not None
    assert unlimited["max_length"] == 512


@pytest.mark.parametrize(
    ("options", "pooling"),
    [
        ({"states": "token_embeddings"}, "mean"),
        ({"states": "token_embeddings", "vector": "sentence_embedding"}, "mean"),
        ({"states": "", "vector": "sentence_embedding"}, "given"),
        ({"inputs": ("input_ids", "attention_mask", "token_type_ids")}, "mean"),
    ],
)
def test_whatever_an_export_calls_its_inputs_and_outputs(
    tmp_path: Path, options: dict[str, Any], pooling: str
) -> None:
    opened = small(tmp_path, **options)
    found = embed_question(opened, "one two")
    assert opened.pooling == pooling
    assert np.allclose(found.vector, unit(rows(opened, "one two").mean(axis=0)), atol=1e-6)
    assert len(found.states) == (2 if options.get("states") != "" else 0)


def test_a_model_with_a_further_layer_gives_its_own_vector(tmp_path: Path) -> None:
    small_model(tmp_path / "model.onnx", TABLE, vector="sentence_embedding")
    describe(tmp_path)
    dense = {"type": "sentence_transformers.models.Dense", "path": "2_Dense"}
    write(tmp_path / "modules.json", [dense])
    assert open_folder(tmp_path).pooling == "given"


def test_small_letters_keep_their_places(tmp_path: Path) -> None:
    small_model(tmp_path / "model.onnx", TABLE)
    describe(tmp_path)
    write(tmp_path / "sentence_bert_config.json", {"max_seq_length": 99, "do_lower_case": True})
    text = "İSTANBUL is OLD"
    assert embed_question(open_folder(tmp_path), text).offsets[-1].tolist() == [12, 15]


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("model.onnx", "neither model.onnx nor onnx/model.onnx"),
        ("tokenizer.json", "no tokenizer.json"),
        ("1_Pooling/config.json", "no 1_Pooling/config.json says"),
        ("pooling", "no 1_Pooling/config.json says"),
        ("junk model", "cannot be loaded"),
        ("junk json", r"modules\.json cannot be read"),
        ("wrong json", r"modules\.json is not what"),
        ("deep json", r"modules\.json cannot be read"),
        ("wrong module", r"modules\.json is not what"),
        ("wrong prompts", r"config_sentence_transformers\.json is not what"),
        ("wrong prompt", r"config_sentence_transformers\.json is not what"),
        ("inputs", "takes 'position_ids'"),
        ("outputs", "puts out logits"),
        ("few words", "does not run"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused_in_words(
    tmp_path: Path, damage: str, words: str
) -> None:
    small_model(
        tmp_path / "model.onnx",
        TABLE[:50] if damage == "few words" else TABLE,
        inputs=("input_ids", "position_ids") if damage == "inputs" else ("input_ids",),
        states="logits" if damage == "outputs" else "last_hidden_state",
    )
    describe(tmp_path, {"pooling_mode_max_tokens": True} if damage == "pooling" else MEAN)
    if damage == "junk model":
        (tmp_path / "model.onnx").write_bytes(b"junk")
    elif damage == "junk json":
        (tmp_path / "modules.json").write_text("{", encoding="utf-8")
    elif damage == "deep json":
        (tmp_path / "modules.json").write_text("[" * 200_000, encoding="utf-8")
    elif damage in WRONG:
        write(tmp_path.joinpath(WRONG[damage][0]), WRONG[damage][1])
    elif "." in damage:
        (tmp_path / damage).unlink()
    with pytest.raises(SettingsError, match=words) as caught:
        open_folder(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert "as hubs publish it" in str(caught.value)


@pytest.mark.parametrize("pooling", [MEAN, CLS])
def test_an_index_of_a_folders_model_answers_and_grows_with_it_alone(
    tmp_path: Path, pooling: Mapping[str, Any]
) -> None:
    folder = bundled_folder(tmp_path / "mine", pooling)
    settings = Settings(embedder=f"onnx:{folder}", index=str(tmp_path / "index"))
    for count in (3, 5):
        listed = write_list(tmp_path / "list.txt", ALL[:count])
        ingest([listed], settings.index, settings=settings)
    with Assistant.open(settings=settings) as assistant:
        answer = assistant.ask("Which system plans the routes of robots in a kitchen?")
        assert answer.papers[0].abstract == ALL[3]
        assert assistant.ask("How do I bake sourdough bread?").status == "not_found"
    with pytest.raises(IndexMismatch, match=r"'mine@\w+'.*set COLLOQUY_EMBEDDER.*colloquy ingest"):
        Assistant.open(settings.index, settings=Settings())
