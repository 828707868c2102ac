"""The language model: messages -> pieces of text, within a deadline, every failure in words.

Goes in: `Settings` or any LlamaIndex `LLM`, and `Message`s. Comes out: str pieces and an `Ending`,
or a `ModelError`. Knows nothing of papers, and of the wire only what a LlamaIndex response tells.
Other files import it inside functions: loading it takes seconds.

A model runs in a thread of its own, so that the deadline holds whatever it does: one that hangs,
one that drips, one that never ends.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeAlias

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata
from llama_index.core.llms.llm import LLM

from rag.chat import EndpointLLM
from rag.endpoint import Listed, endpoint_at, listed_models
from rag.errors import ContextFull, ModelError, SettingsError
from rag.failures import place, short
from rag.line import Line
from rag.prompts import Message
from rag.settings import Settings
from rag.thoughts import spoken
from rag.types import Usage

# A brief answer has a few hundred words; a model that writes this much has run away.
MAX_CHARACTERS = 40_000
SHOWN_MODELS = 20
# What fails so shortly before the deadline failed because of it.
LATE_SECONDS = 0.05

Inbox: TypeAlias = "SimpleQueue[ChatResponse | Exception | None]"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a stream ended: `complete` is False where the text was cut, and `error` says why."""

    complete: bool
    error: str | None
    usage: Usage


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
    endpoint = endpoint_at(settings.endpoint, settings.api_key)
    if settings.model:
        return EndpointLLM(endpoint, settings.model)
    only = _only(listed_models(endpoint), endpoint.address)
    return EndpointLLM(endpoint, only.id, only.context_window)


def _only(models: Sequence[Listed], address: str) -> Listed:
    if len(models) == 1:
        return models[0]
    if not models:
        raise SettingsError(
            f"The model endpoint {place(address)} lists no model; load one there, or set "
            "COLLOQUY_MODEL."
        )
    names = ", ".join(model.id for model in models[:SHOWN_MODELS])
    more = f" and {len(models) - SHOWN_MODELS} more" if len(models) > SHOWN_MODELS else ""
    raise SettingsError(
        f"The model endpoint {place(address)} lists {len(models)} models; set COLLOQUY_MODEL to "
        f"one of them: {names}{more}."
    )


def context_window(llm: LLM) -> int | None:
    """How many tokens a model takes, prompt and answer; None where its metadata does not tell.

    LlamaIndex has a default for it that is no model's: only a value that was given counts. Raises
    `ModelError`.
    """
    metadata = described(llm)
    return metadata.context_window if "context_window" in metadata.model_fields_set else None


def described(llm: LLM) -> LLMMetadata:
    """What a model tells of itself. Some integrations ask their server for it: where that fails,
    `ModelError` is raised."""
    try:
        return llm.metadata
    except Exception as error:
        raise ModelError(_words(error, llm.class_name())) from error


def stream(
    llm: LLM, messages: Sequence[Message], deadline_seconds: float
) -> Generator[str, None, Ending]:
    """Ask any LlamaIndex LLM: yields the answer's pieces, none of them empty, returns the `Ending`.

    Raises `ModelError` where it fails before the first piece (`ContextFull` where the endpoint said
    that the messages are too long); a break after it is told by the `Ending`. Closing the generator
    closes the request. Ends by the deadline whatever happens.
    """
    seen = _Seen(model=described(llm).model_name)
    line = Line(deadline_seconds)
    inbox: Inbox = SimpleQueue()
    Thread(
        target=_pump, args=(llm, messages, line, inbox), name="colloquy-model", daemon=True
    ).start()
    try:
        yield from _bounded(spoken(_relay(inbox, line, seen)), line, seen)
    finally:
        line.hang_up()
    if seen.first_seconds is None:
        raise ModelError(seen.error or _nothing(seen))
    usage = Usage(
        model=seen.model,
        prompt_tokens=seen.prompt_tokens,
        completion_tokens=seen.completion_tokens,
        first_seconds=seen.first_seconds,
        total_seconds=line.passed,
    )
    return Ending(seen.error is None, seen.error, usage)


