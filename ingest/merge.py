"""What is in the index + what the files say now -> which papers are added, updated, kept, removed.

Goes in: the index's papers and the papers read, source by source. Comes out: a `Merge`. Knows
nothing of files, vectors or Chroma; pure.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from ingest.records import Skipped
from rag.types import Paper

# "Most words shared": more than half of all words of both texts. Two abstracts of one conference
# share a tenth to a fifth, a revised abstract more than three quarters with its former self.
SAME_PAPER = 0.5
# 12 hex digits: 48 bits, one chance in 10^6 that two of 20,000 papers meet; a clash is lengthened.
ID_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Candidate:
    """A paper as read now: `paper.id` is empty until it is known; `key` is the file's own id."""

    paper: Paper
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Merge:
    """The papers of the next generation in order, and how they come about.

    `keys` are the files' own ids by paper id. `added`, `updated` and `gone` are paper ids; what is
    neither is `unchanged`. `fresh` are the ids whose text must be embedded.
    """

    papers: tuple[Paper, ...]
    keys: Mapping[str, str]
    added: tuple[str, ...]
    updated: tuple[str, ...]
    unchanged: int
    gone: tuple[str, ...]
    fresh: frozenset[str]
    skipped: tuple[Skipped, ...]


def merge(
    old: Sequence[Paper],
    keys: Mapping[str, str],
    read: Mapping[str, Sequence[Candidate]],
    *,
    sync: bool,
) -> Merge:
    """Compare what is there with what was read.

    `old` are the papers of the index, `keys` their files' own ids by paper id. A source in `read`
    replaces what it gave before; the papers of others stay, unless `sync` is set.
    """
    kept = [paper for paper in old if paper.source not in read and not sync]
    replaced = [paper for paper in old if paper.source in read or sync]
    candidates, skipped = _unique(kept, [each for group in read.values() for each in group])
    former = _match(replaced, keys, candidates)
    taken = {paper.id for paper in old}
    papers, new_keys = list(kept), {p.id: keys[p.id] for p in kept if p.id in keys}
    added, updated, fresh = [], [], set()
    for candidate, before in zip(candidates, former, strict=True):
        name = before.id if before else _new_id(candidate.paper, taken)
        taken.add(name)
        paper = replace(candidate.paper, id=name)
        papers.append(paper)
        if candidate.key is not None:
            new_keys[name] = candidate.key
        if before is None:
            added.append(name)
        elif _content(paper) != _content(before):
            updated.append(name)
        if before is None or embedded_text(paper) != embedded_text(before):
            fresh.add(name)
    # A source keeps its place, so that reading one of several again changes nothing.
    places = {name: n for n, name in enumerate(dict.fromkeys([*(p.source for p in old), *read]))}
    papers.sort(key=lambda paper: places[paper.source])
    return Merge(
        papers=tuple(papers),
        keys=new_keys,
        added=tuple(added),
        updated=tuple(updated),
        unchanged=len(papers) - len(added) - len(updated),
        gone=tuple(sorted({paper.id for paper in old} - {paper.id for paper in papers})),
        fresh=frozenset(fresh),
        skipped=skipped,
    )


def embedded_text(paper: Paper) -> str:
    """What the model reads of a paper: a title that the authors gave, then the abstract.

    The abstract is always the end of it, so that offsets differ by a constant.
    """
    return f"{paper.title}. {paper.abstract}" if paper.title_source == "given" else paper.abstract


def fingerprint(paper: Paper) -> str:
    """What makes two abstracts the same text: their words, whatever the case and white space."""
    return " ".join(paper.abstract.casefold().split())


def _unique(
    kept: Sequence[Paper], candidates: Sequence[Candidate]
) -> tuple[list[Candidate], tuple[Skipped, ...]]:
    """Leave out what says the same as an earlier paper, and say so."""
    seen = {fingerprint(paper): paper for paper in kept}
    unique, skipped = [], []
    for candidate in candidates:
        paper = candidate.paper
        twin = seen.setdefault(fingerprint(paper), paper)
        if twin is paper:
            unique.append(candidate)
        else:
            reason = f"the same abstract as number {twin.position} of {twin.source}"
            skipped.append(Skipped(paper.source, paper.position, paper.title, reason))
    return unique, tuple(skipped)


def _match(
    replaced: Sequence[Paper], keys: Mapping[str, str], candidates: Sequence[Candidate]
) -> list[Paper | None]:
    """The former self of each candidate, each used once: the same text wherever it stood, else
    the same key in its source, else the same place in it with most words shared."""
    free = {paper.id: paper for paper in replaced}
    found: list[Paper | None] = [None] * len(candidates)

    def claim(
        of_paper: Callable[[Paper], Hashable],
        of_candidate: Callable[[Candidate], Hashable],
        fits: Callable[[Paper, Paper], bool] = lambda _before, _now: True,
    ) -> None:
        offered = {of_paper(paper): paper for paper in free.values()}
        for place, candidate in enumerate(candidates):
            before = offered.get(of_candidate(candidate)) if found[place] is None else None
            if before is not None and before.id in free and fits(before, candidate.paper):
                found[place] = free.pop(before.id)

    claim(fingerprint, lambda c: fingerprint(c.paper))
    claim(
        lambda p: (p.source, keys[p.id]) if p.id in keys else p,
        lambda c: (c.paper.source, c.key),
    )
    claim(
        lambda p: (p.source, p.position),
        lambda c: (c.paper.source, c.paper.position),
        lambda before, now: _shared(before, now) > SAME_PAPER,
    )
    return found


def _shared(one: Paper, other: Paper) -> float:
    """Jaccard index of the two abstracts' words."""
    left, right = (set(re.findall(r"\w+", p.abstract.casefold())) for p in (one, other))
    return len(left & right) / max(len(left | right), 1)


def _content(paper: Paper) -> Paper:
    """What a paper says of itself: where it stands is no change, nor is a name that we gave it."""
    title = paper.title if paper.title_source == "given" else ""
    return replace(paper, position=0, source="", title=title)


def _new_id(paper: Paper, taken: Collection[str]) -> str:
    digest = hashlib.sha256(fingerprint(paper).encode()).hexdigest()
    return next(
        digest[:length]
        for length in range(ID_LENGTH, len(digest) + 1)
        if digest[:length] not in taken
    )
