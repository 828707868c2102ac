"""A real browser on a real server: the page with a scripted assistant, at two widths.

Every visit ends with a look at what the browser did: no request left loopback, nothing was
reported as an error.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from rag.settings import Settings
from tests.browser.scripted_assistant import ScriptedAssistant
from ui.answering import Answering
from ui.app import application
from ui.late import LateAssistant
from ui.server import address, listen

CHROMIUM = shutil.which("chromium")
# Without the browser its tests are not collected; test_chromium.py says so once.
collect_ignore_glob = [] if CHROMIUM else ["test_[!c]*.py", "test_chat.py"]
ARGUMENTS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
# What Gradio's client says where a page is left while an answer streams into it.
LEFT = ("AbortError: signal is aborted", "Unexpected error Connection errored out")
PATIENCE = 20_000
WIDTHS = {"wide": (1280, 800), "narrow": (375, 812)}
# A busy machine draws late; nothing here is about speed.
expect.set_options(timeout=PATIENCE)
Serve = Callable[..., str]
Visit = Callable[[str], Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def serve_page() -> Iterator[Serve]:
    """A function that serves an assistant's page and returns its address."""
    import uvicorn

    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def serve(assistant: Answering, uploads: Path | None = None) -> str:
        listener = listen("127.0.0.1", 0)
        where = address(listener)
        config = uvicorn.Config(
            application(assistant, None, uploads), log_level="warning", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)

        def run() -> None:
            with closing(listener):
                server.run(sockets=[listener])

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        running.append((server, thread))
        return where

    yield serve
    for server, thread in running:
        server.should_exit = True
        thread.join(10)


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest) -> str:
    """Which of the two widths the browser has."""
    name: str = request.param
    return name


@pytest.fixture
def visit(browser: Browser, width: str) -> Iterator[Visit]:
    """A function that opens an address in a fresh browser profile and waits for the page."""
    contexts: list[BrowserContext] = []
    outside: list[str] = []
    errors: list[str] = []

    def open_page(where: str) -> Page:
        across, down = WIDTHS[width]
        context = browser.new_context(viewport={"width": across, "height": down})
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.on("request", lambda request: _note_outside(request.url, outside))
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.goto(where)
        page.wait_for_selector("#chat .welcome")
        page.wait_for_selector("#library-list .count", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert outside == []
    assert [error for error in errors if not error.startswith(LEFT)] == []


def _note_outside(url: str, outside: list[str]) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
        outside.append(url)


@pytest.fixture
def uploads_page(tmp_path: Path, serve_page: Serve, visit: Visit) -> Iterator[Page]:
    """The page over an index that does not exist yet and takes files."""
    index = tmp_path / "new index"
    with LateAssistant(Settings(index=str(index))) as late:
        yield visit(serve_page(late, index))


@pytest.fixture
def assistant() -> ScriptedAssistant:
    return ScriptedAssistant()


@pytest.fixture
def page(assistant: ScriptedAssistant, serve_page: Serve, visit: Visit) -> Page:
    """The page of the scripted assistant, open."""
    return visit(serve_page(assistant))
