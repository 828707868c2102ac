"""Text -> the sentences in it, as offsets, so that a quote stays verbatim.

Goes in: one line of readable text. Comes out: spans that cover everything but the white space
between them. Knows nothing of papers.

A rule set rather than a trained model: abstracts are regular, and an offset must never depend on
data that is downloaded.
"""

from __future__ import annotations

import re

from rag.types import Span

# A full stop after one of these hardly ever ends a sentence in an abstract.
ABBREVIATIONS = frozenset(
    "e.g i.e cf vs resp approx fig figs eq eqs sec secs ref refs dr prof mr mrs st "
    "w.r.t viz ca incl esp a.k.a ed eds vol dept".split()
)
# End marks with what closes after them; CJK end marks need no space behind. A run of marks is read
# from its beginning alone: from each of its marks, a line of dots would take minutes.
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"”’')\]]*+(?=\s)|[。！？]+[”’」』）]*")
_MATHS = re.compile(r"\$\$.+?\$\$|\$[^$\s](?:[^$]*[^$\s])?\$", re.DOTALL)
# Enough to see the next word; white space is single in cleaned text.
LOOKAHEAD = 80
_OPENING = frozenset("\"“‘'([{$\\*_«¿¡")


def sentences(text: str) -> tuple[Span, ...]:
    """Split a text into sentences: ordered, disjoint, trimmed, none empty.

    Whatever is not white space lies in exactly one span. Nothing is split inside `$...$`.
    """
    maths = [match.span() for match in _MATHS.finditer(text)]
    spans = []
    start = 0
    for match in _END.finditer(text):
        if _ends(text, match.start(), match.end()) and not _inside(maths, match.start()):
            spans.append(_trimmed(text, start, match.end()))
            start = match.end()
    spans.append(_trimmed(text, start, len(text)))
    return tuple(span for span in spans if span.start < span.end)


def _ends(text: str, mark: int, end: int) -> bool:
    """Whether the end mark at `mark` closes a sentence that is followed by another."""
    if text[mark] in "。！？":
        return True
    follower = text[end : end + LOOKAHEAD].lstrip()
    if not follower or not _begins(follower):
        return False
    if text[mark] != ".":
        return True
    word = re.split(r"[\s(\[“\"]", text[max(0, mark - 20) : mark])[-1]
    initial = len(word) == 1 and word.isupper()
    if word == "al":  # "et al. (2022)" goes on, "et al. We" does not
        return follower[0].isupper()
    return word.lower() not in ABBREVIATIONS and not initial


def _begins(follower: str) -> bool:
    """Whether a sentence may begin so: a capital, a digit, an opening mark, a script without case,
    or a coined name with a capital inside (kFFM)."""
    first = follower[0]
    if first.isupper() or first.isdigit() or first in _OPENING:
        return True
    if first.isalpha() and not first.islower():
        return True
    word = re.match(r"\w+", follower)
    return word is not None and any(letter.isupper() for letter in word.group())


def _inside(ranges: list[tuple[int, int]], position: int) -> bool:
    return any(start <= position < end - 1 for start, end in ranges)


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
