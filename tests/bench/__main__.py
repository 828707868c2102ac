"""`make bench`: the figures of docs/benchmarks.md, as Markdown, with the load beside each.

Measured on the lists in ../shared; what is missing there is named and left out.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ingest import ingest
from ingest.readers import read_records
from ingest.records import Record
from rag import Assistant, align, carry, store
from rag.embed import bundled, embed_question
from rag.index import Index, open_index
from rag.retrieve import read_question, retrieve
from rag.types import Draft, DraftClaim, Evidence, Paper, Query
from rag.verify import verify
from rag.wording import words
from tests.papers import MOSAIC, ORCHID, TIDEPOOL

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


def lists_of_papers() -> list[Sequence[str]]:
    """For each list: rate of indexing beside the model's, retrieval beside embedding, answers."""
    rows: list[Sequence[str]] = [
        (
            "list",
            "papers",
            "papers/s",
            "bare papers/s",
            "MB",
            "embed ms",
            "retrieve ms",
            "times",
            "recall@100 of HNSW",
            "answer ms",
        ),
        ("---",) * 10,
    ]
    for name, files in lists():
        texts = [r.abstract for f in files for r in read_records(f) if isinstance(r, Record)]
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            report = ingest(files, folder)
            rate = report.added / (time.perf_counter() - begin)
            size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
            rows.append(
                (
                    name,
                    f"{report.added:,}",
                    f"{rate:.1f}",
                    f"{bare_rate(texts):.1f}",
                    f"{size / 1e6:.0f}",
                    *retrieval(Path(folder)),
                    answers(Path(folder)),
                )
            )
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


def retrieval(folder: Path) -> tuple[str, str, str, str]:
    """Milliseconds of embedding and of all of retrieval, their ratio, and Chroma's recall."""
    index = open_index(folder, bundled().name)
    try:
        alone, whole = interleaved(index)
        found = recall(index)
    finally:
        index.close()
    return f"{alone * 1e3:.1f}", f"{whole * 1e3:.1f}", f"{whole / alone:.2f}", f"{found:.3f}"


def interleaved(index: Index) -> tuple[float, float]:
    """Median seconds of embedding and of retrieving over warm questions, in turn."""
    embedder = bundled()
    asked = questions(index)
    alone, whole = [], []
    for question in asked:
        begin = time.perf_counter()
        embed_question(embedder, question)
        middle = time.perf_counter()
        retrieve(index, read_question(index, embedder, question), Query(question, question))
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


def answers(folder: Path) -> str:
    """Median milliseconds of a whole answer without a model."""
    with Assistant.open(folder) as assistant:
        names = [paper.name for paper in assistant.papers()[:40]]
        taken = [timed(partial(assistant.ask, f"What is {name}?")) for name in names]
    return f"{statistics.median(taken) * 1e3:.0f}"


def verification() -> list[Sequence[str]]:
    """Milliseconds of checking ten claims about three papers, cold and warm, best of five."""
    papers = [
        Paper(name, name, "derived", text, text)
        for name, text in (("ORCHID", ORCHID), ("TIDEPOOL", TIDEPOOL), ("MOSAIC", MOSAIC))
    ]
    claims = [
        (f"{text.rstrip('.')} in most cases", number)
        for number, paper in enumerate(papers, 1)
        for text in re.split(r"(?<=[.])\s", paper.abstract)
    ][:10]
    text, made = "", []
    for claim, marker in claims:
        made.append(DraftClaim(len(text), len(text) + len(claim), (marker,)))
        text += f"{claim} [{marker}]. "
    draft = Draft(text, "answered", "llm", tuple(made), tuple(papers))
    evidence = [Evidence(paper, 1.0, 0.5, ()) for paper in papers]
    first = timed(lambda: verify(draft, "What is new?", evidence))
    cold = []
    for _ in range(RUNS):
        for cached in (words, carry._sentences_of, align._laid):
            cached.cache_clear()
        cold.append(timed(lambda: verify(draft, "What is new?", evidence)))
    warm = [timed(lambda: verify(draft, "What is new?", evidence)) for _ in range(RUNS)]
    row = [f"{seconds * 1e3:.1f}" for seconds in (first, min(cold), min(warm))]
    return [("first of a process ms", "new papers ms", "again ms"), ("---",) * 3, row]


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


def piece() -> list[Sequence[str]]:
    """How long a model's first piece takes to the page."""
    from tests.bench.first_piece import first_piece  # gradio and a browser: seconds

    return first_piece()


PARTS = {
    "start-up": start_up,
    "lists": lists_of_papers,
    "verification": verification,
    "page": page,
    "first-piece": piece,
}

if __name__ == "__main__":
    sys.exit(main())
