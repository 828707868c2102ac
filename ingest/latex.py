r"""LaTeX in running text -> the words it prints; formulae are not its business.

Goes in: one line of text, formulae already replaced by single private-use characters. Comes out:
the line without macros and grouping braces; the start of a list item and the end of a list are
left as the marks `ITEM` and `LIST_END`. Accents and symbols come from pylatexenc's tables. Its own
parser is not used: it drops what follows a per cent sign, recurses once per brace, and reads
about 140 abstracts a second.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pylatexenc.latex2text import LatexNodes2Text, get_default_latex_context_db

# Control characters: no input holds them any more when the marks are set.
ITEM = "\x02"
LIST_END = "\x03"

# Macros of one argument that only set its type, in text or in maths.
STYLES = frozenset(
    """textbf textit texttt textsc textsf textrm textsl textmd textup textnormal text emph underline
    uline mbox hbox mathbf mathrm mathit mathsf mathtt mathnormal boldsymbol bm pmb operatorname
    ensuremath""".split()
)
# Macros without an argument that print nothing.
_SWITCHES = frozenset(
    """em it bf tt sc sf rm sl cal tiny scriptsize footnotesize small normalsize large Large LARGE
    huge Huge bfseries mdseries itshape slshape scshape upshape ttfamily sffamily rmfamily centering
    raggedright noindent xspace protect maketitle relax null displaystyle textstyle left right
    romannumeral ignorespaces unskip normalfont selectfont footnotemark""".split()
)
_BREAKS = frozenset(
    "par newline linebreak newpage clearpage smallskip medskip bigskip hfill quad qquad".split()
)
# How many leading arguments say how to print, not what.
_SETTINGS = {"textcolor": 1, "colorbox": 1, "href": 1, "raisebox": 1, "scalebox": 1, "hyperlink": 1}
_SETTINGS |= {"hypertarget": 1, "resizebox": 2, "multicolumn": 2, "fcolorbox": 2}
# Shorthands that most authors define alike, and symbols that the tables lack or print as a variant.
_SHORTHANDS = {"ie": "i.e.", "eg": "e.g.", "etal": "et al.", "wrt": "w.r.t.", "iid": "i.i.d."}
_SHORTHANDS |= {"epsilon": "ε", "eps": "ε", "S": "§", "LaTeX": "LaTeX", "TeX": "TeX"}

_LISTS = r"itemize|enumerate|description|inparaenum|compactitem|compactenum"
_LIST_EDGE = re.compile(rf" ?\\(begin|end) ?\{{?(?:{_LISTS})\*?(?![A-Za-z])\}}?(?: ?\[[^\[\]]*\])?")
_ITEM = re.compile(r"\\item(?![A-Za-z])(?: ?\[([^\[\]]*)\])?")
_NAMED = (
    "cite[A-Za-z]*|[Cc]ref|(?:page|auto|eq|name)?ref|label|nocite|bibliography|bibliographystyle"
)
_LAYOUT = (
    "[hv]space|vskip|includegraphics|input|color|pagestyle|thispagestyle|begin|end|footnotemark"
)
# A citation takes the space before it along; the sentence goes on without it.
_GONE = re.compile(
    rf"[ ~]{{0,2}}\\(?:(?:{_NAMED})\*?(?: ?\[[^\[\]]*\]){{0,2}} ?\{{[^{{}}]*\}})"
    rf"|\\(?:{_LAYOUT})\*?(?: ?\[[^\[\]]*\]){{0,2}} ?\{{[^{{}}]*\}}"
)
# The same from a source that lost its backslashes.
_BARE_CITATION = re.compile(r"[ ~]{0,2}(?<![A-Za-z\\])cite[pt]?\{[^{}]*\}")
_EMPTIED = re.compile(
    r" ?\((?:(?:e\.g\.|i\.e\.|see|see also|cf\.|and|or|[,;~]| )*)\)|(?<=\()[ ,;]+"
)
_SETTING_OPTION = re.compile(rf"\\({'|'.join(sorted(_SETTINGS))}|footnote(?:text)?) ?\[[^\[\]]*\]")

_APOSTROPHE = re.compile(r"(?<=[A-Za-z])\\'(?=(?:s|t|re|ve|ll|d|m)(?![A-Za-z]))")
_OPENING_QUOTE = re.compile(r"(?<![\w}\\])\\([\"'])(?=[^\"'\\]{1,200}\\\1(?![A-Za-z{\\]))")
_LETTER = r"(?:\{ ?(?:\\[ij]|[A-Za-z]) ?\}|\\[ij](?![A-Za-z]))"
_ACCENT = re.compile(
    rf"\{{?(\\(?:[`'^\"~=.](?:{_LETTER}|[A-Za-z])|[Hcvurkdbt] ?{_LETTER}|[Hcvuk] [A-Za-z]))(\}}?)"
)
_GROUPED_NUMBER = re.compile(r"(?<=\d)\\,(?=\d{3})")

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}\\]|[^\\{}]+")
_SET_LIKE = re.compile(r"[,:;|=<>…]|\.\.\.")
# A formula's stand-in counts as a letter.
_LETTERS = re.compile(r"[^\W\d_]|[\U000F0000-\U0010FFFF]|^ ?[–—-]+ ?$")
_GLUED = re.compile(
    r"(emph|text[bi][ft]|texttt|mathbf|mathrm|mathbb|mathcal|mathsf|sqrt)([A-Za-z]+)"
)
_ESCAPES = {"\\": " ", " ": " ", ",": " ", ";": " ", ":": " ", ">": " "}
_ESCAPES |= {"!": "", "/": "", "-": "", "@": ""}


@lru_cache(maxsize=1)
def _tables() -> Any:
    return get_default_latex_context_db()


@lru_cache(maxsize=4096)
def symbol(name: str) -> str | None:
    """What the macro `name` prints by itself: a character or a function's name; None if unknown."""
    if name in _SHORTHANDS:
        return _SHORTHANDS[name]
    replacement = getattr(_tables().get_macro_spec(name), "simplify_repl", None)
    if not isinstance(replacement, str):
        return None
    return replacement if len(replacement) == 1 or replacement.isalpha() else None


