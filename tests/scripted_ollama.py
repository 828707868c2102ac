"""The scripted server in the protocol of Ollama: lines of JSON, a model that tells its context."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.scripted_behaviours import MODEL, pieces, sentence

if TYPE_CHECKING:
    from tests.scripted_server import Handler, ScriptedServer

CONTEXT = 8192


def show(handler: Handler, script: ScriptedServer) -> None:
    """What is known of a model."""
    handler.send_object(200, {"model_info": {"tree.context_length": CONTEXT}})


def chat(handler: Handler, script: ScriptedServer) -> None:
    """An answer as `good` gives it, cut where the server is told to behave like "length"."""
    text = script.answer or f"{sentence(script)} [P1]."
    handler.send_response(200)
    handler.send_header("content-type", "application/x-ndjson")
    handler.send_header("connection", "close")
    handler.end_headers()
    handler.close_connection = True
    for piece in pieces(text):
        _line(handler, piece, done=False)
        if script.pause and script.closing.wait(script.pause):
            return
    reason = "length" if script.behaviour == "length" else "stop"
    counts = {"done_reason": reason, "prompt_eval_count": 11, "eval_count": 7}
    _line(handler, "", done=True, **counts)


def _line(handler: Handler, text: str, **fields: Any) -> None:
    message = {"role": "assistant", "content": text}
    line = {"model": MODEL, "created_at": "2026-12-01T00:00:00Z", "message": message, **fields}
    handler.wfile.write(json.dumps(line).encode() + b"\n")
    handler.wfile.flush()
