"""What went wrong at a model endpoint -> a sentence with its cause and its remedy.

Goes in: an exception of the openai client or of what lies under it, and the address. Comes out:
text. It imports openai as endpoint.py and chat.py do, and makes no request.
"""

from __future__ import annotations

import math
import socket
import ssl
import time
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx2
import openai

SHOWN_CHARACTERS = 200


class Use(NamedTuple):
    """What an endpoint is asked for, and the setting that names the model for it."""

    service: str
    setting: str


CHAT = Use("chat", "COLLOQUY_MODEL")
EMBEDDINGS = Use("embeddings", "COLLOQUY_EMBEDDER")

_LOOK_AT_LOG = "ask again; if it goes on, look at the endpoint's log"
_CHECK_ADDRESS = "check OPENAI_BASE_URL (often it ends in /v1)"
# Of answers that are not 200: cause and remedy. 429 and what has ranges is told by `_status_words`.
_STATUS = {
    401: ("refused the key (401)", "set OPENAI_API_KEY to a key that is valid there"),
    403: (
        "does not let this key use the model {model!r} (403)",
        "choose another model by {use.setting}, or use another key",
    ),
    404: (
        "has no model {model!r}, or no {use.service} at this address (404)",
        "set {use.setting} to a model that it lists, and " + _CHECK_ADDRESS,
    ),
}


def failure(error: Exception, address: str, key: str, model: str | None, use: Use = CHAT) -> str:
    """The sentence for a failed request: for what `model` is used for, or for the list of models
    where that is None. The key does not occur in it, whatever the endpoint said."""
    if isinstance(error, openai.APIStatusError):
        cause, remedy = _status_words(error, model, use)
    else:
        cause, remedy = _transport_words(error, address)
    said = words_of(error).replace(key, "***")
    said = f" (it said: {said!r})" if said else ""
    return f"The model endpoint {place(address)} {cause}{said}: {remedy}."


def place(address: str) -> str:
    """The address without a password or a query that may stand in it."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}".rstrip("/")


def words_of(error: Exception) -> str:
    """What the endpoint itself said, in short; empty where nothing was said."""
    body = error.body if isinstance(error, openai.APIError) else None
    said = body.get("message") if isinstance(body, dict) else body
    return short(str(said)) if said else ""


def short(text: str) -> str:
    """A text as one line of at most `SHOWN_CHARACTERS`."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARACTERS else line[: SHOWN_CHARACTERS - 1] + "…"


def retry_after(error: openai.APIStatusError) -> float | None:
    """Seconds that the endpoint asks to wait, from a number or a date; None where it names none."""
    value = error.response.headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(value)) if math.isfinite(float(value)) else None
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _status_words(error: openai.APIStatusError, model: str | None, use: Use) -> tuple[str, str]:
    """Cause and remedy of an answer that is not 200."""
    status = error.status_code
    if status == 429 and error.code == "insufficient_quota":
        return "says that the account has no credit left (429)", "add credit, or use another key"
    if status == 429:
        wait = retry_after(error)
        when = f"in {wait:.0f} seconds" if wait else "in a while"
        return "gets too many requests (429)", f"ask again {when}"
    if status >= 500:
        return f"failed ({status})", "ask again later, or look at the endpoint's log"
    if status < 400:
        return (
            f"sends its visitors elsewhere ({status}), where the key is not sent",
            "set OPENAI_BASE_URL to the address that it moved to",
        )
    if model is None and status in (403, 404):
        return (
            f"does not list its models at this address ({status})",
            f"set COLLOQUY_MODEL, and {_CHECK_ADDRESS}",
        )
    if status in _STATUS:
        cause, remedy = _STATUS[status]
        return cause.format(model=model, use=use), remedy.format(use=use)
    return (
        f"refused the request ({status})",
        "read what it said; a model with a larger context may be needed",
    )


def _transport_words(error: Exception, address: str) -> tuple[str, str]:
    """Cause and remedy where there was no answer, or a broken one."""
    causes = _causes(error)
    if any(isinstance(cause, openai.APITimeoutError | httpx2.TimeoutException) for cause in causes):
        return "did not answer in time", "ask again, or check that the server is not overloaded"
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        host = urlsplit(address).hostname
        return f"has the host name {host!r}, which is not known", "check OPENAI_BASE_URL"
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return "could not be reached securely", "check its certificate, or OPENAI_BASE_URL"
    if any(isinstance(cause, httpx2.ConnectError | ConnectionRefusedError) for cause in causes):
        return "cannot be reached", "start the server, or correct OPENAI_BASE_URL"
    if any(isinstance(cause, httpx2.TransportError) for cause in causes):
        return "broke the connection off", _LOOK_AT_LOG
    if isinstance(error, ValueError | RecursionError):
        return (
            "sent something that is not an event stream of JSON",
            "check that OPENAI_BASE_URL is an OpenAI-compatible address",
        )
    return "reported an error", _LOOK_AT_LOG


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in found:
        found.append(cause)
        cause = cause.__cause__ or cause.__context__
    return found
