"""Figures and coined names in a text, and whether other texts have them too; pure.

Goes in: readable text, English or with English number words. Comes out: `Figure`s (a number with
its unit), names ("FEROM", "CIFAR-10"), or the reason why one of them is not in its source. Knows
nothing of papers, answers and what a sentence says about its figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

# Two figures this close are taken for one that was changed.
NEAR = Decimal("0.5")

# "one" is left out: it is mostly a pronoun.
_WORDS = {
    word: number
    for number, word in enumerate(
        """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
        sixteen seventeen eighteen nineteen twenty""".split(),
        start=2,
    )
} | {"dozen": 12}
# One word for a number and its unit.
_MULTIPLES = {
    word: (value, unit)
    for value, unit, words in (
        (2, "×", "twice double doubles doubled doubling twofold two-fold"),
        (3, "×", "thrice triple triples tripled tripling threefold three-fold"),
        (4, "×", "quadruple quadruples quadrupled quadrupling fourfold four-fold"),
        (50, "%", "half halve halves halved halving 1/2"),
        (25, "%", "quarter 1/4"),
    )
    for word in words.split()
}
_SCALES = {
    "hundred": 2, "k": 3, "thousand": 3, "m": 6, "million": 6, "b": 9, "billion": 9, "t": 12,
    "trillion": 12,
}  # fmt: skip
_UNITS = {
    "%": "%", "percent": "%", "per cent": "%", "prozent": "%",
    "percentage points": "points", "percentage point": "points", "points": "points",
    "point": "points", "pp": "points",
    "×": "×", "x": "×", "times": "×", "fold": "×", "-fold": "×",
    "ms": "ms", "milliseconds": "ms", "s": "s", "sec": "s", "seconds": "s", "second": "s",
    "minutes": "min", "minute": "min", "min": "min", "hours": "h", "hour": "h", "h": "h",
    "days": "d", "day": "d", "weeks": "w", "week": "w",
    "kb": "KB", "mb": "MB", "gb": "GB", "tb": "TB", "hz": "Hz", "khz": "kHz", "mhz": "MHz",
    "ghz": "GHz", "fps": "fps", "db": "dB", "°": "°",
}  # fmt: skip
_UNIT = "|".join(
    re.escape(name) + (r"(?![\w])" if name[-1].isalnum() else "")
    for name in sorted(_UNITS, key=len, reverse=True)
)
_SCALE = "|".join(rf"{name}(?!\w)" for name in sorted(_SCALES, key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<whole>\d{{1,3}}(?:[,\u202f\u00a0]\d{{3}})+(?!\d)|\d+)(?P<part>[.,]\d+)?"
    rf"(?:e(?P<power>[-+]?\d{{1,3}}))?(?:\s?(?P<scale>{_SCALE}))?(?:[-\s]?(?P<unit>{_UNIT}))?"
    r"(?!\w|[.,]\d)",
    re.IGNORECASE,
)
_WORD_NUMBER = re.compile(
    rf"\b(?P<word>{'|'.join(_WORDS)}|one(?=\s(?:hundred|thousand|[mbt]r?illion)\b))\b(?:\s(?P<scale>hundred|thousand|[mbt]r?illion))?"
    rf"(?:[-\s](?P<unit>{_UNIT}))?",
    re.IGNORECASE,
)
_MULTIPLE = re.compile(rf"(?<![\w.,/-])(?:{'|'.join(_MULTIPLES)})(?![\w/-])", re.IGNORECASE)
# "A factor of 2 to 8" is 2× to 8×; no other unit may follow.
_FACTOR = re.compile(
    rf"\bfactors?\s(?:of\s|between\s)?(?:(?:about|up to|over|more than|at least|nearly|roughly)\s)?"
    rf"(?P<number>\d[\d.,]*(?<=\d)|\b(?:{'|'.join(_WORDS)})\b)(?P<rest>\s?(?:[-–—]|to\b|and\b)\s?"
    r"\d[\d.,]*(?<=\d))?(?![\w%^])",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(?<=\d)\s?(?:[-–—]|\bto\b)\s?(?=\d)")
_TOKEN = re.compile(r"(?<![\w.])(?:[^\W\d_]\w*(?:[-./+]\w+)*|\d+[^\W\d_]+\w*(?:-\w+)*)")
# L_2 and $\\ell_{1}$ as L2 and ℓ1.
_SUBSCRIPT = re.compile(r"(?<=[A-Zℓ])_\{?(\w)\}?")
_JOINT = re.compile(r"[-./+]")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit ("" where it has none), and as it stands in its text."""

    value: Decimal
    unit: str
    shown: str


