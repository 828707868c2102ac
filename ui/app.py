"""The page: READ THIS FIRST. Chat, evidence, library and adding papers, over one assistant.

Goes in: anything with the methods of `Answering`, and Settings. Comes out: Gradio Blocks, or a
running server. Each panel is a module: talk_panel.py, library_panel.py, adding_panel.py. Knows
nothing of retrieval, models or the index; imports Gradio only inside its functions.
"""

from __future__ import annotations

import os
import sys
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.errors import ColloquyError
from rag.settings import Settings
from ui.adding_panel import adding_panel, when_added
from ui.answering import Answering
from ui.catalogue import Wish, catalogue_of
from ui.library import PAGE
from ui.library_panel import filter_updates, library_components, library_events, listed
from ui.look import page_options
from ui.markup import text_html
from ui.saving import saving_events
from ui.server import Application, address, guarded, listen
from ui.talk_panel import talk_components, talk_events
from ui.welcome import DIALOGS, VIEWS, head_html, mode_html, placeholder_html

if TYPE_CHECKING:
    import gradio as gr

# Answers that are written at the same time; more wait their turn.
AT_ONCE = 16


def build(assistant: Answering, uploads: Path | None = None) -> gr.Blocks:
    """The page as Gradio Blocks; `page_options()` are what its launch needs.

    `uploads` is the index folder that files dropped on the page go into; None takes none.
    """
    # Gradio reads this while it is imported.
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    import gradio as gr  # here: takes a second, and only the page needs it

    page: gr.Blocks
    with gr.Blocks(
        title="Colloquy", analytics_enabled=False, fill_width=True, fill_height=True
    ) as page:
        head, papers_button = _top(gr)
        mode = gr.HTML(elem_id="mode")
        talk = talk_components(gr)
        library = library_components(gr, compares=hasattr(assistant, "compare"))
        adding = adding_panel(gr, uploads)
        gr.HTML(DIALOGS, elem_id="dialogs", js_on_load=None)
        talk_events(gr, assistant, talk, page)
        library_events(gr, assistant, library)
        saving_events(gr, assistant, talk.conversation)
        welcome = partial(_welcome, gr, assistant, can_add=uploads is not None)
        outputs = [head, mode, papers_button, talk.chat, library.listing, library.more]
        outputs += library.filters
        page.load(welcome, outputs=outputs, show_progress="hidden", api_visibility="private")
        if adding is not None:
            when_added(adding, welcome, outputs)
    page.queue(default_concurrency_limit=AT_ONCE)
    return page


def _top(gr: Any) -> tuple[Any, Any]:
    """The name and the views. Views are switched by static/page.js, so that all stay as they
    are, and a new conversation is begun by static/talks.js."""
    with gr.Row(elem_id="top"):
        head = gr.HTML(head_html(None), elem_id="head")
        with gr.Row(elem_id="views"):
            buttons = {
                elem_id: gr.Button(name, elem_id=elem_id, elem_classes="view", size="sm")
                for elem_id, name in VIEWS
            }
    return head, buttons["view-papers"]


def _welcome(gr: Any, assistant: Answering, *, can_add: bool) -> tuple[Any, ...]:
    """What a visitor sees first: what this answers from and with, and what could be asked."""
    try:
        about = assistant.about()
        catalogue = catalogue_of(assistant.papers())
        filters = filter_updates(gr, catalogue)
    except ColloquyError as error:
        failure = f'<p class="note failure">{text_html(str(error))}</p>'
        said = (head_html(None), failure, "Papers", gr.update(placeholder=failure), "")
        return (*said, *(gr.skip() for _ in range(5)))
    listing, more = listed(gr, assistant, Wish(), PAGE)
    return (
        head_html(about),
        mode_html(about),
        f"Papers ({about.papers:,})",
        gr.update(placeholder=placeholder_html(about, catalogue.questions, can_add=can_add)),
        listing,
        more,
        *filters,
    )


def application(
    assistant: Answering, auth: tuple[str, str] | None = None, uploads: Path | None = None
) -> Application:
    """The page as an ASGI application, behind a login where one is given."""
    page = build(assistant, uploads)
    import fastapi  # here: see build
    import gradio as gr

    options = page_options(assistant.about().index)
    outer = fastapi.FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    return guarded(gr.mount_gradio_app(outer, page, path="/", auth=auth, **options))


def uploads_of(settings: Settings) -> Path | None:
    """Where files dropped on the page go: into the index, where only its owner can reach the page
    or whoever does has a login."""
    private = settings.host in ("127.0.0.1", "::1", "localhost") or settings.auth is not None
    return Path(settings.index) if private else None


def serve(assistant: Answering, settings: Settings) -> None:
    """Serve the page until interrupted; prints its address once it can be opened.

    Raises `SettingsError` where the host or port cannot be had.
    """
    listener = listen(settings.host, settings.port)
    import uvicorn  # here: comes with Gradio

    app = application(assistant, settings.auth, uploads_of(settings))
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    sys.stdout.write(f"Colloquy answers at {address(listener)} (Ctrl+C ends it)\n")
    sys.stdout.flush()
    with closing(listener), suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])
