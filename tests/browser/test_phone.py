"""On a phone the page scrolls as a whole: views stay at the top, the question at the bottom."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.moves import FIELD, ask, ask_and_wait, wait_until_in_view
from tests.browser.scripted_assistant import ScriptedAssistant

pytestmark = [
    # Gradio uses what pandas has deprecated, on its server's threads.
    pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning"),
    pytest.mark.parametrize("width", ["narrow"]),
]
STAYS = "#view-papers, #question, #send"


def all_in_view(page: Page) -> None:
    for each in STAYS.split(", "):
        expect(page.locator(each)).to_be_in_viewport(ratio=1)


def test_the_chat_is_as_long_as_it_is_and_its_end_is_followed(
    page: Page, assistant: ScriptedAssistant
) -> None:
    expect(page.locator("#evidence")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    for number in range(1, 4):
        ask_and_wait(page, f"What is TARNIS, number {number}?", chips=3 * number)
    chat = page.locator("#chat .bubble-wrap")
    assert chat.evaluate("(e) => e.scrollHeight <= e.clientHeight + 1")
    assert page.evaluate("document.documentElement.scrollHeight > 2 * innerHeight")
    expect(page.locator("#chat .user-row").last).to_be_in_viewport(ratio=1)
    all_in_view(page)
    page.mouse.wheel(0, -600)
    page.wait_for_function("() => scrollY < document.documentElement.scrollHeight - 1200")
    all_in_view(page)


def test_each_view_stays_where_it_was_scrolled_to(page: Page, assistant: ScriptedAssistant) -> None:
    for number in range(1, 4):
        ask_and_wait(page, f"What is TARNIS, number {number}?", chips=3 * number)
    page.evaluate("scrollTo({ top: 400, behavior: 'instant' })")
    page.wait_for_timeout(200)
    page.locator("#view-papers").click()
    expect(page.locator("#library-search")).to_be_in_viewport()
    page.locator("#view-ask").click()
    assert page.evaluate("scrollY") == 400
    ask(page, "slow: what is TARNIS?")
    expect(page.locator("#chat .waiting")).to_be_visible()
    page.locator("#view-papers").click()
    assistant.release.set()
    expect(page.locator("#stop")).to_be_disabled()
    expect(page.locator("#library-search")).to_be_in_viewport()


def test_evidence_opens_below_and_asking_from_there_leads_back(
    page: Page, assistant: ScriptedAssistant
) -> None:
    ask_and_wait(page, "What is TARNIS?")
    page.locator("#chat a.cite").nth(1).click()
    wait_until_in_view(page, page.locator("#evidence mark").first)
    expect(page.locator("#evidence button.back")).to_be_in_viewport(ratio=1)
    page.locator("#evidence button.back").click()
    expect(page.locator("#chat a.cite").nth(1)).to_be_in_viewport(ratio=1)
    page.locator("#chat a.cite").nth(0).click()
    wait_until_in_view(page, page.locator("#evidence mark").first)
    page.keyboard.press("/")
    expect(page.locator(FIELD)).to_be_in_viewport(ratio=1)
    ask(page, "slow: what is TARNIS?")
    expect(page.locator("#chat .waiting")).to_be_in_viewport(ratio=1)
    page.locator("#chat a.cite").first.click()
    wait_until_in_view(page, page.locator("#evidence mark").first)
    assistant.release.set()
    expect(page.locator("#chat a.cite")).to_have_count(6)
    page.wait_for_timeout(300)
    wait_until_in_view(page, page.locator("#evidence mark").first)
