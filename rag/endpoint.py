"""An OpenAI-compatible endpoint: its client, retries, the models it lists, embeddings.

Goes in: an address, a key, texts, a `Line`. Comes out: what the endpoint gave, or a `ModelError`.
With chat.py and failures.py the only file that imports openai; knows nothing of settings and of
papers. Other files import it inside functions: loading it takes seconds.
"""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Timer
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2
import openai

from rag.errors import ContextFull, ModelError, SettingsError
from rag.failures import CHAT, EMBEDDINGS, Use, failure, place, retry_after
from rag.line import Line
from rag.overflow import overflow

CONNECT_SECONDS = 10.0
# A local server may read a long prompt for a minute or two before its first byte.
READ_SECONDS = 120.0
LIST_SECONDS = 15.0
TRIES = 3
# The wait before another try where the server names none; doubled each time.
PAUSE_SECONDS = 0.5
# Sent where only an address is set: local servers ask for no key, the client insists on one.
NO_KEY = "none"
# What a model takes, in its entry in the list: vLLM and SGLang; routers; Groq; Mistral. llama.cpp
# tells what it was started with, and what the model was trained for, in a field of its own.
WINDOWS = ("max_model_len", "context_length", "context_window", "max_context_length")
META_WINDOWS = ("n_ctx", "n_ctx_train")
# What a request may carry; the client would add headers named in the environment.
HEADERS = frozenset(
    "accept accept-encoding authorization connection content-length content-type host"
    " transfer-encoding user-agent".split()
)


def _trusted() -> ssl.SSLContext:
    return httpx2.create_ssl_context(trust_env=False)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go. The key is not in the repr; the certificates are read once."""

    address: str
    key: str = field(repr=False)
    tls: ssl.SSLContext = field(default_factory=_trusted, repr=False, compare=False)

    def client(self, line: Line) -> openai.OpenAI:
        """A client for one request within the line's deadline: so its socket is its own."""

        def prepare(request: httpx2.Request) -> None:
            kept = [(name, value) for name, value in request.headers.items() if name in HEADERS]
            request.headers = httpx2.Headers(kept)
            request.headers["authorization"] = f"Bearer {self.key}"
            request.extensions = {**request.extensions, "trace": line.trace}

        left = max(line.left, 0.001)
        timeout = httpx2.Timeout(
            min(READ_SECONDS, left), connect=min(CONNECT_SECONDS, left), pool=left
        )
        # trust_env is off on purpose. With it HTTP_PROXY and its kin would send the key, the
        # question and the abstracts to a host that no setting of this program names, even for a
        # server on this machine; .netrc could replace the key, SSL_CERT_FILE decide who is trusted.
        # For the same reason no redirect is followed: all goes to the address in the settings.
        http = httpx2.Client(
            verify=self.tls,
            trust_env=False,
            follow_redirects=False,
            timeout=timeout,
            event_hooks={"request": [prepare]},
        )
        return openai.OpenAI(
            api_key=self.key,
            base_url=self.address,
            max_retries=0,
            timeout=timeout,
            http_client=http,
        )


def endpoint_at(address: str, key: str | None) -> Endpoint:
    """The endpoint at an address; raises `SettingsError` where that or the key cannot be used."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(
            f"OPENAI_BASE_URL is {address!r}, which is no web address; write it like "
            "http://127.0.0.1:8080/v1."
        )
    key = key or NO_KEY
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise SettingsError(
            "OPENAI_API_KEY holds a space or a character that no key has; copy the key again."
        )
    return Endpoint(address, key)


@dataclass(frozen=True, slots=True)
class Listed:
    """A model that an endpoint lists; `context_window` is in tokens, None where it is not told."""

    id: str
    context_window: int | None


def listed_models(endpoint: Endpoint) -> list[Listed]:
    """The models that the endpoint lists, by name. Raises `ModelError`."""
    with told(endpoint, None), endpoint.client(Line(LIST_SECONDS)) as client:
        found = client.models.list().data or []
        return sorted((_listed(model.to_dict()) for model in found), key=lambda model: model.id)


def _listed(fields: dict[str, Any]) -> Listed:
    """Read a model's entry; `WINDOWS` says where servers tell its context."""
    meta = fields.get("meta")
    told = [fields.get(name) for name in WINDOWS]
    told += [meta.get(name) for name in META_WINDOWS] if isinstance(meta, dict) else []
    windows = [value for value in told if isinstance(value, int) and value > 0]
    return Listed(str(fields["id"]), min(windows, default=None))


