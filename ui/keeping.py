"""Exchanges <-> JSON, so that the browser that asked keeps its conversations.

Goes in: an Exchange, or what a browser kept. Comes out: one JSON text, or the exchanges. What a
browser hands back is data like any other: what does not fit is refused, and what fits is shown
through the same escaping. Knows nothing of where the text is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from rag.types import Answer, Citation, Claim, Paper, Usage, plain
from ui.talk import Exchange, ended

Made = TypeVar("Made", Exchange, Answer, Citation, Claim, Paper, Usage)


def kept_exchange(exchange: Exchange) -> dict[str, Any]:
    """The exchange as plain JSON types; every paper once, without its raw text."""
    kept = plain(replace(exchange, answer=None))
    answer = exchange.answer
    if answer is None:
        return kept
    named = [*(c.paper for c in answer.citations), *answer.papers, *answer.borderline]
    papers = {paper.id: plain(replace(paper, raw="")) for paper in named}
    shown = plain(replace(answer, citations=(), papers=(), borderline=()))
    shown["citations"] = [{**plain(c), "paper": c.paper.id} for c in answer.citations]
    shown["papers"] = [paper.id for paper in answer.papers]
    shown["borderline"] = [paper.id for paper in answer.borderline]
    return {**kept, "text": "", "answer": shown, "known": papers}


def read_exchanges(text: str) -> tuple[Exchange, ...]:
    """The exchanges of a JSON array; raises `ValueError` where it is none."""
    try:
        return tuple(_exchange(kept) for kept in json.loads(text))
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise ValueError(f"this is no conversation ({type(error).__name__})") from error


def _exchange(kept: Mapping[str, Any]) -> Exchange:
    answer = kept.get("answer")
    if answer is None:
        return ended(_made(Exchange, kept))
    papers = {key: _made(Paper, {"raw": "", **paper}) for key, paper in kept["known"].items()}
    made = _answer(answer, papers)
    return replace(_made(Exchange, {**kept, "answer": None}), answer=made, text=made.text)


def _answer(kept: Mapping[str, Any], papers: Mapping[str, Paper]) -> Answer:
    citations = [
        _made(Citation, {**c, "paper": papers[c["paper"]]}) for c in _dicts(kept["citations"])
    ]
    claims = [_made(Claim, claim) for claim in _dicts(kept["claims"])]
    if any(not 0 <= i < len(citations) for claim in claims for i in claim.citations):
        raise IndexError("a claim cites what is not there")
    usage = kept.get("usage")
    return _made(
        Answer,
        {
            **kept,
            "citations": citations,
            "claims": claims,
            "papers": [papers[key] for key in kept["papers"]],
            "borderline": [papers[key] for key in kept["borderline"]],
            "usage": _made(Usage, usage) if usage else None,
        },
    )


def _dicts(values: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [dict(value) for value in values]


def _made(kind: type[Made], kept: Mapping[str, Any]) -> Made:
    """The dataclass from those of its fields that were kept; lists become tuples."""
    names = [field.name for field in fields(kind)]
    return kind(**{name: _frozen(kept[name]) for name in names if name in kept})


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
