"""docs/failures.md says what is really said."""

from __future__ import annotations

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
