"""The page in a browser: ready, search over a long list, pauses while a long answer streams.

Goes in: the longest list of ../shared and a scripted assistant. Comes out: rows of figures.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from ingest.readers import read_records
from ingest.records import Record
from rag.types import Answer, Paper, Turn
from tests.browser.conftest import ARGUMENTS
from tests.browser.moves import ask
from tests.browser.scripted_assistant import (
    ScriptedAssistant,
    answer_about_tarnis,
    made_up_papers,
)
from ui.app import application
from ui.server import address, listen

RUNS = 5
PIECES = 2000
SEARCHES = ("d", "diff", "graph neural network", "speech", "zebra")
# From the input event to the moment at which the list says another count.
WATCH = """() => { const line = () => document.querySelector("#library-list .count")?.textContent;
    const before = line(), begun = performance.now(); window.took = 0;
    new MutationObserver((_, watcher) => { if (!line() || line() === before) return;
        window.took = performance.now() - begun; watcher.disconnect(); })
    .observe(document.querySelector("#library-list"), { childList: true, subtree: true }); }"""
PAUSES = """() => { window.pauses = [0]; new PerformanceObserver((seen) =>
    seen.getEntries().forEach((task) => window.pauses.push(task.duration)))
    .observe({ entryTypes: ["longtask"] }); }"""


class LongAnswers(ScriptedAssistant):
    """Answers every question with PIECES pieces."""

    def stream(
        self,
        question: str,
        history: Sequence[Turn] = (),
        papers: Sequence[str] | None = None,
    ) -> Iterator[str | Answer]:
        end = answer_about_tarnis(made_up_papers())
        pieces = [f"word{n}" + ("\n\n" if n % 60 == 59 else " ") for n in range(PIECES)]
        for piece in pieces:
            yield piece
            time.sleep(0.002)
        yield end.text
        yield replace(end, question=question, text="".join(pieces) + end.text)


def page_figures(papers: Path) -> list[Sequence[str]]:
    """Best of five visits, the slowest of five searches, the longest pause of one answer."""
    import uvicorn

    listener = listen("127.0.0.1", 0)
    app = application(LongAnswers(known=read_papers(papers)))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    with closing(listener), sync_playwright() as playwright:
        thread.start()
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=ARGUMENTS
        )
        visits = []
        for _ in range(RUNS):
            page = browser.new_page()
            begun = time.perf_counter()
            page.goto(address(listener))
            page.wait_for_selector("#chat .welcome")
            visits.append(time.perf_counter() - begun)
        searches = [search(page, words) for words in SEARCHES]
        pause = longest_pause(page)
        browser.close()
        server.should_exit = True
        thread.join(10)
    return [
        ("the page, 20,000 papers", "measured", "asked for"),
        ("---", "---", "---"),
        ("ready, best of five", f"{min(visits):.2f} s", "2 s"),
        ("slowest of five searches", f"{max(searches):.0f} ms", "200 ms"),
        (f"longest pause in {PIECES:,} pieces", f"{pause:.0f} ms", "200 ms"),
    ]


def read_papers(path: Path) -> tuple[Paper, ...]:
    records = [record for record in read_records(path) if isinstance(record, Record)]
    return tuple(
        Paper(
            id=f"p{record.position}",
            title=record.title or f"Number {record.position}",
            title_source="given",
            abstract=record.abstract,
            raw="",
            authors=record.authors,
            year=record.year,
            venue=record.venue,
            source=path.name,
            position=record.position,
        )
        for record in records
    )


def search(page: Page, words: str) -> float:
    page.locator("#view-papers").click()
    page.evaluate(WATCH)
    page.evaluate("(words) => colloquy.fill('library-search', words)", words)
    page.wait_for_function("window.took > 0")
    return float(page.evaluate("window.took"))


def longest_pause(page: Page) -> float:
    page.locator("#view-ask").click()
    page.evaluate(PAUSES)
    ask(page, "What is TARNIS?")
    page.wait_for_selector("#chat a.cite", timeout=120_000)
    page.wait_for_timeout(1000)
    return float(page.evaluate("Math.max(...window.pauses)"))
