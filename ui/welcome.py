"""What a visitor sees before the first question.

Goes in: what the assistant answers from and with, and example questions. Comes out: safe HTML.
Knows nothing of components.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import About
from ui.chat import DIGEST, ask_links
from ui.markup import text_html


def head_html(about: About | None) -> str:
    """The page's name, and a word on the sample while it is there."""
    digest = f'<span class="digest">Sample: {DIGEST}</span>' if about and about.digest else ""
    return f"<h1>Colloquy</h1>{digest}"


def mode_html(about: About) -> str:
    """How answers are made, with the model and the endpoint by name."""
    if about.mode == "extractive":
        return (
            "<p><b>Extractive</b>: answers are sentences of the abstracts, no model is asked.</p>"
        )
    model = text_html(about.model or "the endpoint's only model")
    return (
        f"<p><b>Language model</b>: {model} at {text_html(about.endpoint or 'this machine')} "
        "writes the answers; every claim is checked against the abstracts.</p>"
    )


def placeholder_html(about: About, questions: Sequence[str]) -> str:
    """The empty chat: an invitation, and questions to click on."""
    if not about.papers:
        return (
            '<div class="welcome"><p class="lead">This index holds no papers yet.</p><p>Add some '
            "with <code>colloquy ingest FILE</code>, then reload this page.</p></div>"
        )
    count = "one paper" if about.papers == 1 else f"{about.papers:,} papers"
    return (
        f'<div class="welcome"><p class="lead">Ask {count}.</p><p>Each statement of an answer '
        f"opens the sentence that it rests on.</p>{ask_links(questions)}</div>"
    )
