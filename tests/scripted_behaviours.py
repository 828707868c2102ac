"""What the scripted server can do with a request for an answer, by name: see scripted_server.py."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.scripted_server import Handler, ScriptedServer

MODEL = "scripted-1"
_ABSTRACT = re.compile(r"=== begin (P\d+) ===\nName: .*\nAbstract: (.*)\n=== end", re.MULTILINE)


def chunk(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    return {
        "id": "chat-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": MODEL,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def error(message: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "scripted", "param": None, "code": code}}


def sentence(script: ScriptedServer) -> str:
    """The first sentence of the first paper in the last request, without its full stop."""
    found = _ABSTRACT.search(script.chats[-1].prompt)
    abstract = found.group(2) if found else "Nothing was sent."
    return re.split(r"(?<=[.!?])\s", abstract)[0].rstrip(".!?")


def pieces(text: str) -> Iterator[str]:
    """The text in pieces of seven characters, so that markers are split too."""
    for start in range(0, len(text), 7):
        yield text[start : start + 7]


def _say(handler: Handler, script: ScriptedServer, text: str, finish: str | None) -> None:
    handler.begin()
    handler.event(json.dumps(chunk({"role": "assistant", "content": ""}, None)))
    if script.answers:
        text = script.answers.pop(0)
    elif script.answer is not None:
        text = script.answer
    for piece in pieces(text):
        handler.piece(piece)
        if script.pause and script.closing.wait(script.pause):
            return
    if finish:
        handler.end(finish)


def _good(handler: Handler, script: ScriptedServer) -> None:
    _say(handler, script, f"{sentence(script)} [P1].", "stop")


def _invented_marker(handler: Handler, script: ScriptedServer) -> None:
    _say(handler, script, f"{sentence(script)} [P1]. It is used everywhere [P99].", "stop")


def _wrong_number(handler: Handler, script: ScriptedServer) -> None:
    text = re.sub(r"\d", lambda digit: str((int(digit.group()) + 4) % 10), sentence(script))
    _say(handler, script, f"{text}, and 98.76% of the rest [P1].", "stop")


def _no_marker(handler: Handler, script: ScriptedServer) -> None:
    _say(handler, script, f"{sentence(script)}.", "stop")


def _not_stated(handler: Handler, script: ScriptedServer) -> None:
    _say(handler, script, "The excerpts do not give the cost of training [NOT STATED].", "stop")


def _echo(handler: Handler, script: ScriptedServer) -> None:
    """All that it was sent, as a model that can be led by the nose might."""
    _say(handler, script, script.chats[-1].prompt, "stop")


def _limited(handler: Handler, script: ScriptedServer) -> None:
    script.tried += 1
    if script.tried == 1:
        handler.send_object(429, error("Slow down."), Retry_After="0.05")
    else:
        _good(handler, script)


def _limited_long(handler: Handler, script: ScriptedServer) -> None:
    handler.send_object(429, error("Slow down."), Retry_After="600")


def _no_credit(handler: Handler, script: ScriptedServer) -> None:
    handler.send_object(429, error("You have no credit.", "insufficient_quota"))


def _status(status: int, message: str) -> Callable[[Handler, ScriptedServer], None]:
    def answer(handler: Handler, script: ScriptedServer) -> None:
        handler.send_object(status, error(message), Retry_After="0.01")

    return answer


def _echo_key(handler: Handler, script: ScriptedServer) -> None:
    handler.send_object(401, error(f"Bad key: {script.requests[-1].headers['authorization']}"))


def _cut(handler: Handler, script: ScriptedServer) -> None:
    """The connection breaks inside a chunk of the transfer."""
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.send_header("transfer-encoding", "chunked")
    handler.end_headers()
    data = f"data: {json.dumps(chunk({'content': 'It begins well'}, None))}\n\n".encode()
    handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\nff\r\ndata: {")
    handler.wfile.flush()
    handler.close_connection = True


def _no_finish(handler: Handler, script: ScriptedServer) -> None:
    _say(handler, script, f"{sentence(script)} [P1].", None)


def _length(handler: Handler, script: ScriptedServer) -> None:
    _say(handler, script, f"{sentence(script)} [P1].", "length")


def _filtered(handler: Handler, script: ScriptedServer) -> None:
    handler.begin()
    handler.end("content_filter")


def _hang_first(handler: Handler, script: ScriptedServer) -> None:
    handler.hang()


def _hang_headers(handler: Handler, script: ScriptedServer) -> None:
    handler.begin()
    handler.hang()


def _hang_middle(handler: Handler, script: ScriptedServer) -> None:
    handler.begin()
    handler.piece("It begins well")
    handler.hang()


def _drip(handler: Handler, script: ScriptedServer) -> None:
    """Comments keep the connection alive for ever, and no text comes."""
    handler.begin()
    while not script.closing.wait(0.02):
        handler.wfile.write(b": still here\n\n")
        handler.wfile.flush()


def _endless(handler: Handler, script: ScriptedServer) -> None:
    handler.begin()
    while not script.closing.is_set():
        handler.piece("and so on " * 100)


def _error_in_stream(handler: Handler, script: ScriptedServer) -> None:
    handler.begin()
    handler.piece("It begins well")
    handler.event(json.dumps(error("The graphics card is on fire.")))


def _error_first(handler: Handler, script: ScriptedServer) -> None:
    handler.begin()
    handler.event(json.dumps(error("The graphics card is on fire.")))


def _broken_json(handler: Handler, script: ScriptedServer) -> None:
    handler.begin()
    handler.event('{"id": "chat-1", "choi')


def _empty(handler: Handler, script: ScriptedServer) -> None:
    _say(handler, script, "", "stop")


def _blank(handler: Handler, script: ScriptedServer) -> None:
    _say(handler, script, " \n  \n ", "stop")


def _web_page(handler: Handler, script: ScriptedServer) -> None:
    data = b"<html><body>Welcome.</body></html>"
    handler.send_response(200)
    handler.send_header("content-type", "text/html")
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def _redirect(handler: Handler, script: ScriptedServer) -> None:
    handler.send_response(307)
    handler.send_header("location", f"{script.forward_to}/chat/completions")
    handler.send_header("content-length", "0")
    handler.end_headers()


def _narrow(handler: Handler, script: ScriptedServer) -> None:
    """Like vLLM with a short context, at three letters a token."""
    body = script.chats[-1].body
    asked = sum(len(message["content"]) for message in body["messages"]) // 3
    if asked > script.context:
        said = f"This model's maximum context length is {script.context} tokens."
        if not script.names_context:
            said = "The prompt is longer than the context."
        handler.send_object(400, error(f"{said} You sent a longer prompt of {asked} tokens."))
    else:
        _good(handler, script)


def _picky(handler: Handler, script: ScriptedServer) -> None:
    """Like servers that refuse optional fields by name."""
    for name in ("temperature", "stream_options"):
        if name in script.chats[-1].body:
            handler.send_object(400, error(f"Unsupported value: '{name}'."))
            return
    _good(handler, script)


BEHAVIOURS: dict[str, Callable[[Handler, ScriptedServer], None]] = {
    "good": _good,
    "invented_marker": _invented_marker,
    "wrong_number": _wrong_number,
    "no_marker": _no_marker,
    "not_stated": _not_stated,
    "echo": _echo,
    "400": _status(400, "The prompt is longer than the context."),
    "401": _status(401, "Unauthorized."),
    "403": _status(403, "Forbidden."),
    "404": _status(404, "No such model."),
    "500": _status(500, "Something broke."),
    "echo_key": _echo_key,
    "429_then_good": _limited,
    "429_long": _limited_long,
    "no_credit": _no_credit,
    "cut": _cut,
    "no_finish": _no_finish,
    "length": _length,
    "content_filter": _filtered,
    "hang_first": _hang_first,
    "hang_headers": _hang_headers,
    "hang_middle": _hang_middle,
    "drip": _drip,
    "endless": _endless,
    "error_in_stream": _error_in_stream,
    "error_first": _error_first,
    "broken_json": _broken_json,
    "empty": _empty,
    "blank": _blank,
    "web_page": _web_page,
    "redirect": _redirect,
    "picky": _picky,
    "narrow": _narrow,
}
