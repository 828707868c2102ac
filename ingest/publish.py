"""A merge -> a new generation of the index, published whole or not at all.

Goes in: the open current generation (or none), a `Merge`, an embedder. Comes out: nothing; the
folder has a new current generation. Knows nothing of the files that papers come from.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ingest.merge import Merge, embedded_text
from ingest.passages import passages
from rag import arrays, gauge, generations, index, store
from rag.arrays import PaperVectors
from rag.embed import Embedder, Encoded, Floats
from rag.errors import IndexMismatch, IndexProblem
from rag.gauge import Gauge
from rag.index import Index, Manifest
from rag.sentences import sentences
from rag.store import Store
from rag.tokens import compress
from rag.types import Paper, Span

# A copied HNSW keeps the places of deleted rows; above this share it is built afresh.
DEAD_SHARE = 0.3
# Papers whose passages are handed to Chroma together.
GROUP = 64

Progress = Callable[[int, int], None]


def publish(
    folder: Path,
    old: Index | None,
    merged: Merge,
    sources: Mapping[str, str],
    embedder: Embedder,
    progress: Progress,
    *,
    digest: bool,
) -> None:
    """Write and publish the next generation; call while `generations.writing`.

    `sources` are the paths by name, `progress` is called with (papers embedded, papers to embed).
    Whatever fails leaves the current generation as it is.
    """
    with _generation(folder) as generation:
        dead = _start_chroma(generation, old)
        opened = store.open_store(generation / index.CHROMA)
        try:
            dead += _remove_rows(opened, old, merged)
            vectors = _kept(old, merged)
            measured = old.gauge if old is not None else _gauge(merged, embedder)
            for paper, fresh in _embed(opened, old, merged, embedder, measured.basis, progress):
                vectors[paper.id] = fresh
            _put_records(opened, old, merged, vectors)
            passage_count, paper_count = store.counts(opened)
        finally:
            opened.close()
        ordered = [vectors[paper.id] for paper in merged.papers]
        count = arrays.write(generation, ordered)
        gauge.save(measured, generation)
        index.write_order(generation, merged.papers, merged.keys)
        index.write_lexical(generation, merged.papers)
        manifest = Manifest(
            embedder=embedder.name,
            dimension=len(ordered[0].paper),
            papers=len(merged.papers),
            passages=passage_count,
            sentences=count,
            sources=dict(sources),
            digest=digest,
            dead=dead,
        )
        index.write_manifest(generation, manifest)
        _check(generation, paper_count, manifest)


@contextmanager
def _generation(folder: Path) -> Iterator[Path]:
    """A new generation's folder: published at the end of the block, or removed."""
    try:
        path = generations.begin(folder)
        try:
            yield path
            generations.publish(folder, path)
        except BaseException:
            generations.discard(folder, path)
            raise
    except OSError as error:
        raise IndexProblem(
            f"The index at {str(folder)!r} cannot be written ({error}); it is as it was: "
            "make room or give the right to write there, then run this again."
        ) from error


def _start_chroma(generation: Path, old: Index | None) -> int:
    """Make the new generation's database from the old one; returns its number of dead rows."""
    target = generation / index.CHROMA
    if old is not None:
        dead, live = old.manifest.dead, old.manifest.passages + old.manifest.papers
        if dead <= DEAD_SHARE * (dead + live):
            shutil.copytree(old.lease.path / index.CHROMA, target)
            return dead
    opened = store.open_store(target, create=True)
    try:
        if old is not None:
            store.copy_rows(old.store, opened)
    finally:
        opened.close()
    return 0


def _remove_rows(opened: Store, old: Index | None, merged: Merge) -> int:
    """Delete what the next generation replaces or drops; returns the number of rows."""
    if old is None:
        return 0
    replaced = merged.fresh.union(merged.gone)
    leaving = [name for name in old.rows if name in replaced]
    rows = [
        passage.id
        for name in leaving
        for passage in passages(name, old.arrays.of(old.rows[name]).spans)
    ]
    store.remove(opened, rows, leaving)
    return len(rows) + len(leaving)


