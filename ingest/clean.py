r"""Raw title or abstract -> one line of text that a person reads: `clean`.

Goes in: a string as people paste it, with LaTeX, Markdown, HTML, OCR line ends. Comes out: one line
with single spaces, in NFC; formulae that plain text cannot carry stay LaTeX between `$` or `$$`,
which `ingest.maths.find_formulae` finds again. Any other dollar is money. Knows nothing of papers.

Cleaning what is clean changes nothing: the passes are repeated until a pass changes nothing.
"""

from __future__ import annotations

import re
import unicodedata

from ingest.latex import ITEM, LIST_END, is_macro, read_latex
from ingest.markup import decode_entities, read_blocks, set_type, strip_emphasis, strip_tags
from ingest.maths import replace_maths

# Each pass opens one level of nesting. Of 12,000 abstracts the deepest needs 3 passes; a text that
# still changes after 12 was made to, and loses its remaining marks at once.
MOST_PASSES = 12

_MARKED = re.compile(r"[\\$*_{}<>&`~\[#]|--|''|\s\s|[^ -~]|[\n\t]|^\s|\s$|^[-+] ")
_ANY_MARK = re.compile(r"[\\$*_{}<>&`~#]|\[|\]\(")
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    r"\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000F0000-\U0010FFFF]"
)
# Joiners shape letters of Persian, Indic scripts and emoji; between Latin letters they are debris.
_LOOSE_JOINER = re.compile(r"(?<![^\x00-\u024f])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\u024f])")
_LIGATURE = re.compile(r"[ﬀ-ﬆ]")
_SOFT_BREAK = re.compile(r"\u00ad *\r?\n *")
_MISREAD_UTF8 = re.compile(r"[\xc2-\xf4][\x80-\xbf]{1,3}")
_C1 = re.compile(r"[\x80-\x9f]")
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_WRITTEN_LINE_END = re.compile(r"(?:\\r)?\\n(?=[A-Z\s\\]|$)")
_BROKEN_WORD = re.compile(r"(?<![^\W\d_])([^\W\d_]++)[-‐] *\n *([^\W\d_]+)")
# No English word begins with these endings: what follows the hyphen is the rest of a word.
_WORD_END = re.compile(
    r"[b-df-hj-np-tv-z]{0,3}(?:i?[zs]ations?|[aeiu]?tions?|[scg]?ions?|i?[zs]ing|ings?|ments?|ness|"
    r"it(?:y|ies)|ically|ally|[ai]bl[ey]|[ae]nces?|[ae]nt(?:ly)?|ures?|ers?|ors?|ives?(?:ly)?|ously?"
    r"|i?cal|tial(?:ly)?|ests?|ized?|ified|ated?|ates|ating|ery|ory|ary|works)"
)
_DOUBLED_ESCAPE = re.compile(r"\\\\(?=([A-Za-z]+)|[%&{}_,;!])")
_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s\\{}()\[\]<>\"“”'’`*|^\U000F0000-\U0010FFFF]+")
_AFTER_ADDRESS = "._,;:!?~-"
_WRAPPED = re.compile(r"\{+([^{}]*)\}+")
_STAND_IN = re.compile(r"[\U000F0000-\U0010FFFF]")
_FIRST_STAND_IN = 0xF0000
_MOST_STAND_INS = 0x110000 - _FIRST_STAND_IN
_MARKS = re.compile(rf" ?([{ITEM}{LIST_END}][{ITEM}{LIST_END} ]*)")


def clean(raw: str) -> str:
    """`raw` as one line of readable text. Never raises; `clean(clean(raw)) == clean(raw)`."""
    text = raw
    for _ in range(MOST_PASSES):
        if not _MARKED.search(text):
            return text
        cleaned = _pass(text)
        if cleaned == text:
            return text
        text = cleaned
    text = " ".join(_ANY_MARK.sub(" ", text).split())
    while (cleaned := _pass(text)) != text:
        text = cleaned
    return text


