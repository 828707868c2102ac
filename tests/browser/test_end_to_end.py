"""From a list of abstracts to a quote in the browser: real ingest, index, assistant and page."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from rag import Assistant
from tests.browser.conftest import Serve, Visit
from tests.browser.moves import ask, wait_until_in_view
from tests.papers import ORCHID

# Gradio uses what pandas has deprecated, on its server's threads.
pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")


def test_a_question_about_a_paper_opens_its_sentence(
    small_index: Path, serve_page: Serve, visit: Visit
) -> None:
    with Assistant.open(small_index) as assistant:
        page = visit(serve_page(assistant))
        expect(page.locator("#mode")).to_contain_text("no model")
        ask(page, "What is ORCHID?")
        chips = page.locator("#chat a.cite")
        expect(chips.first).to_be_visible()
        chips.first.click()
        marks = page.locator("#evidence mark")
        expect(marks.first).to_be_visible()
        wait_until_in_view(page, marks.first)
        assert all(quote in ORCHID for quote in marks.all_inner_texts())
        expect(page.locator("#evidence .abstract")).to_have_text(ORCHID)


def test_every_paper_is_in_the_library_and_the_examples_can_be_asked(
    small_index: Path, serve_page: Serve, visit: Visit
) -> None:
    with Assistant.open(small_index) as assistant:
        page = visit(serve_page(assistant))
        expect(page.locator("#library .paper")).to_have_count(5)
        page.locator("#chat a.ask").first.click()
        expect(page.locator("#chat a.cite").first).to_be_visible()


def test_a_question_about_nothing_here_is_answered_without_chips(
    small_index: Path, serve_page: Serve, visit: Visit
) -> None:
    with Assistant.open(small_index) as assistant:
        page = visit(serve_page(assistant))
        ask(page, "How are volcanoes taxed in Lisbon?")
        expect(page.locator("#chat .bot-row")).to_be_visible()
        expect(page.locator("#send")).to_be_visible()
        expect(page.locator("#chat .waiting")).to_have_count(0)
        assert page.locator("#chat a.cite").count() == 0