@dataclass(slots=True)
class _Seen:
    """What a stream has told so far. `wrote` is True once it sent text, thoughts included;
    `first_seconds` is None until some of it was for the reader."""

    model: str
    wrote: bool = False
    first_seconds: float | None = None
    error: str | None = None
    finish: str | None = None
    expects_finish: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


def _pump(llm: LLM, messages: Sequence[Message], line: Line, inbox: Inbox) -> None:
    """Runs in the model's thread: hands on each response, then the failure or None."""
    wire = [ChatMessage(role=item.role, content=item.content) for item in messages]
    try:
        with contextlib.closing(_responses(llm, wire, line)) as parts:
            for part in parts:
                if line.hung:
                    return
                inbox.put(part)
        inbox.put(None)
    except Exception as error:  # noqa: BLE001 - any vendor's; it crosses to the caller as ModelError
        inbox.put(error)


def _responses(
    llm: LLM, wire: Sequence[ChatMessage], line: Line
) -> Generator[ChatResponse, None, None]:
    """The model's responses; closing this closes them too, where they can be closed."""
    yield from llm.responses(wire, line) if isinstance(llm, EndpointLLM) else llm.stream_chat(wire)


def _relay(inbox: Inbox, line: Line, seen: _Seen) -> Iterator[str]:
    """All that the model writes, until the end, whose cause is then in `seen.error`."""
    while line.left > 0:
        try:
            part = inbox.get(timeout=line.left)
        except Empty:
            break
        if part is None:
            seen.error = _cut(seen)
            return
        if isinstance(part, ContextFull) and not seen.wrote:
            raise part
        if isinstance(part, Exception):
            if line.left <= LATE_SECONDS:
                break  # the client's own timeout, a moment before the deadline that it was given
            seen.error = _words(part, seen.model)
            return
        _note(part, seen)
        if part.delta:
            seen.wrote = seen.wrote or not part.delta.isspace()
            yield part.delta
    seen.error = (
        f"The model {seen.model!r} did not finish within {line.seconds:g} seconds: ask for less, "
        "or use a faster model."
    )


def _bounded(pieces: Iterable[str], line: Line, seen: _Seen) -> Iterator[str]:
    """The text from its first letter on, up to the length at which a model has run away."""
    left = MAX_CHARACTERS
    for piece in pieces:
        text = piece if seen.first_seconds is not None else piece.lstrip()
        if not text:
            continue
        if seen.first_seconds is None:
            seen.first_seconds = line.passed
        yield text
        left -= len(text)
        if left < 0:
            seen.error = (
                f"The model {seen.model!r} was stopped after {MAX_CHARACTERS:,} characters: ask "
                "again, or use another model."
            )
            return


def _nothing(seen: _Seen) -> str:
    """Why a stream that ended well gave no text."""
    if seen.wrote:
        return (
            f"The model {seen.model!r} wrote down its thoughts and then no answer: ask again, or "
            "turn its thinking off at the endpoint."
        )
    return (
        f"The model {seen.model!r} ended without writing anything: ask again, or check that the "
        "address is that of a chat model (often it ends in /v1)."
    )


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


def _words(error: Exception, model: str) -> str:
    if isinstance(error, ModelError):
        return str(error)
    said = short(str(error)) or "no message"
    return f"The model {model!r} failed with {type(error).__name__} ({said}): see its own log."


def _note(part: ChatResponse, seen: _Seen) -> None:
    """Take model, tokens and finish from a response's raw form, where it has OpenAI's shape."""
    raw = part.raw
    seen.model = _field(raw, "model") or seen.model
    usage = _field(raw, "usage")
    if usage is not None:
        seen.prompt_tokens = _field(usage, "prompt_tokens")
        seen.completion_tokens = _field(usage, "completion_tokens")
    seen.finish = _field(raw, "done_reason") or seen.finish  # Ollama's word for it
    choices = _field(raw, "choices")
    # The first chunk may hold no choice, but only OpenAI's shape has the field.
    seen.expects_finish = seen.expects_finish or choices is not None
    for choice in choices or []:
        seen.finish = _field(choice, "finish_reason") or seen.finish


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)
