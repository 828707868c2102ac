"""A scripted OpenAI-compatible server on loopback: does what a test says, records what it saw.

    with ScriptedServer() as server:
        server.behave("good")                  # or another name in scripted_behaviours.py
        ...                                    # OPENAI_BASE_URL = server.base_url
        server.models = [{"id": "a"}]          # what it lists, else MODEL alone
        server.requests[0].body["messages"]    # what it was asked
        server.sent[0]                         # when a piece was sent, in seconds
        server.hung_up.wait(5)                 # a client went away in the middle of an answer

Its good answer is made from the evidence it was sent: the first sentence of the first paper, with
its key. `answer` replaces the text, `answers` the texts one by one; `pause` is the wait between two
pieces, in seconds; `context` what "narrow" takes, in tokens. `embedding` names what requests for
vectors get: see scripted_embeddings.py.
"""

from __future__ import annotations

import json
import select
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests import scripted_ollama
from tests.scripted_behaviours import BEHAVIOURS, MODEL, chunk
from tests.scripted_embeddings import EMBEDDINGS

__all__ = ["MODEL", "Asked", "ScriptedServer"]


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
        self.sent: list[float] = []
        self.models: list[dict[str, Any]] = [{"id": MODEL}]
        self.behaviour = "good"
        self.embedding = "good"
        self.answer: str | None = None
        self.answers: list[str] = []
        self.pause = 0.0
        self.context, self.names_context = 1000, True
        self.hung_up = threading.Event()
        self.closing = threading.Event()
        self.forward_to = ""
        self.tried = 0

    def __enter__(self) -> ScriptedServer:
        owner = self

        class Bound(Handler):
            server_script = owner

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
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
        return [each for each in self.requests if each.path.endswith(("/completions", "/api/chat"))]


class Handler(BaseHTTPRequestHandler):
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
        rest = {"object": "model", "created": 1, "owned_by": "tests"}
        self.send_object(200, {"object": "list", "data": [rest | model for model in script.models]})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        self._record(json.loads(self.rfile.read(length)))
        script = self.server_script
        try:
            if self.path.endswith("/embeddings"):
                EMBEDDINGS[script.embedding](self, script)
            elif self.path == "/api/chat":
                scripted_ollama.chat(self, script)
            elif self.path == "/api/show":
                scripted_ollama.show(self, script)
            else:
                BEHAVIOURS[script.behaviour](self, script)
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
        self.server_script.sent.append(time.time())
        self.event(json.dumps(chunk({"content": text}, None)))

    def end(self, reason: str) -> None:
        self.event(json.dumps(chunk({}, reason)))
        if self.server_script.chats[-1].body.get("stream_options"):
            usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
            self.event(json.dumps({**chunk({}, None), "choices": [], "usage": usage}))
        self.event("[DONE]")

    def hang(self) -> None:
        """Wait until the client goes away (noted) or the server closes."""
        while not self.server_script.closing.is_set():
            ready, _, _ = select.select([self.connection], [], [], 0.02)
            if ready and self.connection.recv(1) == b"":
                self.server_script.hung_up.set()
                return
