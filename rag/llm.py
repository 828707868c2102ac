"""The language model: messages -> pieces of text, within a deadline, every failure in words.

Goes in: `Settings` or any LlamaIndex `LLM`, and `Message`s. Comes out: str pieces and an `Ending`,
or a `ModelError`. The only file that imports openai or LlamaIndex LLM classes; it knows nothing of
papers. Other files import it inside functions: loading it takes seconds.

A model runs in a thread of its own, so that the deadline holds whatever it does: one that hangs,
one that drips, one that never ends. Stopping shuts the socket down, which wakes the thread and
tells the server at once. The openai client is made per request: so a request's socket is its own.
"""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseGen,
    LLMMetadata,
)
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.llms.llm import LLM
from openai.types.chat import ChatCompletionChunk

from rag.errors import ModelError, SettingsError
from rag.prompts import Message
from rag.settings import Settings

CONNECT_SECONDS = 10.0
# A local server may read a long prompt for a minute or two before its first byte.
READ_SECONDS = 120.0
LIST_SECONDS = 15.0
# Used where a LlamaIndex program calls the model itself, without a deadline of its own.
DEFAULT_SECONDS = 300.0
TRIES = 3
# The wait before another try where the server names none; doubled each time.
PAUSE_SECONDS = 0.5
# A brief answer has a few hundred words; a model that writes this much has run away.
MAX_CHARACTERS = 40_000
SHOWN_MODELS = 20
SHOWN_CHARACTERS = 200
# Sent where only an address is set: local servers ask for no key, the client insists on one.
NO_KEY = "none"
# What a request may carry; the client would add headers named in the environment.
HEADERS = frozenset(
    "accept accept-encoding authorization connection content-length content-type host"
    " transfer-encoding user-agent".split()
)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a stream ended: `complete` is False where the text was cut, and `error` says why.

    Tokens are None where the endpoint reports none; seconds are wall time from the request on.
    """

    complete: bool
    error: str | None
    model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    first_seconds: float | None
    total_seconds: float


class Line:
    """A request in progress: its deadline, and its socket so that another thread can hang up."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.began = time.monotonic()
        self._hung = Event()
        self._lock = Lock()
        self._sockets: list[socket.socket] = []

    @property
    def left(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(0.0, self.began + self.seconds - time.monotonic())

    @property
    def passed(self) -> float:
        """Seconds since the request began."""
        return time.monotonic() - self.began

    @property
    def hung(self) -> bool:
        return self._hung.is_set()

    def wait(self, seconds: float) -> None:
        """Sleep, but no longer than until somebody hangs up."""
        self._hung.wait(seconds)

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """The HTTP client's trace: keeps the socket of each connection that was opened."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            found = info["return_value"].get_extra_info("socket")
            if isinstance(found, socket.socket):
                with self._lock:
                    self._sockets.append(found)
                    if self.hung:
                        _shut(found)

    def hang_up(self) -> None:
        """End the request now: a read that waits in another thread returns."""
        with self._lock:
            self._hung.set()
            for found in self._sockets:
                _shut(found)


def _shut(found: socket.socket) -> None:
    # The plain socket's shutdown also for TLS: a clean TLS goodbye could block. An error means
    # that the connection is closed already, which is what is wanted.
    with contextlib.suppress(OSError):
        socket.socket.shutdown(found, socket.SHUT_RDWR)


class EndpointLLM(CustomLLM):
    """A LlamaIndex LLM over an OpenAI-compatible endpoint (Chat Completions, streamed).

    Failures are `ModelError`. Options of a call beyond its messages are not taken.
    """

    model: str
    endpoint: str
    _key: str = PrivateAttr()
    _tls: ssl.SSLContext = PrivateAttr()
    _options: dict[str, Any] = PrivateAttr()

    def __init__(self, *, model: str, endpoint: str, key: str) -> None:
        super().__init__(model=model, endpoint=endpoint)
        self._key = key
        self._tls = httpx2.create_ssl_context(trust_env=False)
        # Some servers refuse one of these by name; it is then left out.
        self._options = {"temperature": 0.0, "stream_options": {"include_usage": True}}

    @classmethod
    def class_name(cls) -> str:
        return "EndpointLLM"

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name=self.model, is_chat_model=True)

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponseGen:
        return self.responses(messages, Line(DEFAULT_SECONDS))

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        answer = ChatResponse(message=ChatMessage(role="assistant", content=""))
        for part in self.responses(messages, Line(DEFAULT_SECONDS)):
            answer = part
        return answer

    @llm_completion_callback()
    def complete(self, prompt: str, *_: Any, **__: Any) -> CompletionResponse:
        answer = self.chat([ChatMessage(role="user", content=prompt)])
        return CompletionResponse(text=answer.message.content or "", raw=answer.raw)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, *_: Any, **__: Any) -> CompletionResponseGen:
        messages = [ChatMessage(role="user", content=prompt)]
        for part in self.responses(messages, Line(DEFAULT_SECONDS)):
            yield CompletionResponse(
                text=part.message.content or "", delta=part.delta, raw=part.raw
            )

    def responses(self, messages: Sequence[ChatMessage], line: Line) -> ChatResponseGen:
        """The answer as it comes, bound to a `Line`; closing the generator closes the request."""
        text = ""
        try:
            with self._client(line) as client, self._open(client, messages, line) as chunks:
                for chunk in chunks:
                    delta = _delta(chunk)
                    text += delta
                    message = ChatMessage(role="assistant", content=text)
                    yield ChatResponse(message=message, delta=delta, raw=chunk)
        except (openai.OpenAIError, httpx2.HTTPError, json.JSONDecodeError) as error:
            # Not chained: the client's error holds the request, and with it the key.
            raise ModelError(self._sentence(error)) from None

    def model_ids(self) -> list[str]:
        """The models that the endpoint lists. Raises `ModelError`."""
        line = Line(LIST_SECONDS)
        try:
            with self._client(line) as client:
                return sorted(model.id for model in client.models.list().data or [])
        except (openai.OpenAIError, httpx2.HTTPError, json.JSONDecodeError) as error:
            raise ModelError(self._sentence(error)) from None

    def _client(self, line: Line) -> openai.OpenAI:
        def prepare(request: httpx2.Request) -> None:
            kept = [(name, value) for name, value in request.headers.items() if name in HEADERS]
            request.headers = httpx2.Headers(kept)
            request.headers["authorization"] = f"Bearer {self._key}"
            request.extensions = {**request.extensions, "trace": line.trace}

        left = max(line.left, 0.001)
        timeout = httpx2.Timeout(
            min(READ_SECONDS, left), connect=min(CONNECT_SECONDS, left), pool=left
        )
        # No redirect is followed: the key goes to the address in the settings and nowhere else.
        http = httpx2.Client(
            verify=self._tls,
            trust_env=False,
            follow_redirects=False,
            timeout=timeout,
            event_hooks={"request": [prepare]},
        )
        return openai.OpenAI(
            api_key=self._key,
            base_url=self.endpoint,
            max_retries=0,
            timeout=timeout,
            http_client=http,
        )

    def _open(
        self, client: openai.OpenAI, messages: Sequence[ChatMessage], line: Line
    ) -> openai.Stream[ChatCompletionChunk]:
        """Send the request; where the server says to come later, do so within the deadline."""
        wire: Any = [{"role": item.role.value, "content": item.content} for item in messages]
        tries = 1
        while True:
            try:
                return client.chat.completions.create(
                    model=self.model, messages=wire, stream=True, extra_body=dict(self._options)
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                refused = _refused_option(error, self._options)
                if refused is None:
                    raise
                self._options = {k: v for k, v in self._options.items() if k != refused}
            except (openai.RateLimitError, openai.InternalServerError) as error:
                pause = _pause(error, tries)
                if tries == TRIES or pause is None or pause >= line.left:
                    raise
                tries += 1
                line.wait(pause)
                if line.hung:
                    raise

    def _sentence(self, error: Exception) -> str:
        place = _place(self.endpoint)
        if isinstance(error, openai.APIStatusError):
            cause, remedy = _status_words(error, self.model)
        else:
            cause, remedy = _transport_words(error, self.endpoint)
        said = _said(error).replace(self._key, "***")
        said = f" (it said: {said!r})" if said else ""
        return f"The model endpoint {place} {cause}{said}: {remedy}."


def open_model(settings: Settings) -> LLM:
    """The model that the settings name, or the only one that their endpoint lists.

    Raises `SettingsError` where no endpoint is set, its address or the key cannot be used, or it
    lists no model or several; `ModelError` where the list cannot be read.
    """
    if settings.endpoint is None:
        raise SettingsError(
            "No language model is set up; set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of "
            "your own."
        )
    parts = urlsplit(settings.endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(
            f"OPENAI_BASE_URL is {settings.endpoint!r}, which is no web address; write it like "
            "http://127.0.0.1:8080/v1."
        )
    key = settings.api_key or NO_KEY
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise SettingsError(
            "OPENAI_API_KEY holds a space or a character that no key has; copy the key again."
        )
    model = EndpointLLM(model=settings.model or "", endpoint=settings.endpoint, key=key)
    if settings.model:
        return model
    only = _only_model(model.model_ids(), settings.endpoint)
    return EndpointLLM(model=only, endpoint=settings.endpoint, key=key)


def _only_model(ids: list[str], endpoint: str) -> str:
    if len(ids) == 1:
        return ids[0]
    place = _place(endpoint)
    if not ids:
        raise SettingsError(
            f"The model endpoint {place} lists no model; load one there, or set COLLOQUY_MODEL."
        )
    names = ", ".join(ids[:SHOWN_MODELS])
    more = f" and {len(ids) - SHOWN_MODELS} more" if len(ids) > SHOWN_MODELS else ""
    raise SettingsError(
        f"The model endpoint {place} lists {len(ids)} models; set COLLOQUY_MODEL to one of them: "
        f"{names}{more}."
    )


def stream(
    llm: LLM, messages: Sequence[Message], deadline_seconds: float
) -> Generator[str, None, Ending]:
    """Ask any LlamaIndex LLM: yields the answer's pieces, none of them empty, returns the `Ending`.

    Raises `ModelError` where it fails before the first piece; a break after it is told by the
    `Ending`. Closing the generator closes the request. Ends by the deadline whatever happens.
    """
    line = Line(deadline_seconds)
    inbox: SimpleQueue[ChatResponse | Exception | None] = SimpleQueue()
    Thread(
        target=_pump, args=(llm, messages, line, inbox), name="colloquy-model", daemon=True
    ).start()
    seen = _Seen(model=llm.metadata.model_name)
    try:
        error = yield from _relay(inbox, line, seen)
    finally:
        line.hang_up()
    if seen.first_seconds is None:
        raise ModelError(error or _EMPTY.format(model=seen.model))
    return Ending(
        complete=error is None,
        error=error,
        model=seen.model,
        prompt_tokens=seen.prompt_tokens,
        completion_tokens=seen.completion_tokens,
        first_seconds=seen.first_seconds,
        total_seconds=line.passed,
    )


_EMPTY = (
    "The model {model!r} ended without writing anything: ask again, or check that the address is "
    "that of a chat model (often it ends in /v1)."
)


@dataclass(slots=True)
class _Seen:
    """What a stream has told so far."""

    model: str
    first_seconds: float | None = None
    characters: int = 0
    finish: str | None = None
    expects_finish: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


def _pump(
    llm: LLM,
    messages: Sequence[Message],
    line: Line,
    inbox: SimpleQueue[ChatResponse | Exception | None],
) -> None:
    """Runs in the model's thread: hands on each response, then the failure or None."""
    wire = [ChatMessage(role=item.role, content=item.content) for item in messages]
    try:
        parts = llm.responses(wire, line) if isinstance(llm, EndpointLLM) else llm.stream_chat(wire)
        # Closing is in a generator's nature; an LLM of another kind may hand out a plain iterator.
        with contextlib.closing(parts) if isinstance(parts, Generator) else _nothing():
            for part in parts:
                if line.hung:
                    return
                inbox.put(part)
        inbox.put(None)
    except Exception as error:  # noqa: BLE001 - any vendor's; it crosses to the caller as ModelError
        inbox.put(error)


def _nothing() -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()


def _relay(
    inbox: SimpleQueue[ChatResponse | Exception | None], line: Line, seen: _Seen
) -> Generator[str, None, str | None]:
    """Yield pieces until the end; returns what went wrong, or None."""
    late = (
        f"The model {seen.model!r} did not finish within {line.seconds:g} seconds: ask for less, "
        "or use a faster model."
    )
    while line.left > 0:
        try:
            part = inbox.get(timeout=line.left)
        except Empty:
            return late
        if part is None:
            return _cut(seen)
        if isinstance(part, Exception):
            return _foreign(part, seen.model)
        _note(part, seen)
        piece = part.delta or ""
        if seen.first_seconds is None:
            piece = piece.lstrip()
            seen.first_seconds = line.passed if piece else None
        if piece:
            seen.characters += len(piece)
            yield piece
        if seen.characters > MAX_CHARACTERS:
            return (
                f"The model {seen.model!r} was stopped after {MAX_CHARACTERS:,} characters: ask "
                "again, or use another model."
            )
    return late


def _cut(seen: _Seen) -> str | None:
    """Why a stream that ended by itself is not complete, or None where it is."""
    if seen.finish == "length":
        return (
            f"The model {seen.model!r} reached its length limit, so the answer is cut: ask for "
            "less, or raise the limit or the context size of the endpoint."
        )
    if seen.finish == "content_filter":
        return (
            f"The endpoint's content filter stopped the model {seen.model!r}: word the question "
            "differently, or use another endpoint."
        )
    if seen.expects_finish and seen.finish is None:
        return (
            f"The connection to the model {seen.model!r} ended before the answer did: ask again; "
            "if it happens again, look at the endpoint's log."
        )
    return None


def _foreign(error: Exception, model: str) -> str:
    if isinstance(error, ModelError):
        return str(error)
    said = _short(str(error)) or "no message"
    return f"The model {model!r} failed with {type(error).__name__} ({said}): see its own log."


def _note(part: ChatResponse, seen: _Seen) -> None:
    """Take model, tokens and finish from a response's raw form, where it has OpenAI's shape."""
    raw = part.raw
    seen.model = _field(raw, "model") or seen.model
    usage = _field(raw, "usage")
    if usage is not None:
        seen.prompt_tokens = _field(usage, "prompt_tokens")
        seen.completion_tokens = _field(usage, "completion_tokens")
    choices = _field(raw, "choices")
    if isinstance(raw, ChatCompletionChunk) or choices:
        seen.expects_finish = True
    for choice in choices or []:
        seen.finish = _field(choice, "finish_reason") or seen.finish


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _delta(chunk: ChatCompletionChunk) -> str:
    """The text in a chunk; a server may send chunks without choices, delta or content."""
    for choice in chunk.choices or []:
        if choice.delta is not None and choice.delta.content:
            return choice.delta.content
    return ""


def _refused_option(error: openai.APIStatusError, options: dict[str, Any]) -> str | None:
    said = f"{error.param or ''} {_said(error)}"
    return next((name for name in options if name in said), None)


def _pause(error: openai.APIStatusError, tries: int) -> float | None:
    """Seconds to wait before another try; None where another try cannot help."""
    if error.code == "insufficient_quota":
        return None
    named = _retry_after(error)
    return PAUSE_SECONDS * 2 ** (tries - 1) if named is None else named


def _retry_after(error: openai.APIStatusError) -> float | None:
    value = error.response.headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _status_words(error: openai.APIStatusError, model: str) -> tuple[str, str]:
    """Cause and remedy of an answer that is not 200."""
    status = error.status_code
    if status == 429 and error.code == "insufficient_quota":
        return "says that the account has no credit left (429)", "add credit, or use another key"
    if status == 429:
        wait = _retry_after(error)
        when = f"in {wait:.0f} seconds" if wait else "in a while"
        return "gets too many requests (429)", f"ask again {when}"
    if status >= 500:
        return f"failed ({status})", "ask again later, or look at the endpoint's log"
    if 300 <= status < 400:
        return (
            f"sends its visitors elsewhere ({status}), where the key is not sent",
            "set OPENAI_BASE_URL to the address that it moved to",
        )
    if not model and status in (403, 404):
        return (
            f"does not list its models at this address ({status})",
            "set COLLOQUY_MODEL, and check OPENAI_BASE_URL (often it ends in /v1)",
        )
    return {
        401: ("refused the key (401)", "set OPENAI_API_KEY to a key that is valid there"),
        403: (
            f"does not let this key use the model {model!r} (403)",
            "choose another model by COLLOQUY_MODEL, or use another key",
        ),
        404: (
            f"has no model {model!r}, or no chat at this address (404)",
            "set COLLOQUY_MODEL to a model that it lists, and check OPENAI_BASE_URL (often it "
            "ends in /v1)",
        ),
    }.get(
        status,
        (
            f"refused the request ({status})",
            "read what it said; a model with a larger context may be needed",
        ),
    )


def _transport_words(error: Exception, endpoint: str) -> tuple[str, str]:
    """Cause and remedy where there was no answer, or a broken one."""
    causes = _causes(error)
    if any(isinstance(cause, openai.APITimeoutError | httpx2.TimeoutException) for cause in causes):
        return "did not answer in time", "ask again, or check that the server is not overloaded"
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        host = urlsplit(endpoint).hostname
        return f"has the host name {host!r}, which is not known", "check OPENAI_BASE_URL"
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return "could not be reached securely", "check its certificate, or OPENAI_BASE_URL"
    if any(isinstance(cause, httpx2.ConnectError | ConnectionRefusedError) for cause in causes):
        return "cannot be reached", "start the server, or correct OPENAI_BASE_URL"
    if any(isinstance(cause, httpx2.TransportError) for cause in causes):
        return "broke the connection off", "ask again; if it goes on, look at the endpoint's log"
    if isinstance(error, json.JSONDecodeError):
        return (
            "sent something that is not an event stream of JSON",
            "check that OPENAI_BASE_URL is an OpenAI-compatible address",
        )
    return "reported an error", "ask again; if it goes on, look at the endpoint's log"


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in found:
        found.append(cause)
        cause = cause.__cause__ or cause.__context__
    return found


def _said(error: Exception) -> str:
    """What the endpoint itself said, in short; empty where nothing was said."""
    body = error.body if isinstance(error, openai.APIError) else None
    said = _field(body, "message") if body is not None else None
    if said is None and isinstance(body, str):
        said = body
    return _short(str(said)) if said else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARACTERS else line[: SHOWN_CHARACTERS - 1] + "…"


def _place(endpoint: str) -> str:
    """The address without a password or a query that may stand in it."""
    parts = urlsplit(endpoint)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}".rstrip("/")
