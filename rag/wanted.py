"""A question -> the thing that it asks for ("learning rate" in "What learning rate did X use?").

Goes in: a question. Comes out: its words and where they stand. Pure; knows nothing of papers.

What is asked for stands behind the question word that opens the question or a clause of it. Words
that say nothing by themselves ("which method", "what kind of") are not asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.types import Span

# Nouns that any abstract states in some words: a question for "the method" always has an answer.
_LIGHT = frozenset(
    "amount approach aspect aspects author authors benefit benefits case cases challenge "
    "challenges change changes condition conditions contribution contributions difference "
    "differences effect effects factor factors feature features finding findings form forms "
    "goal idea ideas issue issues kind kinds limitation limitations mechanism mechanisms method "
    "methods model models name names number numbers one ones other others paper papers part "
    "parts problem problems procedure procedures property properties quantity quantities reason "
    "reasons result results role setting settings sort sorts step steps strategies strategy "
    "studies study system systems technique techniques thing things type types use value values "
    "way ways work works".split()
)
# Words before a noun that say nothing of what it is.
_BEFORE = frozenset(
    "actual additional average bad best big concrete different exact exactly extra final five four "
    "further good key large main many maximum mean minimum more most much new novel often overall "
    "precise recent several single small special specific three total two various".split()
)
# Words that end the noun phrase behind a question word.
_ENDS = frozenset(
    "a about all an and any are as at be been behind being between but by can could did do does "
    "done "
    "for from had has have he her his how i if in into is it its might more must not of on or "
    "our over i'd i'm i've per shall she should so than that the their them then there these "
    "they this those through to under via was we were what when where which while who whom "
    "whose why will with would you your "
    # verbs behind what is asked for: "how many lawyers took part"
    "beat beats came come comes gave get gets give gives got help helps make makes made need needs "
    "ran saw show showed shows take takes took went won".split()
)
_OPENS = re.compile(
    r"(?:^|[.,;:?!–—-]\s+|\band\s+|\bbut\s+|\b(?:for|in|on|at|of|by|to|with|from|under|over|across)\s+)"
    r"(?P<word>what|which|how many|how much)\b",
    re.IGNORECASE,
)
_COPULA = re.compile(r"\s+(?:is|are|was|were)\s+(?:(?:the|a|an|its|their)\s+)?", re.IGNORECASE)
_OF = re.compile(
    r"\s+(?:kinds?|types?|sorts?|forms?|names?|values?|numbers?|shares?|fractions?|percentages?)"
    r"\s+of(?:\s+(?:the|its|their))?\b",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\s+([\w'’-]+)")
# A light word may stand before another noun ("step size"), but not before a verb ("method beats").
_VERB = re.compile(r"\w+(?:s|ed)")
# "how much faster": a degree, and no thing.
_DEGREE = re.compile(r"how (?:much|many) (?:more|less|fewer|\w+er)\b", re.IGNORECASE)
# Longer phrases are clauses that the rule did not understand.
MOST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for: its words as typed, and where they stand."""

    text: str
    spans: tuple[Span, ...]


def wanted(question: str) -> Wanted | None:
    """The first thing that a question asks for; None where the rule finds none."""
    for opening in _OPENS.finditer(question):
        if _DEGREE.match(question, opening.start("word")):
            continue
        spans = _phrase(question, opening.end("word"))
        if spans:
            text = question[spans[0].start : spans[-1].end]
            return Wanted(text, spans)
    return None


def _phrase(question: str, place: int) -> tuple[Span, ...]:
    """The words of the noun phrase that begins at `place`, light ones left out."""
    for skipped in (_COPULA, _OF):
        match = skipped.match(question, place)
        place = match.end() - 1 if match and skipped is _COPULA else match.end() if match else place
    spans: list[Span] = []
    light = False
    for _ in range(MOST_WORDS):
        match = _NEXT.match(question, place)
        word = match[1].lower() if match else ""
        if match is None or word in _ENDS or (light and _VERB.fullmatch(word)):
            break
        light = word in _LIGHT
        if spans and light:
            break
        if not light and word not in _BEFORE:
            spans.append(Span(match.start(1), match.end(1)))
        place = match.end()
    return tuple(spans)
