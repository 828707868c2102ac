"""Chat and evidence: their components, and asking, stopping, starting anew and coming back.

Goes in: an assistant. Comes out: Gradio components with their events. The browser keeps the
conversations (static/talks.js): it says with every question which conversation it belongs to and
which exchange it replaces, and is handed each finished exchange back. Knows nothing of retrieval.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ui.answering import Answering
from ui.chat import messages
from ui.evidence import evidence_html
from ui.keeping import kept_exchange, read_exchanges
from ui.look import DELIMITERS, safe_markdown
from ui.talk import Exchange, compared, ended, exchanges_of, turns

if TYPE_CHECKING:
    import gradio as gr

Exchanges = tuple[Exchange, ...]
Shown = tuple[Any, ...]
NOTHING_OPEN = (
    '<p class="hint">Click a number in an answer to read the sentence that it rests on, inside '
    "its abstract.</p>"
)
# Filled by static/chosen.js while only chosen papers are asked.
SCOPE = (
    '<div class="scope" hidden><p><b class="how-many" role="status"></b><span class="names"></span>'
    '</p><button type="button">Ask all papers</button></div>'
)


@dataclass(frozen=True, slots=True)
class Talk:
    """The components of the chat; those after `feed` are unseen and speak with the browser."""

    chat: gr.Chatbot
    question: gr.Textbox
    send: gr.Button
    stop: gr.Button
    feed: gr.Markdown
    conversation: gr.State
    place: gr.Textbox
    kept: gr.Textbox
    stored: gr.Textbox
    ask_this: gr.Button
    compare: gr.Button
    reopen: gr.Button
    begin: gr.Button

    @property
    def shown(self) -> list[Any]:
        """What every event of the chat writes, in the order of `_shown`."""
        return [
            *(self.chat, self.question, self.send, self.stop, self.feed),
            *(self.conversation, self.kept),
        ]


def talk_components(gr: Any) -> Talk:
    """Chat, question and evidence, side by side where there is room."""
    with gr.Row(elem_id="ask-view"):
        with gr.Column(elem_id="talk", min_width=0):
            chat = gr.Chatbot(
                elem_id="chat",
                show_label=False,
                container=False,
                autoscroll=False,  # static/chat.js follows only a reader who is at the end
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
            with gr.Column(elem_id="ask-bar", min_width=0):
                gr.HTML(SCOPE, elem_id="scope", js_on_load=None)
                question, send, stop = _question_row(gr)
        with gr.Column(elem_id="reading", min_width=0):
            gr.HTML(NOTHING_OPEN, elem_id="evidence", js_on_load=None)
    feed = safe_markdown(gr, "evidence-feed")
    unseen = [gr.Textbox(visible=False) for _ in range(3)]
    buttons = [
        gr.Button(name, elem_id=name, elem_classes="unseen")
        for name in ("ask-this", "compare-these", "reopen", "begin")
    ]
    return Talk(chat, question, send, stop, feed, gr.State(()), *unseen, *buttons)


def _question_row(gr: Any) -> tuple[Any, Any, Any]:
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
    return question, send, stop


def talk_events(gr: Any, assistant: Answering, talk: Talk, page: Any) -> None:
    """Asking, stopping, starting anew, and opening what the browser kept.

    The browser starts anew or opens another conversation only once a running answer was stopped
    (static/talks.js): Gradio cannot cancel what it has not yet sent, and what was asked would be
    written into the conversation that follows.
    """
    # "multiple": Gradio's own guard would drop a question typed right after a stop.
    quiet: dict[str, Any] = {
        "outputs": talk.shown,
        "show_progress": "hidden",
        "api_visibility": "private",
        "trigger_mode": "multiple",
    }
    ask = _asker(gr, assistant)
    inputs = [talk.question, talk.conversation, talk.place]
    asking = "(typed, talk) => colloquy.asking(typed, talk)"
    typed = gr.on([talk.question.submit, talk.send.click], ask, inputs=inputs, js=asking, **quiet)
    clicked = talk.ask_this.click(
        ask, inputs=inputs, js="(typed, talk) => colloquy.asking(colloquy.wanted, talk)", **quiet
    )
    side_by_side = talk.compare.click(
        partial(_side_by_side, gr, assistant),
        inputs=inputs,
        js="(typed, talk) => colloquy.asking(colloquy.wanted, talk, 'Compare')",
        **quiet,
    )
    running = [typed, clicked, side_by_side]
    stopped = talk.stop.click(
        partial(_stopped, gr),
        inputs=[talk.conversation, talk.place],
        js="(talk) => [talk, colloquy.place()]",
        cancels=running,
        **quiet,
    )
    for event in (*running, stopped):
        event.then(None, inputs=talk.kept, js="(text) => colloquy.keep(text)")
    talk.begin.click(partial(_shown, gr, (), ""), **quiet)
    restore = partial(_restored, gr)
    talk.reopen.click(restore, inputs=talk.stored, js="() => colloquy.stored()", **quiet)
    page.load(restore, inputs=talk.stored, js="() => colloquy.stored()", **quiet)


def _asker(gr: Any, assistant: Answering) -> Callable[[str, Exchanges, str], Iterator[Shown]]:
    def ask(question: str, before: Exchanges, place: str) -> Iterator[Shown]:
        """One question: what the page shows while it is answered, and at the end."""
        told = json.loads(place) if place else {}
        if told.get("busy") or (before and before[-1].running):
            yield _unchanged(gr)  # one answer at a time; the question stays in its field
            return
        if not (question or "").strip():
            gr.Info("Type a question first.")
            yield _unchanged(gr)
            return
        earlier = _up_to(before, told.get("from", -1))
        shown_before = messages(earlier)
        papers = [str(each) for each in told.get("papers", ())]
        for exchange in exchanges_of(assistant, question, turns(earlier), papers):
            if exchange is None:
                yield (gr.skip(),) * 7
            else:
                yield _shown(gr, (*earlier, exchange), place, shown_before)

    return ask


def _side_by_side(
    gr: Any, assistant: Answering, wanted: str, before: Exchanges, place: str
) -> Shown:
    """The papers selected in the library, compared; their ids come as JSON."""
    told = json.loads(place)
    if told.get("busy") or (before and before[-1].running):
        gr.Info("An answer is being written; stop it or wait for its end.")
        return _unchanged(gr)
    exchange = compared(assistant, [str(each) for each in json.loads(wanted)])
    earlier = _up_to(before, told.get("from", -1))
    return _shown(gr, (*earlier, exchange), place) if exchange else _unchanged(gr)


def _unchanged(gr: Any) -> Shown:
    """Everything as it is, and no exchange to keep."""
    return (*((gr.skip(),) * 6), "")


def _up_to(exchanges: Exchanges, anew: int) -> Exchanges:
    """What stays of a conversation: all of it, or what is before the exchange asked anew."""
    return exchanges[:anew] if 0 <= anew < len(exchanges) else exchanges


def _shown(
    gr: Any, exchanges: Exchanges, place: str, before: list[dict[str, str]] | None = None
) -> Shown:
    """What the chat's components show for a conversation; `before` are the messages of all but
    the last exchange where they are known, so that a stream renders its own message alone."""
    if not exchanges:
        return [], "", gr.update(interactive=True), gr.update(interactive=False), "", (), ""
    number, last = len(exchanges) - 1, exchanges[-1]
    earlier = messages(exchanges[:-1]) if before is None else before
    fresh = last.running and not last.text
    return (
        [*earlier, *messages([last], number)],
        "" if fresh else gr.skip(),
        gr.update(interactive=not last.running),
        gr.update(interactive=last.running),
        evidence_html(number, last.answer) if last.answer else gr.skip(),
        exchanges,
        gr.skip() if last.running else _kept(place, number, last),
    )


def _kept(place: str, number: int, exchange: Exchange) -> str:
    talk = json.loads(place)["talk"] if place else ""
    kept = {"talk": talk, "number": number, "exchange": kept_exchange(exchange)}
    return json.dumps(kept, ensure_ascii=False)


def _stopped(gr: Any, exchanges: Exchanges, place: str) -> Shown:
    return _shown(gr, tuple(ended(exchange) for exchange in exchanges), place)


def _restored(gr: Any, stored: str) -> Shown:
    """A conversation as the browser kept it, with the evidence of every answer."""
    if not stored:
        return (gr.skip(),) * 7
    try:
        exchanges = read_exchanges(stored)
        chat, _, send, stop, _, state, _ = _shown(gr, exchanges, "")
        evidence = [evidence_html(i, e.answer) for i, e in enumerate(exchanges) if e.answer]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        gr.Warning("This conversation cannot be read; it was kept by another version. Delete it.")
        return _shown(gr, (), "")
    return chat, "", send, stop, "\n\n".join(evidence), state, ""
