"""An answer -> text for a terminal.

Goes in: an `Answer`. Comes out: one string: the text, the sources by marker, and what is to be
known. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag.types import Answer, Citation, Paper
from ui.usage import usage_line


def readable(answer: Answer) -> str:
    """An answer for a terminal: the text, its quotes by marker, and what is to be known."""
    parts = [answer.text.replace("**", "")]
    for number in dict.fromkeys(citation.marker for citation in answer.citations):
        cited = [citation for citation in answer.citations if citation.marker == number]
        parts.append("\n".join([_source(number, cited[0].paper), *_quotes(answer, cited)]))
    if answer.borderline:
        names = "; ".join(paper.name for paper in answer.borderline)
        parts.append(f"Near, but not counted: {names}.")
    unsupported = [claim for claim in answer.claims if claim.support == "unsupported"]
    parts += [f"! Not supported: “{claim.text}”: {claim.reason}" for claim in unsupported]
    parts += [f"! {warning}" for warning in answer.warnings]
    if answer.fallback:
        parts += ["In the papers' own sentences:", answer.fallback.text.replace("**", "")]
    if answer.error:
        parts.append(f"! The answer is incomplete: {answer.error}")
    parts.append(
        "No model: sentences of the papers." if answer.mode == "extractive" else _by(answer)
    )
    return "\n\n".join(parts)


def _source(number: int, paper: Paper) -> str:
    facts = [
        "digest, not the authors' words" if paper.digest else "",
        "derived title" if paper.title_source == "derived" else "",
        f"{paper.source}, number {paper.position}",
        paper.url or "",
    ]
    return f"[{number}] {paper.title} ({'; '.join(fact for fact in facts if fact)})"


def _quotes(answer: Answer, cited: Sequence[Citation]) -> list[str]:
    """The quotes that the text does not show already."""
    return [f"    “{each.quote}”" for each in cited if each.quote not in answer.text]


def _by(answer: Answer) -> str:
    usage = answer.usage
    return f"Written by {usage_line(usage)}." if usage else "By a model."


def table(figures: Mapping[str, Any]) -> str:
    """The figures of an evaluation, a line a kind."""
    parts = ("questions", "right", "facts", "citations", "quotes", "brief", "status")
    rows = [("kind", *parts)]
    for kind, shares in [*figures["kinds"].items(), ("all", figures["all"])]:
        rows.append((kind, *(str(shares[part]) for part in parts)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    statuses = ", ".join(f"{name} {count}" for name, count in figures["statuses"].items())
    lines.append(f"statuses, wanted -> given: {statuses}")
    for change, qids in figures.get("against", {}).items():
        lines.append(f"{change}: {', '.join(qids) or 'none'}")
    seconds = figures["seconds"]
    lines.append(f"seconds an answer: median {seconds['median']}, 95% {seconds['p95']}")
    return "\n".join(lines)
