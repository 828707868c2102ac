"""Evidence -> a draft written by a language model, streamed.

Goes in: a `Query`, ranked `Evidence`, any LlamaIndex `LLM`. Comes out: pieces of the final text
(markers resolved and renumbered), then the `Draft` whose text is their concatenation. Knows
nothing of whether what the model says is true: that is what `rag.verify` finds out.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from rag.citations import Placed, Resolved, resolve
from rag.errors import ContextFull
from rag.fit import fit
from rag.line import Line
from rag.prompts import Message, answer_messages, evidence_keys, repair_messages
from rag.sentences import sentences
from rag.types import Answer, Draft, DraftClaim, Evidence, Paper, Query, Span

if TYPE_CHECKING:
    from llama_index.core.llms.llm import LLM

    from rag.llm import Ending

# Bullets, numbers, quotation marks and emphasis at the beginning of a Markdown line.
_LEAD = re.compile(r"\s*(?:(?:[-*+•>]|\d{1,3}[.)])\s+)*")
_HEADING = re.compile(r"\s*+(?:#{1,6}\s.*|(\*\*|__)[^*_]+\1:?|\|.*|[-*_=\s:]*+)\s*$")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
# Some chat templates open the thoughts in the prompt: only their end is in the text, and by then
# they have been streamed.
_UNOPENED = re.compile(r"(?<![`\"“])</think>(?![`\"”])")
# A model may forget the sign of silence and only say it; English is all that is understood here.
_SILENCE = re.compile(
    r"\b(?:abstracts?|excerpts?|evidence|sources?|texts?|papers?)\b[^.!?]{0,60}?"
    r"\b(?:do|does|did)(?: not|n['’]t)\s+(?:\w+ly )?"
    r"(?:state|say|mention|specify|report|tell|discuss)\b"
    r"|\b(?:abstracts?|excerpts?|evidence|sources?)\b[^.!?]{0,60}?"
    r"\b(?:do|does|did)(?: not|n['’]t)\s+(?:\w+ly )?(?:give|contain|include|provide|name)\b"
    r"|\bnot (?:stated|mentioned|specified|reported|given) in the\b",
    re.IGNORECASE,
)


def generate(
    query: Query,
    evidence: Sequence[Evidence],
    llm: LLM,
    deadline_seconds: float,
    failed: Answer | None = None,
) -> Generator[str, None, Draft]:
    """Yield an answer as the model writes it, and return it as a `Draft`.

    `failed` is an answer to the same question whose unsupported claims the model is to mend.
    Where the endpoint says that all of it is too long for the model, it is asked once more with as
    much as fits. Raises `ModelError` where the model fails before its first piece or its context is
    too small even so,
    `ValueError` without evidence: an answer from nothing would be invented. Closing the generator
    stops the model.
    """
    if not evidence:
        raise ValueError("generate() needs evidence; without any the answer is 'not_found'.")
    from rag.llm import context_window  # loading openai and LlamaIndex takes seconds

    window = context_window(llm)
    line = Line(deadline_seconds)
    try:
        return (yield from _written(query, evidence, llm, line.left, failed, window))
    except ContextFull as full:
        if full.window is None:
            raise
        # What is known and yet was too much was estimated by too few tokens.
        tighter = full.window if window is None or full.window < window else full.window // 2
        return (yield from _written(query, evidence, llm, line.left, failed, tighter))


def _written(
    query: Query,
    evidence: Sequence[Evidence],
    llm: LLM,
    deadline_seconds: float,
    failed: Answer | None,
    window: int | None,
) -> Generator[str, None, Draft]:
    """`generate`, with what fits into a window of so many tokens."""
    from rag.llm import stream

    further = _further(failed, evidence)
    given, warnings = fit(query, evidence, window, further)
    keys = evidence_keys(len(given))
    messages = (*answer_messages(query, given), *_further(failed, given))
    endings: list[Ending] = []
    with closing(stream(llm, messages, deadline_seconds)) as pieces:
        resolved = yield from resolve(_noting_the_end(pieces, endings), keys)
    whole = {item.paper.id: item.paper for item in evidence}
    papers = {key: whole[item.paper.id] for key, item in zip(keys, given, strict=True)}
    return _draft(resolved, papers, endings[0], warnings)


def _further(failed: Answer | None, given: Sequence[Evidence]) -> tuple[Message, ...]:
    """The messages that ask for a failed answer to be mended."""
    if failed is None:
        return ()
    names = (item.paper.id for item in given)
    return repair_messages(failed, dict(zip(names, evidence_keys(len(given)), strict=True)))


def _noting_the_end(
    pieces: Generator[str, None, Ending], endings: list[Ending]
) -> Generator[str, None, None]:
    endings.append((yield from pieces))


def _draft(
    resolved: Resolved, papers: dict[str, Paper], ending: Ending, warnings: tuple[str, ...]
) -> Draft:
    text = resolved.text
    cited = tuple(papers[key] for key in resolved.order)
    claims = find_claims(text, resolved.placed, resolved.silences)
    silent = bool(resolved.silences) or _SILENCE.search(text) is not None
    stated = any(claim.markers for claim in claims)
    return Draft(
        text=text,
        status="not_stated" if silent and not stated else "answered",
        mode="llm",
        claims=claims,
        cited=cited,
        papers=cited,
        warnings=warnings + _warnings(resolved),
        complete=ending.complete,
        error=ending.error,
        usage=ending.usage,
    )


def _warnings(resolved: Resolved) -> tuple[str, ...]:
    """What a reader must know of the text, in sentences."""
    found = []
    if resolved.dropped:
        names = ", ".join(dict.fromkeys(resolved.dropped))
        found.append(
            f"The model cited {names}, which names no paper that it was given; it was left out."
        )
    if _UNOPENED.search(resolved.text):
        found.append(
            "What stands before </think> are the model's thoughts, which its endpoint does not "
            "tell apart from the answer: turn on its reasoning parser, or turn thinking off."
        )
    return tuple(found)


def find_claims(
    text: str, placed: Sequence[Placed], silences: Sequence[int] = ()
) -> tuple[DraftClaim, ...]:
    """The statements of a model's text, each with its markers; markers at the edges are not in it.

    Headings, introductions that end in a colon, code and sentences that say what is not stated are
    remarks, unless they carry a marker (a sentence of silence never is a claim).
    """
    claims: list[DraftClaim] = []
    for span in _units(text, placed):
        if any(span.start <= offset <= span.end for offset in silences):
            continue
        inside = [at for at in placed if span.start <= at.start < span.end]
        markers = tuple(dict.fromkeys(at.number for at in inside))
        core = _core(text, span, inside)
        if core.start < core.end and (markers or not _is_remark(text[core.start : core.end])):
            claims.append(DraftClaim(core.start, core.end, markers))
    return tuple(claims)


def _units(text: str, placed: Sequence[Placed]) -> list[Span]:
    """Sentences of each line, a marker after the full stop counted to the sentence before it."""
    units: list[Span] = []
    for offset, line in _lines(text):
        units += _line_units(line, offset, placed)
    return units


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines outside code with their offsets; a line that goes on in lower case is one with the
    line before it."""
    lines: list[tuple[int, str]] = []
    fenced = False
    offset = 0
    for line in text.splitlines(keepends=True):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            start, before = lines[-1] if lines else (0, "")
            if line[:1].islower() and before.strip() and start + len(before) == offset:
                lines[-1] = (start, before.replace("\n", " ") + line)
            else:
                lines.append((offset, line))
        offset += len(line)
    return lines


