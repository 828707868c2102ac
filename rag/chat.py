"""A chat model behind an endpoint as a LlamaIndex LLM: requests, streamed, blocking and awaited.

Goes in: an `Endpoint`, messages, a `Line`. Comes out: responses as they stream, or a `ModelError`.
Knows nothing of settings and of papers. Other files import it inside functions: loading it takes
seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
from rag.endpoint import Endpoint, listed_models, patiently, told
from rag.errors import ContextFull, ModelError
from rag.failures import words_of
from rag.line import Line

# Used where a LlamaIndex program calls the model itself, without a deadline of its own.
DEFAULT_SECONDS = 300.0


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
        """The answer as it comes, bound to a `Line`; closing the generator closes the request.

        Raises `ModelError`; of `ContextFull` the window is remembered, so that `metadata` tells it.
        """
        text = ""
        try:
            with (
                told(self._endpoint, self.model),
                self._endpoint.client(line) as client,
                self._open(client, messages, line) as chunks,
            ):
                for chunk in chunks:
                    delta = _delta(chunk)
                    text += delta
                    message = ChatMessage(role="assistant", content=text)
                    yield ChatResponse(message=message, delta=delta, raw=chunk)
        except ContextFull as full:
            self._window = full.window or self._window or self._listed_window()
            raise ContextFull(str(full), self._window) from None

    def _listed_window(self) -> int | None:
        """What the endpoint's list tells: read only where a request was too long."""
        try:
            listed = listed_models(self._endpoint)
        except ModelError:  # the list may be closed to this key; what failed is told by the caller
            return None
        return next((each.context_window for each in listed if each.id == self.model), None)

    def _open(
        self, client: openai.OpenAI, messages: Sequence[ChatMessage], line: Line
    ) -> openai.Stream[ChatCompletionChunk]:
        """Send the request; where the server says to come later, do so within the deadline."""
        wire: Any = [{"role": item.role.value, "content": item.content} for item in messages]
        while True:
            try:
                return patiently(
                    lambda: client.chat.completions.create(
                        model=self.model, messages=wire, stream=True, extra_body=dict(self._options)
                    ),
                    line,
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                refused = _refused_option(error, self._options)
                if refused is None:
                    raise
                self._options = {k: v for k, v in self._options.items() if k != refused}


def _delta(chunk: ChatCompletionChunk) -> str:
    """The text in a chunk; a server may send chunks without choices, delta or content."""
    for choice in chunk.choices or []:
        if choice.delta is not None and choice.delta.content:
            return choice.delta.content
    return ""


def _refused_option(error: openai.APIStatusError, options: dict[str, Any]) -> str | None:
    said = f"{error.param or ''} {words_of(error)}"
    return next((name for name in options if name in said), None)
