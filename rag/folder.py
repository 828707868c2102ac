"""A folder with a sentence-transformers model in ONNX form -> an embedder.

Goes in: a folder as hubs publish it. Comes out: an `OnnxEmbedder` set up as the files beside the
model say, or a `SettingsError` that names what is missing or cannot be done.

    model.onnx or onnx/model.onnx     tokenizer.json
    modules.json                      what follows the transformer; optional
    1_Pooling/config.json             how token states become a vector
    config_sentence_transformers.json prompts for questions and papers; optional
    sentence_bert_config.json         how many tokens the model reads at a time; optional
    tokenizer_config.json             the same, where the former does not say it; optional
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from rag.embed import WINDOW, OnnxEmbedder, Pooling, embed_question, load
from rag.errors import SettingsError

MODELS = ("model.onnx", "onnx/model.onnx")
TOKENIZER, MODULES, POOLING = "tokenizer.json", "modules.json", "1_Pooling/config.json"
PROMPTS = "config_sentence_transformers.json"
LENGTHS = (
    ("sentence_bert_config.json", "max_seq_length"),
    ("tokenizer_config.json", "model_max_length"),
)
# Tokenizers without a limit tell one of thirty digits.
LONGEST = 100_000
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
# By the names that exports give them: token states, and the vector of a whole text.
STATES = ("last_hidden_state", "token_embeddings")
VECTOR = "sentence_embedding"
# What may follow a transformer without changing the direction of a mean over its states.
KNOWN_MODULES = frozenset(["Transformer", "Pooling", "Normalize"])
# As sentence-transformers looks for them.
PAPER_PROMPTS = ("document", "passage", "corpus")


@dataclass(frozen=True, slots=True)
class _Recipe:
    """How a vector is made, as the folder's files say; `pooling` is "" where only the model itself
    could do it."""

    pooling: str
    prompt_counts: bool
    prompts: tuple[str, str]
    window: int
    lower: bool


@lru_cache(maxsize=1)
def open_folder(folder: Path) -> OnnxEmbedder:
    """The model in a folder, loaded once a process; named by the folder and a sum of its files.

    Raises `SettingsError`.
    """
    model = next((folder / name for name in MODELS if (folder / name).is_file()), None)
    if model is None:
        raise _refused(folder, f"it holds neither {MODELS[0]} nor {MODELS[1]}")
    if not (folder / TOKENIZER).is_file():
        raise _refused(folder, f"it holds no {TOKENIZER}")
    recipe = _recipe(folder)
    try:  # both libraries raise what they like
        tokenizer, session = load(model, folder / TOKENIZER, recipe.window)
    except Exception as error:
        raise _refused(folder, f"its model cannot be loaded ({error})") from error
    inputs = tuple(given.name for given in session.get_inputs())
    for given in session.get_inputs():
        if given.name not in INPUTS or given.type != "tensor(int64)":
            raise _refused(folder, f"its model takes {given.name!r} ({given.type}), not known here")
    pooling, tokens, whole = _outputs(
        folder, [given.name for given in session.get_outputs()], recipe.pooling
    )
    embedder = OnnxEmbedder(
        name=f"{folder.resolve().name}@{_sum(folder, model)}",
        tokenizer=tokenizer,
        session=session,
        pooling=pooling,
        inputs=inputs,
        tokens=tokens,
        whole=whole,
        prompts=recipe.prompts,
        prompt_counts=recipe.prompt_counts,
        lower=recipe.lower,
    )
    try:
        embed_question(embedder, "Does it run?")
    except Exception as error:
        raise _refused(folder, f"its model does not run ({error})") from error
    return embedder


def _outputs(folder: Path, names: Sequence[str], pooling: str) -> tuple[Pooling, str, str]:
    """How the vector is made, and the outputs with the token states and the vector."""
    tokens = next((name for name in STATES if name in names), "")
    if tokens and pooling == "mean":
        return "mean", tokens, ""
    if tokens and pooling == "cls":
        return "cls", tokens, ""
    if VECTOR in names:
        return "given", tokens, VECTOR
    if not tokens:
        wanted = ", ".join([*STATES, VECTOR])
        raise _refused(folder, f"its model puts out {', '.join(names)} and none of {wanted}")
    raise _refused(
        folder,
        f"no {POOLING} says that its vectors are means (pooling_mode_mean_tokens) or first tokens "
        f"(pooling_mode_cls_token), and its model does not put out a {VECTOR}",
    )


def _recipe(folder: Path) -> _Recipe:
    modules = _read(folder, MODULES, list)
    if not all(isinstance(each, dict) for each in modules):
        raise _odd(folder, MODULES)
    kinds = {str(each.get("type", "")).rpartition(".")[2] for each in modules}
    pooling = _read(folder, POOLING, dict)
    said = _read(folder, PROMPTS, dict)
    prompts: dict[str, str] = said.get("prompts") or {}
    if not (isinstance(prompts, dict) and all(isinstance(p, str) for p in prompts.values())):
        raise _odd(folder, PROMPTS)
    usual = prompts.get(str(said.get("default_prompt_name")), "")
    paper = next((prompts[name] for name in PAPER_PROMPTS if name in prompts), usual)
    lengths = [_read(folder, file, dict).get(key) for file, key in LENGTHS]
    known = [each for each in lengths if isinstance(each, int) and 0 < each < LONGEST]
    return _Recipe(
        pooling=_pooling(pooling) if kinds <= KNOWN_MODULES else "",
        prompt_counts=pooling.get("include_prompt", True),
        prompts=(prompts.get("query", usual), paper),
        window=known[0] if known else WINDOW,
        lower=bool(_read(folder, LENGTHS[0][0], dict).get("do_lower_case")),
    )


def _pooling(config: dict[str, Any]) -> str:
    """The one pooling that is set, by its short name; "" for none, several or another."""
    if "pooling_mode" in config:  # newer files
        return str(config["pooling_mode"])
    set_ = [name for name, value in config.items() if name.startswith("pooling_mode_") and value]
    short = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
    return short.get(set_[0], "") if len(set_) == 1 else ""


def _read(folder: Path, file: str, kind: type) -> Any:
    """A JSON file of the folder, empty where there is none; it holds what `kind` says."""
    try:
        found = json.loads((folder / file).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return kind()
    except (OSError, ValueError, RecursionError) as error:
        raise _refused(folder, f"its {file} cannot be read ({error})") from error
    if not isinstance(found, kind):
        raise _odd(folder, file)
    return found


def _odd(folder: Path, file: str) -> SettingsError:
    return _refused(folder, f"its {file} is not what sentence-transformers writes")


def _sum(folder: Path, model: Path) -> str:
    """A short sum over everything that decides the vectors."""
    # Large weights lie beside the graph: model.onnx_data, model.onnx.data.
    files = [*sorted(model.parent.glob(f"{model.name}*")), folder / TOKENIZER]
    files += [folder / name for name in (MODULES, POOLING, PROMPTS, *(f for f, _ in LENGTHS))]
    total = hashlib.sha256()
    for path in files:
        if path.is_file():
            with path.open("rb") as content:
                total.update(hashlib.file_digest(content, "sha256").digest())
    return total.hexdigest()[:12]


def _refused(folder: Path, reason: str) -> SettingsError:
    return SettingsError(
        f"COLLOQUY_EMBEDDER names the folder {str(folder)!r}, but {reason}; give a folder with a "
        "sentence-transformers model in ONNX form, as hubs publish it."
    )
