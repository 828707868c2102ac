"""Folders with embedding models as hubs publish them: the bundled one, and very small made-up ones.

`bundled_folder` writes the bundled model's files with the settings that a test wants.
`small_model` writes an ONNX file of a few hundred bytes: each token has a fixed vector, whatever
stands around it. ONNX is a protobuf format; what is needed of it is encoded here by hand.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag import embed

MEAN = {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}
CLS = {"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True}
MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {
        "idx": 2,
        "name": "2",
        "path": "2_Normalize",
        "type": "sentence_transformers.models.Normalize",
    },
]


def bundled_folder(
    folder: Path,
    pooling: Mapping[str, Any] = MEAN,
    prompts: Mapping[str, Any] | None = None,
    *,
    length: int = embed.WINDOW,
    model: str = "model.onnx",
) -> Path:
    """The bundled model as a folder of its own."""
    place = folder / model
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(embed._checked(*embed.MODEL, embed.MODEL_SHA256))
    describe(folder, pooling, prompts, length=length)
    return folder


def describe(
    folder: Path,
    pooling: Mapping[str, Any] = MEAN,
    prompts: Mapping[str, Any] | None = None,
    *,
    length: int = embed.WINDOW,
) -> None:
    """The files beside a model that knows the bundled one's words."""
    tokenizer = embed._checked(*embed.TOKENIZER, embed.TOKENIZER_SHA256)
    (folder / "tokenizer.json").symlink_to(tokenizer)
    write(folder / "modules.json", MODULES)
    write(folder / "1_Pooling/config.json", {"word_embedding_dimension": 384, **pooling})
    write(folder / "sentence_bert_config.json", {"max_seq_length": length, "do_lower_case": False})
    if prompts is not None:
        write(folder / "config_sentence_transformers.json", prompts)


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def small_model(
    path: Path,
    vectors: NDArray[np.float32],
    *,
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
    states: str = "last_hidden_state",
    vector: str = "",
) -> None:
    """A model that gives each token a row of `vectors` (words, d) as its state and, where `vector`
    is a name, the plain mean of a text's states under that name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nodes = [_node("Gather", ["table", "input_ids"], [states or "hidden"])]
    outputs = [_value(states, 1, ("b", "s", vectors.shape[1]))] if states else []
    if vector:
        nodes.append(_node("ReduceMean", [states or "hidden"], [vector], axes=[1], keepdims=0))
        outputs.append(_value(vector, 1, ("b", vectors.shape[1])))
    graph = b"".join(
        [
            *(_field(1, node) for node in nodes),
            _field(2, b"tiny"),
            _field(5, _tensor("table", vectors)),
            *(_field(11, _value(name, 7, ("b", "s"))) for name in inputs),
            *(_field(12, output) for output in outputs),
        ]
    )
    operators = _field(1, b"") + _number(2, 13)
    path.write_bytes(_number(1, 8) + _field(7, graph) + _field(8, operators))


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _node(kind: str, taken: Sequence[str], given: Sequence[str], **attributes: Any) -> bytes:
    parts = [*(_field(1, n.encode()) for n in taken), *(_field(2, n.encode()) for n in given)]
    parts.append(_field(4, kind.encode()))
    for name, value in attributes.items():
        content = _field(1, name.encode())
        if isinstance(value, list):
            content += b"".join(_number(8, each) for each in value) + _number(20, 7)
        else:
            content += _number(3, value) + _number(20, 2)
        parts.append(_field(5, content))
    return b"".join(parts)


def _tensor(name: str, values: NDArray[np.float32]) -> bytes:
    sizes = b"".join(_number(1, size) for size in values.shape)
    raw = struct.pack(f"<{values.size}f", *values.ravel())
    return sizes + _number(2, 1) + _field(8, name.encode()) + _field(9, raw)


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    sizes = b"".join(
        _field(1, _field(2, size.encode()) if isinstance(size, str) else _number(1, size))
        for size in shape
    )
    tensor = _number(1, kind) + _field(2, sizes)
    return _field(1, name.encode()) + _field(2, _field(1, tensor))
