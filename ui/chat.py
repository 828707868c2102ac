"""A conversation and how it is shown: exchanges -> the chat's messages, and -> Turns.

Goes in: questions and Answers. Comes out: safe HTML for the messages, and the history that the
assistant is given. The only place that knows Gradio's message format; nothing is ever read back
from it, the exchanges are the record. Knows nothing of components or events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.types import Answer, Citation, Claim, Paper, Turn
from ui.markup import Chip, Stretch, attribute, markdown_html, text_html
from ui.usage import usage_line

DIGEST = "digest, not the authors’ words"
Message = dict[str, str]

_MARKER = re.compile(r"\[(\d{1,4})\]")
_MARKERS_AFTER = re.compile(r"[.!?,;:]?(?:\s?\[\d{1,4}\])+[.!?]?")
# Between a claim and a marker of it stand at most other markers, spaces and an ending.
_NEAR = re.compile(r"(?:[\s.,;:!?)*_\"'”’]|\[\d{1,4}\])*")
ALL = "all"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and what came of it. `text` is what was streamed so far; then there is an
    `answer`, or a `failure` in words; `stopped` says that the reader ended it."""

    question: str
    text: str = ""
    answer: Answer | None = None
    failure: str = ""
    stopped: bool = False

    @property
    def running(self) -> bool:
        return self.answer is None and not self.failure and not self.stopped


@dataclass(frozen=True, slots=True)
class Marked:
    """A marker in an answer's text and the position of the claim that it belongs to, if any."""

    start: int
    end: int
    marker: int
    claim: int | None


def turns(exchanges: Sequence[Exchange]) -> tuple[Turn, ...]:
    """The history for the assistant, questions as typed: finished answers, and the text of
    stopped ones."""
    history = []
    for exchange in exchanges:
        answer = exchange.answer
        if answer is not None:
            cited = dict.fromkeys(citation.paper.id for citation in answer.citations)
            history.append(Turn(exchange.question, answer.text, tuple(cited)))
        elif exchange.text and not exchange.failure:
            history.append(Turn(exchange.question, exchange.text))
    return tuple(history)


def messages(exchanges: Sequence[Exchange]) -> list[Message]:
    """The exchanges in Gradio's message format."""
    shown = []
    for number, exchange in enumerate(exchanges):
        shown.append({"role": "user", "content": question_html(exchange.question)})
        shown.append({"role": "assistant", "content": exchange_html(number, exchange)})
    return shown


def question_html(question: str) -> str:
    """A question as it was typed; a very long one is cut, and says so."""
    text = question.strip()
    if len(text) > LONGEST_SHOWN:
        text = f"{text[:LONGEST_SHOWN]} … ({len(text):,} characters)"
    return f'<p class="asked">{text_html(text)}</p>'


# A question that fills more than a screen is not read again.
LONGEST_SHOWN = 2000


def exchange_html(number: int, exchange: Exchange) -> str:
    """The reply to one question, finished or not."""
    if exchange.answer is not None:
        return answer_html(number, exchange.answer, asked=exchange.question)
    parts = [streaming_html(exchange.text)] if exchange.text else []
    if exchange.failure:
        parts.append(note("failure", exchange.failure))
    elif exchange.stopped:
        parts.append(note("stopped", "Stopped. This text was not checked against the papers."))
    elif not exchange.text:
        parts.append('<p class="waiting">Reading the papers…</p>')
    return "\n\n".join(parts)


def streaming_html(text: str) -> str:
    """Text that is not checked yet: its markers look like chips, but open nothing."""
    chips = [
        Chip(m.start(), m.end(), f'<span class="cite pending">{m[1]}</span>')
        for m in _MARKER.finditer(text)
    ]
    return markdown_html(text, chips)


def answer_html(number: int, answer: Answer, asked: str = "") -> str:
    """A checked answer: chips that open the quotes of their claim, unsupported claims marked,
    and beneath it what the reader must know of it."""
    known = {citation.marker: citation.paper for citation in answer.citations}
    chips = [
        Chip(m.start, m.end, _chip(number, m.marker, m.claim, known[m.marker]))
        for m in marked(answer)
        if m.marker in known
    ]
    parts = [markdown_html(answer.text, chips, _doubtful(answer))]
    if asked and answer.question.strip() != asked.strip():
        parts.insert(0, note("wording", f"Understood as: {answer.question}"))
    return "\n\n".join([*parts, *_beneath(number, answer)])


def _chip(number: int, marker: int, claim: int | None, paper: Paper) -> str:
    label = f"{paper.title} ({DIGEST})" if paper.digest else paper.title
    href = source_id(number, marker, claim)
    return f'<a class="cite" href="#{href}" title="{attribute(label)}">{marker}</a>'


def source_id(number: int, marker: int, claim: int | None) -> str:
    """The address of a paper with the quotes of one claim, or of all claims, of one answer."""
    return f"src-{number}-{marker}-{ALL if claim is None else claim}"


def placed(answer: Answer) -> list[tuple[int, int] | None]:
    """Where each claim stands in the answer's text, found in order; None where it does not."""
    places: list[tuple[int, int] | None] = []
    done = 0
    for claim in answer.claims:
        start = answer.text.find(claim.text, done) if claim.text else -1
        if start < 0:
            places.append(None)
            continue
        done = start + len(claim.text)
        places.append((start, done))
    return places


