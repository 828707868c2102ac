"""The environment -> settings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rag.errors import SettingsError
from rag.settings import read_settings

ROOT = Path(__file__).parents[1]


def test_a_flag_wins_over_a_variable_and_a_variable_over_the_default() -> None:
    env = {"COLLOQUY_INDEX": "theirs", "COLLOQUY_PORT": "9"}
    assert read_settings({}).index == "chroma_db"
    assert read_settings(env).index == "theirs"
    assert read_settings(env, index="mine", port=8).index == "mine"
    assert read_settings(env, port=8).port == 8


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("COLLOQUY_PORT", "eighty", "'eighty', which is no port"),
        ("COLLOQUY_PORT", "70000", "'70000', which is no port"),
        ("COLLOQUY_AUTH", "nopassword", "user:password"),
        ("COLLOQUY_EMBEDDER", "mystery", "'mystery'"),
        ("COLLOQUY_EMBEDDER", "mystery:model", "onnx:FOLDER or openai:MODEL"),
        ("COLLOQUY_EMBEDDER", "onnx:", "names no folder; write it like onnx:FOLDER"),
        ("COLLOQUY_EMBEDDER", "openai:", "names no model; write it like openai:MODEL"),
        ("COLLOQUY_REPAIR", "perhaps", "'perhaps'; write 1 for yes"),
        ("COLLOQUY_PRICE", "cheap", "'cheap'; write what a million tokens"),
        ("COLLOQUY_PRICE", "1/-2", "'1/-2'"),
    ],
)
def test_a_value_that_does_not_fit_is_named(name: str, value: str, message: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(message)):
        read_settings({name: value})


def test_a_price_is_that_of_the_prompt_and_of_the_answer() -> None:
    assert read_settings({"COLLOQUY_PRICE": "0.15/0.6"}).price == (0.15, 0.6)
    assert read_settings({}).price is None


def test_secrets_are_not_shown() -> None:
    settings = read_settings({"OPENAI_API_KEY": "sk-secret", "COLLOQUY_AUTH": "me:hidden"})
    assert "sk-secret" not in repr(settings)
    assert "hidden" not in repr(settings)


def test_an_endpoint_exists_only_where_a_key_or_an_address_is_set() -> None:
    assert read_settings({}).endpoint is None
    assert read_settings({"OPENAI_BASE_URL": "http://localhost:1/v1"}).endpoint is not None
    assert read_settings({"OPENAI_API_KEY": "k"}).endpoint == "https://api.openai.com/v1"


def test_no_model_writes_where_none_is_named_so() -> None:
    settings = read_settings({"OPENAI_BASE_URL": "http://localhost:1/v1", "COLLOQUY_MODEL": "none"})
    assert settings.endpoint is None
    assert settings.address == "http://localhost:1/v1"


def test_the_example_file_names_every_variable() -> None:
    code = (ROOT / "rag" / "settings.py").read_text(encoding="utf-8")
    read = set(re.findall(r'variable\("(\w+)"\)', code))
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert set(re.findall(r"^#?\s*(\w+)=", example, re.MULTILINE)) == read
