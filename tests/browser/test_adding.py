"""The first minute: an empty index, files dropped on the page, and the first question."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.moves import ask
from tests.papers import ALL, write_list

# Gradio uses what pandas has deprecated, on its server's threads.
pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")
DROP = """([name, text]) => { const files = new DataTransfer();
    files.items.add(new File([text], name, { type: "text/plain" }));
    const drop = new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true });
    document.querySelector("h1").dispatchEvent(drop); }"""


def test_an_empty_index_takes_files_and_answers(uploads_page: Page, tmp_path: Path) -> None:
    page = uploads_page
    expect(page.locator("#chat .welcome")).to_contain_text("This index holds no papers yet.")
    ask(page, "What is ORCHID?")
    expect(page.locator("#chat")).to_contain_text("There are no papers yet; add a list")
    text = write_list(tmp_path / "list.txt").read_text(encoding="utf-8")
    page.evaluate(DROP, ["list.txt", text])
    look = page.locator("#add-preview .look")
    expect(look).to_contain_text("list.txt: 5 papers")
    expect(look).to_contain_text("Training graph networks on sparse molecules")
    page.get_by_role("button", name="Add 5 papers").click()
    expect(page.locator("#add-preview")).to_contain_text("Done.", timeout=60_000)
    expect(page.locator("#add-preview")).to_contain_text("The index holds 5 papers: 5 added.")
    expect(page.locator("#view-papers")).to_have_text("Papers (5)")
    page.locator("#add-preview a.act").click()
    page.locator("#clear").click()
    expect(page.locator("#chat a.ask").first).to_be_visible()
    ask(page, "What is ORCHID?")
    expect(page.locator("#chat a.cite").first).to_be_visible()
    page.evaluate(DROP, ["list.txt", "Some papers\n\n" + "\n\n".join(ALL[:4])])
    expect(look).to_contain_text("list.txt: 4 papers")
    page.get_by_role("button", name="Add 4 papers").click()
    expect(page.locator("#add-preview")).to_contain_text("holds 4 papers: 4 unchanged, 1 removed")


def test_a_file_that_cannot_be_read_is_named_with_the_reason(uploads_page: Page) -> None:
    page = uploads_page
    page.evaluate(DROP, ["paper.pdf", "%PDF-1.7 a binary"])
    preview = page.locator("#add-preview")
    expect(preview).to_contain_text("paper.pdf")
    expect(preview).to_contain_text("is a PDF, which is not read")
    expect(page.locator("#add-confirm")).to_have_count(0)


def test_a_page_that_may_not_write_says_how_to_add(page: Page) -> None:
    page.locator("#view-add").click()
    expect(page.locator("#adding")).to_contain_text("colloquy ingest FILE")
    expect(page.locator("#add-files")).to_have_count(0)
