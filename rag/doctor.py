"""An index folder -> what is there, whether it is sound, and what to do.

Goes in: a folder and the settings. Comes out: `Finding`s. Reads only, and asks the model endpoint,
where one is set up, for one word; knows nothing of faces.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rag import generations, store
from rag.embed import embed_question
from rag.embedders import open_embedder
from rag.errors import ColloquyError, ModelError
from rag.index import Index, open_index
from rag.prompts import Message
from rag.settings import Settings

if TYPE_CHECKING:
    from rag.llm import Ending

# A unit vector stored in half precision is off by a thousandth at most.
LENGTH_TOLERANCE = 0.01


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `remedy` is empty where it is as it should be."""

    subject: str
    text: str
    sound: bool = True
    remedy: str = ""


def examine(folder: Path, settings: Settings) -> tuple[Finding, ...]:
    """Look at the model files, the index and the endpoint; never raises for what it finds."""
    return (*_embedder(settings), *_index(folder, settings), *_answers(settings))


def _embedder(settings: Settings) -> Iterator[Finding]:
    try:
        embedder = open_embedder(settings)
        read = embed_question(embedder, TRIAL)
    except ColloquyError as error:
        text, remedy = _cause_and_remedy(error)
        yield Finding("embedding model", text, sound=False, remedy=remedy)
        return
    states = "a vector for each word" if len(read.states) else "one vector a text"
    text = f"{embedder.name}, {len(read.vector):,} dimensions, {states}"
    yield Finding("embedding model", text)


def _cause_and_remedy(error: ColloquyError) -> tuple[str, str]:
    """The two parts of a sentence, whichever mark stands between them."""
    text, _, remedy = re.sub(r"; |: (?=[^:]*$)", "\n", str(error), count=1).partition("\n")
    return text, remedy


def _index(folder: Path, settings: Settings) -> Iterator[Finding]:
    try:
        opened = open_index(folder, open_embedder(settings).name)
    except ColloquyError as error:
        text, _, remedy = str(error).partition("; ")
        yield Finding("index", text, sound=False, remedy=remedy)
        return
    try:
        yield from _contents(folder, opened)
    except OSError as error:
        remedy = f"remove {str(folder)!r} and run: colloquy ingest FILE --index {folder}"
        yield Finding("index", f"a part cannot be read ({error})", sound=False, remedy=remedy)
    finally:
        opened.close()


def _contents(folder: Path, index: Index) -> Iterator[Finding]:
    manifest = index.manifest
    kind = "papers of the sample digest" if manifest.digest else "papers"
    yield Finding(
        "index",
        f"{str(folder)!r} holds {manifest.papers:,} {kind} in {manifest.passages:,} passages "
        f"from {len(manifest.sources)} source(s), generation {index.lease.name}",
    )
    remedy = f"remove {str(folder)!r} and run: colloquy ingest FILE --index {folder}"
    counted = store.counts(index.store)
    yield _expect(
        "Chroma",
        counted == (manifest.passages, manifest.papers),
        f"{counted[0]:,} passages and {counted[1]:,} papers",
        remedy,
    )
    lengths = np.linalg.norm(index.arrays.sentences.astype(np.float32), axis=1)
    good = len(lengths) == manifest.sentences == len(index.arrays.spans)
    good = good and bool((np.abs(lengths - 1) < LENGTH_TOLERANCE).all())
    yield _expect("sentence vectors", good, f"{len(lengths):,} vectors", remedy)
    inside = all(
        0 <= start < end <= len(index.papers[row].abstract)
        for row, start, end in index.arrays.spans
    )
    yield _expect(
        "quotes", inside, f"{len(index.arrays.spans):,} sentences within abstracts", remedy
    )
    count = len(index.arrays.tokens)
    yield _expect("token vectors", _tokens_fit(index), f"{count:,} vectors", remedy)
    yield from _leftovers(folder, index)
    yield from _sources(index)


def _tokens_fit(index: Index) -> bool:
    """Whether every sentence has tokens and every token a sentence or a title."""
    held, manifest = index.arrays, index.manifest
    return (
        len(held.token_papers) == manifest.papers + 1
        and len(held.token_runs) == manifest.sentences + 1
        and held.token_papers[-1] == held.token_runs[-1] == len(held.tokens)
        and bool((np.diff(held.token_runs) > 0).all())
    )


def _expect(subject: str, good: bool, text: str, remedy: str) -> Finding:
    if good:
        return Finding(subject, text)
    return Finding(subject, f"{text}: not what the manifest says", sound=False, remedy=remedy)


def _leftovers(folder: Path, index: Index) -> Iterator[Finding]:
    names = {path.name for path in (folder / generations.GENERATIONS).iterdir()}
    others = len(names - {index.lease.name})
    if others:
        yield Finding(
            "generations", f"{others} older or unfinished: the next ingest removes unused ones"
        )


def _sources(index: Index) -> Iterator[Finding]:
    for name, path in index.manifest.sources.items():
        if not os.access(path, os.F_OK):  # where Path.exists may raise
            yield Finding(
                "source",
                f"{name!r} is not found at {path!r} any more; its papers stay in the index",
            )


# A local server may have to load its model first.
TRIAL_SECONDS = 60.0
TRIAL = "Answer with the one word: ready"


def _answers(settings: Settings) -> Iterator[Finding]:
    if settings.endpoint is None:
        unset = "neither OPENAI_API_KEY nor OPENAI_BASE_URL is set"
        yield Finding(
            "answers", f"extractive: {'COLLOQUY_MODEL is none' if settings.address else unset}"
        )
        return
    from rag.llm import open_model, stream  # loads openai and llama_index: seconds

    try:
        llm = open_model(settings)
        pieces = stream(llm, [Message("user", TRIAL)], TRIAL_SECONDS)
        ending = _read(pieces)
        if ending.error:
            raise ModelError(ending.error)
    except ColloquyError as error:
        text, _, remedy = str(error).rpartition(": ")
        yield Finding("model endpoint", text or remedy, sound=False, remedy=remedy)
        return
    waited = f"first words after {ending.usage.first_seconds or 0:.1f} s"
    text = f"{settings.endpoint} answers with {ending.usage.model}, {waited}"
    yield Finding("model endpoint", text)


def _read(pieces: Generator[str, None, Ending]) -> Ending:
    """The ending of a stream whose text does not matter."""
    while True:
        try:
            next(pieces)
        except StopIteration as stop:
            ending: Ending = stop.value
            return ending
