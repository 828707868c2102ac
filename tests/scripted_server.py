"""A scripted OpenAI-compatible server on loopback: does what a test says, records what it saw.

    with ScriptedServer() as server:
        server.behave("good")                  # or any other name in BEHAVIOURS
        ...                                    # OPENAI_BASE_URL = server.base_url
        server.requests[0].body["messages"]    # what it was asked
        server.hung_up.wait(5)                 # a client went away in the middle of an answer

Its good answer is made from the evidence it was sent: the first sentence of the first paper, with
its key. `answer` replaces the text, `pause` is the wait between two pieces, in seconds.
"""

from __future__ import annotations

import json
import re
import select
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

MODEL = "scripted-1"
_ABSTRACT = re.compile(r"=== begin (P\d+) ===\nName: .*\nAbstract: (.*)\n=== end", re.MULTILINE)


@dataclass(frozen=True)
class Asked:
    """A request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """The text of the last message."""
        return str(self.body["messages"][-1]["content"])


class ScriptedServer:
    """A server that runs while its `with` block does."""

    def __init__(self) -> None:
        self.requests: list[Asked] = []
        self.models = [MODEL]
        self.behaviour = "good"
        self.answer: str | None = None
        self.pause = 0.0
        self.hung_up = threading.Event()
        self.closing = threading.Event()
        self.forward_to = ""
        self.tried = 0

    def __enter__(self) -> ScriptedServer:
        owner = self

        class Handler(_Handler):
            server_script = owner

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def behave(self, name: str, *, answer: str | None = None, pause: float = 0.0) -> None:
        """What the next requests get: a name in BEHAVIOURS."""
        if name not in BEHAVIOURS:
            raise ValueError(f"no behaviour {name!r}; there are {sorted(BEHAVIOURS)}")
        self.behaviour, self.answer, self.pause, self.tried = name, answer, pause, 0
        self.hung_up.clear()

    @property
    def chats(self) -> list[Asked]:
        """The requests for an answer, without those for the list of models."""
        return [asked for asked in self.requests if asked.path.endswith("/chat/completions")]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_script: ScriptedServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Nothing is written to stderr."""

    def do_GET(self) -> None:
        self._record({})
        script = self.server_script
        if script.behaviour in ("401", "403", "404", "500"):
            BEHAVIOURS[script.behaviour](self, script)
            return
        models = [] if script.behaviour == "no_models" else script.models
        if script.behaviour == "several_models":
            models = ["scripted-1", "scripted-2", "scripted-3"]
        self.send_object(200, {"object": "list", "data": [_model(name) for name in models]})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        self._record(json.loads(self.rfile.read(length)))
        try:
            BEHAVIOURS[self.server_script.behaviour](self, self.server_script)
        except (BrokenPipeError, ConnectionResetError):
            self.server_script.hung_up.set()
            self.close_connection = True

    def _record(self, body: dict[str, Any]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server_script.requests.append(Asked(self.command, self.path, headers, body))

    def send_object(self, status: int, value: Any, **headers: str) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(data)

    def begin(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, data: str) -> None:
        self.wfile.write(f"data: {data}\n\n".encode())
        self.wfile.flush()

    def piece(self, text: str) -> None:
        self.event(json.dumps(_chunk({"content": text}, None)))

    def end(self, reason: str) -> None:
        self.event(json.dumps(_chunk({}, reason)))
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        self.event(json.dumps({**_chunk({}, None), "choices": [], "usage": usage}))
        self.event("[DONE]")

    def hang(self) -> None:
        """Wait until the client goes away (noted) or the server closes."""
        while not self.server_script.closing.is_set():
            ready, _, _ = select.select([self.connection], [], [], 0.02)
            if ready and self.connection.recv(1) == b"":
                self.server_script.hung_up.set()
                return


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1, "owned_by": "tests"}


