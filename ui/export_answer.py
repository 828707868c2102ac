"""One question with its Answer -> a file for other programs.

Goes in: an Exchange with an answer. Comes out: a `Parcel`: name, kind and text of a file. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rag.types import Answer, Paper
from ui.export import to_bibtex, to_json, to_markdown

Form = Literal["markdown", "json", "bibtex"]
FORMS: tuple[Form, ...] = ("markdown", "json", "bibtex")
_ENDINGS = {"markdown": "md", "json": "json", "bibtex": "bib"}
# A name that every file system takes and a person still reads.
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Parcel:
    """A file to save: its name, and its text."""

    name: str
    text: str


def answer_parcel(form: Form, asked: str, answer: Answer) -> Parcel:
    """An answer as Markdown or JSON, or the papers that it cites as BibTeX."""
    cited = tuple({c.paper.id: c.paper for c in answer.citations}.values())
    if form == "markdown":
        text = answer_markdown(asked, answer)
    elif form == "json":
        text = json.dumps(answer.to_dict(), ensure_ascii=False, indent=1) + "\n"
    else:
        text = to_bibtex(cited)
    return Parcel(_file_name(asked, form), text)


def papers_parcel(form: Form, papers: Sequence[Paper]) -> Parcel:
    """Papers as Markdown, JSON or BibTeX."""
    write = {"markdown": to_markdown, "json": to_json, "bibtex": to_bibtex}[form]
    name = papers[0].name if len(papers) == 1 else f"{len(papers)} papers"
    return Parcel(_file_name(name, form), write(papers))


def answer_markdown(asked: str, answer: Answer) -> str:
    """Question, answer, what was not supported, and the sources with their quotes."""
    parts = [f"# {asked.strip()}"]
    if answer.question.strip() != asked.strip():
        parts.append(f"Understood as: {answer.question}")
    parts.append(answer.text)
    parts += [
        f"> Not supported: “{claim.text}”: {claim.reason}"
        for claim in answer.claims
        if claim.support == "unsupported"
    ]
    parts += [f"> {line}" for line in (answer.error, *answer.warnings) if line]
    if answer.rule:
        parts.append(f"Counted: {answer.rule}")
    if answer.citations:
        parts.append("## Sources")
    for marker in sorted({citation.marker for citation in answer.citations}):
        cited = [citation for citation in answer.citations if citation.marker == marker]
        quotes = "\n".join(f"> {quote}" for quote in dict.fromkeys(c.quote for c in cited))
        parts.append(f"[{marker}] {_described(cited[0].paper)}\n\n{quotes}")
    return "\n\n".join(parts) + "\n"


def _described(paper: Paper) -> str:
    facts = [", ".join(paper.authors), paper.venue or "", str(paper.year or ""), paper.url or ""]
    return ". ".join([paper.title, *(fact for fact in facts if fact)])


def _file_name(text: str, form: Form) -> str:
    words = re.sub(r"[^\w-]+", "-", text.strip()).strip("-_")[:LONGEST_NAME].rstrip("-")
    return f"{words or 'colloquy'}.{_ENDINGS[form]}"
