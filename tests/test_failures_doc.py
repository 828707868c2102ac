"""docs/failures.md says what is really said; what an endpoint says of waiting is read or left."""

from __future__ import annotations

import httpx2
import openai
import pytest

from rag.failures import retry_after
from tests.failure_table import PAGE, ROWS, page
from tests.scripted_behaviours import BEHAVIOURS


def test_the_page_of_failures_is_what_is_said() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.failure_table"


def test_every_failure_of_the_scripted_server_is_on_the_page() -> None:
    good = {
        "good",
        "echo",
        "not_stated",
        "no_marker",
        "invented_marker",
        "wrong_number",
        "picky",
        "narrow",
    }
    assert {name for _, name, _ in ROWS} == BEHAVIOURS.keys() - good - {"429_then_good"}


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        *(("7", 7.0), ("-1", 0.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0)),
        *((odd, None) for odd in ("", "soon", "inf", "nan")),
        ("Mon, 01 Jan 99999999999 00:00:00 GMT", None),
    ],
)
def test_a_wait_is_read_or_none(value: str, seconds: float | None) -> None:
    response = httpx2.Response(
        429, headers={"retry-after": value}, request=httpx2.Request("POST", "http://host")
    )
    error = openai.APIStatusError("slow down", response=response, body=None)
    assert retry_after(error) == seconds
