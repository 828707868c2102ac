"""A conversation as data: questions asked, what became of each, and the Turns they make.

Goes in: an assistant, a question, the exchanges before it. Comes out: the exchange as it grows.
Knows no HTML and no components.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from rag.errors import ColloquyError, UsageError
from rag.types import Answer, Turn
from ui.answering import Answering
from ui.pump import in_batches

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and what came of it. `text` is what was streamed so far; then there is an
    `answer`, or a `failure` in words; `stopped` says that the reader ended it. `searched` is the
    number of papers that were there to be found, 0 where it is not known; `chosen` says that they
    were chosen. `compared` are the ids of papers that were set side by side."""

    question: str
    text: str = ""
    answer: Answer | None = None
    failure: str = ""
    stopped: bool = False
    searched: int = 0
    chosen: bool = False
    compared: tuple[str, ...] = ()

    @property
    def running(self) -> bool:
        return self.answer is None and not self.failure and not self.stopped


def turns(exchanges: Sequence[Exchange]) -> tuple[Turn, ...]:
    """The history for the assistant, questions as typed: finished answers, and the text of
    stopped ones."""
    history = []
    for exchange in exchanges:
        answer = exchange.answer
        if answer is not None:
            by_marker = sorted(answer.citations, key=lambda citation: citation.marker)
            cited = dict.fromkeys(citation.paper.id for citation in by_marker)
            history.append(Turn(exchange.question, answer.text, tuple(cited)))
        elif exchange.text and not exchange.failure:
            history.append(Turn(exchange.question, exchange.text))
    return tuple(history)


def exchanges_of(
    assistant: Answering, question: str, history: Sequence[Turn], papers: Sequence[str] = ()
) -> Iterator[Exchange | None]:
    """The exchange as it grows: without text, with text, at last with an answer or a failure;
    None where nothing changed, so that the caller can leave. Leaving early closes the stream.
    `papers` are the ids of those that alone are asked; empty: all."""
    exchange = Exchange(question)
    yield exchange
    try:
        searched = len(papers) or assistant.about().papers
        exchange = replace(exchange, searched=searched, chosen=bool(papers))
        _check_chosen(assistant, papers)
        stream = partial(assistant.stream, question, history, papers or None)
        with closing(in_batches(stream)) as batches:
            for batch in batches:
                text = "".join(item for item in batch if isinstance(item, str))
                answers = [item for item in batch if isinstance(item, Answer)]
                exchange = replace(
                    exchange, text=exchange.text + text, answer=answers[-1] if answers else None
                )
                yield exchange if batch else None
                if answers:
                    return
    except ColloquyError as error:
        yield replace(exchange, failure=str(error))
        return
    except Exception as error:
        # A fault of ours must not leave the page waiting; the log has all of it.
        LOG.exception("the question %r failed", question[:200])
        fault = f"Colloquy itself failed ({type(error).__name__}); its terminal says more."
        yield replace(exchange, failure=fault)
        return
    yield replace(exchange, failure="The answer broke off without an end; ask again.")


def _check_chosen(assistant: Answering, papers: Sequence[str]) -> None:
    gone = set(papers).difference(paper.id for paper in assistant.papers()) if papers else ()
    if gone:
        raise UsageError(
            f"{len(gone)} of the {len(papers)} papers chosen are no longer in the index; "
            "ask all papers, or choose anew in the list of papers."
        )


def ended(exchange: Exchange) -> Exchange:
    """The exchange as its reader left it: a running one is stopped."""
    return replace(exchange, stopped=True) if exchange.running else exchange


def compared(assistant: Answering, ids: Sequence[str]) -> Exchange | None:
    """The exchange that sets papers side by side; None where the assistant does not compare."""
    compare = getattr(assistant, "compare", None)
    if compare is None:
        return None
    known = {paper.id: paper.name for paper in assistant.papers()}
    names = [known[paper_id] for paper_id in ids if paper_id in known]
    question = f"Compare {', '.join(names[:-1])} and {names[-1]}." if names else "Compare"
    exchange = Exchange(question, searched=len(names), chosen=True, compared=tuple(ids))
    try:
        return replace(exchange, answer=replace(compare(tuple(ids)), question=question))
    except ColloquyError as error:
        return replace(exchange, failure=str(error))
