"""What the page needs of an assistant; `rag.Assistant` has it.

Goes in: nothing. Comes out: a protocol. Knows nothing of the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from rag.types import About, Answer, Paper, Turn


class Answering(Protocol):
    """What the page needs of an assistant."""

    def about(self) -> About: ...

    def stream(
        self,
        question: str,
        history: Sequence[Turn] = (),
        papers: Sequence[str] | None = None,
    ) -> Iterator[str | Answer]: ...

    def papers(self) -> tuple[Paper, ...]: ...

    def search(self, query: str, k: int = 10) -> tuple[Paper, ...]: ...

    def related(self, paper_id: str, k: int = 10) -> tuple[Paper, ...]: ...
