"""What a visitor sees before the first question.

Goes in: what the assistant answers from and with, and example questions. Comes out: safe HTML.
Knows nothing of components.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import About
from ui.chat import DIGEST, ask_links
from ui.markup import text_html

# Buttons of the top row: element id, and what it says.
VIEWS = (
    ("view-ask", "Ask"),
    ("view-papers", "Papers"),
    ("show-talks", "Conversations"),
    ("clear", "New conversation"),
    # Not "papers" again: the button that opens the list is the only one that says so.
    ("view-add", "Add files"),
    ("show-help", "?"),
)
_KEYS = (
    ("/", "write a question"),
    ("Enter", "ask; Shift and Enter begins a new line"),
    ("Esc", "stop the answer, or close what is open"),
    ("Tab", "go to the next number, link or button; Enter opens it"),
    ("?", "this help"),
)
_KEY_ROWS = "".join(f"<dt><kbd>{key}</kbd></dt><dd>{what}</dd>" for key, what in _KEYS)
# The lists in them are filled by static/talks.js, with text only.
DIALOGS = f"""
<dialog id="help" aria-labelledby="help-title"><h2 id="help-title">How to read an answer</h2>
<p>A number opens the sentence that a statement rests on, inside its abstract; pointing at it shows
the sentence. <span class="unsupported">Wavy lines</span> mark what the papers do not carry, with
the reason beneath. Text that is still grey has not been checked yet.</p>
<h3>Keys</h3><dl class="keys">{_KEY_ROWS}</dl>
<form method="dialog"><button>Close</button></form></dialog>
<dialog id="talks" aria-labelledby="talks-title"><h2 id="talks-title">Conversations</h2>
<p class="meta">Kept in this browser only.</p><ul id="talk-list"></ul>
<form method="dialog"><button>Close</button></form></dialog>
<div id="hover" role="tooltip" hidden></div><div id="said" role="status" class="heard"></div>
"""


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


def placeholder_html(about: About, questions: Sequence[str], *, can_add: bool = False) -> str:
    """The empty chat: an invitation, and questions to click on; or how to add papers."""
    if not about.papers:
        drop = "Drop a list of papers with their abstracts anywhere on this page, or " * can_add
        choose = '<p><a class="act big" href="#act-add-files">Choose files</a></p>' * can_add
        way = f"{drop}{'add' if can_add else 'Add'} one with <code>colloquy ingest FILE</code>"
        return (
            '<div class="welcome"><p class="lead">This index holds no papers yet.</p>'
            f"<p>{way}.</p>{choose}</div>"
        )
    count = "one paper" if about.papers == 1 else f"{about.papers:,} papers"
    return (
        f'<div class="welcome"><p class="lead">Ask {count}.</p><p>Each statement of an answer '
        f"opens the sentence that it rests on.</p>{ask_links(questions)}</div>"
    )
