r"""Where a text holds maths: `$...$`, `$$...$$`, `\(...\)`, `\[...\]`.

Goes in: plain text. Comes out: spans with their LaTeX. Knows no HTML. A dollar sign is money more
often than maths in running text, so `$...$` counts only where it reads like a formula.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# A formula in an abstract fits in a line or two; a longer run is two stray delimiters.
LONGEST = 400

_DELIMITED = re.compile(
    rf"(?<!\\)\$\$(?P<display>[^$]{{1,{LONGEST}}}?)\$\$"
    rf"|\\\[(?P<bracket>.{{1,{LONGEST}}}?)\\\]"
    rf"|\\\((?P<paren>.{{1,{LONGEST}}}?)\\\)"
    r"|(?<![\\$\w])\$(?P<dollar>(?=[^\s$])"
    rf"(?:\\.|[^$\\]){{0,{LONGEST}}}?(?:\\.|[^\s$\\]))\$(?![\d$])",
    re.DOTALL,
)
# What money and prose never hold: a command, a script, a brace, a relation or an operator.
_FORMULA = re.compile(r"[\\^_{}=<>+*/|≤≥∈×]")
# A number or percentage, a name such as n or O(n), or a list of names.
_PLAIN = re.compile(
    r"[-–]?\d+(?:[.,]\d+)*(?:\\?%)?|[A-Za-z](?:'|\([A-Za-z0-9, ]+\))?(?:, ?[A-Za-z])*(?:-[A-Za-z])?"
)
_COMMAND = re.compile(r"\\[A-Za-z]+\*?(?:\{[^{}]*\})?")
_PROSE = re.compile(r"(?:^|\s)[A-Za-z]{2,}[,;.]?\s+[A-Za-z]{2,}|\s[A-Za-z]{2,}\s")


@dataclass(frozen=True, slots=True)
class Maths:
    """`text[start:end]` is a formula with its delimiters; `tex` is what stands between them."""

    start: int
    end: int
    tex: str
    display: bool


def find_maths(text: str) -> tuple[Maths, ...]:
    """Every formula of a text, in order, none overlapping."""
    found = []
    for match in _DELIMITED.finditer(text):
        kind = match.lastgroup or ""
        tex = match[kind]
        if "\n\n" in tex or not tex.strip():
            continue
        # A delimiter inside would end the formula early where it is rendered.
        if any(delimiter in tex for delimiter in ("\\(", "\\)", "\\[", "\\]")):
            continue
        if kind == "dollar" and not _reads_as_formula(tex):
            continue
        display = kind in ("display", "bracket")
        found.append(Maths(match.start(), match.end(), tex.strip(), display))
    return tuple(found)


def _reads_as_formula(tex: str) -> bool:
    if _PLAIN.fullmatch(tex):
        return True
    return bool(_FORMULA.search(tex)) and not _PROSE.search(_COMMAND.sub("", tex))
