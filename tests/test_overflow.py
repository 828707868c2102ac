"""Errors that say that a request was too long, as servers word them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.overflow import overflow


@pytest.mark.parametrize(
    ("body", "window"),
    [
        (
            "This model's maximum context length is 4096 tokens. However, you requested 5012 "
            "tokens (4500 in the messages, 512 in the completion). Please reduce the length.",
            4096,
        ),
        (
            "This endpoint's maximum context length is 32,768 tokens. However, you requested "
            "about 51,000 tokens.",
            32768,
        ),
        ("request (3021 tokens) exceeds the available context size (1536 tokens), try it", 1536),
        ("Requested token count exceeds the model's maximum context length of 2048 tokens.", 2048),
        ("The input (5000 tokens) is longer than the model's context length (4096 tokens).", 4096),
        (
            "Trying to keep the first 5000 tokens when context the overflows. However, the model "
            "is loaded with context length of only 4096 tokens.",
            4096,
        ),
        ("prompt is too long: 208310 tokens > 200000 maximum", 200000),
        (
            "The input token count (40000) exceeds the maximum number of tokens allowed (32768).",
            32768,
        ),
        ("`inputs` must have less than 4096 tokens. Given: 5000", 4096),
        ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000", 4096),
        ("The prompt is longer than the context.", None),
        ({"message": "too long", "type": "exceed_context_size_error", "n_ctx": 1536}, 1536),
        ({"message": "Please shorten it.", "code": "context_length_exceeded"}, None),
        ({"message": "It exceeds the context window of 8192.", "code": 400}, 8192),
    ],
)
def test_a_request_that_was_too_long_is_told_with_what_fits(body: Any, window: int | None) -> None:
    found = overflow(body)
    assert found is not None
    assert found.window == window


@pytest.mark.parametrize(
    "body",
    [
        "Unsupported value: 'temperature'.",
        "Limit 10000 tokens per min exceeded: 12000 requested.",
        {"message": "You exceeded your current quota of tokens.", "code": "insufficient_quota"},
        {"message": "No such model."},
        {"error": "context"},
        None,
        7,
    ],
)
def test_other_errors_are_not_about_length(body: Any) -> None:
    assert overflow(body) is None


@given(st.one_of(st.text(), st.dictionaries(st.text(), st.one_of(st.text(), st.integers()))))
def test_whatever_is_said_a_window_is_a_usable_number(body: Any) -> None:
    found = overflow(body)
    assert found is None or found.window is None or found.window >= 128