def _line_units(line: str, offset: int, placed: Sequence[Placed]) -> list[Span]:
    lead = _LEAD.match(line)
    begin = lead.end() if lead else 0
    here = [at for at in placed if offset <= at.start < offset + len(line)]
    if _HEADING.match(line) and not here:
        return []
    glued = [at for at in here if _is_glued(line, at.start - offset)]
    masked = line
    for at in glued:
        blank = " " * (at.end - at.start)
        masked = masked[: at.start - offset] + blank + masked[at.end - offset :]
    units: list[Span] = []
    for found in sentences(masked[begin:]):
        span = Span(offset + begin + found.start, offset + begin + found.end)
        edge = _leading_markers(span, placed)
        if units and edge > span.start and _counts_back(line[edge - offset :], units[-1], placed):
            units[-1] = Span(units[-1].start, edge)
            span = Span(edge, span.end)
        if span.start < span.end:
            units.append(span)
    for at in glued:
        before = [number for number, unit in enumerate(units) if unit.end <= at.start]
        if before:
            units[before[-1]] = Span(units[before[-1]].start, at.end)
    return units


def _is_glued(line: str, start: int) -> bool:
    """Whether a marker stands directly behind an end mark, or behind another marker that does."""
    before = re.sub(r"(?:\[\d+\])+$", "", line[:start])
    return before.endswith((".", "!", "?", "…", "。"))


def _leading_markers(span: Span, placed: Sequence[Placed]) -> int:
    """Where the markers that a sentence begins with end; the sentence's own start without any."""
    edge = span.start
    for at in placed:
        if edge <= at.start <= edge + 1 and at.end <= span.end:
            edge = at.end
    return edge


def _counts_back(rest: str, previous: Span, placed: Sequence[Placed]) -> bool:
    """Whether markers between two sentences belong to the first: it has none of its own, and what
    follows them is not the verb of which they are the subject ("[2] extends it")."""
    if any(previous.start <= at.start < previous.end for at in placed):
        return False
    return not rest.lstrip()[:1].islower()


def _core(text: str, span: Span, inside: Sequence[Placed]) -> Span:
    """The span without white space, markers and the full stop after a marker at its edges."""
    start, end = span.start, span.end
    changed = True
    while changed:
        before = (start, end)
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        for at in inside:
            if at.start == start:
                start = at.end
            if at.end == end or (at.end == end - 1 and text[end - 1] in ".。"):
                end = at.start
        changed = (start, end) != before
    return Span(start, max(start, end))


def _is_remark(sentence: str) -> bool:
    """Whether a sentence without a marker states nothing of a paper."""
    bare = sentence.strip(" *_")
    if not any(character.isalnum() for character in bare):
        return True
    return bare.endswith((":", "：", "?", "？")) or _SILENCE.search(bare) is not None
