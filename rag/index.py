"""One open generation: papers, Chroma, BM25 and sentence vectors, held under a lease.

    GENERATION/manifest.json   what made it and how much is in it
    GENERATION/chroma/         rag.store
    GENERATION/lexical/        rag.lexical
    GENERATION/*.npy           rag.arrays, in the order of `Index.papers`
    GENERATION/gauge.npz       rag.gauge, where the model is not the bundled one
    GENERATION/order.json      [paper id, the file's own id or null], row by row

Goes in: an index folder. Comes out: an open `Index`. Knows nothing of questions.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rag import arrays, gauge, generations, lexical, store
from rag.arrays import Arrays
from rag.embed import Floats
from rag.errors import IndexMismatch, IndexMissing
from rag.gauge import Gauge
from rag.generations import Lease
from rag.lexical import Lexical
from rag.names import Names, paper_names
from rag.store import Store
from rag.types import Paper

# Rises when an older program could not read what is written, or cleaning changes every text.
FORMAT = 2
MANIFEST, CHROMA, LEXICAL, ORDER = "manifest.json", "chroma", "lexical", "order.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a generation says of itself.

    `sources` maps a source's name to the path it was read from; `dead` counts rows that were
    replaced or deleted in Chroma since it was last built afresh; `digest` is True while the index
    holds the sample.
    """

    embedder: str
    dimension: int
    papers: int
    passages: int
    sentences: int
    sources: Mapping[str, str]
    digest: bool = False
    dead: int = 0
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Index:
    """An open generation: `papers[row]` has the vectors `arrays.of(row)`."""

    lease: Lease
    manifest: Manifest
    store: Store
    lexical: Lexical
    papers: tuple[Paper, ...]
    keys: Mapping[str, str]
    rows: Mapping[str, int]
    names: Names
    arrays: Arrays
    gauge: Gauge
    scratch: Path | None

    @property
    def folder(self) -> Path:
        """The index's folder, of which this is one generation."""
        return self.lease.path.parents[1]

    def close(self) -> None:
        """Close Chroma and give the lease back; no method may run then or later."""
        self.store.close()
        if self.scratch is not None:
            shutil.rmtree(self.scratch)
        self.lease.release()


def open_index(folder: Path, embedder: str) -> Index:
    """Open the current generation of an index made by the embedder of that name.

    Raises `IndexMissing` where there is none or it is empty, `IndexMismatch` where it was made by
    another model or format or cannot be read.
    """
    check_place(folder)
    lease = generations.lease(folder)
    with ExitStack() as undo:
        undo.callback(lease.release)
        manifest = read_manifest(folder, lease.path)
        check_manifest(folder, manifest, embedder)
        check_filled(folder, manifest)
        opened = _open(folder, lease, manifest, undo)
        undo.pop_all()
    return opened


def check_place(folder: Path) -> None:
    """Raise `IndexMismatch` where the folder cannot be looked into or holds a Chroma database that
    is not an index."""
    if folder.parts[:1] in (("http:",), ("https:",)):  # what a path makes of an address
        address = str(folder).replace(":/", "://", 1)
        raise IndexMismatch(
            f"{address!r} is an address; this version keeps its index in a folder: "
            "give a path with --index."
        )
    if generations.current(folder) is None and (folder / "chroma.sqlite3").exists():
        raise IndexMismatch(
            f"{str(folder)!r} holds a Chroma database that Colloquy did not make; "
            "name another folder with --index."
        )


def read_manifest(folder: Path, generation: Path) -> Manifest:
    """Read what a generation says of itself; raises `IndexMismatch` where that is not readable."""
    try:
        fields = json.loads((generation / MANIFEST).read_text(encoding="utf-8"))
        return Manifest(**fields)
    except (OSError, ValueError, TypeError) as error:
        raise IndexMismatch(
            f"The index at {str(folder)!r} has a manifest that cannot be read ({error}); "
            f"{_again(folder)}"
        ) from error


def check_manifest(folder: Path, manifest: Manifest, embedder: str) -> None:
    """Raise `IndexMismatch` where another format or model made the index."""
    if manifest.format != FORMAT:
        raise IndexMismatch(
            f"The index at {str(folder)!r} has format {manifest.format}, this version reads "
            f"{FORMAT}; {_again(folder)}"
        )
    if manifest.embedder != embedder:
        raise IndexMismatch(
            f"The index at {str(folder)!r} was made with {manifest.embedder!r}, this is "
            f"{embedder!r}; set COLLOQUY_EMBEDDER to the one that made it, or {_again(folder)}"
        )