def _kept(old: Index | None, merged: Merge) -> dict[str, PaperVectors]:
    """The vectors of papers that need no embedding, as the old generation has them."""
    if old is None:
        return {}
    kept = (paper.id for paper in merged.papers if paper.id not in merged.fresh)
    return {name: old.arrays.of(old.rows[name]) for name in kept}


def _embed(
    opened: Store,
    old: Index | None,
    merged: Merge,
    embedder: Embedder,
    basis: Floats,
    progress: Progress,
) -> Iterator[tuple[Paper, PaperVectors]]:
    """Embed the fresh papers and put their passages into Chroma, a group at a time."""
    fresh = [paper for paper in merged.papers if paper.id in merged.fresh]
    group: list[tuple[Paper, Encoded]] = []
    texts = [embedded_text(paper) for paper in fresh]
    parts = [_shifted(paper) for paper in fresh]
    for done, (place, encoded) in enumerate(embedder.encode(texts, parts), 1):
        if old is not None:
            index.check_dimension(old.folder, old.manifest, encoded.vector)
        group.append((fresh[place], encoded))
        if len(group) == GROUP or done == len(fresh):
            yield from _put_group(opened, group, basis)
            group = []
        progress(done, len(fresh))


def _put_group(
    opened: Store, group: Sequence[tuple[Paper, Encoded]], basis: Floats
) -> Iterator[tuple[Paper, PaperVectors]]:
    rows, texts, pooled = [], [], []
    for paper, encoded in group:
        shift = _shift(paper)
        vectors = _vectors(paper, encoded, basis)
        for passage in passages(paper.id, vectors.spans):
            start, end = passage.span.start, passage.span.end
            rows.append(passage)
            texts.append(paper.abstract[start:end])
            pooled.append(encoded.pooled(start + shift, end + shift))
        yield paper, vectors
    store.put_passages(opened, rows, texts, np.stack(pooled))


def _gauge(merged: Merge, embedder: Embedder) -> Gauge:
    """What the numbers of an index that begins now mean."""
    return gauge.gauge(embedder, [embedded_text(paper) for paper in merged.papers])


def _shift(paper: Paper) -> int:
    """Where the abstract begins in what is embedded."""
    return len(embedded_text(paper)) - len(paper.abstract)


def _shifted(paper: Paper) -> list[Span]:
    """The sentences of a paper in what is embedded of it."""
    shift = _shift(paper)
    return [Span(s.start + shift, s.end + shift) for s in sentences(paper.abstract)]


def _vectors(paper: Paper, encoded: Encoded, basis: Floats) -> PaperVectors:
    """All vectors of a paper."""
    spans, inside = sentences(paper.abstract), _shifted(paper)
    tokens, offsets = compress(encoded, embedded_text(paper), basis)
    begins = np.asarray([span.start for span in inside])
    runs = np.searchsorted(offsets[:, 0], begins)
    ends = np.append(runs[1:], len(tokens))
    # A sentence of stopwords or signs alone gets a token that resembles nothing.
    empty = runs[runs == ends]
    tokens = np.insert(tokens, empty, 0, axis=0)
    return PaperVectors(
        encoded.vector,
        np.stack([encoded.pooled(span.start, span.end) for span in inside]),
        spans,
        tokens,
        runs + np.cumsum(np.append(0, runs[:-1] == ends[:-1])),
    )


def _put_records(
    opened: Store, old: Index | None, merged: Merge, vectors: Mapping[str, PaperVectors]
) -> None:
    """Write the papers that are new or say something else than before, be it their place."""
    before = {paper.id: paper for paper in old.papers} if old is not None else {}
    changed = [paper for paper in merged.papers if before.get(paper.id) != paper]
    if changed:
        store.put_papers(opened, changed, np.stack([vectors[p.id].paper for p in changed]))


def _check(generation: Path, papers: int, manifest: Manifest) -> None:
    """Open the finished database once more and count."""
    opened = store.open_store(generation / index.CHROMA)
    try:
        counted = store.counts(opened)
    finally:
        opened.close()
    if counted != (manifest.passages, papers) or papers != manifest.papers:
        raise IndexMismatch(
            f"The new generation holds {counted[1]} papers and {counted[0]} passages where "
            f"{manifest.papers} and {manifest.passages} were written; nothing was changed, "
            "run the same command again."
        )
