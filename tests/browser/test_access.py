"""axe-core over every panel, in light and dark: no serious violation.

axe-core comes as a file of the package axe-playwright-python, so that nothing is fetched.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.moves import ask, ask_and_wait
from tests.browser.scripted_assistant import ScriptedAssistant
from tests.papers import write_list

# Gradio uses what pandas has deprecated, on its server's threads.
pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")
SERIOUS = ("serious", "critical")


def axe_script() -> str:
    found = find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.fail("axe-playwright-python is not installed; run: make install-test")
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page) -> list[str]:
    """What axe-core finds that is serious, with the elements."""
    page.wait_for_timeout(500)  # colours settle
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_script())
    found: dict[str, Any] = page.evaluate("axe.run()")
    return [
        f"{each['id']}: {node['html'][:200]} {node['any'][:1] and node['any'][0]['message']}"
        for each in found["violations"]
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


@pytest.fixture(params=["light", "dark"])
def themed(request: pytest.FixtureRequest, page: Page) -> Page:
    theme: Literal["light", "dark"] = request.param
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.reload()
    expect(page.locator("#chat .welcome")).to_be_visible()
    assert page.locator("body.dark").count() == (theme == "dark")
    return page


def test_nothing_serious_in_chat_and_evidence(themed: Page, assistant: ScriptedAssistant) -> None:
    assert violations(themed) == []
    ask(themed, "slow: what is TARNIS?")
    expect(themed.locator("#chat")).to_contain_text("not yet checked")
    assert violations(themed) == []
    assistant.release.set()
    expect(themed.locator("#chat a.cite")).to_have_count(3)
    themed.locator("#chat a.cite").nth(2).click()
    expect(themed.locator("#evidence mark")).to_have_count(1)
    assert violations(themed) == []
    themed.locator("#chat .edit a").click()
    assert violations(themed) == []


def test_nothing_serious_in_library_and_paper_page(themed: Page) -> None:
    themed.locator("#view-papers").click()
    themed.locator("#library-list input.pick").first.check()
    assert violations(themed) == []
    themed.locator("#picked button", has_text="Ask only these").click()
    expect(themed.locator("#scope .scope")).to_be_visible()
    assert violations(themed) == []
    themed.locator("#view-papers").click()
    themed.locator("#library-list input.pick").last.check()
    themed.locator("#picked button", has_text="Compare").click()
    expect(themed.locator("#chat table")).to_be_visible()
    assert violations(themed) == []
    themed.locator("#view-papers").click()
    themed.locator("#library-list a.open-paper").first.click()
    expect(themed.locator("#paper-page article")).to_be_visible()
    assert violations(themed) == []


def test_nothing_serious_in_help_and_conversations(themed: Page) -> None:
    ask_and_wait(themed, "What is TARNIS?")
    themed.locator("#show-help").click()
    assert violations(themed) == []
    themed.keyboard.press("Escape")
    themed.locator("#show-talks").click()
    assert violations(themed) == []


def test_nothing_serious_where_papers_are_added(uploads_page: Page, tmp_path: Path) -> None:
    uploads_page.emulate_media(reduced_motion="reduce")
    assert violations(uploads_page) == []
    uploads_page.locator("#view-add").click()
    assert violations(uploads_page) == []
    uploads_page.set_input_files("#add-files input[type=file]", write_list(tmp_path / "list.txt"))
    expect(uploads_page.locator("#add-confirm")).to_be_visible()
    assert violations(uploads_page) == []
