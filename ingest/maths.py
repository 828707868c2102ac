r"""Maths between dollars -> plain Unicode where that reads as well, else LaTeX in tidy delimiters.

Goes in: one line of text with `$...$`, `$$...$$`, `\(...\)`, `\[...\]`, equation environments and
money. Comes out: the line with each formula replaced; and, of a cleaned text, where its
formulae stand. Knows nothing of text macros outside formulae, of Markdown or HTML.

A formula becomes plain where it holds only numbers, letters, symbols that Unicode has, relations,
function names, small fractions and roots. Whatever has an index, an exponent, an accent or a
script letter stays LaTeX: flattened it would be misread (10^{-3} as 10-3).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from ingest.latex import STYLES, is_macro, symbol

# A formula in an abstract is far shorter; two dollars further apart do not belong together.
LONGEST_FORMULA = 1500


class Formula(NamedTuple):
    """A formula's place in a text, delimiters included: `text[start:end]`; `content` is without."""

    start: int
    end: int
    content: str
    display: bool


_INLINE = re.compile(r"(?<!\\)\\\(((?:[^\\$]|\\[^()]){1,1500}?)\\\)")
_DISPLAY = re.compile(r"(?<!\\)\\\[((?:[^\\$]|\\[^\[\]]){1,1500}?)\\\]")
_ENVIRONMENT = re.compile(
    r"\\begin ?\{((?:equation|align|gather|multline|eqnarray|displaymath|math)\*?)\}"
    r"([^$]{1,1500}?)\\end ?\{\1\}"
)
_CITATION_NUMBERS = re.compile(r"[\d\s,;–-]*")
_DOLLAR = re.compile(r"\\.|\$")
_LOOSE_DOLLAR = re.compile(r"\\?\$")
_AMOUNT = re.compile(r" ?\.?\d")

_TEXT_GROUP = re.compile(r"\\[A-Za-z]+ ?\{[^{}]*\}|\\[A-Za-z]+")
_PROSE = re.compile(r"(?<![A-Za-z{])(?:[a-z]{2,}[,;.:]? ){2}[a-z]{2,}(?![a-z}])")
_AMOUNT_IN_PROSE = re.compile(r"(?<![A-Za-z{])[a-z]{3,}[,;.:]? [a-z]{2,}")
_AMOUNT_BETWEEN = re.compile(r"\d[^\\^_{}]*| [^\\^_{}]*\w[^\\^_{}]*")
_LOOSE_WORDS = re.compile(r"[,.;:)]* ?(?:[a-z]{2,}[,;:.]? )*[a-z]{2,}[,;:.]? ?\(?")
_PUNCTUATION = re.compile(r"[\s,.;:()\[\]{}'\"`]*")

_STYLED = re.compile(rf"\\(?:{'|'.join(sorted(STYLES))})\*? ?\{{([^{{}}]*)\}}")
_SWITCH = re.compile(r"\\(?:bf|rm|it|sf|tt|em|displaystyle|textstyle)(?![A-Za-z]) ?")
_BARE_GROUP = re.compile(r"(?<![\\^_A-Za-z}\]])\{([^{}\\^_]*)\}(?!\{)")
_SIZED = re.compile(r"\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z]) ?(?=[()\[\]|/])")
_BLACKBOARD = re.compile(r"\\mathbb ?(?:\{ ?([CHNPQRZ]) ?\}|([CHNPQRZ])(?![A-Za-z]))")
_ORDER = re.compile(
    r"\\(?:mathcal|cal) ?(?:\{ ?O ?\}|O(?![A-Za-z]))(?= ?\()|\{ ?\\cal O ?\}(?= ?\()"
)
_FRACTION = re.compile(
    r"(?<![\w)}])\\(?:[td]?frac|nicefrac|sfrac) ?\{ ?(\w{1,4}) ?\} ?\{ ?(\w{1,4}) ?\}"
    r"(?! ?[\w\\({^])"
)
_ROOT = re.compile(r"\\sqrt ?(?:\{ ?(\w|\d+|\\[a-z]+) ?\}|(\w)(?![A-Za-z]))(?! ?[\w\\{^])")
_DEGREE = re.compile(r"\^ ?(?:\{ ?\\circ ?\}|\\circ(?![A-Za-z]))")
_ORDINAL = re.compile(r"(\w) ?\^ ?\{? ?(st|nd|rd|th) ?\}?(?![a-z])")
_SPACING = re.compile(r"\\[,;:> ]|\\q?quad(?![A-Za-z])|~")
_MACRO = re.compile(r"\\([A-Za-z]+)( ?)(?=(.?))")
_ESCAPED = {r"\%": "%", r"\#": "#", r"\&": "&", r"\$": "$", r"\|": "‖", r"\!": ""}
_ESCAPE = re.compile(r"\\[%#&$|!]")
_STILL_LATEX = re.compile(r"[\\^_{}&]")
_RELATION = re.compile(
    r"(?<=[^\s([{,])( ?)([∈∉≤≥≈≠∼≃≅≡≍≜∝×→←↔⇒⇔↦≪≫⊂⊆⊃⊇∪∩±⊗⊕≲≳≺≻⪯⪰])( ?)(?=[^\s)\]},.;:])"
)
_SPACED = re.compile(r"(?<=\d) (?=%)|(?<=⟨) | (?=⟩)")
_LONE_SCRIPT = re.compile(r"(?:\{\})?([\^_]) ?(?:\{ ?([^{}]{1,4}?) ?\}|([0-9+-]))")
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")

