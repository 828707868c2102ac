"""READ THIS FIRST: a question -> understand -> retrieve -> judge -> write -> verify -> `Answer`.

Goes in: an index, a question, the turns before it. Comes out: str pieces, then a checked `Answer`.
The one way in for every face: page, command, Python.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rag.chosen import chosen_papers, left_out
from rag.compare import ASPECTS, compare
from rag.count import count
from rag.embed import Embedder
from rag.embedders import open_embedder
from rag.errors import UsageError
from rag.index import Index
from rag.judge import judge
from rag.live import LiveIndex
from rag.repair import repaired
from rag.retrieve import paper_of, read_question, related, resolve, retrieve, search
from rag.settings import Settings, read_settings
from rag.silence import heed_silence
from rag.suggest import suggest
from rag.types import About, Answer, Evidence, Paper, Query, Turn
from rag.understand import check_question, understand
from rag.verify import survived, verify
from rag.write import Material, beside, write

if TYPE_CHECKING:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.llms.llm import LLM

# Papers that are looked at for one question.
LOOKED_AT = 12


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
        embedder = open_embedder(chosen)
        folder = Path(index if index is not None else chosen.index)
        return cls(LiveIndex(folder, embedder.name), embedder, chosen, llm)

    def ask(
        self,
        question: str,
        history: Sequence[Turn] = (),
        papers: Sequence[str] | None = None,
    ) -> Answer:
        """Answer a question, from the papers of these ids alone where they are given.

        With COLLOQUY_REPAIR a model is shown once which of its claims fail the check.

        Raises `QuestionError`, `IndexProblem`, `ModelError`, and `UsageError` for an unknown id.
        """
        pieces = self._pieces(question, history, papers, repair=self._settings.repair)
        return next(piece for piece in pieces if isinstance(piece, Answer))

    def stream(
        self,
        question: str,
        history: Sequence[Turn] = (),
        papers: Sequence[str] | None = None,
    ) -> Iterator[str | Answer]:
        """Yield pieces of text whose concatenation is `answer.text`, then the `Answer`.

        `papers` are the ids of those that alone may answer, None for all. Closing the iterator
        stops the model. A model that fails before its first piece raises `ModelError`; later
        failures end with an `Answer` whose `error` is set. What was streamed stays, so nothing is
        repaired here.
        """
        return self._pieces(question, history, papers, repair=False)

    def _pieces(
        self,
        question: str,
        history: Sequence[Turn],
        papers: Sequence[str] | None,
        *,
        repair: bool,
    ) -> Iterator[str | Answer]:
        with self._live.use() as index:
            chosen = chosen_papers(index, papers)
            understood = understand(question, history, index.names, chosen)
            query = resolve(index, self._embedder, understood)
            asked = read_question(index, self._embedder, query.question)
            counted = count(index, self._embedder, query, asked)
            found = retrieve(index, asked, query, LOOKED_AT, counted.rows)
            judged = judge(query, found, counted.rule, counted.borderline, len(index.papers))
            judgement = heed_silence(index, asked, query, judged)
            if query.asked != query.question:
                asked = read_question(index, self._embedder, query.asked)
            elif counted.rule:
                asked = counted.topic
            material = Material(index, self._embedder, query, asked, judgement, found)
            draft = yield from write(material, self._llm, self._settings.price)
            answer = verify(draft, query.question, found)
            if repair and self._llm is not None and answer.mode == "llm":
                answer = repaired(answer, material, self._llm, self._settings.price)
            answer = answer if survived(answer) else beside(answer, material)
            yield replace(
                answer,
                suggestions=self._suggestions(index, answer, query),
                warnings=(*answer.warnings, *(left_out(index, query) if answer.papers else ())),
            )

    def _suggestions(self, index: Index, answer: Answer, query: Query) -> tuple[str, ...]:
        if answer.status == "not_found" or not answer.papers:
            return ()

        def answers(question: str) -> bool:
            tried = understand(question, (), index.names, query.papers)
            asked = read_question(index, self._embedder, question)
            found = retrieve(index, asked, tried)
            judgement = judge(tried, found, papers=len(index.papers))
            return heed_silence(index, asked, tried, judgement).status == "answered"

        near = related(index, answer.papers[0].id, len(index.papers) if query.papers else 1)
        near = tuple(paper for paper in near if paper.id in (query.papers or (paper.id,)))[:1]
        return suggest(answer.papers, near, query.asked, answers)

    def papers(self) -> tuple[Paper, ...]:
        """All papers of the index."""
        with self._live.use() as index:
            return index.papers

    def keys(self) -> Mapping[str, str]:
        """The ids that the papers have in their files, by paper id, where they have one."""
        with self._live.use() as index:
            return index.keys

    def search(self, query: str, k: int = 10) -> tuple[Paper, ...]:
        """The k papers that a query fits best, best first; raises `QuestionError`."""
        asked = check_question(query)
        with self._live.use() as index:
            return search(index, self._embedder, asked, _positive(k))

    def related(self, paper_id: str, k: int = 10) -> tuple[Paper, ...]:
        """The k papers nearest to a paper, itself left out; raises `UsageError`."""
        with self._live.use() as index:
            return related(index, paper_id, _positive(k))

    def compare(self, paper_ids: Sequence[str], aspects: Sequence[str] | None = None) -> Answer:
        """A table of papers and aspects (problem, approach, result where None), cells quoted.

        Raises `UsageError` for an unknown id, fewer than two papers or an empty aspect.
        """
        ids, rows = tuple(dict.fromkeys(paper_ids)), tuple(aspects or ASPECTS)
        if len(ids) < 2:
            raise UsageError(f"{len(ids)} paper(s) were named; name at least two to compare.")
        if not all(aspect.strip() for aspect in rows):
            raise UsageError("An aspect is empty; name what to compare.")
        with self._live.use() as index:
            papers = [paper_of(index, name) for name in ids]
            draft = compare(index, self._embedder, papers, rows)
            evidence = [Evidence(paper, 0.0, 0.0) for paper in papers]
            question = f"Compare {' and '.join(paper.name for paper in papers)}"
            return verify(draft, question, evidence)

    def about(self) -> About:
        """What answers rest on and who writes them."""
        with self._live.use() as index:
            return About(
                mode="extractive" if self._llm is None else "llm",
                model=None if self._llm is None else _name(self._llm),
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


def ask(question: str, history: Sequence[Turn] = (), papers: Sequence[str] | None = None) -> Answer:
    """Answer a question from the default index, which is opened once a process."""
    return _default().ask(question, history, papers)


@lru_cache(maxsize=1)
def _default() -> Assistant:
    return Assistant.open()


def _name(llm: LLM) -> str:
    from rag.llm import described  # loaded already, with the model

    return described(llm).model_name


def _positive(k: int) -> int:
    if k < 1:
        raise UsageError(f"k is {k!r}; ask for at least one paper.")
    return k
