"""The contract in data: every frozen dataclass that crosses a module boundary.

Goes in: nothing. Comes out: types only. Knows nothing of Chroma, models or pages.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

Status = Literal["answered", "not_stated", "not_found"]
Mode = Literal["extractive", "llm"]
Support = Literal["quoted", "supported", "unsupported"]
TitleSource = Literal["given", "derived"]
Intent = Literal["explain", "list", "compare", "fact"]


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper of the index.

    `abstract` is the readable text that quotes are offsets into; `raw` is the text as it was read.
    `source` is the file's name (with its folder where two share a name), `position` is 1-based in
    that source. `digest` is True where the abstract is a summary, not the authors' words. `names`
    are those that the abstract coins, best first.
    """

    id: str
    title: str
    title_source: TitleSource
    abstract: str
    raw: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str | None = None
    url: str | None = None
    keywords: tuple[str, ...] = ()
    source: str = ""
    position: int = 0
    digest: bool = False
    names: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The paper as plain JSON types."""
        return plain(self)

    @property
    def name(self) -> str:
        """The short name to speak of it by: the title up to its first colon, if that is short."""
        head, colon, _ = self.title.partition(": ")
        return head if colon and len(head) <= SHORT_NAME else self.title


# A coined name ("FEROM", "Value-Prober-8B") is short; a longer head is half a sentence.
SHORT_NAME = 30


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters in a paper's abstract."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of whole sentences of one abstract: what is embedded into Chroma."""

    paper_id: str
    number: int
    span: Span

    @property
    def id(self) -> str:
        return f"{self.paper_id}:{self.number}"


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a paper that was found for a question; `score` orders them."""

    paper: Paper
    span: Span
    score: float = 0.0

    @property
    def text(self) -> str:
        return self.paper.abstract[self.span.start : self.span.end]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A retrieved paper: `score` is the fused one, `similarity` (-1 to 1) the mean cosine of the
    paper and of its best sentence, `quotes` its sentences, best first; `counted` says that
    it belongs to the list that was asked for."""

    paper: Paper
    score: float
    similarity: float
    quotes: tuple[Quote, ...] = ()
    counted: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier exchange. `papers` are the ids that the answer cited, where they are known."""

    question: str
    answer: str
    papers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: `question` is the stand-alone wording, `asked` what was typed.

    `named` are the ids of the papers that the question, or the turn it follows, names. `terms` are
    what a listed paper must have: groups of alternatives, each a word or a phrase as typed.
    `papers` are the ids of those that alone may answer; empty: all of the index.
    """

    question: str
    asked: str
    intent: Intent = "fact"
    named: tuple[str, ...] = ()
    terms: tuple[tuple[str, ...], ...] = ()
    papers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote behind a marker: `quote` is verbatim `paper.abstract[start:end]`."""

    marker: int
    paper: Paper
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of an answer and what carries it.

    `text` is a verbatim slice of the answer's text without the markers at its edges; `citations`
    are positions in `Answer.citations`; `reason` says why a claim is unsupported.
    """

    text: str
    markers: tuple[int, ...]
    support: Support
    reason: str = ""
    citations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """A statement of a draft: `start`, `end` are offsets in `Draft.text`, markers excluded at the
    edges. `quotes` is what an extract copied; a model's claim comes without."""

    start: int
    end: int
    markers: tuple[int, ...]
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model's answer took: tokens where the endpoint reports them, seconds of wall time,
    and the cost where a price is set, in its currency."""

    model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    first_seconds: float | None
    total_seconds: float
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer before it was checked: never shown as it is.

    `cited[m - 1]` is the paper of marker m.
    """

    text: str
    status: Status
    mode: Mode
    claims: tuple[DraftClaim, ...] = ()
    cited: tuple[Paper, ...] = ()
    papers: tuple[Paper, ...] = ()
    borderline: tuple[Paper, ...] = ()
    rule: str = ""
    warnings: tuple[str, ...] = ()
    complete: bool = True
    error: str | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A checked answer; see docs/architecture.md for what each field promises.

    `fallback` is the answer in the papers' own sentences, where a model wrote this one and none of
    its claims is supported.
    """

    question: str
    text: str
    status: Status
    mode: Mode
    citations: tuple[Citation, ...] = ()
    claims: tuple[Claim, ...] = ()
    papers: tuple[Paper, ...] = ()
    borderline: tuple[Paper, ...] = ()
    rule: str = ""
    suggestions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    complete: bool = True
    error: str | None = None
    usage: Usage | None = None
    fallback: Answer | None = None

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain JSON types; what `colloquy ask --json` prints."""
        return plain(self)


@dataclass(frozen=True, slots=True)
class About:
    """What an assistant answers from and with; shown before the first question."""

    mode: Mode
    model: str | None
    endpoint: str | None
    index: str
    papers: int
    digest: bool


def plain(value: Any) -> dict[str, Any]:
    """A dataclass as a dictionary of plain JSON types: tuples become lists."""
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return plain(value) if hasattr(value, "__dataclass_fields__") else value