@lru_cache(maxsize=1024)  # a quote is asked for once a claim that it carries
def figures(text: str) -> tuple[Figure, ...]:
    """The numbers of a text, each as often as it occurs, in order; never fails.

    131,072 is 131072, 94,4 is 94.4, 7B is 7 billion, two to twenty in words are 2 to 20, a factor
    of 90 is 90×, "doubles" is 2× and "half" 50%; simple LaTeX is read ($20$--$1000\\times$), both
    ends of a range have its unit. Units are %, points, ×, and the usual ones of time, memory and
    frequency; "%" and "points" are different units. Digits inside coined names (CIFAR-10, GPT-4)
    and version numbers (1.2.3) are no figures.
    """
    text = _RANGE.sub(" – ", _readable(text))
    shares = list(_MULTIPLE.finditer(text))
    text = _MULTIPLE.sub(lambda match: " " * len(match[0]), text)
    text = _TOKEN.sub(lambda token: " " * len(token[0]) if _is_coined(token[0]) else token[0], text)
    found: list[tuple[int, Figure]] = []
    for match in _NUMBER.finditer(text):
        unit = _unit(match["unit"]) or _range_unit(text, match.end())
        found.append((match.start(), Figure(_value(match), unit, match[0])))
    for match in _WORD_NUMBER.finditer(text):
        value = Decimal(_WORDS.get(match["word"].lower(), 1))
        value = value.scaleb(_SCALES.get((match["scale"] or "").lower(), 0))
        found.append((match.start(), Figure(value, _unit(match["unit"]), match[0])))
    for match in shares:
        number, unit = _MULTIPLES[match[0].lower()]
        found.append((match.start(), Figure(Decimal(number), unit, match[0])))
    return tuple(figure for _, figure in sorted(found, key=lambda item: item[0]))


def coined(text: str) -> tuple[str, ...]:
    """The coined names of a text, each once, in order of their first occurrence; never fails.

    These are tokens that no dictionary has: acronyms and names with a capital inside (RL, LeafNet,
    kFFM) and names with digits (GPT-4, H100). A plain capitalised word (Oak) is none, and neither
    is a figure with its unit (7B, 20x). Compare names by `plain_name`.
    """
    return tuple(dict.fromkeys(token for token in _TOKEN.findall(text) if _is_coined(token)))


def plain_name(name: str) -> str:
    """A name without case, hyphens and a plural s, so that spellings of one name are equal."""
    plain = re.sub(r"[-./+_]", "", name.casefold().replace("ℓ", "l"))
    return plain[:-1] if plain.endswith("s") and len(plain) > 3 else plain


def wrong_figure(claim: str, sources: Sequence[str]) -> str:
    """Why a figure of the claim is in none of the sources, in words; empty if all are.

    Values must be equal, and units too unless one of the texts leaves the unit away.
    """
    there = [figure for source in sources for figure in figures(source)]
    for figure in figures(claim):
        if not any(_same(figure, other) for other in there):
            near = _nearest(figure, there)
            if near is not None:
                return f"the source says {near.shown}, not {figure.shown}"
            return f"{figure.shown} is not in the cited sentence"
    return ""


def wrong_name(claim: str, sources: Sequence[str]) -> str:
    """Why a coined name of the claim is in none of the sources, in words; empty if all are.

    Spelling does not matter (CIFAR10, LLMs), nor what is joined to a name (FEROM-based), nor
    whether an acronym is written out there.
    """
    names, parts, initials = _names_in("\n".join(sources))
    for name in coined(claim):
        # Of "FEROM-based" the first part must be there; of "CIFAR-10" both.
        needed = [part for part in _JOINT.split(name) if part.isdigit() or _is_coined(part)]
        in_parts = len(needed) > 0 and all(plain_name(part) in parts for part in needed)
        acronym = name.removesuffix("s")
        spelt_out = acronym.isupper() and acronym.casefold() in initials
        if not (plain_name(name) in names or in_parts or spelt_out):
            return f"{name} is not in the cited sentence"
    return ""


