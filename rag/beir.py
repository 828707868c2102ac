"""A BEIR folder -> how well the index ranks its documents.

    FOLDER/queries.jsonl          {"_id", "text"} a line
    FOLDER/qrels/SPLIT.tsv        query-id, corpus-id, score; a header line

Goes in: such a folder, an assistant over an index of its corpus (the corpus file was ingested, so
that papers carry its ids). Comes out: figures. Needs the extra `evaluate` (ir-measures).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

from rag.assistant import Assistant
from rag.errors import InputError, SettingsError

# How deep a ranking is judged.
DEPTH = 100


def evaluate_beir(assistant: Assistant, folder: Path, split: str = "test") -> dict[str, float]:
    """nDCG@10 and R@100 over the judged queries of a split.

    Raises `InputError` where the folder does not fit, `SettingsError` where the extra is missing.
    """
    try:
        import ir_measures
        from ir_measures import R, nDCG
    except ImportError as error:
        raise SettingsError(
            "Ranking figures need ir-measures; install it with: pip install 'colloquy[evaluate]'"
        ) from error
    judged = _judgements(folder / "qrels" / f"{split}.tsv")
    texts = _queries(folder / "queries.jsonl")
    keys = assistant.keys()
    run = {
        query: {
            keys.get(paper.id, paper.id): float(-place)
            for place, paper in enumerate(assistant.search(texts[query], DEPTH))
        }
        for query in judged
        if query in texts
    }
    if not run:
        raise InputError(f"{str(folder)!r} has no query that is judged in the split {split!r}.")
    found = ir_measures.calc_aggregate([nDCG @ 10, R @ DEPTH], judged, run)
    return {"queries": float(len(run)), **{str(name): value for name, value in found.items()}}


def _judgements(path: Path) -> Mapping[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for query, document, score in list(csv.reader(file, delimiter="\t"))[1:]:
                judged.setdefault(query, {})[document] = int(score)
    except (OSError, ValueError) as error:
        raise InputError(f"{str(path)!r} holds no judgements ({error}).") from error
    return judged


def _queries(path: Path) -> Mapping[str, str]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        return {str(row["_id"]): str(row["text"]) for row in map(json.loads, filter(None, lines))}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{str(path)!r} holds no queries ({error}).") from error
