"""An OpenAI-compatible endpoint as a LlamaIndex LLM: requests, retries, the models it lists.

Goes in: an address, a key, messages, a `Line`. Comes out: responses as they stream, or a
`ModelError`. Beside failures.py the only file that imports openai; knows nothing of settings and
of papers. Other files import it inside functions: loading it takes seconds.
"""

from __future__ import annotations

import contextlib
import json
import ssl
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2
import openai
from llama_index.core.base.llms.generic_utils import (
    astream_chat_response_to_completion_response,
    chat_response_to_completion_response,
    stream_chat_response_to_completion_response,
)
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseAsyncGen,
    CompletionResponseGen,
    LLMMetadata,
)
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from openai.types.chat import ChatCompletionChunk

from rag.bridge import awaited
from rag.errors import ModelError
from rag.failures import failure, retry_after, words_of
from rag.line import Line

CONNECT_SECONDS = 10.0
# A local server may read a long prompt for a minute or two before its first byte.
READ_SECONDS = 120.0
LIST_SECONDS = 15.0
# Used where a LlamaIndex program calls the model itself, without a deadline of its own.
DEFAULT_SECONDS = 300.0
TRIES = 3
# The wait before another try where the server names none; doubled each time.
PAUSE_SECONDS = 0.5
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


@dataclass(frozen=True, slots=True)
class Listed:
    """A model that an endpoint lists; `context_window` is in tokens, None where it is not told."""

    id: str
    context_window: int | None


def listed_models(endpoint: Endpoint) -> list[Listed]:
    """The models that the endpoint lists, by name. Raises `ModelError`."""
    with _told(endpoint, None), endpoint.client(Line(LIST_SECONDS)) as client:
        found = client.models.list().data or []
        return sorted((_listed(model.to_dict()) for model in found), key=lambda model: model.id)


def _listed(fields: dict[str, Any]) -> Listed:
    """Read a model's entry: vLLM and SGLang tell max_model_len, llama.cpp meta.n_ctx, routers
    context_length."""
    meta = fields.get("meta")
    told = (
        fields.get("max_model_len"),
        meta.get("n_ctx") if isinstance(meta, dict) else None,
        fields.get("context_length"),
    )
    windows = [value for value in told if isinstance(value, int) and value > 0]
    return Listed(str(fields["id"]), min(windows, default=None))


@contextlib.contextmanager
def _told(endpoint: Endpoint, model: str | None) -> Iterator[None]:
    """What fails inside is raised as a `ModelError`."""
    try:
        yield
    except (openai.OpenAIError, httpx2.HTTPError, json.JSONDecodeError) as error:
        # Not chained: the client's error holds the request, and with it the key.
        raise ModelError(failure(error, endpoint.address, endpoint.key, model)) from None


class EndpointLLM(CustomLLM):
    """A LlamaIndex LLM over an endpoint (Chat Completions, streamed).

    Failures are `ModelError`. Options of a call beyond its messages are not taken.
    """

    model: str
    address: str
    _endpoint: Endpoint = PrivateAttr()
    _window: int | None = PrivateAttr()
    _options: dict[str, Any] = PrivateAttr()

    def __init__(self, endpoint: Endpoint, model: str, context_window: int | None = None) -> None:
        super().__init__(model=model, address=endpoint.address)
        self._endpoint = endpoint
        self._window = context_window
        # Some servers refuse one of these by name; it is then left out.
        self._options = {"temperature": 0.0, "stream_options": {"include_usage": True}}

    @classmethod
    def class_name(cls) -> str:
        return "EndpointLLM"

    @property
    def metadata(self) -> LLMMetadata:
        """`context_window` is among the fields that are set only where the endpoint told it."""
        if self._window is None:
            return LLMMetadata(model_name=self.model, is_chat_model=True)
        return LLMMetadata(model_name=self.model, is_chat_model=True, context_window=self._window)

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponseGen:
        return self.responses(messages, Line(DEFAULT_SECONDS))

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        answer = ChatResponse(message=ChatMessage(role="assistant", content=""))
        for part in self.responses(messages, Line(DEFAULT_SECONDS)):
            answer = part
        return answer

    @llm_chat_callback()
    async def astream_chat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponseAsyncGen:
        """The answer as it comes; cancelling the task that reads it closes the request."""
        return awaited(lambda line: self.responses(messages, line), Line(DEFAULT_SECONDS))

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **_: Any) -> ChatResponse:
        answer = ChatResponse(message=ChatMessage(role="assistant", content=""))
        line = Line(DEFAULT_SECONDS)
        async for part in awaited(lambda line: self.responses(messages, line), line):
            answer = part
        return answer

    @llm_completion_callback()
    async def acomplete(self, prompt: str, *_: Any, **__: Any) -> CompletionResponse:
        message = ChatMessage(role="user", content=prompt)
        return chat_response_to_completion_response(await self.achat([message]))

    @llm_completion_callback()
    async def astream_complete(self, prompt: str, *_: Any, **__: Any) -> CompletionResponseAsyncGen:
        message = ChatMessage(role="user", content=prompt)
        return astream_chat_response_to_completion_response(await self.astream_chat([message]))

    @llm_completion_callback()
    def complete(self, prompt: str, *_: Any, **__: Any) -> CompletionResponse:
        message = ChatMessage(role="user", content=prompt)
        return chat_response_to_completion_response(self.chat([message]))

    @llm_completion_callback()
    def stream_complete(self, prompt: str, *_: Any, **__: Any) -> CompletionResponseGen:
        message = ChatMessage(role="user", content=prompt)
        return stream_chat_response_to_completion_response(self.stream_chat([message]))

    def responses(self, messages: Sequence[ChatMessage], line: Line) -> ChatResponseGen:
        """The answer as it comes, bound to a `Line`; closing the generator closes the request."""
        text = ""
        with (
            _told(self._endpoint, self.model),
            self._endpoint.client(line) as client,
            self._open(client, messages, line) as chunks,
        ):
            for chunk in chunks:
                delta = _delta(chunk)
                text += delta
                message = ChatMessage(role="assistant", content=text)
                yield ChatResponse(message=message, delta=delta, raw=chunk)

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


def _delta(chunk: ChatCompletionChunk) -> str:
    """The text in a chunk; a server may send chunks without choices, delta or content."""
    for choice in chunk.choices or []:
        if choice.delta is not None and choice.delta.content:
            return choice.delta.content
    return ""


def _refused_option(error: openai.APIStatusError, options: dict[str, Any]) -> str | None:
    said = f"{error.param or ''} {words_of(error)}"
    return next((name for name in options if name in said), None)


def _pause(error: openai.APIStatusError, tries: int) -> float | None:
    """Seconds to wait before another try; None where another try cannot help."""
    if error.code == "insufficient_quota":
        return None
    named = retry_after(error)
    return PAUSE_SECONDS * 2 ** (tries - 1) if named is None else named
