"""The page: READ THIS FIRST. Chat, evidence and library over one assistant.

Goes in: anything with the four methods of `Answering`, and Settings. Comes out: Gradio Blocks, or
a running server. The chat streams from the assistant; the evidence of an answer is sent once, and
the browser opens it (page.js). Knows nothing of retrieval, models or the index; imports Gradio
only inside its functions.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rag.errors import ColloquyError
from rag.settings import Settings
from rag.types import About, Answer, Paper, Turn
from ui.chat import Exchange, messages, turns
from ui.evidence import evidence_html
from ui.examples import example_questions
from ui.library import NEAREST, PAGE, library_html, matching, nearest_html
from ui.markup import text_html
from ui.pump import in_batches
from ui.server import Application, address, guarded, listen
from ui.welcome import head_html, mode_html, placeholder_html

if TYPE_CHECKING:
    import gradio as gr


HERE = Path(__file__).parent
LOG = logging.getLogger(__name__)
DELIMITERS: list[dict[str, str | bool]] = [
    {"left": r"\(", "right": r"\)", "display": False},
    {"left": r"\[", "right": r"\]", "display": True},
]
SYSTEM_FONTS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Liberation Sans", "sans-serif")
MONO_FONTS = ("ui-monospace", "SFMono-Regular", "Menlo", "Liberation Mono", "monospace")
# Answers that are written at the same time; more wait their turn.
AT_ONCE = 16
NOTHING_OPEN = (
    '<p class="hint">Click a number in an answer to read the sentence that it rests on, inside '
    "its abstract.</p>"
)


class Answering(Protocol):
    """What the page needs of an assistant."""

    def about(self) -> About: ...

    def stream(self, question: str, history: Sequence[Turn] = ()) -> Iterator[str | Answer]: ...

    def papers(self) -> tuple[Paper, ...]: ...

    def search(self, query: str, k: int = 10) -> tuple[Paper, ...]: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """The components that events read and write."""

    head: gr.HTML
    mode: gr.HTML
    papers_button: gr.Button
    chat: gr.Chatbot
    question: gr.Textbox
    send: gr.Button
    stop: gr.Button
    clear: gr.Button
    feed: gr.Markdown
    query: gr.Textbox
    listing: gr.Markdown
    more: gr.Button
    ask_this: gr.Button
    conversation: gr.State
    limit: gr.State


def build(assistant: Answering) -> gr.Blocks:
    """The page as Gradio Blocks; `page_options()` are what its launch needs."""
    # Gradio reads this while it is imported.
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    import gradio as gr  # here: takes a second, and only the page needs it

    page: gr.Blocks
    with gr.Blocks(
        title="Colloquy", analytics_enabled=False, fill_width=True, fill_height=True
    ) as page:
        parts = _components(gr)
        _asking(gr, assistant, parts)
        _library(gr, assistant, parts)
        welcome = partial(_welcome, gr, assistant)
        page.load(
            welcome,
            outputs=[
                parts.head,
                parts.mode,
                parts.papers_button,
                parts.chat,
                parts.listing,
                parts.more,
            ],
            show_progress="hidden",
            api_visibility="private",
        )
    page.queue(default_concurrency_limit=AT_ONCE)
    return page


def _components(gr: Any) -> Parts:
    """The page from top to bottom. Views are switched by page.js, so that both stay as they are."""
    with gr.Row(elem_id="top"):
        head = gr.HTML(head_html(None), elem_id="head")
        with gr.Row(elem_id="views"):
            gr.Button("Ask", elem_id="view-ask", elem_classes="view", size="sm")
            papers_button = gr.Button(
                "Papers", elem_id="view-papers", elem_classes="view", size="sm"
            )
            clear = gr.Button("New conversation", elem_id="clear", elem_classes="view", size="sm")
    mode = gr.HTML(elem_id="mode")
    with gr.Row(elem_id="ask-view"):
        with gr.Column(elem_id="talk", min_width=0):
            chat = gr.Chatbot(
                elem_id="chat",
                show_label=False,
                container=False,
                buttons=[],
                layout="bubble",
                height=None,
                latex_delimiters=DELIMITERS,
                sanitize_html=True,
                allow_tags=False,
                feedback_options=None,
                allow_file_downloads=False,
                group_consecutive_messages=False,
            )
            with gr.Row(elem_id="asking"):
                question = gr.Textbox(
                    elem_id="question",
                    label="Your question",
                    show_label=False,
                    container=False,
                    placeholder="Ask about these papers…",
                    lines=1,
                    max_lines=6,
                    autofocus=True,
                    min_width=0,
                    html_attributes=gr.InputHTMLAttributes(autocomplete="off"),
                )
                send = gr.Button("Ask", elem_id="send", variant="primary", min_width=0)
                stop = gr.Button("Stop", elem_id="stop", interactive=False, min_width=0)
        with gr.Column(elem_id="reading", min_width=0):
            gr.HTML(NOTHING_OPEN, elem_id="evidence", js_on_load=None)
    with gr.Column(elem_id="library", min_width=0):
        query = gr.Textbox(
            elem_id="library-search",
            label="Search the papers",
            show_label=False,
            container=False,
            placeholder="Search titles, authors, abstracts…",
            lines=1,
            max_lines=1,
        )
        listing = _safe_markdown(gr, "library-list")
        more = gr.Button("Show more", elem_id="library-more", visible=False)
    feed = _safe_markdown(gr, "evidence-feed")
    ask_this = gr.Button("Ask this", elem_id="ask-this", elem_classes="unseen")
    conversation, limit = gr.State(()), gr.State(PAGE)
    return Parts(
        head, mode, papers_button, chat, question, send, stop, clear, feed, query, listing, more,
        ask_this, conversation, limit,
    )  # fmt: skip


def _safe_markdown(gr: Any, elem_id: str) -> Any:
    return gr.Markdown(elem_id=elem_id, sanitize_html=True, latex_delimiters=DELIMITERS)


def _asking(gr: Any, assistant: Answering, parts: Parts) -> None:
    """Asking, stopping and starting anew."""
    shown = [parts.chat, parts.question, parts.send, parts.stop, parts.feed, parts.conversation]
    # "multiple": Gradio's own guard would drop a question typed right after a stop.
    quiet: dict[str, Any] = {
        "show_progress": "hidden",
        "api_visibility": "private",
        "trigger_mode": "multiple",
    }
    ask = _asker(gr, assistant)
    typed = gr.on(
        [parts.question.submit, parts.send.click],
        ask,
        inputs=[parts.question, parts.conversation],
        outputs=shown,
        **quiet,
    )
    clicked = parts.ask_this.click(
        ask,
        inputs=[parts.question, parts.conversation],
        outputs=shown,
        js="(typed, talk) => [window.colloquy.wanted || typed, talk]",
        **quiet,
    )
    parts.stop.click(
        partial(_stopped, gr),
        inputs=parts.conversation,
        outputs=shown,
        cancels=[typed, clicked],
        **quiet,
    )
    parts.clear.click(partial(_cleared, gr), outputs=shown, cancels=[typed, clicked], **quiet)


def _asker(
    gr: Any, assistant: Answering
) -> Callable[[str, tuple[Exchange, ...]], Iterator[tuple[Any, ...]]]:
    def ask(question: str, earlier: tuple[Exchange, ...]) -> Iterator[tuple[Any, ...]]:
        """One question: what the page shows while it is answered, and at the end."""
        if not (question or "").strip():
            gr.Info("Type a question first.")
            yield (gr.skip(),) * 6
            return
        if earlier and earlier[-1].running:
            yield (gr.skip(),) * 6  # one answer at a time; the question stays in its field
            return
        for exchange in exchanges_of(assistant, question, turns(earlier)):
            if exchange is None:
                yield (gr.skip(),) * 6
            else:
                yield _shown(gr, (*earlier, exchange))

    return ask


def exchanges_of(
    assistant: Answering, question: str, history: Sequence[Turn]
) -> Iterator[Exchange | None]:
    """The exchange as it grows: without text, with text, at last with an answer or a failure;
    None where nothing changed, so that the caller can leave. Leaving early closes the stream."""
    exchange = Exchange(question)
    yield exchange
    try:
        with closing(in_batches(lambda: assistant.stream(question, history))) as batches:
            for batch in batches:
                text = "".join(item for item in batch if isinstance(item, str))
                answers = [item for item in batch if isinstance(item, Answer)]
                exchange = replace(
                    exchange, text=exchange.text + text, answer=answers[-1] if answers else None
                )
                yield exchange if batch else None
                if answers:
                    return
    except ColloquyError as error:
        yield replace(exchange, failure=str(error))
        return
    except Exception as error:
        # A fault of ours must not leave the page waiting; the log has all of it.
        LOG.exception("the question %r failed", question[:200])
        fault = f"Colloquy itself failed ({type(error).__name__}); its terminal says more."
        yield replace(exchange, failure=fault)
        return
    yield replace(exchange, failure="The answer broke off without an end; ask again.")


def _ended(exchange: Exchange) -> Exchange:
    return replace(exchange, stopped=True) if exchange.running else exchange


def _shown(gr: Any, exchanges: tuple[Exchange, ...]) -> tuple[Any, ...]:
    """What the chat's components show for a conversation."""
    running = bool(exchanges) and exchanges[-1].running
    fresh = running and not exchanges[-1].text
    answer = exchanges[-1].answer if exchanges else None
    return (
        messages(exchanges),
        "" if fresh else gr.skip(),
        gr.update(interactive=not running),
        gr.update(interactive=running),
        evidence_html(len(exchanges) - 1, answer) if answer else gr.skip(),
        exchanges,
    )


