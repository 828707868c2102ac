"""Papers that a reader chose, so that a question is answered from them alone.

Goes in: an open index, ids, a `Query`. Comes out: ids that are known, the papers that a question
names beside them, and what to say of those. Knows nothing of how papers are chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.errors import UsageError
from rag.index import Index
from rag.retrieve import paper_of
from rag.types import Paper, Query


def chosen_papers(index: Index, papers: Sequence[str] | None) -> tuple[str, ...]:
    """The ids, each once; () for None: all papers may answer.

    Raises `UsageError` for none at all and for an id that the index does not hold.
    """
    if papers is None:
        return ()
    if isinstance(papers, str) or not all(isinstance(each, str) for each in papers):
        raise UsageError(f"papers is {papers!r}; give a list of ids, or None to ask all.")
    ids = tuple(dict.fromkeys(paper_of(index, each).id for each in papers))
    if not ids:
        raise UsageError("No paper was chosen; choose at least one, or none to ask all.")
    return ids


def outside(index: Index, query: Query) -> tuple[Paper, ...]:
    """The papers that a question names and that were not chosen."""
    left = [name for name in query.named if query.papers and name not in query.papers]
    return tuple(paper_of(index, name) for name in left)


def left_out(index: Index, query: Query) -> tuple[str, ...]:
    """A sentence for each of them."""
    return tuple(
        f"{paper.name} is not among the papers chosen and was not asked."
        for paper in outside(index, query)
    )
