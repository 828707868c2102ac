"""The page in a browser, at 1280 and 375 px: ask, read, check, stop."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Serve, Visit
from tests.browser.moves import FIELD, ask, ask_and_wait, wait_until_in_view
from tests.browser.scripted_assistant import ScriptedAssistant, made_up_papers

# Gradio uses what pandas has deprecated, on its server's threads.
pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")


def test_the_page_says_what_it_is_before_the_first_question(page: Page) -> None:
    for name in ("question", "send", "stop", "chat", "evidence", "library", "mode"):
        assert page.locator(f"#{name}").count() == 1
    assert page.locator("#library-search").count() == 1
    expect(page.locator("h1")).to_have_count(1)
    expect(page).to_have_title("Colloquy")
    expect(page.locator("#mode")).to_contain_text("no model")
    expect(page.locator("#send")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_answer_streams_and_then_its_chips_open(
    page: Page, assistant: ScriptedAssistant
) -> None:
    ask(page, "slow: what is TARNIS?")
    expect(page.locator("#chat")).to_contain_text("TARNIS: We propose")
    expect(page.locator("#stop")).to_be_visible()
    assert page.locator("#chat a.cite").count() == 0
    assert page.input_value(FIELD) == ""
    assistant.release.set()
    expect(page.locator("#chat a.cite")).to_have_count(3)
    expect(page.locator("#send")).to_be_visible()
    expect(page.locator("#stop")).to_be_hidden()


def test_a_chip_opens_the_quotes_of_its_claim_beside_or_below(page: Page, width: str) -> None:
    ask_and_wait(page, "What is TARNIS?")
    expected = [
        ["We propose TARNIS, a router that moves requests with the tide of demand."],
        [
            "TARNIS lowers the median delay by 41% on three public traces.",
            "It needs no training.",
        ],
        ["Sparse updates also save radio time."],
    ]
    marks = page.locator("#evidence mark")
    for chip, quotes in enumerate(expected):
        page.locator("#chat a.cite").nth(chip).click()
        expect(marks).to_have_text(quotes)
        wait_until_in_view(page, marks.first)
    chat = page.locator("#chat").bounding_box()
    evidence = page.locator("#evidence").bounding_box()
    assert chat
    assert evidence
    if width == "wide":
        assert evidence["x"] >= chat["x"] + chat["width"]
    else:
        assert evidence["y"] >= chat["y"] + chat["height"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_older_answer_keeps_its_own_evidence(page: Page, assistant: ScriptedAssistant) -> None:
    ask_and_wait(page, "What is TARNIS?")
    other = replace(assistant.known[0], abstract="Now. " + assistant.known[0].abstract)
    assistant.known = (other, *assistant.known[1:])
    ask_and_wait(page, "And again?", chips=6)
    page.locator("#chat a.cite").nth(0).click()
    expect(page.locator("#evidence .abstract")).to_contain_text(re.compile("^Serving many"))
    page.locator("#chat a.cite").nth(3).click()
    expect(page.locator("#evidence .abstract")).to_contain_text(re.compile("^Now. Serving many"))
    history = assistant.asked[1][1]
    assert [turn.question for turn in history] == ["What is TARNIS?"]
    assert history[0].papers == ("paper-1", "paper-2")


def test_an_unsupported_claim_looks_different_and_says_why(page: Page) -> None:
    ask_and_wait(page, "What is TARNIS?")
    doubted = page.locator("#chat .unsupported")
    expect(doubted).to_have_text("TARNIS also halves the radio time")
    assert "wavy" in doubted.evaluate("(e) => getComputedStyle(e).textDecorationStyle")
    expect(page.locator("#chat")).to_contain_text("The quotes say nothing of halving.")
    page.locator("#chat a.cite").nth(2).click()
    expect(page.locator("#evidence .claim")).to_contain_text("The quotes say nothing of halving.")


def test_maths_is_rendered_and_money_stays(page: Page) -> None:
    ask_and_wait(page, "What is TARNIS?")
    expect(page.locator("#chat .katex")).to_have_count(1)
    expect(page.locator("#chat")).to_contain_text("$5 stays")
    page.locator("#chat a.cite").first.click()
    expect(page.locator("#evidence .katex")).to_have_count(1)
    expect(page.locator("#evidence")).to_contain_text("costs $5 to $7 an hour")


def test_stop_ends_the_answer_at_once_and_closes_the_stream(
    page: Page, assistant: ScriptedAssistant
) -> None:
    ask(page, "slow: what is TARNIS?")
    expect(page.locator("#chat")).to_contain_text("TARNIS: We propose")
    page.click("#stop")
    expect(page.locator("#chat")).to_contain_text("Stopped.")
    expect(page.locator("#send")).to_be_visible()
    assistant.release.set()
    for _ in range(100):
        if assistant.closed:
            break
        time.sleep(0.05)
    assert assistant.closed == ["slow: what is TARNIS?"]
    ask_and_wait(page, "What is TARNIS?")
    assert page.locator("#chat").inner_text().count("Stopped.") == 1


def test_stop_works_while_nothing_has_come_yet(page: Page, assistant: ScriptedAssistant) -> None:
    ask(page, "silent: what is TARNIS?")
    expect(page.locator("#chat .waiting")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#chat")).to_contain_text("Stopped.")
    ask_and_wait(page, "What is TARNIS?")
    assert assistant.asked[-1][1] == ()
    assistant.release.set()


def test_a_question_typed_while_an_answer_is_written_waits_in_its_field(
    page: Page, assistant: ScriptedAssistant
) -> None:
    ask(page, "slow: what is TARNIS?")
    expect(page.locator("#chat")).to_contain_text("TARNIS: We propose")
    ask(page, "What is MOSSLAND?")
    page.wait_for_timeout(500)
    assistant.release.set()
    expect(page.locator("#chat a.cite")).to_have_count(3)
    assert len(assistant.asked) == 1
    assert page.input_value(FIELD) == "What is MOSSLAND?"
    page.press(FIELD, "Enter")
    expect(page.locator("#chat a.cite")).to_have_count(6)


def test_an_example_is_asked_with_one_click(page: Page, assistant: ScriptedAssistant) -> None:
    page.locator("#chat a.ask", has_text="What is MOSSLAND?").click()
    expect(page.locator("#chat a.cite")).to_have_count(3)
    assert [question for question, _ in assistant.asked] == ["What is MOSSLAND?"]
    page.locator("#chat a.ask", has_text="What is MOSSLAND?").click()
    expect(page.locator("#chat a.cite")).to_have_count(6)


def test_a_chip_works_by_keyboard_and_escape_returns_to_it(page: Page) -> None:
    ask_and_wait(page, "What is TARNIS?")
    chip = page.locator("#chat a.cite").first
    chip.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#evidence mark")).to_have_count(1)
    expect(page.locator("#evidence article")).to_be_focused()
    page.keyboard.press("Escape")
    expect(chip).to_be_focused()


def test_a_failure_is_one_sentence_and_the_next_question_works(page: Page) -> None:
    ask(page, "broken")
    expect(page.locator("#chat")).to_contain_text("refused the key; check OPENAI_API_KEY.")
    expect(page.locator("#send")).to_be_visible()
    ask_and_wait(page, "What is TARNIS?")


def test_an_empty_question_asks_nothing(page: Page, assistant: ScriptedAssistant) -> None:
    ask(page, "   ")
    expect(page.get_by_text("Type a question first.")).to_be_visible()
    assert assistant.asked == []


def test_a_new_conversation_starts_empty(page: Page, assistant: ScriptedAssistant) -> None:
    ask_and_wait(page, "What is TARNIS?")
    page.locator("#chat a.cite").first.click()
    expect(page.locator("#evidence mark")).to_have_count(1)
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator("#chat a.cite")).to_have_count(0)
    expect(page.locator("#evidence mark")).to_have_count(0)
    expect(page.locator("#chat .welcome")).to_be_visible()
    ask_and_wait(page, "What is TARNIS?")
    assert assistant.asked[-1][1] == ()


def test_two_browsers_do_not_see_each_other(
    assistant: ScriptedAssistant, serve_page: Serve, visit: Visit
) -> None:
    where = serve_page(assistant)
    one, two = visit(where), visit(where)
    ask(one, "slow: what is TARNIS?")
    expect(one.locator("#chat")).to_contain_text("TARNIS: We propose")
    ask_and_wait(two, "What is TARNIS?")
    assert two.locator("#chat .user-row").count() == 1
    threading.Timer(0.1, assistant.release.set).start()
    expect(one.locator("#chat a.cite")).to_have_count(3)


def test_the_model_and_the_digest_are_named(serve_page: Serve, visit: Visit) -> None:
    papers = tuple(replace(paper, digest=True) for paper in made_up_papers())
    page = visit(serve_page(ScriptedAssistant(known=papers, model="tidal-7b", digest=True)))
    expect(page.locator("#mode")).to_contain_text("tidal-7b at http://127.0.0.1:9/v1")
    expect(page.locator("#head")).to_contain_text("digest, not the authors’ words")
    ask_and_wait(page, "What is TARNIS?")
    page.locator("#chat a.cite").first.click()
    expect(page.locator("#evidence")).to_contain_text("digest, not the authors’ words")
    page.locator("#view-papers").click()
    expect(page.locator("#library-list .digest")).to_have_count(3)


def test_an_empty_index_says_what_to_do(serve_page: Serve, visit: Visit) -> None:
    page = visit(serve_page(ScriptedAssistant(known=())))
    expect(page.locator("#chat")).to_contain_text("colloquy ingest FILE")