def _pass(text: str) -> str:
    text = _read_lines(_read_characters(text))
    text = " ".join(decode_entities(text).split())
    held = _Held()
    if "\\\\" in text and "\\begin" not in text:
        text = _DOUBLED_ESCAPE.sub(_halve, text)
    text = replace_maths(text, held.stand_in)
    if "://" in text:
        text = _ADDRESS.sub(held.address, text)
    text = strip_tags(text)
    whole = _WRAPPED.fullmatch(text)
    text = read_latex(whole[1] if whole else text)
    text = strip_emphasis(set_type(text))
    text = _MARKS.sub(_read_mark, " ".join(text.split()))
    return unicodedata.normalize("NFC", " ".join(held.restore(text).split()))


class _Held:
    """Formulae and addresses taken out of the text while its markup is read."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def stand_in(self, text: str) -> str:
        """A private-use character for `text`; `text` itself once those have run out."""
        if len(self.texts) == _MOST_STAND_INS:
            return text
        self.texts.append(text)
        return chr(_FIRST_STAND_IN + len(self.texts) - 1)

    def address(self, match: re.Match[str]) -> str:
        address = match[0].rstrip(_AFTER_ADDRESS)
        return self.stand_in(address) + match[0][len(address) :]

    def restore(self, text: str) -> str:
        return _STAND_IN.sub(lambda m: self.texts[ord(m[0]) - _FIRST_STAND_IN], text)


def _read_characters(text: str) -> str:
    """Misread, invisible and compatibility characters mended; letters and line ends kept."""
    if text.isascii() and text.isprintable():
        return text
    text = _SOFT_BREAK.sub("", text)
    if _C1.search(text):
        text = _C1.sub(_read_c1, _MISREAD_UTF8.sub(_read_utf8, text))
    text = _LINE_ENDS.sub("\n", text)
    text = _LOOSE_JOINER.sub("", _INVISIBLE.sub("", text))
    text = _LIGATURE.sub(lambda m: unicodedata.normalize("NFKC", m[0]), text)
    return unicodedata.normalize("NFC", text)


def _read_utf8(match: re.Match[str]) -> str:
    """UTF-8 that was read as Latin-1, where it holds a control character that gives it away."""
    if not _C1.search(match[0]):
        return match[0]
    try:
        return match[0].encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return match[0]


def _read_c1(match: re.Match[str]) -> str:
    """A C1 control is a character of Windows-1252, or nothing; NEL is a line end."""
    if match[0] == "\x85":
        return "\n"
    return match[0].encode("latin-1").decode("cp1252", errors="ignore")


def _read_lines(text: str) -> str:
    if "\\n" in text:
        text = _WRITTEN_LINE_END.sub("\n", text)
    if "\n" in text:
        words = frozenset(re.findall(r"[^\W\d_]+", text.lower()))
        text = _BROKEN_WORD.sub(lambda m: _join(m[1], m[2], words), text)
    return read_blocks(text)


def _join(first: str, second: str, words: frozenset[str]) -> str:
    """A word broken over a line end: joined where that is surely one word, else hyphenated."""
    joined = f"{first}{second}"
    surely = joined.lower() in words or (
        second.islower() and _WORD_END.fullmatch(second) is not None and len(first) > 1
    )
    return joined if surely else f"{first}-{second}"


def _halve(match: re.Match[str]) -> str:
    r"""`\\textbf` and `\\%`, escaped twice on their way, but not a line break before a word."""
    name = match[1]
    return "\\" if name is None or is_macro(name) else match[0]


def _read_mark(match: re.Match[str]) -> str:
    """List items as running text: a semicolon between items that end without punctuation."""
    before = match.string[: match.start()][-1:]
    following = match.string[match.end() : match.end() + 1]
    if not before or not following or before in ".;:,!?–—(":
        return " "
    if ITEM in match[1]:
        return "; "
    return ". " if following.isupper() else " "