def _stopped(gr: Any, exchanges: tuple[Exchange, ...]) -> tuple[Any, ...]:
    return _shown(gr, tuple(_ended(exchange) for exchange in exchanges))


def _cleared(gr: Any) -> tuple[Any, ...]:
    return _shown(gr, ())


def _library(gr: Any, assistant: Answering, parts: Parts) -> None:
    """Searching the list of papers, and showing more of it."""

    def search(query: str) -> tuple[Any, ...]:
        return (*_listed(gr, assistant, query, PAGE), PAGE)

    def more(query: str, limit: int) -> tuple[Any, ...]:
        return (*_listed(gr, assistant, query, limit + PAGE), limit + PAGE)

    outputs = [parts.listing, parts.more, parts.limit]
    parts.query.change(
        search,
        inputs=parts.query,
        outputs=outputs,
        trigger_mode="always_last",
        show_progress="hidden",
        api_visibility="private",
    )
    parts.more.click(
        more,
        inputs=[parts.query, parts.limit],
        outputs=outputs,
        show_progress="hidden",
        api_visibility="private",
    )


def _listed(gr: Any, assistant: Answering, query: str, limit: int) -> tuple[Any, Any]:
    """The list's HTML, and the button that shows more of it."""
    try:
        papers = assistant.papers()
        found = matching(papers, query)
        if found or not papers:
            listing = library_html(found[:limit], len(found), len(papers), query)
        else:
            listing = nearest_html(assistant.search(query, NEAREST), query)
    except ColloquyError as error:
        return f'<p class="count">{text_html(str(error))}</p>', gr.update(visible=False)
    return listing, gr.update(visible=len(found) > limit)