def _chunk(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    return {
        "id": "chat-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": MODEL,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def _error(message: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "scripted", "param": None, "code": code}}


def _sentence(script: ScriptedServer) -> str:
    """The first sentence of the first paper in the last request, without its full stop."""
    found = _ABSTRACT.search(script.chats[-1].prompt)
    abstract = found.group(2) if found else "Nothing was sent."
    return re.split(r"(?<=[.!?])\s", abstract)[0].rstrip(".!?")


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces of seven characters, so that markers are split too."""
    for start in range(0, len(text), 7):
        yield text[start : start + 7]


def _say(handler: _Handler, script: ScriptedServer, text: str, finish: str | None) -> None:
    handler.begin()
    handler.event(json.dumps(_chunk({"role": "assistant", "content": ""}, None)))
    for piece in _pieces(script.answer if script.answer is not None else text):
        handler.piece(piece)
        if script.pause and script.closing.wait(script.pause):
            return
    if finish:
        handler.end(finish)


def _good(handler: _Handler, script: ScriptedServer) -> None:
    _say(handler, script, f"{_sentence(script)} [P1].", "stop")


def _invented_marker(handler: _Handler, script: ScriptedServer) -> None:
    _say(handler, script, f"{_sentence(script)} [P1]. It is used everywhere [P99].", "stop")


def _wrong_number(handler: _Handler, script: ScriptedServer) -> None:
    text = re.sub(r"\d", lambda digit: str((int(digit.group()) + 4) % 10), _sentence(script))
    _say(handler, script, f"{text}, and 98.76% of the rest [P1].", "stop")


def _no_marker(handler: _Handler, script: ScriptedServer) -> None:
    _say(handler, script, f"{_sentence(script)}.", "stop")


def _not_stated(handler: _Handler, script: ScriptedServer) -> None:
    _say(handler, script, "The excerpts do not give the cost of training [NOT STATED].", "stop")


def _limited(handler: _Handler, script: ScriptedServer) -> None:
    script.tried += 1
    if script.tried == 1:
        handler.send_object(429, _error("Slow down."), Retry_After="0.05")
    else:
        _good(handler, script)


def _limited_long(handler: _Handler, script: ScriptedServer) -> None:
    handler.send_object(429, _error("Slow down."), Retry_After="600")


def _no_credit(handler: _Handler, script: ScriptedServer) -> None:
    handler.send_object(429, _error("You have no credit.", "insufficient_quota"))


def _status(status: int, message: str) -> Callable[[_Handler, ScriptedServer], None]:
    def answer(handler: _Handler, script: ScriptedServer) -> None:
        handler.send_object(status, _error(message), Retry_After="0.01")

    return answer


def _echo_key(handler: _Handler, script: ScriptedServer) -> None:
    handler.send_object(401, _error(f"Bad key: {script.requests[-1].headers['authorization']}"))


def _cut(handler: _Handler, script: ScriptedServer) -> None:
    """The connection breaks inside a chunk of the transfer."""
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.send_header("transfer-encoding", "chunked")
    handler.end_headers()
    data = f"data: {json.dumps(_chunk({'content': 'It begins well'}, None))}\n\n".encode()
    handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\nff\r\ndata: {")
    handler.wfile.flush()
    handler.close_connection = True


def _no_finish(handler: _Handler, script: ScriptedServer) -> None:
    _say(handler, script, f"{_sentence(script)} [P1].", None)


def _length(handler: _Handler, script: ScriptedServer) -> None:
    _say(handler, script, f"{_sentence(script)} [P1].", "length")


def _filtered(handler: _Handler, script: ScriptedServer) -> None:
    handler.begin()
    handler.end("content_filter")


def _hang_first(handler: _Handler, script: ScriptedServer) -> None:
    handler.hang()


def _hang_headers(handler: _Handler, script: ScriptedServer) -> None:
    handler.begin()
    handler.hang()


def _hang_middle(handler: _Handler, script: ScriptedServer) -> None:
    handler.begin()
    handler.piece("It begins well")
    handler.hang()


def _drip(handler: _Handler, script: ScriptedServer) -> None:
    """Comments keep the connection alive for ever, and no text comes."""
    handler.begin()
    while not script.closing.wait(0.02):
        handler.wfile.write(b": still here\n\n")
        handler.wfile.flush()


def _endless(handler: _Handler, script: ScriptedServer) -> None:
    handler.begin()
    while not script.closing.is_set():
        handler.piece("and so on " * 100)


def _error_in_stream(handler: _Handler, script: ScriptedServer) -> None:
    handler.begin()
    handler.piece("It begins well")
    handler.event(json.dumps(_error("The graphics card is on fire.")))


def _error_first(handler: _Handler, script: ScriptedServer) -> None:
    handler.begin()
    handler.event(json.dumps(_error("The graphics card is on fire.")))


def _broken_json(handler: _Handler, script: ScriptedServer) -> None:
    handler.begin()
    handler.event('{"id": "chat-1", "choi')


def _empty(handler: _Handler, script: ScriptedServer) -> None:
    _say(handler, script, "", "stop")


def _blank(handler: _Handler, script: ScriptedServer) -> None:
    _say(handler, script, " \n  \n ", "stop")


def _web_page(handler: _Handler, script: ScriptedServer) -> None:
    data = b"<html><body>Welcome.</body></html>"
    handler.send_response(200)
    handler.send_header("content-type", "text/html")
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def _redirect(handler: _Handler, script: ScriptedServer) -> None:
    handler.send_response(307)
    handler.send_header("location", f"{script.forward_to}/chat/completions")
    handler.send_header("content-length", "0")
    handler.end_headers()


def _picky(handler: _Handler, script: ScriptedServer) -> None:
    """Like servers that refuse optional fields by name."""
    for name in ("temperature", "stream_options"):
        if name in script.chats[-1].body:
            handler.send_object(400, _error(f"Unsupported value: '{name}'."))
            return
    _good(handler, script)


BEHAVIOURS: dict[str, Callable[[_Handler, ScriptedServer], None]] = {
    "good": _good,
    "invented_marker": _invented_marker,
    "wrong_number": _wrong_number,
    "no_marker": _no_marker,
    "not_stated": _not_stated,
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
    "several_models": _good,
    "no_models": _good,
}
