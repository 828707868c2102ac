"""What the scripted server can do with a request for vectors, by name: see scripted_server.py.

A good vector is the mean of a random direction for each word, so that texts with the same words lie
near each other.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.scripted_behaviours import BEHAVIOURS, error

if TYPE_CHECKING:
    from tests.scripted_server import Handler, ScriptedServer

DIMENSION = 24


def vector(text: str, dimension: int = DIMENSION) -> list[float]:
    found = re.findall(r"\w+", text.casefold()) or [text]
    rows = [
        np.random.default_rng(zlib.crc32(word.encode())).normal(size=dimension) for word in found
    ]
    return [float(value) for value in np.mean(rows, axis=0)]


def _give(handler: Handler, vectors: list[list[float]], order: int = 1) -> None:
    data: list[dict[str, Any]] = [
        {"object": "embedding", "index": number, "embedding": row}
        for number, row in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    handler.send_object(
        200, {"object": "list", "data": data[::order], "model": "e", "usage": usage}
    )


def _texts(script: ScriptedServer) -> list[str]:
    return list(script.requests[-1].body["input"])


def _good(handler: Handler, script: ScriptedServer) -> None:
    _give(handler, [vector(text) for text in _texts(script)])


def _backwards(handler: Handler, script: ScriptedServer) -> None:
    _give(handler, [vector(text) for text in _texts(script)], order=-1)


def _short(handler: Handler, script: ScriptedServer) -> None:
    _give(handler, [vector(text) for text in _texts(script)][1:])


def _uneven(handler: Handler, script: ScriptedServer) -> None:
    _give(handler, [vector(text, DIMENSION + n % 2) for n, text in enumerate(_texts(script))])


def _limited(handler: Handler, script: ScriptedServer) -> None:
    script.tried += 1
    if script.tried % 2:
        handler.send_object(429, error("Slow down."), Retry_After="0.01")
    else:
        _good(handler, script)


def _strange(handler: Handler, script: ScriptedServer) -> None:
    """Like a chat server that answers anything."""
    handler.send_object(200, {"object": "list", "data": [{"index": 0, "embedding": "AAAA"}]})


def _not_numbers(handler: Handler, script: ScriptedServer) -> None:
    _give(handler, [[float("nan")] * DIMENSION for _ in _texts(script)])


def _web_page(handler: Handler, script: ScriptedServer) -> None:
    BEHAVIOURS["web_page"](handler, script)


def _raw(data: bytes) -> Callable[[Handler, ScriptedServer], None]:
    """Bytes that say that they are JSON."""

    def send(handler: Handler, script: ScriptedServer) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return send


def _huge(handler: Handler, script: ScriptedServer) -> None:
    """Whole numbers that no float can hold."""
    rows: list[Any] = [[10**400] * DIMENSION for _ in _texts(script)]
    _give(handler, rows)


def _drip(handler: Handler, script: ScriptedServer) -> None:
    """A blank at a time, for ever: no read of it takes long."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.end_headers()
    while not script.closing.wait(0.02):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def _unknown(handler: Handler, script: ScriptedServer) -> None:
    handler.send_object(404, error("No such model."))


def _fails(handler: Handler, script: ScriptedServer) -> None:
    handler.send_object(500, error("Something broke."), Retry_After="0.01")


def _other_size(handler: Handler, script: ScriptedServer) -> None:
    _give(handler, [vector(text, DIMENSION + 1) for text in _texts(script)])


def _refused(handler: Handler, script: ScriptedServer) -> None:
    handler.send_object(401, error(f"Bad key: {script.requests[-1].headers['authorization']}"))


EMBEDDINGS: dict[str, Callable[[Handler, ScriptedServer], None]] = {
    "good": _good,
    "backwards": _backwards,
    "short": _short,
    "uneven": _uneven,
    "limited": _limited,
    "refused": _refused,
    "strange": _strange,
    "not_numbers": _not_numbers,
    "web_page": _web_page,
    "broken": _raw(b'{"data": ['),
    "deep": _raw(b"[" * 100_000),
    "no_text": _raw(b"\xff\xfe\x00"),
    "digits": _raw(b'{"data": 1' + b"0" * 5000 + b"}"),
    "number": _raw(b'{"data": 5}'),
    "huge": _huge,
    "drip": _drip,
    "unknown": _unknown,
    "fails": _fails,
    "other_size": _other_size,
}
