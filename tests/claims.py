"""Claims with what is known of them -> how many the check flags, by kind, as Markdown.

    python -m tests.claims claims.jsonl list.txt [list.txt ...]

A line is {"claim", "kind", "paper", "faithful"}; a paper is named by the beginning of its list's
name and its position there ("000-02").
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ingest import ingest
from rag import Assistant
from rag.evaluate import resolve
from rag.types import Claim, Draft, DraftClaim, Evidence, Paper
from rag.verify import verify


def main() -> int:
    """Print a table of the file that the command line names."""
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").splitlines() if line]
    with tempfile.TemporaryDirectory() as folder:
        ingest(sys.argv[2:], folder)
        with Assistant.open(folder) as assistant:
            papers = assistant.papers()
    for line in table(list(checked(rows, papers))):
        sys.stdout.write(line + "\n")
    return 0


def checked(
    rows: Sequence[Mapping[str, Any]], papers: Sequence[Paper]
) -> Iterator[tuple[str, bool, Claim]]:
    """The kind of each claim, whether it is faithful, and the checked claim."""
    by_id = {paper.id: paper for paper in papers}
    for row in rows:
        paper = by_id[next(iter(resolve((row["paper"],), papers)))]
        text = row["claim"]
        draft = Draft(text, "answered", "llm", (DraftClaim(0, len(text), (1,)),), (paper,))
        answer = verify(draft, "", (Evidence(paper, 1.0, 1.0, ()),))
        yield row["kind"], bool(row["faithful"]), answer.claims[0]


def table(results: Sequence[tuple[str, bool, Claim]]) -> Iterator[str]:
    """Claims and flags of each kind, then of all corruptions and of all paraphrases."""
    counted, flagged = Counter[str](), Counter[str]()
    for kind, faithful, claim in results:
        for name in (kind, "all paraphrases" if faithful else "all corruptions"):
            counted[name] += 1
            flagged[name] += claim.support == "unsupported"
    yield "| kind | claims | flagged | share |"
    yield "|---|---|---|---|"
    for name in sorted(counted, key=lambda name: (name.startswith("all "), name)):
        share = flagged[name] / counted[name]
        yield f"| {name} | {counted[name]} | {flagged[name]} | {share:.3f} |"


if __name__ == "__main__":
    sys.exit(main())
