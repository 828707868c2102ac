"""What a reader does on the page, for every test of it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

FIELD = "#question textarea, #question input"
SEARCH = "#library-search textarea, #library-search input"


def ask(page: Page, question: str) -> None:
    """Type a question and press Enter."""
    page.fill(FIELD, question)
    page.press(FIELD, "Enter")


def ask_and_wait(page: Page, question: str, chips: int = 3) -> None:
    """Ask, and wait until the answer's chips can be clicked."""
    ask(page, question)
    expect(page.locator("#chat a.cite")).to_have_count(chips)
    expect(page.locator("#send")).to_be_visible()


def until(page: Page, true: Callable[[], bool]) -> None:
    """Wait for something that is not on the page."""
    for _ in range(100):
        if true():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it did not come true")


def in_view(mark: Locator) -> bool:
    """Whether a mark lies in the window and is what a reader would see at its place."""
    return bool(
        mark.evaluate(
            """(mark) => { const box = mark.getClientRects()[0];
            const x = box.left + 4, y = box.top + box.height / 2;
            return y > 0 && y < innerHeight && mark.contains(document.elementFromPoint(x, y)); }"""
        )
    )


def wait_until_in_view(page: Page, mark: Locator) -> None:
    """Scrolling is smooth: give it its moment."""
    for _ in range(60):
        if in_view(mark):
            return
        page.wait_for_timeout(50)
    raise AssertionError("the mark did not scroll into view")
