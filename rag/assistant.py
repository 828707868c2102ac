"""READ THIS FIRST: a question -> understand -> retrieve -> judge -> write -> verify -> `Answer`.

Goes in: an index, a question, the turns before it. Comes out: str pieces, then a checked `Answer`.
The one way in for every face: page, command, Python.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rag import extract
from rag.embed import Embedder, bundled
from rag.errors import UsageError
from rag.judge import Judgement, judge
from rag.live import LiveIndex
from rag.retrieve import related, retrieve, search
from rag.settings import Settings, read_settings
from rag.types import About, Answer, Draft, Evidence, Paper, Query, Turn, Usage
from rag.understand import check_question, understand
from rag.verify import survived, verify

if TYPE_CHECKING:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.llms.llm import LLM

# Papers that are looked at for one question, and that a model is given.
LOOKED_AT = 12
GIVEN = 6
# A model's answer as a whole; a local one on a processor needs minutes.
DEADLINE_SECONDS = 300.0


class Assistant:
    """Answers over one index. Threads may share it; `close` it when done."""

    def __init__(self, live: LiveIndex, embedder: Embedder, settings: Settings, llm: LLM | None):
        """Use `open`, which finds these."""
        self._live = live
        self._embedder = embedder
        self._settings = settings
        self._llm = llm

    @classmethod
    def open(
        cls,
        index: str | os.PathLike[str] | None = None,
        llm: LLM | None = None,
        *,
        settings: Settings | None = None,
    ) -> Self:
        """Open an index (COLLOQUY_INDEX or ./chroma_db where None).

        `llm` is any LlamaIndex LLM; without it OPENAI_API_KEY or OPENAI_BASE_URL make one, and
        without those answers are extractive. Raises `IndexMissing` or `IndexMismatch`, which say
        what to run, and `ModelError` or `SettingsError` where the endpoint cannot be used.
        """
        chosen = settings or read_settings()
        if llm is None and chosen.endpoint is not None:
            from rag.llm import open_model  # loads openai and llama_index: seconds

            llm = open_model(chosen)
        embedder = bundled()
        folder = Path(index if index is not None else chosen.index)
        return cls(LiveIndex(folder, embedder.name), embedder, chosen, llm)

    def ask(self, question: str, history: Sequence[Turn] = ()) -> Answer:
        """Answer a question; raises `QuestionError`, `IndexProblem` or `ModelError`."""
        return next(piece for piece in self.stream(question, history) if isinstance(piece, Answer))

    def stream(self, question: str, history: Sequence[Turn] = ()) -> Iterator[str | Answer]:
        """Yield pieces of text whose concatenation is `answer.text`, then the `Answer`.

        Closing the iterator stops the model. A model that fails before its first piece raises
        `ModelError`; later failures end with an `Answer` whose `error` is set.
        """
        with self._live.use() as index:
            query = understand(question, history, index.names)
            evidence = retrieve(index, self._embedder, query, LOOKED_AT)
            judgement = judge(query, evidence)
            if judgement.status == "not_found":
                draft = extract.nothing_found([e.paper for e in evidence], len(index.papers))
            elif self._llm is None:
                draft = extract.extract(judgement)
            else:
                given = _given(judgement.evidence, evidence)
                draft = yield from _generate(query, given, self._llm)
                draft = replace(draft, usage=_priced(draft.usage, self._settings.price))
            if draft.mode == "extractive":
                yield from _pieces(draft)
            answer = verify(draft, query.question, evidence)
            yield answer if survived(answer) else _beside(answer, judgement, evidence)

    def papers(self) -> tuple[Paper, ...]:
        """All papers of the index."""
        with self._live.use() as index:
            return index.papers

    def search(self, query: str, k: int = 10) -> tuple[Paper, ...]:
        """The k papers that a query fits best, best first; raises `QuestionError`."""
        asked = check_question(query)
        with self._live.use() as index:
            return search(index, self._embedder, asked, _positive(k))

    def related(self, paper_id: str, k: int = 10) -> tuple[Paper, ...]:
        """The k papers nearest to a paper, itself left out; raises `UsageError`."""
        with self._live.use() as index:
            return related(index, paper_id, _positive(k))

    def about(self) -> About:
        """What answers rest on and who writes them."""
        with self._live.use() as index:
            return About(
                mode="extractive" if self._llm is None else "llm",
                model=None if self._llm is None else self._llm.metadata.model_name,
                endpoint=None if self._llm is None else self._settings.endpoint,
                index=str(self._live.folder),
                papers=len(index.papers),
                digest=index.manifest.digest,
            )

    def as_retriever(self, k: int = 10) -> BaseRetriever:
        """A LlamaIndex retriever over the same ranking; its nodes are the best sentences."""
        from rag.retriever import make_retriever  # loads llama_index

        return make_retriever(self._live, self._embedder, _positive(k))

    def close(self) -> None:
        """Give the index back once the last running question ends."""
        self._live.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def ask(question: str, history: Sequence[Turn] = ()) -> Answer:
    """Answer a question from the default index, which is opened once a process."""
    return _default().ask(question, history)


@lru_cache(maxsize=1)
def _default() -> Assistant:
    return Assistant.open()


def _pieces(draft: Draft) -> Iterator[str]:
    """An extract's text, cut after each claim, so that a page shows it as it grows."""
    start = 0
    for claim in draft.claims:
        yield draft.text[start : claim.end]
        start = claim.end
    yield draft.text[start:]


def _beside(answer: Answer, judgement: Judgement, evidence: Sequence[Evidence]) -> Answer:
    """A model's answer of which nothing is supported, with the papers' own sentences beside it."""
    own = verify(extract.extract(judgement), answer.question, evidence)
    warning = (
        "Nothing that the model wrote is carried by the abstracts; "
        "the papers' own sentences stand beside it."
    )
    return replace(answer, fallback=own, warnings=(*answer.warnings, warning))


def _given(chosen: Sequence[Evidence], ranked: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """What a model reads: the papers chosen for an extract, then the next best, up to GIVEN."""
    others = [item for item in ranked if item not in chosen]
    return (*chosen, *others)[: max(GIVEN, len(chosen))]


def _generate(query: Query, given: Sequence[Evidence], llm: LLM) -> Generator[str, None, Draft]:
    from rag.generate import generate  # loads llama_index

    return (yield from generate(query, given, llm, DEADLINE_SECONDS))


def _priced(usage: Usage | None, price: tuple[float, float] | None) -> Usage | None:
    """The usage with its cost, where the endpoint told the tokens and a price is set."""
    if usage is None or price is None or usage.prompt_tokens is None:
        return usage
    answer = usage.completion_tokens or 0
    return replace(usage, cost=(usage.prompt_tokens * price[0] + answer * price[1]) / 1e6)


def _positive(k: int) -> int:
    if k < 1:
        raise UsageError(f"k is {k!r}; ask for at least one paper.")
    return k
