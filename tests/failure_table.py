"""Every way in which a model endpoint fails -> docs/failures.md, from what is really said.

    python -m tests.failure_table        # writes the page anew

Each row is made by asking the scripted server, or an address where nothing is.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from rag.errors import ColloquyError
from rag.llm import open_model, stream
from rag.prompts import Message
from rag.settings import Settings
from tests.scripted_server import MODEL, ScriptedServer
from tests.streams import read

PAGE = Path(__file__).parents[1] / "docs" / "failures.md"
# What stands in the page for the address of a server that a test started.
SHOWN = "http://127.0.0.1:8080/v1"
KEY = "sk-a-key-that-must-not-be-shown"
MESSAGES = (
    Message("system", "Answer from the excerpts."),
    Message("user", "=== begin P1 ===\nName: Oak\nAbstract: Oak sorts leaves.\n=== end P1 ==="),
)
# Seconds that a model is given: for one that keeps silent, and for all others.
SHORT, LONG = 0.4, 20.0

# What the endpoint does, the scripted behaviour, and whether only the deadline ends it.
ROWS = (
    ("refuses the key", "401", False),
    ("refuses the key and repeats it", "echo_key", False),
    ("does not let the key use the model", "403", False),
    ("does not know the model", "404", False),
    ("refuses the request", "400", False),
    ("asks to come back after the deadline", "429_long", False),
    ("has no credit left", "no_credit", False),
    ("fails, three times", "500", False),
    ("sends its visitors elsewhere", "redirect", False),
    ("answers with a web page", "web_page", False),
    ("ends without a word", "empty", False),
    ("writes nothing but white space", "blank", False),
    ("filters the answer", "content_filter", False),
    ("reports an error before the first word", "error_first", False),
    ("reports an error after some words", "error_in_stream", False),
    ("sends what is not JSON", "broken_json", False),
    ("breaks off inside a piece", "cut", False),
    ("ends without saying why", "no_finish", False),
    ("reaches its length limit", "length", False),
    ("never stops writing", "endless", False),
    ("accepts and keeps silent", "hang_first", True),
    ("sends headers and keeps silent", "hang_headers", True),
    ("keeps the line open without a word", "drip", True),
    ("falls silent after some words", "hang_middle", True),
)
HEAD = """# When a model fails

One sentence with the cause and the remedy; what was streamed stays, marked as incomplete; nothing
is replaced by extracts. An answer ends by its deadline (300 seconds in all) whatever the endpoint
does; a connection is waited for 10 seconds, each further piece 120. A server that asks to come back
(429, or any 5xx) is asked three times in all, after the time that it names, within the deadline.
The key stands in no message. Made by `python -m tests.failure_table` with deadlines of 0.4 and 20
seconds, and compared with what is said by the tests.

| the endpoint | shown | ends | what is said |
|---|---|---|---|
"""


@dataclass(frozen=True)
class Row:
    """A failure as a reader meets it."""

    what: str
    shown: str
    ends: str
    said: str

    def line(self) -> str:
        return f"| {self.what} | {self.shown} | {self.ends} | {self.said} |"


def rows() -> Iterator[Row]:
    """Every failure, tried now."""
    with ScriptedServer() as server:
        server.forward_to = "http://127.0.0.1:9/v1"
        for what, behaviour, silent in ROWS:
            server.behave(behaviour)
            settings = Settings(model=MODEL, api_key=KEY, base_url=server.base_url)
            yield _row(what, settings, SHORT if silent else LONG)
        server.models = []
        yield _opening("lists no model", Settings(base_url=server.base_url))
        server.models = [{"id": "one"}, {"id": "two"}]
        yield _opening("lists several models", Settings(base_url=server.base_url))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    yield _row("is not there", Settings(model=MODEL, base_url=address), LONG)
    with patch.object(socket, "getaddrinfo", side_effect=socket.gaierror(-2, "unknown")):
        address = "http://no-such-host.invalid/v1"
        yield _row("has a name that is not known", Settings(model=MODEL, base_url=address), LONG)
    yield _opening("has an address that is none", Settings(model=MODEL, base_url="localhost"))
    yield _opening("has a key with a space", Settings(model=MODEL, api_key="sk-a b"))


def _row(what: str, settings: Settings, seconds: float) -> Row:
    ends = "at the deadline" if seconds == SHORT else "at once"
    try:
        pieces, ending = read(stream(open_model(settings), MESSAGES, seconds))
    except ColloquyError as error:
        return Row(what, "the message alone", ends, _plain(str(error), settings))
    shown = "what was written, incomplete" if pieces else "nothing"
    return Row(what, shown, ends, _plain(str(ending.error), settings))


def _opening(what: str, settings: Settings) -> Row:
    try:
        open_model(settings)
    except ColloquyError as error:
        return Row(what, "the message alone", "before any question", _plain(str(error), settings))
    raise AssertionError(f"{what!r} did not fail")


def _plain(said: str, settings: Settings) -> str:
    assert KEY not in said
    address = settings.base_url or SHOWN
    started = address.startswith("http://127.0.0.1:")
    return (said.replace(address, SHOWN) if started else said).replace("|", "\\|")


def page() -> str:
    """The whole page."""
    return HEAD + "\n".join(row.line() for row in rows()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
