"""What is done with messages, and conversations that the browser keeps."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Serve, Visit
from tests.browser.moves import FIELD, ask, ask_and_wait, until
from tests.browser.scripted_assistant import ScriptedAssistant

# Gradio uses what pandas has deprecated, on its server's threads.
pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")


def saved(page: Page, name: str, folder: Path) -> str:
    with page.expect_download() as download:
        page.locator("#chat a.act", has_text=name).last.click()
    target = folder / download.value.suggested_filename
    download.value.save_as(target)
    return target.read_text(encoding="utf-8")


def test_an_answer_is_copied_and_saved(page: Page, tmp_path: Path) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask_and_wait(page, "What is TARNIS?")
    page.locator("#chat a.act", has_text="Copy").click()
    expect(page.locator("#said")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("**TARNIS**: We propose TARNIS")
    assert copied.endswith("[2] Quiet Gradients: Sparse Updates for Small Devices")
    assert "It needs no training." in saved(page, "Markdown", tmp_path)
    assert json.loads(saved(page, "JSON", tmp_path))["status"] == "answered"
    assert saved(page, "BibTeX", tmp_path).count("@inproceedings{") == 2


def test_retry_replaces_the_answer(page: Page, assistant: ScriptedAssistant) -> None:
    ask_and_wait(page, "What is TARNIS?")
    ask_and_wait(page, "And again?", chips=6)
    page.locator("#chat a.act:visible", has_text="Retry").click()
    until(page, lambda: len(assistant.asked) == 3)
    expect(page.locator("#chat a.cite")).to_have_count(6)
    assert [question for question, _ in assistant.asked] == ["What is TARNIS?", *["And again?"] * 2]
    assert len(assistant.asked[2][1]) == 1


def test_an_edited_question_replaces_it_and_what_follows(
    page: Page, assistant: ScriptedAssistant
) -> None:
    ask_and_wait(page, "What is TARNIS?")
    ask_and_wait(page, "And again?", chips=6)
    page.locator("#chat .edit a").first.click()
    expect(page.locator(FIELD)).to_have_value("What is TARNIS?")
    expect(page.locator(FIELD)).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(page.locator(FIELD)).to_have_value("")
    page.locator("#chat .edit a").first.click()
    page.fill(FIELD, "What is MOSSLAND?")
    page.press(FIELD, "Enter")
    expect(page.locator("#chat .user-row")).to_have_count(1)
    expect(page.locator("#chat .user-row")).to_contain_text("What is MOSSLAND?")
    expect(page.locator("#chat a.cite")).to_have_count(3)
    assert assistant.asked[-1] == ("What is MOSSLAND?", ())


def test_a_reload_restores_chat_and_evidence(page: Page, assistant: ScriptedAssistant) -> None:
    ask_and_wait(page, "What is TARNIS?")
    ask(page, "broken")
    expect(page.locator("#chat")).to_contain_text("refused the key")
    page.reload()
    expect(page.locator("#chat a.cite")).to_have_count(3)
    expect(page.locator("#chat")).to_contain_text("refused the key")
    page.locator("#chat a.cite").nth(1).click()
    expect(page.locator("#evidence mark")).to_have_count(2)
    ask_and_wait(page, "And again?", chips=6)
    assert [turn.question for turn in assistant.asked[-1][1]] == ["What is TARNIS?"]


def test_a_page_left_while_it_is_answered_still_shows_the_question(
    page: Page, assistant: ScriptedAssistant
) -> None:
    ask(page, "slow: what is TARNIS?")
    expect(page.locator("#chat")).to_contain_text("not yet checked")
    page.reload()
    expect(page.locator("#chat .user-row")).to_contain_text("slow: what is TARNIS?")
    expect(page.locator("#chat")).to_contain_text("Stopped.")
    expect(page.locator("#send")).to_be_visible()
    assistant.release.set()


def test_conversations_are_listed_renamed_opened_and_deleted(page: Page) -> None:
    ask_and_wait(page, "What is TARNIS?")
    page.locator("#clear").click()
    expect(page.locator("#chat .welcome")).to_be_visible()
    ask_and_wait(page, "What is MOSSLAND?")
    page.locator("#show-talks").click()
    names = page.locator("#talk-list .open-talk")
    expect(names).to_have_text(["What is MOSSLAND?", "What is TARNIS?"])
    page.locator("#talk-list button", has_text="Rename").nth(1).click()
    page.keyboard.type("<b>Tides</b>")
    page.keyboard.press("Enter")
    expect(names.nth(1)).to_have_text("<b>Tides</b>")
    names.nth(1).click()
    expect(page.locator("#chat .user-row")).to_contain_text("What is TARNIS?")
    expect(page.locator("#chat a.cite")).to_have_count(3)
    page.locator("#chat a.cite").first.click()
    expect(page.locator("#evidence mark")).to_have_count(1)
    page.locator("#show-talks").click()
    delete = page.locator("#talk-list li", has_text="Tides").locator("button").last
    delete.click()
    expect(delete).to_have_text("Really delete?")
    delete.click()
    expect(names).to_have_text(["What is MOSSLAND?"])
    page.keyboard.press("Escape")
    expect(page.locator("#chat .welcome")).to_be_visible()


def test_what_was_kept_by_another_version_is_refused_in_words(page: Page) -> None:
    page.evaluate(
        """() => { colloquy.talks.show("7");
        colloquy.talks.write({ id: "7", exchanges: [{ answer: { text: 5 } }] }); }"""
    )
    page.reload()
    expect(page.get_by_text("This conversation cannot be read")).to_be_visible()
    ask_and_wait(page, "What is TARNIS?")


def test_two_browsers_keep_their_own_conversations(
    assistant: ScriptedAssistant, serve_page: Serve, visit: Visit
) -> None:
    where = serve_page(assistant)
    one, two = visit(where), visit(where)
    ask_and_wait(one, "What is TARNIS?")
    two.reload()
    expect(two.locator("#chat .welcome")).to_be_visible()
    two.locator("#show-talks").click()
    expect(two.locator("#talk-list")).to_have_text("None yet.")


def test_a_new_conversation_begun_at_once_stops_what_was_asked(
    page: Page, assistant: ScriptedAssistant
) -> None:
    """Whatever the server had seen of the question when the reader went on."""
    for pause in (0, 5, 40, 120, 400):
        shown = page.evaluate(SHOWN)
        ask(page, "slow: what is TARNIS?")
        page.wait_for_timeout(pause)
        page.locator("#clear").click()
        page.wait_for_function(f"(shown) => {SHOWN} !== shown", arg=shown)
        expect(page.locator("#chat .welcome")).to_be_visible()
        expect(page.locator("#send")).to_be_visible()
        page.wait_for_timeout(300)
        assert page.locator("#chat .user-row").count() == 0
    page.locator("#show-talks").click()
    expect(page.locator("#talk-list .open-talk")).to_have_count(5)
    page.locator("#talk-list .open-talk").first.click()
    expect(page.locator("#chat")).to_contain_text("Stopped.")
    assistant.release.set()


# The conversation that the page shows.
SHOWN = "JSON.parse(colloquy.place()).talk"


def test_another_conversation_opened_at_once_shows_its_own(
    page: Page, assistant: ScriptedAssistant
) -> None:
    ask_and_wait(page, "What is TARNIS?")
    page.locator("#clear").click()
    for pause in (0, 60, 300):
        ask(page, "slow: what is MOSSLAND?")
        page.wait_for_timeout(pause)
        page.locator("#show-talks").click()
        page.locator("#talk-list .open-talk", has_text="What is TARNIS?").click()
        expect(page.locator("#chat a.cite")).to_have_count(3)
        expect(page.locator("#chat .user-row")).to_have_text(re.compile("What is TARNIS"))
        page.wait_for_timeout(300)
        expect(page.locator("#send")).to_be_visible()
        page.locator("#clear").click()
        expect(page.locator("#chat .welcome")).to_be_visible()
    assistant.release.set()


def test_a_question_sent_twice_is_asked_once(page: Page, assistant: ScriptedAssistant) -> None:
    page.fill(FIELD, "What is TARNIS?")
    page.evaluate("() => { for (let i = 0; i < 3; i++) colloquy.byId('send').click(); }")
    expect(page.locator("#chat a.cite")).to_have_count(3)
    page.wait_for_timeout(500)
    assert len(assistant.asked) == 1
    expect(page.locator("#chat a.cite")).to_have_count(3)


def test_each_index_has_its_own_conversations(
    assistant: ScriptedAssistant, serve_page: Serve, visit: Visit
) -> None:
    """Indexes that were served at the same address one after the other."""
    page = visit(serve_page(assistant))
    ask_and_wait(page, "What is TARNIS?")
    mine = page.evaluate("Object.keys(localStorage)")
    page.route("**/", lambda route: _under_another_name(route))
    page.reload()
    expect(page.locator("#chat .welcome")).to_be_visible()
    page.locator("#show-talks").click()
    expect(page.locator("#talk-list")).to_have_text("None yet.")
    page.keyboard.press("Escape")
    ask_and_wait(page, "What is MOSSLAND?")
    assert len(page.evaluate("Object.keys(localStorage)")) == len(mine) + 1
    page.unroute("**/")
    page.reload()
    expect(page.locator("#chat .user-row")).to_contain_text("What is TARNIS?")


def _under_another_name(route: Route) -> None:
    answer = route.fetch()
    pattern = r'(colloquy-index\\" content=\\")\w+'
    route.fulfill(response=answer, body=re.sub(pattern, r"\1another", answer.text()))


def test_the_reader_who_scrolled_up_is_left_there(page: Page, assistant: ScriptedAssistant) -> None:
    for number in range(1, 4):
        ask_and_wait(page, f"What is TARNIS, number {number}?", chips=3 * number)
    ask(page, "slow: what is TARNIS?")
    expect(page.locator("#chat")).to_contain_text("not yet checked")
    page.locator("#chat").hover()
    page.mouse.wheel(0, -5000)
    page.wait_for_function(AT_TOP)
    assistant.release.set()
    expect(page.locator("#chat a.cite")).to_have_count(12)
    page.wait_for_timeout(500)
    assert page.evaluate(AT_TOP)


# One of the two does not scroll: on a narrow page all of it does.
AT_TOP = "() => document.querySelector('#chat .bubble-wrap').scrollTop + scrollY < 50"
