"""An assistant over an index that does not exist yet: empty until the first ingest.

Goes in: Settings. Comes out: what the page needs of an assistant. Once an index is there it is
opened, and everything is the opened assistant's. Knows nothing of how papers come.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from rag import generations
from rag.assistant import Assistant
from rag.errors import IndexMissing
from rag.settings import Settings
from rag.types import About, Answer, Paper, Turn


class LateAssistant:
    """Holds the assistant once it can be opened. Threads may share it; `close` it when done."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opening = threading.Lock()
        self._opened: Assistant | None = None

    def _assistant(self) -> Assistant | None:
        if self._opened is None and generations.current(Path(self._settings.index)) is not None:
            with self._opening:
                if self._opened is None:
                    self._opened = Assistant.open(settings=self._settings)
        return self._opened

    def about(self) -> About:
        """What answers rest on and who writes them."""
        opened = self._assistant()
        if opened is not None:
            return opened.about()
        settings = self._settings
        if settings.endpoint is None:
            return About("extractive", None, None, settings.index, 0, digest=False)
        return About("llm", settings.model, settings.endpoint, settings.index, 0, digest=False)

    def papers(self) -> tuple[Paper, ...]:
        """All papers; none before the first ingest."""
        opened = self._assistant()
        return () if opened is None else opened.papers()

    def search(self, query: str, k: int = 10) -> tuple[Paper, ...]:
        """The k papers that a query fits best."""
        opened = self._assistant()
        return () if opened is None else opened.search(query, k)

    def related(self, paper_id: str, k: int = 10) -> tuple[Paper, ...]:
        """The k papers nearest to a paper."""
        opened = self._assistant()
        return () if opened is None else opened.related(paper_id, k)

    def compare(self, paper_ids: Sequence[str], aspects: Sequence[str] | None = None) -> Answer:
        """A table of papers and aspects; raises `IndexMissing` while there are no papers."""
        opened = self._assistant()
        if opened is None:
            raise IndexMissing("There are no papers yet; add a list of them first.")
        return opened.compare(paper_ids, aspects)

    def stream(
        self,
        question: str,
        history: Sequence[Turn] = (),
        papers: Sequence[str] | None = None,
    ) -> Iterator[str | Answer]:
        """Answer a question; raises `IndexMissing` while there are no papers."""
        opened = self._assistant()
        if opened is None:
            raise IndexMissing("There are no papers yet; add a list of them first.")
        yield from opened.stream(question, history, papers)

    def close(self) -> None:
        """Give the index back, if there is one."""
        if self._opened is not None:
            self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
