"""The library in a browser: search, filter, order, one paper's page, selecting."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Serve, Visit
from tests.browser.moves import FIELD, SEARCH, ask, ask_and_wait, until
from tests.browser.scripted_assistant import ScriptedAssistant, made_up_papers

# Gradio uses what pandas has deprecated, on its server's threads.
pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")
PAPERS = "#library .paper"


def open_library(page: Page) -> None:
    page.locator("#view-papers").click()
    expect(page.locator("#library")).to_be_visible()


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_the_library_lists_searches_and_opens_papers(page: Page) -> None:
    expect(page.locator("#library")).to_be_hidden()
    page.get_by_role("button", name="Papers (3)").click()
    expect(page.locator(PAPERS)).to_have_count(3)
    page.fill(SEARCH, "slow environments")
    expect(page.locator(PAPERS)).to_have_count(1)
    expect(page.locator(PAPERS)).to_contain_text("derived name")
    page.locator("#library-list a.open-paper").click()
    shown = page.locator("#paper-page .abstract")
    expect(shown).to_be_visible()
    expect(shown).to_contain_text("MOSSLAND holds 64 environments")
    page.keyboard.press("Escape")
    page.fill(SEARCH, "zebra")
    expect(page.locator("#library .count")).to_contain_text("No paper holds the words “zebra”")
    assert fits(page)


def test_a_paper_page_leads_to_its_nearest_to_a_file_and_to_a_question(
    page: Page, tmp_path: Path
) -> None:
    open_library(page)
    page.locator("#library-list a.open-paper").first.click()
    heading = page.locator("#paper-page h2")
    expect(heading).to_contain_text("TARNIS")
    page.locator("#paper-page .related a").first.click()
    expect(heading).to_contain_text("Quiet Gradients")
    with page.expect_download() as download:
        page.locator("#paper-page a.act", has_text="BibTeX").click()
    target = tmp_path / "paper.bib"
    download.value.save_as(target)
    assert "Quiet Gradients" in target.read_text(encoding="utf-8")
    page.locator("#paper-page a.about").click()
    expect(page.locator(FIELD)).to_be_focused()
    expect(page.locator(FIELD)).to_have_value("What does “Quiet Gradients” propose?")
    page.keyboard.press("Enter")
    expect(page.locator("#chat a.cite")).to_have_count(3)


def test_a_long_list_is_shown_in_parts_filtered_and_ordered(
    serve_page: Serve, visit: Visit
) -> None:
    first = made_up_papers()[0]
    many = tuple(
        replace(first, id=f"p{i}", title=f"NAME{i}: A paper", position=i, year=2000 + i % 2)
        for i in range(100)
    )
    page = visit(serve_page(ScriptedAssistant(known=many)))
    open_library(page)
    expect(page.locator(PAPERS)).to_have_count(40)
    expect(page.locator("#library .count")).to_have_text("100 papers, the first 40 shown")
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(PAPERS)).to_have_count(80)
    choose(page, "library-year", "2001")
    expect(page.locator("#library .count")).to_have_text("50 of 100 papers fit, the first 40 shown")
    choose(page, "library-order", "Title")
    expect(page.locator(PAPERS).first).to_contain_text("NAME11:")
    assert page.locator("#library-venue").count() == 0


def choose(page: Page, name: str, value: str) -> None:
    page.locator(f"#{name} input").click()
    page.get_by_role("option", name=value, exact=True).click()


def test_selected_papers_stay_selected_and_are_saved_together(page: Page, tmp_path: Path) -> None:
    open_library(page)
    page.get_by_label("Select TARNIS").check()
    page.fill(SEARCH, "sparse")
    expect(page.locator(PAPERS)).to_have_count(2)
    page.get_by_label("Select Quiet Gradients").check()
    page.fill(SEARCH, "")
    expect(page.locator(PAPERS)).to_have_count(3)
    expect(page.get_by_label("Select TARNIS")).to_be_checked()
    expect(page.locator("#picked")).to_contain_text("2 selected")
    with page.expect_download() as download:
        page.locator("#picked button", has_text="JSON").click()
    target = tmp_path / "papers.json"
    download.value.save_as(target)
    saved = json.loads(target.read_text(encoding="utf-8"))
    assert [paper["id"] for paper in saved] == ["paper-1", "paper-2"]
    page.locator("#picked button", has_text="Clear").click()
    expect(page.get_by_label("Select TARNIS")).not_to_be_checked()
    expect(page.locator("#picked .picked")).to_be_hidden()


def test_selected_papers_are_compared_in_the_chat(page: Page) -> None:
    open_library(page)
    page.get_by_label("Select TARNIS").check()
    compare = page.locator("#picked button", has_text="Compare")
    expect(compare).to_be_disabled()
    expect(page.locator("#picked")).to_contain_text("One more to compare.")
    page.get_by_label("Select MOSSLAND").check()
    compare.click()
    expect(page.locator("#chat table")).to_be_visible()
    expect(page.locator("#chat .user-row")).to_contain_text("Compare TARNIS and MOSSLAND.")
    expect(page.locator("#chat .user-row")).to_be_in_viewport()
    expect(page.locator("#chat")).not_to_contain_text("Understood as")
    expect(page.locator("#chat .coverage")).to_have_text("2 chosen papers searched, 2 cited")
    page.locator("#chat a.cite").nth(1).click()
    expect(page.locator("#evidence mark")).to_have_text("Most benchmarks reward speed.")
    page.locator("#chat a.act", has_text="Retry").click()
    expect(page.locator("#send")).to_be_visible()
    expect(page.locator("#chat table")).to_have_count(1)
    expect(page.locator("#chat .user-row")).to_have_count(1)
    assert fits(page)


def test_five_papers_stand_beside_each_other_and_six_are_refused_in_words(
    serve_page: Serve, visit: Visit
) -> None:
    first = made_up_papers()[0]
    many = tuple(replace(first, id=f"p{i}", title=f"NAME{i}: A paper") for i in range(6))
    page = visit(serve_page(ScriptedAssistant(known=many)))
    open_library(page)
    for box in page.locator("#library-list input.pick").all():
        box.check()
    expect(page.locator("#picked button", has_text="Compare")).to_be_disabled()
    expect(page.locator("#picked")).to_contain_text("At most 5 can be compared.")
    page.get_by_label("Select NAME5").uncheck()
    page.locator("#picked button", has_text="Compare").click()
    expect(page.locator("#chat table")).to_be_visible()
    for cell in page.locator("#chat td:has(a.cite)").all():
        assert cell.evaluate("(e) => e.clientWidth") > 150  # no column of single letters
    shown = page.locator("#chat .user-row").evaluate("(e) => e.getBoundingClientRect().right")
    assert shown <= page.evaluate("innerWidth")
    assert fits(page)


def test_only_selected_papers_are_asked_until_that_is_lifted(
    page: Page, assistant: ScriptedAssistant
) -> None:
    scope = page.locator("#scope .scope")
    expect(scope).to_be_hidden()
    open_library(page)
    page.get_by_label("Select TARNIS").check()
    page.get_by_label("Select MOSSLAND").check()
    page.locator("#picked button", has_text="Ask only these").click()
    expect(page.locator(FIELD)).to_be_focused()
    expect(scope).to_contain_text("Asking only 2 papers: TARNIS, MOSSLAND")
    ask_and_wait(page, "What is TARNIS?")
    assert assistant.chosen[-1] == ("paper-1", "paper-3")
    expect(page.locator("#chat .coverage")).to_have_text("2 chosen papers searched, 2 cited")
    page.reload()
    expect(page.locator("#chat a.cite")).to_have_count(3)
    expect(scope).to_contain_text("2 papers")
    page.locator("#chat a.act:visible", has_text="Retry").click()
    until(page, lambda: assistant.chosen[1:] == [("paper-1", "paper-3")])
    expect(page.locator("#stop")).to_be_visible()
    expect(page.locator("#send")).to_be_visible()
    expect(page.locator("#chat a.cite")).to_have_count(3)
    page.get_by_role("button", name="Ask all papers").click()
    expect(scope).to_be_hidden()
    expect(page.locator(FIELD)).to_be_focused()
    ask_and_wait(page, "And again?", chips=6)
    assert not assistant.chosen[-1]
    assert fits(page)


def test_a_new_conversation_asks_all_papers_again(page: Page, assistant: ScriptedAssistant) -> None:
    open_library(page)
    page.get_by_label("Select TARNIS").check()
    page.locator("#picked button", has_text="Ask only these").click()
    expect(page.locator("#scope")).to_contain_text("Asking only 1 paper: TARNIS")
    page.locator("#clear").click()
    expect(page.locator("#scope .scope")).to_be_hidden()
    assistant.known = assistant.known[1:]
    open_library(page)
    page.locator("#picked button", has_text="Ask only these").click()
    ask(page, "What is TARNIS?")
    expect(page.locator("#chat")).to_contain_text("no longer in the index; ask all papers")


def test_the_library_is_used_by_keyboard_alone(page: Page, width: str) -> None:
    page.locator("#view-papers").focus()
    page.keyboard.press("Enter")
    if width == "narrow":
        page.locator(SEARCH).focus()  # a phone's keyboard would hide the list
    expect(page.locator(SEARCH)).to_be_focused()
    page.keyboard.type("moss")
    expect(page.locator(PAPERS)).to_have_count(1)
    reach(page, "#library-list input.pick")
    page.keyboard.press("Space")
    expect(page.locator("#picked")).to_contain_text("1 selected")
    reach(page, "#library-list a.open-paper")
    page.keyboard.press("Enter")
    expect(page.locator("#paper-page article")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#library-list a.open-paper")).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator(FIELD)).to_be_focused()
    assert page.input_value(FIELD) == ""


def reach(page: Page, selector: str) -> None:
    """Press Tab until an element that fits is focused, and look for the ring around it."""
    for _ in range(30):
        page.keyboard.press("Tab")
        ring = page.evaluate(
            """(selector) => { const at = document.activeElement;
            return at.matches(selector) && getComputedStyle(at).outlineStyle; }""",
            selector,
        )
        if ring:
            assert ring != "none"
            return
    raise AssertionError(f"{selector} is not reached with Tab")