# Sources whose braces were lost write \mathbbR for \mathbb{R}, and some escape the underscore of an
# index against Markdown: no renderer reads either.
_GLUED = re.compile(
    r"\\(sqrt|math(?:bb|cal|bf|rm|sf)|(?:wide)?(?:tilde|hat)|bar)([A-Z])(?![A-Za-z])"
)
_ESCAPED_INDEX = re.compile(r"(?<=[}|)\]])\\_")
_LABEL = re.compile(r"\\label ?\{[^{}]*\}")
_EPS = re.compile(r"\\eps(?![A-Za-z])")
_BRACE = re.compile(r"\\.|[{}]")
_TRAILING_BACKSLASHES = re.compile(r"\\+$")
_ONE_MACRO = re.compile(r"\\([A-Za-z]+)")


def replace_maths(text: str, stand_in: Callable[[str], str]) -> str:
    """`text` with `stand_in(formula)` for each formula, read by `read_formula`.

    A dollar that belongs to no formula stays before an amount (money) and is dropped elsewhere.
    """
    if "\\" in text:
        text = _unify_delimiters(text)
    if "$" not in text:
        return text
    pieces: list[str] = []
    kept = ""  # a formula in LaTeX that a directly following one may join
    done = 0
    for formula in _formulae(text):
        between = _without_loose_dollars(text, done, formula.start)
        read = _in_context(read_formula(formula.content, display=formula.display), text, formula)
        if kept.endswith("$") and not between and read.startswith("$") and not formula.display:
            kept = f"{kept[:-1]} {read[1:]}"
        else:
            pieces += [stand_in(kept) if kept else "", between]
            kept = read
        done = formula.end
    pieces += [stand_in(kept) if kept else "", _without_loose_dollars(text, done, len(text))]
    return "".join(pieces)


def find_formulae(text: str) -> tuple[Formula, ...]:
    """Where a cleaned text holds LaTeX formulae, in order; any other dollar in it is money."""
    return tuple(_formulae(text)) if "$" in text else ()


@lru_cache(maxsize=8192)
def read_formula(content: str, *, display: bool = False) -> str:
    """One formula without its delimiters -> plain text, or LaTeX between `$` (`$$` for display)."""
    content = " ".join(content.split())
    plain = _plain(content)
    if plain is not None:
        return plain
    mark = "$$" if display else "$"
    return f"{mark}{_tidy(content)}{mark}"


def _in_context(read: str, text: str, formula: Formula) -> str:
    """`read` with the spaces inside the source's dollars, where a word stands beside them."""
    before, after = text[formula.start - 1 : formula.start], text[formula.end : formula.end + 1]
    kept = read.startswith("$") and read.endswith("$") and len(read) > 1
    spaced = formula.display or formula.content[:1] == " "
    left = " " if spaced and before.isalnum() else ""
    spaced = formula.display or formula.content[-1:] == " "
    right = " " if (spaced and after.isalnum()) or (kept and after.isdigit()) else ""
    return f"{left}{read}{right}"


def _unify_delimiters(text: str) -> str:
    def environment(match: re.Match[str]) -> str:
        content = match[2]
        if "&" in content or "\\\\" in content:
            content = rf"\begin{{aligned}}{content}\end{{aligned}}"
        return f"$${content}$$"

    def display(match: re.Match[str]) -> str:
        if _CITATION_NUMBERS.fullmatch(match[1]) or not _is_formula(match[1], ""):
            return match[0]
        return f"$${match[1]}$$"

    def inline(match: re.Match[str]) -> str:
        return f"${match[1].strip()}$" if _is_formula(match[1], "") else match[0]

    text = _ENVIRONMENT.sub(environment, text)
    return _INLINE.sub(inline, _DISPLAY.sub(display, text))


def _formulae(text: str) -> Iterator[Formula]:
    """Pair the dollars from left to right; a pair that holds no formula frees its first dollar."""
    at = [match.start() for match in _DOLLAR.finditer(text) if match[0] == "$"]
    i = 0
    while i + 1 < len(at):
        start, stop = at[i], at[i + 1]
        if stop == start + 1:
            if i + 3 < len(at) and at[i + 3] == at[i + 2] + 1:
                content = text[start + 2 : at[i + 2]]
                if len(content) <= LONGEST_FORMULA and _is_formula(content, ""):
                    yield Formula(start, at[i + 3] + 1, content, True)
                    i += 4
                    continue
        elif stop - start <= LONGEST_FORMULA:
            content = text[start + 1 : stop]
            if _is_formula(content, text[stop + 1 : stop + 3]):
                yield Formula(start, stop + 1, content, False)
                i += 2
                continue
        i += 1


