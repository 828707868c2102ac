"""Papers and passages in Chroma: the only file that imports chromadb.

Goes in: papers, passages, vectors, a folder. Comes out: papers, ids and similarities. Knows
nothing of generations, locks or questions.

Two collections: `passages` (a vector and the text of each passage, for nearest neighbours) and
`papers` (a vector, the abstract and every field of each paper).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rag.embed import Floats
from rag.errors import IndexMismatch
from rag.types import Paper, Passage, plain

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection

PASSAGES, PAPERS = "passages", "papers"
# A page that stays below SQLite's limit of bound variables.
PAGE = 5000
# Built wide and searched wide: at 100 the recall of HNSW falls as a collection grows. The figure
# for this setting stands in docs/benchmarks.md.
HNSW: CreateHNSWConfiguration = {
    "space": "cosine",
    "ef_construction": 200,
    "ef_search": 400,
    "max_neighbors": 24,
}
# Clients of one path share a system, which Chroma makes and stops without a lock: a client that
# opens while another opens or closes finds it half-made and raises AttributeError.
_clients = threading.Lock()


@dataclass(frozen=True, slots=True)
class Store:
    """An open Chroma database; close it when its last user is done."""

    client: Client
    passages: Collection
    papers: Collection

    def close(self) -> None:
        """Release Chroma's files; no method may run then or later."""
        with _clients:
            self.client.close()


def open_store(folder: Path, *, create: bool = False) -> Store:
    """Open the database in `folder`, which must hold both collections unless `create` is set.

    Raises `IndexMismatch` where the folder holds something else or cannot be read, OSError where it
    cannot be made.
    """
    import chromadb  # 1 s, and not needed for --help
    from chromadb.config import Settings
    from chromadb.errors import ChromaError

    with _clients, ExitStack() as undo:
        try:
            settings = Settings(anonymized_telemetry=False)
            client = cast("Client", chromadb.PersistentClient(folder, settings))
            undo.callback(client.close)
            collections = [_collection(client, name, create) for name in (PASSAGES, PAPERS)]
        except (ChromaError, ValueError, OSError) as error:
            if create:
                raise OSError(str(error)) from error
            raise IndexMismatch(
                f"{str(folder)!r} is no database of Colloquy that can be read ({error}); "
                "run: colloquy doctor"
            ) from error
        undo.pop_all()
    return Store(client, *collections)


def _collection(client: Client, name: str, create: bool) -> Collection:
    if create:
        return client.create_collection(name, embedding_function=None, configuration={"hnsw": HNSW})
    return client.get_collection(name, embedding_function=None)


@contextmanager
def _writing() -> Iterator[None]:
    """Chroma's failures as OSErrors: what it calls an internal error is a full disk."""
    from chromadb.errors import ChromaError  # 1 s, and not needed for --help

    try:
        yield
    except ChromaError as error:
        raise OSError(f"Chroma: {error}") from error


@_writing()
def put_papers(store: Store, papers: Sequence[Paper], vectors: Floats) -> None:
    """Insert or replace papers; `vectors` has shape (papers, d). Raises OSError."""
    for begin, end in _batches(store, len(papers)):
        batch = papers[begin:end]
        store.papers.upsert(
            ids=[paper.id for paper in batch],
            embeddings=vectors[begin:end],
            documents=[paper.abstract for paper in batch],
            metadatas=[
                {"title": paper.title, "source": paper.source, "fields": _fields(paper)}
                for paper in batch
            ],
        )


@_writing()
def put_passages(
    store: Store, passages: Sequence[Passage], texts: Sequence[str], vectors: Floats
) -> None:
    """Insert or replace passages; `vectors` has shape (passages, d). Raises OSError."""
    for begin, end in _batches(store, len(passages)):
        batch = passages[begin:end]
        store.passages.upsert(
            ids=[passage.id for passage in batch],
            embeddings=vectors[begin:end],
            documents=list(texts[begin:end]),
            metadatas=[
                {"paper": each.paper_id, "start": each.span.start, "end": each.span.end}
                for each in batch
            ],
        )


@_writing()
def remove(store: Store, passage_ids: Sequence[str], paper_ids: Sequence[str]) -> None:
    """Delete passages and papers by id. Raises OSError."""
    for collection, ids in ((store.passages, passage_ids), (store.papers, paper_ids)):
        for begin, end in _batches(store, len(ids)):
            collection.delete(ids=list(ids[begin:end]))


@_writing()
def copy_rows(source: Store, target: Store) -> None:
    """Insert every row of one database into another, which leaves dead slots behind.

    Raises OSError.
    """
    for old, new in ((source.passages, target.passages), (source.papers, target.papers)):
        for page in _pages(old, ["embeddings", "documents", "metadatas"]):
            for begin, end in _batches(target, len(page["ids"])):
                new.upsert(
                    ids=page["ids"][begin:end],
                    embeddings=page["embeddings"][begin:end],
                    documents=page["documents"][begin:end],
                    metadatas=page["metadatas"][begin:end],
                )


def read_papers(store: Store) -> dict[str, Paper]:
    """All papers by id."""
    return {
        paper_id: _paper(paper_id, document, str(metadata["fields"]))
        for page in _pages(store.papers, ["documents", "metadatas"])
        for paper_id, document, metadata in zip(
            page["ids"], page["documents"], page["metadatas"], strict=True
        )
    }


@_writing()  # what was put is written before it is counted
def counts(store: Store) -> tuple[int, int]:
    """(passages, papers). Raises OSError where Chroma cannot write what was put."""
    return store.passages.count(), store.papers.count()


def nearest(store: Store, vector: Floats, k: int) -> list[str]:
    """The ids of the papers that own the k passages nearest to a vector (d,), nearest first.

    Only ids are asked for: 1.1 ms for 100 of 10,000, where documents as well take 3.6 ms.
    """
    found = store.passages.query(query_embeddings=vector[np.newaxis], n_results=k, include=[])
    return list(dict.fromkeys(name.partition(":")[0] for name in found["ids"][0]))


def _pages(collection: Collection, include: list[Any]) -> Iterator[dict[str, Any]]:
    for offset in range(0, collection.count(), PAGE):
        yield dict(collection.get(limit=PAGE, offset=offset, include=include))


def _batches(store: Store, rows: int) -> Iterator[tuple[int, int]]:
    size = store.client.get_max_batch_size()
    for begin in range(0, rows, size):
        yield begin, min(begin + size, rows)


def _fields(paper: Paper) -> str:
    """Everything but the id and the abstract, which Chroma holds as such."""
    fields = plain(paper)
    del fields["id"], fields["abstract"]
    return json.dumps(fields, ensure_ascii=False)


def _paper(paper_id: str, abstract: str, fields: str) -> Paper:
    read = json.loads(fields)
    for name in ("authors", "keywords", "names"):
        read[name] = tuple(read[name])
    return Paper(id=paper_id, abstract=abstract, **read)
