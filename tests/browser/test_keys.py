"""Everything by keyboard, and what pointing at a citation shows."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.moves import FIELD, ask, ask_and_wait, until
from tests.browser.scripted_assistant import ScriptedAssistant
from tests.browser.test_library import reach

# Gradio uses what pandas has deprecated, on its server's threads.
pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")


def test_chat_and_evidence_are_used_by_keyboard_alone(
    page: Page, assistant: ScriptedAssistant
) -> None:
    page.locator("#view-ask").focus()
    page.keyboard.press("/")
    expect(page.locator(FIELD)).to_be_focused()
    page.keyboard.type("What is TARNIS? / ?")
    expect(page.locator(FIELD)).to_have_value("What is TARNIS? / ?")
    page.keyboard.press("Enter")
    expect(page.locator("#chat a.cite")).to_have_count(3)
    page.locator("#view-ask").focus()
    reach(page, "#chat a.cite")
    expect(page.locator("#hover q")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("#evidence article")).to_be_focused()
    expect(page.locator("#evidence mark")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#chat a.cite").first).to_be_focused()
    reach(page, '#chat a[href^="#act-retry"]')
    page.keyboard.press("Enter")
    until(page, lambda: len(assistant.asked) == 2)


def test_the_question_mark_helps_and_escape_closes(page: Page) -> None:
    page.locator("#view-ask").focus()
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    expect(page.locator("#help")).to_contain_text("Keys")
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()
    expect(page.locator("#view-ask")).to_be_focused()


def test_pointing_at_a_citation_shows_the_quotes_of_its_claim(page: Page) -> None:
    ask_and_wait(page, "What is TARNIS?")
    page.locator("#chat a.cite").nth(1).hover()
    expect(page.locator("#hover q")).to_have_text(
        ["TARNIS lowers the median delay by 41% on three public traces.", "It needs no training."]
    )
    page.locator("#chat a.cite").nth(2).hover()
    expect(page.locator("#hover")).to_contain_text("The quotes say nothing of halving.")
    page.locator("h1").hover()
    expect(page.locator("#hover")).to_be_hidden()


def test_text_is_grey_until_it_is_checked(page: Page, assistant: ScriptedAssistant) -> None:
    colour = "(e) => getComputedStyle(e).color"
    ask(page, "slow: what is TARNIS?")
    text = page.locator("#chat .bot-row .md p").first
    expect(page.locator("#chat .waiting")).to_contain_text("not yet checked")
    page.wait_for_timeout(600)
    grey = text.evaluate(colour)
    assistant.release.set()
    expect(page.locator("#chat a.cite")).to_have_count(3)
    page.wait_for_timeout(600)
    assert text.evaluate(colour) != grey
