"""`make bench`: the figures of docs/benchmarks.md, as Markdown, with the load beside each.

Measured on the lists in ../shared; what is missing there is named and left out.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ingest import ingest
from ingest.readers import read_records
from ingest.records import Record
from rag import Assistant, store
from rag.embed import bundled, embed_question
from rag.index import Index, open_index
from rag.retrieve import retrieve
from rag.types import Query

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "corpus"
# Best of five, as every limit in seconds is stated.
RUNS = 5
QUESTIONS = 200
# Abstracts for the bare rate: enough for two minutes at most on two slow cores.
BARE = 512


def main() -> int:
    """Measure what was named on the command line, or everything."""
    wanted = sys.argv[1:] or list(PARTS)
    for name in wanted:
        sys.stdout.write(f"\n### {name} (load {os.getloadavg()[0]:.2f})\n\n")
        for row in PARTS[name]():
            sys.stdout.write("| " + " | ".join(row) + " |\n")
            sys.stdout.flush()
    return 0


def start_up() -> list[Sequence[str]]:
    """Whole-process seconds of the command, best of five."""
    colloquy = str(Path(sys.executable).parent / "colloquy")
    with tempfile.TemporaryDirectory() as folder:
        run([colloquy, "ingest", "--sample", "--index", folder])
        ask = [colloquy, "ask", "What is FEROM?", "--index", folder]
        return [
            ("command", "seconds"),
            ("---", "---"),
            ("colloquy --help", seconds(lambda: run([colloquy, "--help"]))),
            ("colloquy ask, 57 papers", seconds(lambda: run(ask))),
        ]


def indexing() -> list[Sequence[str]]:
    """Papers a second of an ingest beside the bare rate of the model."""
    rows: list[Sequence[str]] = [("list", "papers", "papers/s", "bare papers/s"), ("---",) * 4]
    for name, files in lists():
        texts = [r.abstract for f in files for r in read_records(f) if isinstance(r, Record)]
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            report = ingest(files, folder)
            rate = report.added / (time.perf_counter() - begin)
        rows.append((name, f"{report.added:,}", f"{rate:.1f}", f"{bare_rate(texts):.1f}"))
    return rows


def bare_rate(texts: Sequence[str]) -> float:
    """Texts a second of one pass, cut at 512 tokens, sorted by length, same settings."""
    step = max(len(texts) // BARE, 1)
    cut = [
        text[:3000] for text in texts[::step]
    ]  # 512 tokens of English are 2,000 to 3,000 letters
    begin = time.perf_counter()
    for _ in bundled().encode(cut):
        pass
    return len(cut) / (time.perf_counter() - begin)


def retrieval() -> list[Sequence[str]]:
    """Milliseconds of retrieve(), embedding included, beside embedding alone, interleaved."""
    rows: list[Sequence[str]] = [
        ("list", "papers", "embed ms", "retrieve ms", "times", "recall@100 of HNSW"),
        ("---",) * 6,
    ]
    for name, files in lists():
        with tempfile.TemporaryDirectory() as folder:
            ingest(files, folder)
            index = open_index(Path(folder), bundled().name)
            alone, whole = interleaved(index)
            papers = f"{len(index.papers):,}"
            ratio = f"{whole / alone:.2f}"
            found = f"{recall(index):.3f}"
            rows.append((name, papers, f"{alone * 1e3:.1f}", f"{whole * 1e3:.1f}", ratio, found))
            index.close()
    return rows


def interleaved(index: Index) -> tuple[float, float]:
    """Median seconds of embedding and of retrieving over warm questions, in turn."""
    embedder = bundled()
    asked = questions(index)
    alone, whole = [], []
    for question in asked:
        begin = time.perf_counter()
        embed_question(embedder, question)
        middle = time.perf_counter()
        retrieve(index, embedder, Query(question, question))
        alone.append(middle - begin)
        whole.append(time.perf_counter() - middle)
    return statistics.median(alone), statistics.median(whole)


def questions(index: Index) -> list[str]:
    """Questions made of the papers' own names, spread over the index."""
    step = max(len(index.papers) // QUESTIONS, 1)
    titles = [paper.title for paper in index.papers[::step]]
    repeated = titles * (QUESTIONS // len(titles) + 1)
    return [f"What does the paper on {title} propose?" for title in repeated[:QUESTIONS]]


def recall(index: Index) -> float:
    """Share of the true 100 nearest papers' passages that Chroma nominates, over 50 questions."""
    page = index.store.passages.get(include=["embeddings"])
    names = np.array([name.partition(":")[0] for name in page["ids"]])
    embeddings = page["embeddings"]
    assert embeddings is not None
    vectors = np.asarray(embeddings, dtype=np.float32)
    shares = []
    for question in questions(index)[:50]:
        vector = embed_question(bundled(), question).vector
        true = set(names[np.argsort(-(vectors @ vector))[:100]])
        shares.append(len(true & set(store.nearest(index.store, vector, 100))) / len(true))
    return statistics.fmean(shares)


def answers() -> list[Sequence[str]]:
    """Milliseconds of a whole answer without a model."""
    rows: list[Sequence[str]] = [("list", "answer ms"), ("---",) * 2]
    for name, files in lists():
        with tempfile.TemporaryDirectory() as folder:
            ingest(files, folder)
            with Assistant.open(folder) as assistant:
                names = [paper.name for paper in assistant.papers()[:40]]
                taken = [timed(lambda n=each: assistant.ask(f"What is {n}?")) for each in names]  # type: ignore[misc]
            rows.append((name, f"{statistics.median(taken) * 1e3:.1f}"))
    return rows


def lists() -> list[tuple[str, list[Path]]]:
    """The lists of papers that are there."""
    found = []
    for name, pattern in (
        ("neurips-2026", "neurips-2026/*.txt"),
        ("neurips-2023", "neurips-2023.jsonl.gz"),
    ):
        files = sorted(SHARED.glob(pattern))
        if files:
            found.append((name, files))
        else:
            sys.stdout.write(f"{SHARED / pattern} is not there: left out\n")
    return found


def timed(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def seconds(call: Callable[[], object]) -> str:
    return f"{min(timed(call) for _ in range(RUNS)):.2f}"


def run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)


def page() -> list[Sequence[str]]:
    """Three figures of the page over the longest list."""
    from tests.bench.page import page_figures  # gradio and a browser: seconds

    return page_figures(SHARED / "ml-20k.jsonl.gz")


PARTS = {
    "start-up": start_up,
    "indexing": indexing,
    "retrieval": retrieval,
    "answers": answers,
    "page": page,
}

if __name__ == "__main__":
    sys.exit(main())