def marked(answer: Answer) -> list[Marked]:
    """Every marker of the text with its claim: the one it stands in, or else the nearest before
    it or after it that names the marker."""
    places = placed(answer)
    found = []
    for match in _MARKER.finditer(answer.text):
        marker = int(match[1])
        naming = [
            (position, place)
            for position, (claim, place) in enumerate(zip(answer.claims, places, strict=True))
            if place is not None and marker in claim.markers
        ]
        claim = _owner(answer.text, match.start(), match.end(), naming)
        found.append(Marked(match.start(), match.end(), marker, claim))
    return found


def _owner(
    text: str, start: int, end: int, naming: Sequence[tuple[int, tuple[int, int]]]
) -> int | None:
    for position, place in naming:
        if place[0] <= start and end <= place[1]:
            return position
    before = [(position, place) for position, place in naming if place[1] <= start]
    after = [(position, place) for position, place in naming if end <= place[0]]
    if before and _NEAR.fullmatch(text, before[-1][1][1], start):
        return before[-1][0]
    if after and _NEAR.fullmatch(text, end, after[0][1][0]):
        return after[0][0]
    return before[-1][0] if before else after[0][0] if after else None


def _doubtful(answer: Answer) -> list[Stretch]:
    stretches = []
    for claim, place in zip(answer.claims, placed(answer), strict=True):
        if claim.support != "unsupported" or place is None:
            continue
        markers = _MARKERS_AFTER.match(answer.text, place[1])
        end = markers.end() if markers else place[1]
        why = attribute(claim.reason or NO_REASON)
        flag = f'<span class="flag" title="{why}">not supported</span>'
        stretches.append(Stretch(place[0], end, "unsupported", flag))
    return stretches


NO_REASON = "No sentence of the cited abstract says this."


def _beneath(number: int, answer: Answer) -> Iterator[str]:
    doubtful = [claim for claim in answer.claims if claim.support == "unsupported"]
    if doubtful:
        items = "".join(f"<li>{_doubt(claim)}</li>" for claim in doubtful)
        head = "<p>Not supported by the abstracts:</p>"
        yield f'<div class="note doubts">{head}<ul>{items}</ul></div>'
    if answer.fallback:
        items = "".join(f"<li>{_own_words(each)}</li>" for each in answer.fallback.citations)
        head = "<p>In the papers’ own sentences, without the model:</p>"
        yield f'<div class="note fallback">{head}<ul>{items}</ul></div>'
    yield from _trouble(answer)
    if answer.rule:
        yield note("rule", f"Counted: {answer.rule}")
    if answer.borderline:
        names = "".join(f"<li>{title_html(paper)}</li>" for paper in answer.borderline)
        head = "<summary>Close, but not counted</summary>"
        yield f'<details class="note">{head}<ul>{names}</ul></details>'
    if answer.citations:
        yield _sources(number, answer.citations)
    if answer.suggestions:
        yield ask_links(answer.suggestions)
    if answer.usage:
        yield note("usage", usage_line(answer.usage))


def _doubt(claim: Claim) -> str:
    text = _MARKER.sub("", claim.text).strip()
    return f"“{text_html(text)}” — {text_html(claim.reason or NO_REASON)}"


def _trouble(answer: Answer) -> Iterator[str]:
    """What went wrong or must be known, a sentence each."""
    if answer.error:
        yield note("failure", answer.error)
    if not answer.complete:
        yield note("warning", "This answer is incomplete: it was cut off before its end.")
    for warning in answer.warnings:
        yield note("warning", warning)


def _own_words(citation: Citation) -> str:
    return f"“{text_html(citation.quote)}” — {title_html(citation.paper)}"


def _sources(number: int, citations: Sequence[Citation]) -> str:
    papers = {citation.marker: citation.paper for citation in citations}
    items = "".join(
        f'<li><a class="source" href="#{source_id(number, marker, None)}">'
        f"<span>{marker}</span> {title_html(paper)}</a></li>"
        for marker, paper in sorted(papers.items())
    )
    return f'<ul class="sources">{items}</ul>'


def title_html(paper: Paper) -> str:
    """A paper's title, with what must be known of it: that it is derived, that it is a digest."""
    flags = ""
    if paper.title_source == "derived":
        flags += ' <span class="derived" title="The source gives no title; this name is derived '
        flags += 'from the abstract.">derived name</span>'
    if paper.digest:
        flags += f' <span class="digest">{DIGEST}</span>'
    return f'<span class="title">{text_html(paper.title)}</span>{flags}'


def ask_links(questions: Sequence[str]) -> str:
    """Questions to click on: links, so that the page's few buttons are easy to tell apart."""
    links = "".join(f'<a class="ask" href="#ask">{text_html(q)}</a>' for q in questions)
    return f'<div class="asks">{links}</div>'


def note(kind: str, text: str) -> str:
    """A sentence about the answer, apart from it."""
    return f'<p class="note {kind}">{text_html(text)}</p>'
