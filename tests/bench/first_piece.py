"""From a model's first piece to the page: a scripted server, the real adapter, a browser.

Goes in: nothing but the sample. Comes out: rows of figures.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Sequence
from contextlib import closing

from playwright.sync_api import Page, sync_playwright

from ingest import SAMPLE, ingest
from rag import Assistant
from rag.settings import Settings
from tests.browser.conftest import ARGUMENTS
from tests.browser.moves import ask
from tests.scripted_server import MODEL, ScriptedServer
from ui.app import application
from ui.server import address, listen

RUNS = 5
# The first piece (a part of a word) is like nothing else on the page.
ANSWER = "Quillwort is what the paper proposes [1]. It is new in this field and works well [1]."
# The moment at which the word stands on the page, by the same clock as the server's.
WATCH = """() => { window.seen = 0; const look = () => {
        if (!window.seen && document.querySelector("#chat").textContent.includes("Quill"))
            window.seen = performance.timeOrigin + performance.now(); };
    new MutationObserver(look).observe(document.querySelector("#chat"),
        { childList: true, subtree: true, characterData: true }); }"""


def first_piece() -> list[Sequence[str]]:
    """Best and slowest of five, each on a fresh page."""
    import uvicorn

    with tempfile.TemporaryDirectory() as folder, ScriptedServer() as model:
        ingest([SAMPLE], folder)
        model.behave("good", answer=ANSWER, pause=0.05)
        settings = Settings(index=folder, base_url=model.base_url, model=MODEL)
        listener = listen("127.0.0.1", 0)
        with Assistant.open(settings=settings) as assistant, closing(listener):
            app = application(assistant)
            server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
            run = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
            run.start()
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=shutil.which("chromium"), args=ARGUMENTS
                )
                assistant.ask("What is FEROM?")  # loads what a first answer loads
                taken = sorted(
                    delay(browser.new_page(), address(listener), model) for _ in range(RUNS)
                )
                browser.close()
            server.should_exit = True
            run.join(10)
    return [
        ("first piece, from the model's server to the page", "ms"),
        ("---", "---"),
        ("best of five", f"{taken[0]:.0f}"),
        ("slowest of five", f"{taken[-1]:.0f}"),
    ]


def delay(page: Page, where: str, model: ScriptedServer) -> float:
    """Milliseconds from sending the first piece to its word on the page."""
    page.goto(where)
    page.wait_for_selector("#chat .welcome")
    page.evaluate(WATCH)
    model.sent.clear()
    ask(page, "What is FEROM?")
    page.wait_for_function("window.seen > 0")
    seen = float(page.evaluate("window.seen"))
    page.wait_for_selector("#chat a.cite")
    page.close()
    return seen - model.sent[0] * 1000