def embeddings(
    endpoint: Endpoint, model: str, texts: Sequence[str], line: Line
) -> list[list[float]]:
    """A vector for each text, in their order; asked again where the server says to come later.

    Ends by the line's deadline. Raises `ModelError`, also where vectors are missing.
    """
    body = {"model": model, "input": list(texts), "encoding_format": "float"}
    watch = Timer(line.left, line.hang_up)  # the client's time-out is one for each read
    watch.daemon = True
    watch.start()
    try:
        with told(endpoint, model, EMBEDDINGS), endpoint.client(line) as client:
            made = patiently(lambda: client.post("/embeddings", cast_to=object, body=body), line)
    except ModelError:
        if line.left > 0:
            raise
        raise ModelError(
            f"The model endpoint {place(endpoint.address)} gave no vectors within "
            f"{line.seconds:g} seconds: ask again, or check that the server is not overloaded."
        ) from None
    finally:
        watch.cancel()
    data = made.get("data") if isinstance(made, dict) else None
    items = data if isinstance(data, list) else []
    found = {item["index"]: item["embedding"] for item in items if _is_vector(item)}
    if sorted(found) != list(range(len(texts))):
        raise ModelError(
            f"The model endpoint {place(endpoint.address)} gave {len(found)} vectors for "
            f"{len(texts)} texts: check that {model!r} is an embedding model and that "
            "OPENAI_BASE_URL is right (often it ends in /v1)."
        )
    return [found[number] for number in range(len(texts))]


def _is_vector(item: Any) -> bool:
    """Whether an entry has a place and numbers."""
    if not isinstance(item, dict) or not isinstance(item.get("index"), int):
        return False
    values = item.get("embedding")
    return isinstance(values, list) and all(isinstance(value, float | int) for value in values)


Made = TypeVar("Made")


def patiently(ask: Callable[[], Made], line: Line) -> Made:
    """Ask; where the server says to come later, do so within the deadline."""
    tries = 1
    while True:
        try:
            return ask()
        except (openai.RateLimitError, openai.InternalServerError) as error:
            pause = _pause(error, tries)
            if tries == TRIES or pause is None or pause >= line.left:
                raise
            tries += 1
            line.wait(pause)
            if line.hung:
                raise


@contextlib.contextmanager
def told(endpoint: Endpoint, model: str | None, use: Use = CHAT) -> Iterator[None]:
    """What fails inside is raised as a `ModelError`, or a `ContextFull`."""
    try:
        yield
    # ValueError: no JSON, no UTF-8, a number of 5,000 digits; RecursionError: JSON too deep.
    except (openai.OpenAIError, httpx2.HTTPError, ValueError, RecursionError) as error:
        # Not chained: the client's error holds the request, and with it the key.
        words = failure(error, endpoint.address, endpoint.key, model, use)
        full = overflow(error.body) if isinstance(error, openai.APIError) else None
        raise (ModelError(words) if full is None else ContextFull(words, full.window)) from None


def _pause(error: openai.APIStatusError, tries: int) -> float | None:
    """Seconds to wait before another try; None where another try cannot help."""
    if error.code == "insufficient_quota":
        return None
    named = retry_after(error)
    return PAUSE_SECONDS * 2 ** (tries - 1) if named is None else named
