"""Content that tries to run, fetch or mislead stays text in every panel.

Every visit of these tests also ends with the look of conftest.py at requests and errors: an image
or a frame that was loaded from the address in HOSTILE would be among them.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.conftest import Serve, Visit
from tests.browser.moves import SEARCH, ask_and_wait
from tests.browser.scripted_assistant import (
    HOSTILE,
    ScriptedAssistant,
    hostile_paper,
    made_up_papers,
)

# Gradio uses what pandas has deprecated, on its server's threads.
pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")
SEEN = "<script>window.ran = 1</script>"
LONG = "x" * 10_000


def assert_only_text(page: Page, panel: str) -> None:
    """No script ran, nothing in the panel could, it shows what was tried, and the page fits."""
    expect(page.locator(panel).first).to_contain_text(SEEN)
    live = page.locator(f"{panel} :is(script, iframe, img, style, object, embed, base, meta)")
    assert live.evaluate_all("(all) => all.map((one) => one.outerHTML)") == []
    handlers = """(all) => all.flatMap((one) => one.getAttributeNames())
        .filter((name) => name.startsWith("on"))"""
    assert page.locator(f"{panel} *").evaluate_all(handlers) == []
    links = page.locator(f"{panel} a").evaluate_all("(all) => all.map((one) => one.href)")
    where = page.url.split("#")[0]
    assert [link for link in links if not link.startswith(f"{where}#")] == []
    assert page.evaluate("window.ran") is None
    expect(page.locator("h1")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.fixture
def hostile(serve_page: Serve, visit: Visit) -> Page:
    """A page whose every paper is hostile, with a word of 10,000 characters."""
    paper = hostile_paper()
    known = (
        replace(paper, abstract=f"{paper.abstract} {LONG}", source=HOSTILE, year=1),
        replace(paper, id="y", title=f"{LONG} {HOSTILE}", keywords=(f"{LONG}{HOSTILE}",)),
        *made_up_papers(),
    )
    return visit(serve_page(ScriptedAssistant(known=known, model=HOSTILE)))


def test_in_the_chat_and_in_evidence(hostile: Page) -> None:
    ask_and_wait(hostile, f"HOSTILE {HOSTILE} {LONG}", chips=1)
    assert_only_text(hostile, "#chat .message")
    hostile.locator("#chat a.cite").click()
    expect(hostile.locator("#evidence mark")).to_have_count(2)
    assert_only_text(hostile, "#evidence")
    hostile.locator("#chat a.source").first.click()
    assert_only_text(hostile, "#evidence")
    assert_only_text(hostile, "#mode")


def test_beside_a_citation(hostile: Page) -> None:
    ask_and_wait(hostile, f"HOSTILE {HOSTILE}", chips=1)
    hostile.locator("#chat a.cite").hover()
    expect(hostile.locator("#hover q")).to_have_count(2)
    assert_only_text(hostile, "#hover")


def test_in_the_library_and_on_a_paper_page(hostile: Page) -> None:
    hostile.locator("#view-papers").click()
    assert_only_text(hostile, "#library-list")
    for number in (0, 1):
        hostile.locator("#library-list a.open-paper").nth(number).click()
        expect(hostile.locator("#paper-page article")).to_be_focused()
        assert_only_text(hostile, "#paper-page")
        hostile.keyboard.press("Escape")
    hostile.fill(SEARCH, f"{HOSTILE} zebra")
    expect(hostile.locator("#library .count")).to_contain_text("No paper holds")
    assert hostile.evaluate("window.ran") is None


def test_among_the_filters(hostile: Page) -> None:
    hostile.locator("#view-papers").click()
    hostile.locator("#library-source input").click()
    expect(hostile.get_by_role("option").first).to_be_visible()
    assert hostile.evaluate("window.ran") is None
    assert hostile.locator("[role=listbox] :is(img, script, iframe, style)").count() == 0


def test_in_kept_conversations(hostile: Page) -> None:
    ask_and_wait(hostile, f"HOSTILE {HOSTILE}", chips=1)
    hostile.reload()
    expect(hostile.locator("#chat a.cite")).to_have_count(1)
    assert_only_text(hostile, "#chat .message")
    hostile.locator("#show-talks").click()
    assert_only_text(hostile, "#talk-list")


def test_in_files_that_would_be_added(uploads_page: Page) -> None:
    name = "<img src=x onerror=window.ran=7>.json"
    file: FilePayload = {"name": name, "mimeType": "text/plain", "buffer": hostile_list()}
    uploads_page.locator("#view-add").click()
    uploads_page.locator("#add-files input[type=file]").set_input_files([file])
    expect(uploads_page.locator("#add-preview .look")).to_be_visible()
    assert_only_text(uploads_page, "#add-preview")


def hostile_list() -> bytes:
    abstract = f"We study hostile lists. {HOSTILE} It ends here, and was long enough to be read."
    return json.dumps([{"title": HOSTILE, "abstract": abstract}] * 2).encode()