def check_dimension(folder: Path, manifest: Manifest, vector: Floats) -> None:
    """Raise `IndexMismatch` for a vector of another size: a model changed under its name."""
    if len(vector) != manifest.dimension:
        raise IndexMismatch(
            f"The index at {str(folder)!r} holds vectors of {manifest.dimension} dimensions, and "
            f"{manifest.embedder!r} now gives {len(vector)}; {_again(folder)}"
        )


def check_filled(folder: Path, manifest: Manifest) -> None:
    """Raise `IndexMissing` where an index holds no papers."""
    if manifest.papers == 0:
        raise IndexMissing(
            f"The index at {str(folder)!r} holds no papers; add some with: "
            f"colloquy ingest FILE --index {folder}"
        )


def _again(folder: Path) -> str:
    return f"remove that folder and run: colloquy ingest FILE --index {folder}"


def _open(folder: Path, lease: Lease, manifest: Manifest, undo: ExitStack) -> Index:
    """Open what a lease holds; `undo` closes whatever was opened before a failure."""
    path = lease.path
    try:
        order: list[tuple[str, str | None]] = json.loads((path / ORDER).read_text(encoding="utf-8"))
        ids = [name for name, _ in order]
        vectors = arrays.read(path)
        measured = gauge.load(path, manifest.embedder)
        postings = lexical.load(path / LEXICAL)
        chroma, scratch = _writable(path / CHROMA, undo)
    except (OSError, EOFError, LookupError, TypeError, ValueError) as error:
        raise IndexMismatch(
            f"The index at {str(folder)!r} has a file that cannot be read ({error}); "
            f"{_again(folder)}"
        ) from error
    opened = store.open_store(chroma)
    undo.callback(opened.close)
    by_id = store.read_papers(opened)
    if set(ids) != by_id.keys() or len(ids) != manifest.papers:
        raise IndexMismatch(
            f"The index at {str(folder)!r} should hold {manifest.papers} papers and holds "
            f"{len(by_id)}; {_again(folder)}"
        )
    papers = tuple(by_id[name] for name in ids)
    return Index(
        lease=lease,
        manifest=manifest,
        store=opened,
        lexical=postings,
        papers=papers,
        keys={name: key for name, key in order if key is not None},
        rows={name: row for row, name in enumerate(ids)},
        names=paper_names(papers),
        arrays=vectors,
        gauge=measured,
        scratch=scratch,
    )


def _writable(chroma: Path, undo: ExitStack) -> tuple[Path, Path | None]:
    """The database to open, and a scratch folder to remove: Chroma writes when it opens."""
    if os.access(chroma, os.W_OK) and os.access(chroma / "chroma.sqlite3", os.W_OK):
        return chroma, None
    scratch = Path(tempfile.mkdtemp(prefix="colloquy-"))
    undo.callback(shutil.rmtree, scratch)
    copy = scratch / CHROMA
    # Folder by folder: copytree would copy their modes, so that nothing could be removed again.
    for folder, _, files in os.walk(chroma):
        target = copy / Path(folder).relative_to(chroma)
        target.mkdir()
        for file in files:
            shutil.copyfile(Path(folder) / file, target / file)
    return copy, scratch


def write_order(generation: Path, papers: Sequence[Paper], keys: Mapping[str, str]) -> None:
    """Write which paper stands in which row, with its file's own id for it."""
    order = [(paper.id, keys.get(paper.id)) for paper in papers]
    (generation / ORDER).write_text(json.dumps(order, ensure_ascii=False), encoding="utf-8")


def write_lexical(generation: Path, papers: Sequence[Paper]) -> None:
    """Write the BM25 of a generation over title, keywords and abstract, in row order."""
    texts = ["\n".join([p.title, ", ".join(p.keywords), p.abstract]) for p in papers]
    lexical.build(texts, generation / LEXICAL)


def write_manifest(generation: Path, manifest: Manifest) -> None:
    """Write what a generation says of itself: last, so that it is there only if all is."""
    fields: dict[str, Any] = asdict(manifest)
    (generation / MANIFEST).write_text(
        json.dumps(fields, ensure_ascii=False, indent=1), encoding="utf-8"
    )
