"""The evidence of an answer: for each chip, its paper with the quotes of its claim marked.

Goes in: an Answer and its number in the conversation. Comes out: one HTML block with an article
per chip, its id the chip's address. Knows nothing of the chat or of how an article is opened.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from rag.types import Answer, Citation, Claim, Paper
from ui.chat import DIGEST, NO_REASON, title_html
from ui.markers import MARKER, marked, source_id
from ui.markup import attribute, marked_html, text_html

_SPACED_MARKER = re.compile(rf"\s*{MARKER.pattern}")


def evidence_html(number: int, answer: Answer) -> str:
    """Every article that a chip or a source of the answer opens, on one line; "" without any."""
    cited = {citation.marker: citation.paper for citation in answer.citations}
    wanted = dict.fromkeys(
        [(m.marker, m.claim) for m in marked(answer) if m.marker in cited]
        + [(marker, None) for marker in sorted(cited)]
    )
    articles = [_article(number, answer, marker, claim) for marker, claim in wanted]
    return f"<div>{''.join(articles)}</div>" if articles else ""


def _article(number: int, answer: Answer, marker: int, position: int | None) -> str:
    claim = None if position is None else answer.claims[position]
    citations = quotes(answer, marker, claim)
    paper = next(c.paper for c in answer.citations if c.marker == marker)
    page = f'<a class="act" href="#paper-{attribute(paper.id)}">Open its page</a>'
    head = f'<p class="eyebrow">Source {marker} · {page}</p>'
    said = claim_html(claim, bool(citations)) if claim else ""
    body = paper_html(paper, [(c.start, c.end) for c in citations], said)
    return f'<article id="{source_id(number, marker, position)}">{head}{body}</article>'


def quotes(answer: Answer, marker: int, claim: Claim | None) -> list[Citation]:
    """The citations behind one marker of one claim; of the whole answer where there is none."""
    chosen = answer.citations if claim is None else [answer.citations[i] for i in claim.citations]
    return [citation for citation in chosen if citation.marker == marker]


def claim_html(claim: Claim, quoted: bool) -> str:
    """What the answer says, and how the marked sentences carry it."""
    text = text_html(_SPACED_MARKER.sub("", claim.text).strip())
    if claim.support == "unsupported":
        verdict = f"Not supported: {text_html(claim.reason or NO_REASON)}"
    elif claim.support == "quoted":
        verdict = "In the paper’s own words, marked below."
    else:
        verdict = "Rests on what is marked below."
    if not quoted:
        verdict += " Nothing is marked below."
    said = "" if claim.support == "quoted" else f'<span class="said">“{text}”</span> '
    return f'<p class="claim {claim.support}">{said}{verdict}</p>'


def paper_html(paper: Paper, marks: Sequence[tuple[int, int]] = (), said: str = "") -> str:
    """A paper to read: title, where it comes from, `said` (safe HTML), and its abstract."""
    digest = f'<p class="notice">This is a {DIGEST}.</p>' if paper.digest else ""
    return (
        f"<h2>{title_html(paper)}</h2>{meta_html(paper)}{said}{digest}"
        f'<div class="abstract">{marked_html(paper.abstract, marks)}</div>{link_html(paper)}'
    )


def meta_html(paper: Paper) -> str:
    """Authors, year, venue and the place in the source, as far as they are known."""
    authors = ", ".join(paper.authors[:MOST_AUTHORS])
    if len(paper.authors) > MOST_AUTHORS:
        authors += f" and {len(paper.authors) - MOST_AUTHORS} more"
    place = f"{paper.source}, no. {paper.position}" if paper.source else ""
    known = [authors, paper.venue or "", str(paper.year or ""), place]
    text = " · ".join(part for part in known if part)
    return f'<p class="meta">{text_html(text)}</p>' if text else ""


# Enough to know a paper by; the list of a large collaboration fills a page.
MOST_AUTHORS = 8


def link_html(paper: Paper) -> str:
    """The paper's address: a link where it is a web address, else plain text."""
    if not paper.url:
        return ""
    if not is_web_address(paper.url):
        return f'<p class="meta">{text_html(paper.url)}</p>'
    return (
        f'<p class="meta"><a href="{attribute(paper.url)}" target="_blank" '
        f'rel="noopener noreferrer nofollow">{text_html(paper.url)}</a></p>'
    )


def is_web_address(url: str) -> bool:
    """Whether it is http or https with a host and nothing that could end up elsewhere."""
    if re.search(r"[\s\x00-\x1f\x7f\\\"'<>]", url):
        return False
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(host) and "@" not in parts.netloc