@lru_cache(maxsize=4096)
def is_macro(name: str) -> bool:
    """Whether `name` is a macro that authors need not define."""
    known = name in STYLES or name in _SWITCHES or name in _SETTINGS or symbol(name) is not None
    return known or getattr(_tables().get_macro_spec(name), "macroname", "") == name


@lru_cache(maxsize=4096)
def _accented(macro: str) -> str:
    r"""One accent macro with its letter, as `\'{e}`, composed."""
    return unicodedata.normalize("NFC", LatexNodes2Text().latex_to_text(macro).strip())


def read_latex(text: str) -> str:
    """`text` as LaTeX would print it in one line; unbalanced braces are dropped, words never."""
    if "cite" in text:
        text = _BARE_CITATION.sub("", text)
    if "\\" in text:
        text = _LIST_EDGE.sub(lambda edge: LIST_END if edge[1] == "end" else " ", text)
        text = _ITEM.sub(lambda item: f"{ITEM}{item[1] or ''} ", text)
        without = _GONE.sub("", text)
        text = _EMPTIED.sub("", without) if without != text else text
        text = _SETTING_OPTION.sub(r"\\\1", text)
        text = _OPENING_QUOTE.sub(r"\1", _APOSTROPHE.sub("'", text))
        text = _ACCENT.sub(_read_accent, text)
        text = _GROUPED_NUMBER.sub(",", text)
    if "\\" in text or "{" in text or "}" in text:
        text = _Printer().printed(text)
    return text


def _read_accent(match: re.Match[str]) -> str:
    opened, closed = match[0].startswith("{"), match[2]
    letter = _accented(match[1])
    return letter if opened == bool(closed) else f"{'{' if opened else ''}{letter}{closed}"


@dataclass(slots=True)
class _Group:
    """An open brace: why it was opened, where its text starts, what was seen directly in it."""

    kind: str
    start: int
    macro: bool = False
    set_like: bool = False
    letters: bool = False
    content: bool = False


