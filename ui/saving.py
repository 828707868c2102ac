"""What the reader takes along as a file: an answer, or selected papers.

Goes in: an assistant, a conversation and what is wanted, as JSON from the browser. Comes out: the
file's name and text as JSON, which the browser saves (static/chat.js): nothing is written here.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from rag.errors import ColloquyError
from rag.types import plain
from ui.answering import Answering
from ui.export_answer import FORMS, Form, Parcel, answer_parcel, papers_parcel
from ui.markup import text_html
from ui.talk import Exchange


def saving_events(gr: Any, assistant: Answering, conversation: Any) -> None:
    """An unseen button that the browser presses once it knows what is wanted."""
    wanted, parcel = gr.Textbox(visible=False), gr.Textbox(visible=False)
    save = gr.Button("save", elem_id="save-this", elem_classes="unseen")
    saved = save.click(
        partial(_saved, gr, assistant),
        inputs=[wanted, conversation],
        outputs=parcel,
        js="(wanted, talk) => [colloquy.wanted, talk]",
        show_progress="hidden",
        api_visibility="private",
    )
    saved.then(None, inputs=parcel, js="(text) => colloquy.deliver(text)")


def _saved(gr: Any, assistant: Answering, wanted: str, exchanges: tuple[Exchange, ...]) -> str:
    try:
        parcel = wished_parcel(assistant, json.loads(wanted), exchanges)
    except ColloquyError as error:
        gr.Warning(text_html(str(error)))
        return ""
    return json.dumps(plain(parcel), ensure_ascii=False) if parcel else ""


def wished_parcel(
    assistant: Answering, wanted: dict[str, Any], exchanges: tuple[Exchange, ...]
) -> Parcel | None:
    """{"form", "papers"} or {"form", "number"} -> the file; None where there is nothing to save."""
    form: Form = next((form for form in FORMS if form == wanted["form"]), "markdown")
    if "papers" in wanted:
        ids = set(wanted["papers"])
        papers = [paper for paper in assistant.papers() if paper.id in ids]
        return papers_parcel(form, papers) if papers else None
    number = wanted["number"]
    if not 0 <= number < len(exchanges):
        return None
    answer = exchanges[number].answer
    return None if answer is None else answer_parcel(form, exchanges[number].question, answer)
