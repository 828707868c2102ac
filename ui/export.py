"""Papers -> JSON, JSON Lines, BibTeX or Markdown.

Goes in: papers. Comes out: one string that ends with a line break. Pure; knows nothing of files.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from rag.types import Paper

# What BibTeX takes for its own, and how it is written so that it prints as itself.
_BIBTEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def to_json(papers: Sequence[Paper]) -> str:
    """One JSON array of all fields."""
    return json.dumps([paper.to_dict() for paper in papers], ensure_ascii=False, indent=1) + "\n"


def to_jsonl(papers: Sequence[Paper]) -> str:
    """A JSON object a line."""
    return "".join(json.dumps(paper.to_dict(), ensure_ascii=False) + "\n" for paper in papers)


def to_bibtex(papers: Sequence[Paper]) -> str:
    """An @inproceedings (with a venue) or @misc entry a paper; keys are never alike."""
    keys: Counter[str] = Counter()
    return "\n".join(_entry(paper, keys) for paper in papers)


def to_markdown(papers: Sequence[Paper]) -> str:
    """A heading, what is known of it, and the abstract of each paper."""
    return "\n".join(_section(paper) for paper in papers)


FORMATS: Mapping[str, Callable[[Sequence[Paper]], str]] = {
    "json": to_json,
    "jsonl": to_jsonl,
    "bibtex": to_bibtex,
    "markdown": to_markdown,
}


def _entry(paper: Paper, keys: Counter[str]) -> str:
    base = _key(paper)
    keys[base] += 1
    key = base if keys[base] == 1 else f"{base}-{keys[base]}"
    fields = {
        "title": "{" + _bibtex(paper.title) + "}",
        "author": " and ".join(_bibtex(author) for author in paper.authors),
        "booktitle": _bibtex(paper.venue or ""),
        "year": str(paper.year or ""),
        "url": paper.url or "",
        "keywords": _bibtex(", ".join(paper.keywords)),
        "abstract": _bibtex(paper.abstract),
        "note": _bibtex(_notes(paper)),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value.strip("{}")]
    kind = "inproceedings" if paper.venue else "misc"
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])


def _key(paper: Paper) -> str:
    """Family name, year and first long word of the title, in ASCII; else the id."""
    family = paper.authors[0].split()[-1] if paper.authors and paper.authors[0].split() else ""
    word = next(iter(re.findall(r"\w{4,}", paper.title)), "")
    joined = f"{family}{paper.year or ''}{word}"
    plain = unicodedata.normalize("NFKD", joined).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", plain.lower()) or f"paper{paper.id}"


def _bibtex(text: str) -> str:
    return "".join(_BIBTEX.get(letter, letter) for letter in text)


def _notes(paper: Paper) -> str:
    title = "title derived from the abstract" if paper.title_source == "derived" else ""
    digest = "digest, not the authors' words" if paper.digest else ""
    return "; ".join(note for note in (title, digest) if note)


def _section(paper: Paper) -> str:
    facts = [
        ", ".join(paper.authors),
        " ".join(str(part) for part in (paper.venue, paper.year) if part),
        paper.url or "",
        _notes(paper),
    ]
    lines = [
        f"## {paper.title}",
        "",
        *(f"{fact}  " for fact in facts if fact),
        "",
        paper.abstract,
        "",
    ]
    return "\n".join(lines)
