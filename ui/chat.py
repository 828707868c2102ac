"""How a conversation is shown: exchanges -> the chat's messages.

Goes in: questions and Answers. Comes out: safe HTML for the messages. The only place that knows
Gradio's message format; nothing is ever read back from it, the exchanges are the record. What can
be done with a message is a link whose address names the act and the exchange (static/chat.js).
Knows nothing of components or events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.types import Answer, Citation, Claim, Paper
from ui.markers import MARKER, marked, placed, source_id
from ui.markup import Chip, Stretch, attribute, markdown_html, text_html
from ui.talk import Exchange
from ui.usage import usage_line

DIGEST = "digest, not the authors’ words"
Message = dict[str, str]

_MARKERS_AFTER = re.compile(r"[.!?,;:]?(?:\s?\[\d{1,4}\])+[.!?]?")


def messages(exchanges: Sequence[Exchange], first: int = 0) -> list[Message]:
    """The exchanges in Gradio's message format; `first` is the number of the first of them."""
    shown = []
    for number, exchange in enumerate(exchanges, start=first):
        question = f"{question_html(exchange.question)}{edit_html(number)}"
        shown.append({"role": "user", "content": question})
        shown.append({"role": "assistant", "content": exchange_html(number, exchange)})
    return shown


def edit_html(number: int) -> str:
    """The way to ask a question again in other words; its sign is drawn by the style sheet."""
    return f'<p class="edit"><a class="act" href="#act-edit-{number}" title="Edit"></a></p>'


def acts_html(number: int, exchange: Exchange) -> str:
    """What can be done with a finished reply."""
    acts = [("retry", "Retry", "Ask this again")]
    if exchange.text or exchange.answer:
        acts.insert(0, ("copy", "Copy", "Copy the answer as Markdown"))
    if exchange.answer:
        acts += [
            ("markdown", "Markdown", "Save question, answer and quotes as Markdown"),
            ("json", "JSON", "Save the whole answer as JSON"),
        ]
        if exchange.answer.citations:
            acts.append(("bibtex", "BibTeX", "Save the cited papers as BibTeX"))
    links = " ".join(
        f'<a class="act" href="#act-{act}-{number}" title="{why}">{name}</a>'
        for act, name, why in acts
    )
    return f'<p class="acts">{links}</p>'


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
        coverage = coverage_line(exchange.answer, exchange.searched, chosen=exchange.chosen)
        parts = [answer_html(number, exchange.answer, exchange.question, coverage)]
    else:
        parts = [streaming_html(exchange.text)] if exchange.text else []
    if exchange.failure:
        parts.append(note("failure", exchange.failure))
    elif exchange.stopped:
        unchecked = " This text was not checked against the papers." if exchange.text else ""
        parts.append(note("stopped", f"Stopped.{unchecked}"))
    elif exchange.running:
        doing = "Writing; not yet checked against the papers" if exchange.text else READING
        parts.append(f'<p class="waiting">{doing}</p>')
    if not exchange.running:
        parts.append(acts_html(number, exchange))
    return "\n\n".join(parts)


READING = "Reading the papers…"


def streaming_html(text: str) -> str:
    """Text that is not checked yet: its markers look like chips, but open nothing."""
    chips = [
        Chip(m.start(), m.end(), f'<span class="cite pending">{m[1]}</span>')
        for m in MARKER.finditer(text)
    ]
    return markdown_html(text, chips)


def answer_html(number: int, answer: Answer, asked: str = "", coverage: str = "") -> str:
    """A checked answer: chips that open the quotes of their claim, unsupported claims marked,
    and beneath it what the reader must know of it, with the line of its coverage."""
    known = {citation.marker: citation.paper for citation in answer.citations}
    chips = [
        Chip(m.start, m.end, _chip(number, m.marker, m.claim, known[m.marker]))
        for m in marked(answer)
        if m.marker in known
    ]
    parts = [markdown_html(answer.text, chips, _doubtful(answer))]
    if asked and answer.question.strip() != asked.strip():
        parts.insert(0, note("wording", f"Understood as: {answer.question}"))
    return "\n\n".join([*parts, *_beneath(number, answer, coverage)])


def coverage_line(answer: Answer, searched: int, *, chosen: bool = False) -> str:
    """How many papers (the chosen ones alone, or all) were searched, are relevant and are cited;
    "" where that is not known."""
    if not searched or answer.status == "not_found":
        return ""
    kind = "chosen " if chosen else ""
    counts = [f"{searched:,} {kind}{'paper' if searched == 1 else 'papers'} searched"]
    cited = len({citation.paper.id for citation in answer.citations})
    if len(answer.papers) > cited:
        counts.append(f"{len(answer.papers):,} relevant")
    return ", ".join([*counts, f"{cited:,} cited"])


def _chip(number: int, marker: int, claim: int | None, paper: Paper) -> str:
    label = f"{paper.title} ({DIGEST})" if paper.digest else paper.title
    href = source_id(number, marker, claim)
    return f'<a class="cite" href="#{href}" title="{attribute(label)}">{marker}</a>'


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


def _beneath(number: int, answer: Answer, coverage: str) -> Iterator[str]:
    doubtful = [claim for claim in answer.claims if claim.support == "unsupported"]
    if doubtful:
        items = "".join(f"<li>{_doubt(claim)}</li>" for claim in doubtful)
        head = "<p>Not supported by the abstracts:</p>"
        yield f'<div class="note doubts">{head}<ul>{items}</ul></div>'
    if answer.fallback:
        items = "".join(f"<li>{_own_words(each)}</li>" for each in answer.fallback.citations)
        head = "<p>In the papers’ own sentences, without the model:</p>"
        yield f'<div class="note fallback">{head}<ul>{items}</ul></div>'
    yield from _said_of_it(answer)
    if answer.rule and answer.rule not in answer.text:
        yield note("rule", f"Counted: {answer.rule}")
    if answer.borderline:
        names = "".join(f"<li>{title_html(paper)}</li>" for paper in answer.borderline)
        head = "<summary>Close, but not counted</summary>"
        yield f'<details class="note">{head}<ul>{names}</ul></details>'
    if answer.citations:
        yield _sources(number, answer.citations)
    if coverage:
        yield note("coverage", coverage)
    if answer.suggestions:
        yield ask_links(answer.suggestions)
    if answer.usage:
        yield note("usage", usage_line(answer.usage))


def _said_of_it(answer: Answer) -> Iterator[str]:
    """What went wrong or must be known, a sentence each."""
    if answer.error:
        yield note("failure", answer.error)
    if not answer.complete:
        yield note("warning", "This answer is incomplete: it was cut off before its end.")
    for warning in answer.warnings:
        yield note("warning", warning)


def _doubt(claim: Claim) -> str:
    text = MARKER.sub("", claim.text).strip()
    return f"“{text_html(text)}” — {text_html(claim.reason or NO_REASON)}"


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
