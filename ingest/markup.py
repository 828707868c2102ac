r"""HTML, Markdown and typed punctuation in an abstract -> text.

Goes in: strings. Comes out: the strings without entities, tags and Markdown marks, quotes and
dashes. Knows nothing of LaTeX macros; private-use characters stand in for formulae.

Only what is surely markup goes: tags of a known name (`<think>` and `a < b` stay), emphasis whose
marks stand at the edges of words (`snake_case` and `a * b` stay).
"""

from __future__ import annotations

import html
import re

from ingest.latex import ITEM, LIST_END

# --- HTML ---

_ENTITY = re.compile(r"&(?:amp;)*(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_AMPERSANDS = re.compile(r"&(?:amp;)+")
_INLINE_TAGS = """a b i u em strong small big tt code kbd samp var cite q mark abbr acronym font
span sub sup del ins italic bold sc monospace underline ext-link xref styled-content named-content
inline-formula tex-math alternatives email uri"""
_BLOCK_TAGS = """p br hr div li ul ol dl dt dd table thead tbody tr td th h1 h2 h3 h4 h5 h6
blockquote pre section article center abstract title sec label disp-formula list list-item img"""
_ATTRIBUTES = r"(?: [\w:.-]+ ?= ?(?:\"[^\"<>]*\"|'[^'<>]*'|[^ \"'<>]+))*"
_TAG = re.compile(
    rf"<(/?)(?:(?:jats|mml|m|ns\d|xhtml):)?({'|'.join((_INLINE_TAGS + ' ' + _BLOCK_TAGS).split())})"
    rf"{_ATTRIBUTES} ?/?>",
    re.IGNORECASE,
)
_NAMESPACED = re.compile(rf"</?(?:jats|mml):[a-z-]+{_ATTRIBUTES} ?/?>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--[^<>]*-->|<!\[CDATA\[|\]\]>")
_RAISED_TAG = re.compile(r"<(?:jats:)?sup>\s?([0-9+−-]{1,6})\s?</(?:jats:)?sup>", re.IGNORECASE)
_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_BLOCKS = frozenset(_BLOCK_TAGS.split())


def decode_entities(text: str) -> str:
    """Entities that end in a semicolon, escaped any number of times, as characters."""

    def decode(match: re.Match[str]) -> str:
        return html.unescape(_AMPERSANDS.sub("&", match[0]))

    return _AMPERSANDS.sub("&", _ENTITY.sub(decode, text)) if "&" in text else text


def strip_tags(text: str) -> str:
    """Known tags gone: a block's edge leaves a space, a list item its mark, the rest nothing."""
    if "<" not in text and "]]>" not in text:
        return text
    text = _RAISED_TAG.sub(lambda raised: raised[1].translate(_RAISED), text)
    closed = {tag[2].lower() for tag in _TAG.finditer(text) if tag[1]}

    def strip(match: re.Match[str]) -> str:
        name = match[2].lower()
        if name in ("li", "list-item"):
            return " " if match[1] else ITEM
        if name in ("ul", "ol", "list"):
            return LIST_END if match[1] else " "
        if name in _BLOCKS:
            return " "
        # A one-letter name that is never closed is a comparison: a<b>c.
        return "" if len(name) > 1 or name in closed else match[0]

    return _NAMESPACED.sub("", _TAG.sub(strip, _COMMENT.sub("", text)))


# --- Markdown ---

_HEADING = re.compile(r"(?m)^ {0,3}#{1,6} +(\S.*)$")
_RULE = re.compile(r"(?m)^ {0,3}(?:-{3,}|\*{3,}|_{3,}|={3,}|`{3}\w*) *$")
_BULLET = re.compile(r"(?m)^ {0,8}[*+•-] +(?=\S)")
_LIST_CLOSED = re.compile(rf"(?m)(?<={ITEM})([^\n]*)\n(?=[ \t]*\n\s*[^\s{ITEM}])")
_QUOTED_LINE = re.compile(r"(?m)^ {0,3}> ?(?=[^\W\d])")
_LINK = re.compile(
    r"!?\[([^\[\]]{1,400})\]\( ?(?:\\?url ?)?[<{]?"
    r"(?:[\U000F0000-\U0010FFFF]|(?:mailto:|www\.|[#/.])[^()\s]*|[\w.-]+\.[a-z]{2,}[^()\s]*)"
    r"[>}]?(?: \"[^\"]*\")? ?\)"
)
_AUTOLINK = re.compile(r"<([\U000F0000-\U0010FFFF])>")
_FIRST = r"(?=[\w\"“‘'(\[{<$\\%@+√≈~–—.-]|[\U000F0000-\U0010FFFF])(?![.\-](?:\s|\*))"
_STARRED = re.compile(
    rf"(?<![\w*\\])(\*{{1,3}}){_FIRST}([^*]*[^\s*([{{])\1(?![\w*])(?: (?=[,.;:]))?"
)
# Letters of an acronym: **L**ow-rank, Te**X**t, *L*ow; never 2*x*y or x**2 + y**2.
_STARRED_LETTERS = re.compile(
    r"(?<![\w*\\])(\*{1,3})([A-Za-z]+)\1(?=[A-Za-z])|(?<=[A-Za-z-])(\*{2,3})([A-Za-z]+)\3(?!\*)"
)
_STARRED_START = re.compile(rf"(?<![\w*\\])(\*{{1,3}}){_FIRST}([^*]*[^\s*([{{])\1(?=[A-Za-z])")
_UNDERLINED = re.compile(r"(?<![\w\\/])(_{1,2})(?=[^\s_])([^_]*[^\s_([{])\1(?!\w)(?: (?=[,.;:]))?")
_DUNDER = re.compile(r"__[a-z0-9]+__")
_STRUCK = re.compile(r"~~([^~]+)~~")
_CODE = re.compile(r"(?<![\w`])(`{1,3})(?=[^\s`])([^`'’]*[^\s`'’])\1(?![\w`])")


def read_blocks(text: str) -> str:
    """Text of several lines without marks at their starts; list items are marked with `ITEM`."""
    text = _RULE.sub("", text)
    if "\n" in text:
        text = _BULLET.sub(ITEM, _QUOTED_LINE.sub("", text))
        text = _LIST_CLOSED.sub(rf"\1{LIST_END}\n", text)
    return _HEADING.sub(rf"\1{LIST_END}", text)


def strip_emphasis(text: str) -> str:
    """Links, emphasis and code spans of one line without their marks."""
    if "[" in text:
        text = _LINK.sub(r"\1", text)
    text = _AUTOLINK.sub(r"\1", text)
    if "*" in text:
        text = _STARRED_START.sub(r"\2", _STARRED_LETTERS.sub(_letters, _STARRED.sub(r"\2", text)))
    if "_" in text:
        text = _UNDERLINED.sub(lambda m: m[0] if _DUNDER.fullmatch(m[0].strip()) else m[2], text)
    if "`" in text:
        text = _CODE.sub(r"\2", text)
    return _STRUCK.sub(r"\1", text) if "~~" in text else text


def _letters(match: re.Match[str]) -> str:
    return match[2] or match[4]


# --- Typography ---

_DOUBLE_OPEN = re.compile(r"``(?!`)(?=\S)|(?<![\w'.,;:!?)\]])''(?=[^\s'])")
_DOUBLE_CLOSE = re.compile(r"''")
_SINGLE = re.compile(r"(?<![\w`])`(?=[^\s`])([^`'\"]{0,80}[^\s`'\"])'(?![\w'])")
# A flag (`--index`) follows a space or a quote and begins a word; "-- " and "a--b" are dashes.
_DASHES = re.compile(r"(?<![-<!])(-{2,4})(?![->])")
_TILDE = re.compile(r"(?<=([^\s/=~]))~(?=([^~]|$))")
_DISTRIBUTION = re.compile(r"[A-Z]\w*\(")


def set_type(text: str) -> str:
    """Typewriter quotes, dashes and ties as the characters they stand for."""
    if "`" in text or "''" in text:
        text = _CODE.sub(r"\2", text) if "``" not in text else text
        text = _DOUBLE_CLOSE.sub("”", _DOUBLE_OPEN.sub("“", text))
        text = _SINGLE.sub(r"‘\1’", text)
    if "--" in text:
        text = _DASHES.sub(_dash, text)
    return _TILDE.sub(_tie, text) if "~" in text else text


def _dash(match: re.Match[str]) -> str:
    before = match.string[: match.start()][-1:]
    after = match.string[match.end() : match.end() + 1]
    is_flag = len(match[1]) == 2 and not before.isalnum() and before not in set(")]}.,%”’~")
    if is_flag and after.isalpha() and after.isascii():
        return match[0]
    return "–" if len(match[1]) == 2 else "—"


def _tie(match: re.Match[str]) -> str:
    before, after = match[1], match[2]
    is_range = (before.isdigit() or before == "%") and (after.isdigit() or after == "$")
    return "~" if is_range or _DISTRIBUTION.match(match.string, match.end()) else " "
