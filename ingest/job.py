"""READ THIS FIRST: the ingest job, read -> clean -> label -> merge -> embed -> publish.

Goes in: files and an index folder. Comes out: a `Report`, and a new generation of the index unless
nothing changed.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.clean import clean
from ingest.coined import coined_names
from ingest.label import distinct, label
from ingest.merge import Candidate, merge
from ingest.publish import Progress, publish
from ingest.readers import read_records
from ingest.records import Record, Skipped
from ingest.sources import source_names
from rag import generations
from rag.embed import Embedder
from rag.embedders import open_embedder
from rag.errors import InputError
from rag.index import Index, check_place, open_index
from rag.settings import DEFAULT_INDEX, Settings, read_settings
from rag.types import Paper

SAMPLE = Path(__file__).resolve().parent / "sample" / "neurips-2026-digest.txt"


@dataclass(frozen=True, slots=True)
class Report:
    """What an ingest did, in papers; `papers` is the number that the index holds now.

    `notes` are sentences that a person should read.
    """

    added: int
    updated: int
    unchanged: int
    removed: int
    skipped: tuple[Skipped, ...]
    papers: int
    notes: tuple[str, ...] = ()


# The longest of 23,000 abstracts has 4,500; whole papers are another thing and take minutes each.
MOST_CHARACTERS = 50_000


def ingest(
    files: Sequence[str | os.PathLike[str]],
    index: str | os.PathLike[str] = DEFAULT_INDEX,
    sync: bool = False,
    *,
    progress: Progress | None = None,
    settings: Settings | None = None,
) -> Report:
    """Bring the index up to date with `files`; what other files gave stays unless `sync` is set.

    `progress` is called with (papers embedded, papers to embed). `settings` (the environment where
    None) name the embedder. Raises `InputError` for a file that cannot be read (nothing is changed
    then), `IndexBusy` while another ingest runs, `IndexMismatch` where the index cannot be
    continued, `SettingsError` or `ModelError` where the embedder cannot be used.
    """
    folder = Path(index)
    paths = [Path(file) for file in files]
    if not paths:
        raise InputError("No file was given; name at least one list of papers.")
    check_place(folder)
    embedder = open_embedder(settings or read_settings())
    with generations.writing(folder):
        old = open_index(folder, embedder.name) if generations.current(folder) else None
        try:
            return _update(folder, old, paths, embedder, progress or _silent, sync=sync)
        finally:
            if old is not None:
                old.close()


def _update(
    folder: Path,
    old: Index | None,
    paths: Sequence[Path],
    embedder: Embedder,
    progress: Progress,
    *,
    sync: bool,
) -> Report:
    digest = [os.path.realpath(path) for path in paths] == [str(SAMPLE)]
    notes = _welcome(folder, old, digest=digest)
    base = None if notes else old  # after the sample everything starts afresh
    before, known = (base.papers, base.manifest.sources) if base is not None else ((), {})
    names = source_names(paths, known)
    read, skipped = _read(names, digest=digest)
    candidates = _named(read, [p.title for p in before if p.source not in read and not sync])
    merged = merge(before, base.keys if base is not None else {}, candidates, sync=sync)
    sources = ({} if sync else dict(known)) | {name: str(path) for name, path in names.items()}
    now = (merged.papers, merged.keys, sources)
    if base is None or now != (base.papers, base.keys, base.manifest.sources):
        publish(folder, base, merged, sources, embedder, progress, digest=digest)
    return Report(
        added=len(merged.added),
        updated=len(merged.updated),
        unchanged=merged.unchanged,
        removed=len(merged.gone),
        skipped=(*skipped, *merged.skipped),
        papers=len(merged.papers),
        notes=notes,
    )


def _welcome(folder: Path, old: Index | None, *, digest: bool) -> tuple[str, ...]:
    """What to say when the sample leaves: it is a guest, goes when papers come, and joins none."""
    if old is None or old.manifest.digest == digest:
        return ()
    if digest:
        raise InputError(
            f"The index at {str(folder)!r} holds papers; the sample goes into an index of its "
            "own: name another folder with --index."
        )
    return (
        f"The sample of {len(old.papers)} digests was removed: the index now holds your papers.",
    )


def _read(
    names: Mapping[str, Path], *, digest: bool
) -> tuple[dict[str, list[tuple[Record, Paper]]], list[Skipped]]:
    """Read and clean every file: papers without an id, by source, and what was skipped."""
    read: dict[str, list[tuple[Record, Paper]]] = {}
    skipped = []
    for source, path in names.items():
        read[source] = []
        for record in read_records(path):
            if isinstance(record, Skipped):
                skipped.append(replace(record, source=source))
                continue
            if len(record.abstract) > MOST_CHARACTERS:
                reason = (
                    f"its text has {len(record.abstract):,} characters, "
                    f"an abstract at most {MOST_CHARACTERS:,}"
                )
                skipped.append(Skipped(source, record.position, record.title, reason))
                continue
            paper = _paper(record, source, digest=digest)
            if paper.abstract:
                read[source].append((record, paper))
            else:
                reason = "nothing is left of the abstract without its markup"
                skipped.append(Skipped(source, record.position, record.title, reason))
        if not read[source]:
            reasons = Counter(each.reason for each in skipped if each.source == source)
            shown = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common())
            raise InputError(
                f"{str(path)!r} holds no paper with an abstract ({shown}); give a file in which "
                "each paper has one in words."
            )
    return read, skipped


def _paper(record: Record, source: str, *, digest: bool) -> Paper:
    abstract = clean(record.abstract)
    return Paper(
        id="",
        title=clean(record.title) if record.title else "",
        title_source="given" if record.title else "derived",
        abstract=abstract,
        raw=record.abstract,
        authors=tuple(clean(author) for author in record.authors),
        year=record.year,
        venue=record.venue,
        url=record.url,
        keywords=tuple(clean(keyword) for keyword in record.keywords),
        source=source,
        position=record.position,
        digest=digest,
        names=coined_names(abstract),
    )


def _named(
    read: Mapping[str, Sequence[tuple[Record, Paper]]], taken: Sequence[str]
) -> dict[str, list[Candidate]]:
    """Give a name to every paper that came without a title; no two are alike."""
    nameless = [paper for group in read.values() for _, paper in group if not paper.title]
    given = [paper.title for group in read.values() for _, paper in group if paper.title]
    abstracts = [paper.abstract for paper in nameless]
    names = iter(distinct([label(text) for text in abstracts], abstracts, {*taken, *given}))
    return {
        source: [
            Candidate(paper if paper.title else _titled(paper, next(names)), record.key)
            for record, paper in group
        ]
        for source, group in read.items()
    }


def _titled(paper: Paper, name: str) -> Paper:
    return replace(paper, title=name, title_source="derived")


def _silent(_done: int, _total: int) -> None:
    """Report no progress."""