def _is_formula(content: str, following: str) -> bool:
    """Whether what stands between two dollars is a formula, not the text between two amounts."""
    if _PUNCTUATION.fullmatch(content):
        return False
    if following[:1].isdigit() and _AMOUNT_BETWEEN.fullmatch(content):
        return False
    words = _TEXT_GROUP.sub(" ", content)
    if content[0].isdigit():
        # "$5 and $10", "$5-$10", "$7, US$ 8"
        if content[-1] == " ":
            return False
        if " " in content and _AMOUNT.match(following):
            return False
        return not _AMOUNT_IN_PROSE.search(words)
    if content[0] in " ,.;:)" or content[-1] == " ":
        bare = content.strip()
        if symbol(bare) != bare and _LOOSE_WORDS.fullmatch(bare):
            return False
    return not _PROSE.search(words)


def _without_loose_dollars(text: str, start: int, end: int) -> str:
    if text.find("$", start, end) < 0:
        return text[start:end]

    def money(match: re.Match[str]) -> str:
        amount = match.end() + start < end and _AMOUNT.match(text, match.end() + start)
        return "$" if amount else ""

    return _LOOSE_DOLLAR.sub(money, text[start:end])


def _plain(content: str) -> str | None:
    """The formula in plain Unicode, or None where that would lose something."""
    alone = _ONE_MACRO.fullmatch(content)
    if alone and not is_macro(alone[1]):
        return alone[1]  # a name from the author's preamble: nothing could render it
    script = _LONE_SCRIPT.fullmatch(_ungroup(content))
    if script:
        return _read_lone_script(script[1], script[2] or script[3])
    text = content.replace(r"\{", "\x04").replace(r"\}", "\x05")
    text = _ungroup(_ORDER.sub("O", _GLUED.sub(r"\\\1 \2", text)))
    text = _SIZED.sub("", _DEGREE.sub("°", text))
    text = _ORDINAL.sub(lambda m: f"{m[1]}{'' if m[1].isdigit() else '-'}{m[2]}", text)
    text = _BLACKBOARD.sub(
        lambda m: unicodedata.lookup(f"DOUBLE-STRUCK CAPITAL {m[1] or m[2]}"), text
    )
    text = _ROOT.sub(lambda m: f"√{m[1] or m[2]}", _FRACTION.sub(r"\1/\2", text))
    text = _ESCAPE.sub(lambda m: _ESCAPED[m[0]], _SPACING.sub(" ", text))
    text = _MACRO.sub(_read_symbol, text)
    if _STILL_LATEX.search(text) or ("\x04" in text and "," not in text):
        return None
    text = " ".join(text.replace("*", "∗").replace("\x04", "{").replace("\x05", "}").split())
    return _RELATION.sub(_even_spacing, _SPACED.sub("", text))


def _ungroup(text: str) -> str:
    """Without type styles and grouping braces, three levels deep at most."""
    text = _SWITCH.sub("", text)
    for _ in range(3):
        text = _BARE_GROUP.sub(r"\1", _STYLED.sub(r"\1", text))
    return text


def _read_lone_script(mark: str, script: str) -> str | None:
    r"""The whole formula is a script of the word before it: CO$_2$, D$^3$R, 5$^{th}$."""
    if script in ("st", "nd", "rd", "th"):
        return script
    if not re.fullmatch(r"[0-9+-]+", script):
        return None
    return script if mark == "_" else script.translate(_RAISED)


def _read_symbol(match: re.Match[str]) -> str:
    name, space, following = match[1], match[2], match[3]
    printed = symbol(name)
    if printed is None:
        return match[0]
    if not (printed.isascii() and len(printed) > 1):
        return printed + space
    # A function's name stands off from letters on both sides: O(n log n).
    before = match.string[: match.start()][-1:]
    left = " " if before.isalnum() or before == ")" else ""
    return f"{left}{printed}{space or (' ' if following.isalnum() or following == chr(92) else '')}"


def _even_spacing(match: re.Match[str]) -> str:
    return match[0] if match[1] == match[3] else f" {match[2]} "


def _tidy(content: str) -> str:
    """LaTeX that a renderer reads: balanced braces, known names, no label, no loose backslash."""
    content = _EPS.sub(r"\\epsilon", _LABEL.sub("", content))
    content = _ESCAPED_INDEX.sub("_", _GLUED.sub(r"\\\1 \2", content))
    depth = 0
    pieces: list[str] = []
    done = 0
    for brace in _BRACE.finditer(content):
        if brace[0] == "}" and depth == 0:
            pieces.append(content[done : brace.start()])
            done = brace.end()
        depth = max(0, depth + {"{": 1, "}": -1}.get(brace[0], 0))
    content = "".join([*pieces, content[done:]]).strip()
    trailing = _TRAILING_BACKSLASHES.search(content)
    if trailing and len(trailing[0]) % 2:
        content = content[:-1].rstrip()
    return content + "}" * depth
