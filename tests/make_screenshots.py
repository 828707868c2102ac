"""`make screenshots`: the pictures of README.md, from the real page over the sample.

Written as palette images, so that each stays small.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from io import BytesIO
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from ingest import SAMPLE, ingest
from rag import Assistant
from tests.browser.conftest import ARGUMENTS
from tests.browser.moves import FIELD, SEARCH, ask
from ui.app import application
from ui.server import address, listen

DOCS = Path(__file__).parents[1] / "docs"
# Enough for flat areas and smoothed letters.
COLOURS = 128


def main() -> int:
    """Write every picture; they differ a little from one browser to the next."""
    with tempfile.TemporaryDirectory() as folder:
        ingest([SAMPLE], folder)
        with Assistant.open(folder) as assistant, served(assistant, Path(folder)) as where:
            for name, width, theme, steps in PICTURES:
                take(where, name, width, theme, steps)
    return 0


@contextmanager
def served(assistant: Assistant, index: Path) -> Iterator[str]:
    """The page on a free port."""
    import uvicorn  # with Gradio: seconds

    listener = listen("127.0.0.1", 0)
    config = uvicorn.Config(application(assistant, None, index), log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    with closing(listener):
        thread.start()
        yield address(listener)
        server.should_exit = True
        thread.join(10)


def take(
    where: str,
    name: str,
    width: int,
    theme: Literal["light", "dark"],
    steps: Callable[[Page], None],
) -> None:
    """One picture: a fresh browser, the steps, a palette image in docs/."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=ARGUMENTS
        )
        page = browser.new_page(
            viewport={"width": width, "height": 720},
            color_scheme=theme,
            reduced_motion="reduce",
        )
        page.goto(where)
        page.wait_for_selector("#chat .welcome")
        steps(page)
        page.wait_for_timeout(800)  # formulas and colours settle
        picture = Image.open(BytesIO(page.screenshot()))
        browser.close()
    target = DOCS / f"{name}.png"
    picture.convert("RGB").quantize(COLOURS).save(target, optimize=True)
    sys.stdout.write(f"{target}: {target.stat().st_size // 1024} kB\n")


def reading(page: Page) -> None:
    """An answer, and the sentence behind its first citation."""
    ask(page, "What is FEROM?")
    page.wait_for_selector("#chat a.cite")
    page.wait_for_selector("#send:not([disabled])")
    page.locator("#chat a.cite").first.click()
    page.wait_for_selector("#evidence mark")


def listing(page: Page) -> None:
    """A list over the whole index, and what pointing at a citation shows."""
    ask(page, "Which papers work on video?")
    page.wait_for_selector("#chat a.cite")
    page.wait_for_selector("#send:not([disabled])")
    page.locator("#chat a.cite").nth(1).hover()
    page.wait_for_selector("#hover q")


def searching(page: Page) -> None:
    """The library, and one paper's page."""
    page.locator("#view-papers").click()
    page.fill(SEARCH, "distillation")
    page.locator("#library .count", has_text="fit").wait_for()
    page.locator("#library-list input.pick").nth(1).check()
    page.locator("#library-list a.open-paper").first.click()
    page.wait_for_selector("#paper-page article")


def beginning(page: Page) -> None:
    """The first look on a phone."""
    page.locator(FIELD).blur()


PICTURES: tuple[tuple[str, int, Literal["light", "dark"], Callable[[Page], None]], ...] = (
    ("answer", 1280, "light", reading),
    ("list", 1280, "dark", listing),
    ("library", 1280, "light", searching),
    ("phone", 375, "light", beginning),
)

if __name__ == "__main__":
    sys.exit(main())