@lru_cache(maxsize=512)  # the same sentences are asked for once a claim
def _names_in(source: str) -> tuple[frozenset[str], frozenset[str], str]:
    """The plain names in a text, those of their parts, and the first letters of all its words."""
    source = _SUBSCRIPT.sub(r"\1", source.replace("\\ell", "ℓ"))
    tokens = _TOKEN.findall(source)
    names = frozenset(plain_name(token) for token in tokens)
    parts = frozenset(plain_name(part) for token in tokens for part in _JOINT.split(token))
    initials = "".join(word[0] for word in re.findall(r"[^\W\d_]+", source.casefold()))
    return names, parts, initials


def _same(figure: Figure, other: Figure) -> bool:
    if figure.value == other.value:
        return figure.unit == other.unit or not (figure.unit and other.unit)
    return _as_said(figure, other) or _as_said(other, figure)


def _as_said(share: Figure, other: Figure) -> bool:
    """Whether a percentage is what another figure says: 50% and 0.5 or, where it halves, 2×."""
    if share.unit != "%":
        return False
    whole = other.value * 100 if not other.unit else Decimal(0)
    return share.value == whole or (other.unit == "×" and share.value * other.value == 100)


def _nearest(figure: Figure, there: Iterable[Figure]) -> Figure | None:
    """The figure that was probably meant, if one is near."""

    def distance(other: Figure) -> Decimal:
        largest = max(abs(figure.value), abs(other.value))
        return abs(figure.value - other.value) / largest if largest else Decimal(0)

    alike = [other for other in there if other.unit == figure.unit or other.value == figure.value]
    close = [other for other in alike if distance(other) <= NEAR]
    return min(close, key=distance, default=None)


def _readable(text: str) -> str:
    """Simple LaTeX of numbers as plain text: $20$--$1000\\times$ -> 20–1000×."""
    text = text.replace("\\times", "×").replace("\\%", "%").replace("{,}", ",")
    text = _FACTOR.sub(_times, text)
    text = re.sub(r"(?<=\d)\s*×\s*10\s*\^\s*\{?\s*(-?\d{1,2})\s*\}?", r"e\1", text)
    text = re.sub(r"(?<![\d.])10\s*\^\s*\{?\s*(-?\d{1,2})\s*\}?", r"1e\1", text)
    return text.replace("$", "").replace("---", "–").replace("--", "–")


def _times(factor: re.Match[str]) -> str:
    """ "A factor of 2 to 8" as "2 to 8×"."""
    return f"{factor['number']}{factor['rest'] or ''} times "


def _value(match: re.Match[str]) -> Decimal:
    whole = re.sub(r"\D", "", match["whole"])
    part = (match["part"] or "").replace(",", ".")
    power = int(match["power"] or 0) + _SCALES.get((match["scale"] or "").lower(), 0)
    return Decimal(whole + part).scaleb(power)


def _unit(written: str | None) -> str:
    return _UNITS[" ".join(written.lower().split())] if written else ""


def _range_unit(text: str, end: int) -> str:
    """The unit of the number that ends a range which begins here: the 20 of 20–1000×."""
    if not text[end:].startswith(" – "):
        return ""
    other = _NUMBER.match(text, end + 3)
    return _unit(other["unit"]) if other else ""


def _is_coined(token: str) -> bool:
    if token[0].isdigit():
        # 7B, 20x and 94ms are figures; 3DGS and 2B-Instruct are names.
        return not _NUMBER.fullmatch(token) and sum(map(str.isupper, token)) > 1
    digits = any(map(str.isdecimal, token))  # an exponent makes no name
    inner = any(part[1:] != part[1:].lower() for part in _JOINT.split(token))
    return inner or digits