class _Printer:
    """One walk over the tokens with a stack of open braces: linear, and without recursion."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.groups: list[_Group] = []
        self.arguments: list[str] = []  # kinds of the groups that a macro still expects
        self.name = ""  # a macro of the author's own, printed if no argument follows
        self.eats_space = False

    def printed(self, text: str) -> str:
        for piece in _TOKEN.findall(text):
            if piece == "{":
                self._open()
            elif piece == "}":
                self._close()
            elif piece[0] == "\\":
                self._macro(piece)
            else:
                self._text(piece)
        self._settle()
        return "".join(self.out)

    def _settle(self) -> None:
        """No argument follows: print the name of a macro that only its author knows."""
        self.out.append(self.name)
        self.arguments, self.name = [], ""

    def _open(self) -> None:
        kind = self.arguments.pop(0) if self.arguments else "bare"
        self.groups.append(_Group(kind, len(self.out)))
        # An empty group, as in \name{}, ends the macro: its name is printed when the group closes.
        self.out.append("")
        self.eats_space = False

    def _close(self) -> None:
        if self.arguments:
            self._settle()
        self.eats_space = False
        if not self.groups:
            return
        group = self.groups.pop()
        if group.kind == "setting":
            del self.out[group.start :]
        elif group.kind == "note":
            self.out[group.start] = " ("
            self.out.append(")")
        elif group.kind == "own":
            self.out[group.start] = "" if group.content else self.name
            self.name = ""
        elif group.kind == "fraction":
            self.out.append("/")
        elif group.kind == "bare" and _stays(group):
            self.out[group.start] = "{"
            self.out.append("}")

    def _text(self, words: str) -> None:
        if self.arguments and words == " ":
            self.out.append("" if self.arguments[0] != "own" else " ")
            return
        if self.arguments:
            self._settle()
        if self.eats_space:
            words, self.eats_space = words.lstrip(" "), False
        self.out.append(words)
        self._see(words)

    def _see(self, piece: str) -> None:
        if self.groups and piece.strip():
            group = self.groups[-1]
            group.content = True
            group.set_like = group.set_like or bool(_SET_LIKE.search(piece))
            group.letters = group.letters or bool(_LETTERS.search(piece))

    def _macro(self, piece: str) -> None:
        if self.arguments:
            self._settle()
        self.eats_space = False
        name = piece[1:].rstrip("*")
        if not name.isalpha() or not name.isascii():
            printed = _ESCAPES.get(piece[1:], piece[1:])
            self.out.append(printed)
            self._see(printed)
            return
        if self.groups:
            self.groups[-1].macro = True
            self.groups[-1].content = True
        self._named(name)

    def _named(self, name: str) -> None:
        printed = symbol(name)
        glued = _GLUED.fullmatch(name)
        if name in _SWITCHES:
            self.eats_space = True
        elif name in _BREAKS:
            self.out.append(" ")
        elif name in STYLES or name in ("url", "path", "textsuperscript", "textsubscript"):
            self.arguments = ["style"]
        elif name in _SETTINGS:
            self.arguments = ["setting"] * _SETTINGS[name] + ["style"]
        elif name in ("footnote", "footnotetext", "thanks"):
            self.arguments = ["note"]
        elif name in ("frac", "tfrac", "dfrac", "nicefrac"):
            self.arguments = ["fraction", "style"]
        elif name == "sqrt":
            self.out.append("√")
            self.arguments = ["style"]
        elif printed is not None:
            self.out.append(printed)
            # TeX eats the space after \ss; after other symbols authors mean the space they typed.
            self.eats_space = len(name) <= 2 and printed.isalpha()
        elif glued and not is_macro(name):
            self.out.append(f"{'√' if glued[1] == 'sqrt' else ''}{glued[2]}")
        else:
            # A name that only the author's preamble knows ("\ours") is all that there is to print;
            # a macro that LaTeX knows and that is none of the above prints nothing itself.
            self.arguments, self.name = ["own"], "" if _is_silent(name) else name


def _is_silent(name: str) -> bool:
    return re.fullmatch(rf"{_NAMED}|{_LAYOUT}|item", name) is not None or (
        is_macro(name) and symbol(name) is None
    )


def _stays(group: _Group) -> bool:
    """Whether bare braces are text: a set {a, b} or a number, not the grouping of {BERT}."""
    if group.macro or not group.content:
        return False
    return group.set_like or not group.letters