def _welcome(gr: Any, assistant: Answering) -> tuple[Any, ...]:
    """What a visitor sees first: what this answers from and with, and what could be asked."""
    try:
        about = assistant.about()
        questions = example_questions(assistant.papers())
    except ColloquyError as error:
        failure = f'<p class="note failure">{text_html(str(error))}</p>'
        return head_html(None), failure, "Papers", gr.update(placeholder=failure), "", gr.skip()
    listing, more = _listed(gr, assistant, "", PAGE)
    return (
        head_html(about),
        mode_html(about),
        f"Papers ({about.papers:,})",
        gr.update(placeholder=placeholder_html(about, questions)),
        listing,
        more,
    )


def page_options() -> dict[str, Any]:
    """The options of Gradio's launch and mount alike: look, script, and nothing that calls out."""
    import gradio as gr  # here: see build

    # The second of the two colours is for the dark page.
    theme = gr.themes.Base(
        primary_hue="teal", neutral_hue="stone", font=SYSTEM_FONTS, font_mono=MONO_FONTS
    )
    return {
        "theme": theme,
        "css": (HERE / "style.css").read_text(encoding="utf-8"),
        "head": f"<script>{(HERE / 'page.js').read_text(encoding='utf-8')}</script>",
        "footer_links": [],
        "run_history": False,
        "enable_monitoring": False,
        "ssr_mode": False,
        "pwa": False,
        "mcp_server": False,
        "show_error": True,
    }


def application(assistant: Answering, auth: tuple[str, str] | None = None) -> Application:
    """The page as an ASGI application, behind a login where one is given."""
    page = build(assistant)
    import fastapi  # here: see build
    import gradio as gr

    outer = fastapi.FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    return guarded(gr.mount_gradio_app(outer, page, path="/", auth=auth, **page_options()))


def serve(assistant: Answering, settings: Settings) -> None:
    """Serve the page until interrupted; prints its address once it can be opened.

    Raises `SettingsError` where the host or port cannot be had.
    """
    listener = listen(settings.host, settings.port)
    import uvicorn  # here: comes with Gradio

    app = application(assistant, settings.auth)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    sys.stdout.write(f"Colloquy answers at {address(listener)} (Ctrl+C ends it)\n")
    sys.stdout.flush()
    with closing(listener), suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])
