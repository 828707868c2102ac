r"""Text of papers, questions and models -> HTML that is only text.

Goes in: plain text, or an answer's Markdown with the places of its chips and marked stretches.
Comes out: HTML blocks, separated by a blank line and without one inside, which Gradio's Markdown
passes on untouched. Everything foreign is escaped; links, images and raw HTML are never made;
formulas become `\(...\)` and `\[...\]`, the only delimiters that the page renders. Knows nothing
of answers, papers or Gradio components.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from ui.maths import Maths, find_maths

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# Places are carried through the Markdown parser as private-use characters between punctuation:
# punctuation, so that emphasis beside them opens and closes as it would without them.
_OPEN, _CLOSE = "\ue000", "\ue001"
_PLACE = re.compile(f"[\\[:]{_OPEN}([bemc])(\\d+){_CLOSE}[\\]:]")
# What begins a line in Markdown; a mark set before it would undo the list or the quotation.
_LINE_START = re.compile(r"(?:[ \t]*(?:[-*+>|]|#{1,6}|\d{1,9}[.)])[ \t]+)+")
# Controls, and the marks that turn the direction of what follows, are no text.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class Chip:
    """`text[start:end]` is shown as `html`, which is safe; inside code it stays as it is."""

    start: int
    end: int
    html: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """`text[start:end]` is wrapped in `<span class="css">`; `after`, safe HTML, follows it."""

    start: int
    end: int
    css: str
    after: str = ""


@dataclass(slots=True)
class _Places:
    """What the renderer needs to put the places back; `inside` is the stretch it stands in."""

    text: str
    chips: Sequence[Chip]
    stretches: Sequence[Stretch]
    maths: Sequence[Maths]
    inside: list[int] = field(default_factory=list)


def escape(text: str) -> str:
    r"""Text as HTML text: a `\(` in it cannot start a formula, and no line breaks are left."""
    safe = html.escape(visible(text)).replace("\\", "&#92;")
    safe = re.sub(r"&#92;(?=[()\[\]])", "&#92;<wbr>", safe)
    return safe.replace("\n", "&#10;")


def attribute(text: str) -> str:
    """Text as the value of a quoted attribute."""
    return html.escape(visible(text)).replace("\\", "&#92;").replace("\n", " ")


def visible(text: str) -> str:
    """The text without control characters, direction overrides and the characters used here."""
    return _UNSEEN.sub("", text).replace(_OPEN, "\ufffd").replace(_CLOSE, "\ufffd")


def formula(maths: Maths) -> str:
    """A formula between the delimiters that the page renders."""
    left, right = (r"\[", r"\]") if maths.display else (r"\(", r"\)")
    return left + html.escape(visible(maths.tex)).replace("\n", " ") + right


def text_html(text: str) -> str:
    """Plain text with its formulas: escaped, on one line."""
    return marked_html(text, ())


def marked_html(text: str, marks: Sequence[tuple[int, int]]) -> str:
    """Plain text with `<mark>` around exactly the given half-open ranges.

    Ranges that overlap become one mark. A formula cut by a mark's edge is shown as typed.
    """
    ranges = _joined(marks, len(text))
    formulas = [m for m in find_maths(text) if not _cut(m, ranges)]
    pieces, done = [], 0
    for start, end in ranges:
        pieces.append(_plain(text, done, start, formulas))
        pieces.append(f"<mark>{_plain(text, start, end, formulas)}</mark>")
        done = end
    pieces.append(_plain(text, done, len(text), formulas))
    return "".join(pieces)


def _joined(marks: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted((max(0, s), min(e, length)) for s, e in marks):
        if start >= end:
            continue
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _cut(maths: Maths, ranges: Sequence[tuple[int, int]]) -> bool:
    edges = (edge for both in ranges for edge in both)
    return any(maths.start < edge < maths.end for edge in edges)


def _plain(text: str, start: int, end: int, formulas: Sequence[Maths]) -> str:
    pieces, done = [], start
    for maths in formulas:
        if start <= maths.start and maths.end <= end:
            pieces += [escape(text[done : maths.start]), formula(maths)]
            done = maths.end
    return "".join([*pieces, escape(text[done:end])])


def markdown_html(text: str, chips: Sequence[Chip] = (), stretches: Sequence[Stretch] = ()) -> str:
    """Markdown as HTML blocks; chips and stretches are in order and do not overlap among each
    other. Headings start at h3; links and images stay as they were typed."""
    maths = find_maths(text)
    chips = [c for c in chips if not any(m.start < c.end and c.start < m.end for m in maths)]
    places = _Places(text, chips, stretches, maths)
    parser = _parser()
    env = {"places": places}
    tokens = parser.parse(_with_places(places), env)
    return "\n\n".join(
        parser.renderer.render(block, parser.options, env).replace("\n", "")
        for block in _blocks(tokens)
    )


def _with_places(places: _Places) -> str:
    """The text with every chip, formula and edge of a stretch replaced by its place."""
    whole = sorted(
        [(c.start, c.end, f"[{_OPEN}c{i}{_CLOSE}]") for i, c in enumerate(places.chips)]
        + [(m.start, m.end, f":{_OPEN}m{i}{_CLOSE}:") for i, m in enumerate(places.maths)]
    )
    edges = []
    for i, stretch in enumerate(places.stretches):
        start = _after_line_start(places.text, stretch.start)
        edges.append((_outside(start, whole, 0), f":{_OPEN}b{i}{_CLOSE}:"))
        edges.append((_outside(stretch.end, whole, 1), f":{_OPEN}e{i}{_CLOSE}:"))
    pieces, done = [], 0
    # At one position an edge goes before what starts there, and an earlier stretch ends first.
    for start, end, place in sorted([(at, at, place) for at, place in edges] + whole, key=_first):
        pieces += [visible_lines(places.text[done:start]), place]
        done = max(done, end)
    return "".join([*pieces, visible_lines(places.text[done:])])


def _first(place: tuple[int, int, str]) -> tuple[int, int]:
    return place[0], place[1]


def visible_lines(text: str) -> str:
    """`visible`, with every kind of line break as a newline."""
    return visible(text.replace("\r\n", "\n").replace("\r", "\n"))


def _after_line_start(text: str, start: int) -> int:
    if start and text[start - 1] != "\n":
        return start
    match = _LINE_START.match(text, start)
    return match.end() if match else start


def _outside(at: int, whole: Sequence[tuple[int, int, str]], edge: Literal[0, 1]) -> int:
    """The position itself, or the near (0) or far (1) edge of the place that it falls into."""
    span = next(((start, end) for start, end, _ in whole if start < at < end), (at, at))
    return span[edge]


def _blocks(tokens: Sequence[Token]) -> list[list[Token]]:
    blocks: list[list[Token]] = []
    depth = 0
    for token in tokens:
        if depth == 0:
            blocks.append([])
        blocks[-1].append(token)
        depth += token.nesting
    return blocks


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # here: only the page needs it

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True})
    parser.enable(["table", "strikethrough"])
    parser.disable(["image", "link", "autolink", "reference", "code", "html_block", "html_inline"])
    rules: dict[str, Callable[..., str]] = {
        "text": _text,
        "code_inline": lambda _, tokens, i, __, env: f"<code>{_code(tokens[i], env)}</code>",
        "fence": lambda _, tokens, i, __, env: f"<pre><code>{_code(tokens[i], env)}</code></pre>",
        "heading_open": lambda _, tokens, i, __, ___: f"<h{_level(tokens[i])}>",
        "heading_close": lambda _, tokens, i, __, ___: f"</h{_level(tokens[i])}>",
        "table_open": lambda *_: '<div class="wide"><table>',
        "table_close": lambda *_: "</table></div>",
    }
    for name, rule in rules.items():
        parser.add_render_rule(name, rule)
    return parser


def _level(token: Token) -> int:
    return min(6, int(token.tag[1]) + 2)


def _text(_: Any, tokens: Sequence[Token], index: int, __: Any, env: Any) -> str:
    places: _Places = env["places"]
    pieces = []
    for plain, kind, number in _split(tokens[index].content):
        pieces.append(_wrapped(escape(plain), places))
        if kind == "b":
            places.inside.append(number)
        elif kind == "e":
            places.inside = [i for i in places.inside if i != number]
            pieces.append(places.stretches[number].after)
        elif kind == "m":
            pieces.append(_wrapped(formula(places.maths[number]), places))
        elif kind == "c":
            pieces.append(places.chips[number].html)
    return "".join(pieces)


def _wrapped(safe: str, places: _Places) -> str:
    core = safe.strip()
    if not places.inside or not re.search(r"\w", core):
        return safe  # a lone full stop between chips needs no underline
    before, _, after = safe.partition(core)
    css = places.stretches[places.inside[-1]].css
    return f'{before}<span class="{css}">{core}</span>{after}'


def _code(token: Token, env: Any) -> str:
    """Code as it was typed, places undone."""
    places: _Places = env["places"]
    pieces = []
    for plain, kind, number in _split(token.content):
        pieces.append(plain)
        if kind in ("m", "c"):
            span = (places.maths if kind == "m" else places.chips)[number]
            pieces.append(places.text[span.start : span.end])
        elif kind == "b":
            places.inside.append(number)
        elif kind == "e":
            places.inside = [i for i in places.inside if i != number]
    return escape("".join(pieces))


def _split(content: str) -> list[tuple[str, str, int]]:
    """(text, kind of the place after it or "", its number), to the end of the content."""
    parts, done = [], 0
    for match in _PLACE.finditer(content):
        parts.append((content[done : match.start()], match[1], int(match[2])))
        done = match.end()
    return [*parts, (content[done:], "", 0)]
