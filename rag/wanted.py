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
    "goal ground grounds idea ideas issue issues kind kinds limitation limitations means "
    "mechanism mechanisms method methods model models name names number numbers one ones other "
    "others paper papers part parts problem problems procedure procedures properties property "
    "purpose purposes quantities quantity reason reasons result results role setting settings "
    "sort sorts step steps strategies strategy studies study system systems technique "
    "techniques thing things type types use value values way ways work works".split()
)
# Words before a noun that say nothing of what it is.
_BEFORE = frozenset(
    "actual additional average bad best big concrete different exact exactly extra final five four "
    "further good key large main many maximum mean minimum more most much new novel often overall "
    "precise recent several single small special specific three total two various".split()
)
# Words that end the noun phrase behind a question word, verbs among them ("how many lawyers took").
_ENDS = frozenset(
    "a about achieve achieves act acts after against all an and any are as at be beat "
    "beats been before behind being between bring brings but by called came can come "
    "comes could did do does done during for from gave get gets give gives got had handle "
    "handles has have he help helps her his how i i'd i'm i've if improve improves in "
    "into is it its known lead leads made make makes might more must need needs not of on "
    "or our outperform outperforms over per perform performs proposed ran reach reaches "
    "saw seen serve serves shall she should show showed shown shows so take takes than "
    "that the their them then there these they this those through to took under used via "
    "was we went were what when where which while who whom whose why will with won work "
    "works would yield yields you your".split()
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
# "which environment mentioned in ..."; a seed is none.
_PARTICIPLE = re.compile(r"\w+[^\We]ed")
# "which kernel and bandwidth does it use"
_AND = re.compile(
    r"\s+and\s+(?:the\s+)?(?P<noun>[\w'’-]+(?:\s+[\w'’-]+)?)\s+(?:do|does|did|is|are|was|were)\b",
    re.IGNORECASE,
)
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
        if spans and _PARTICIPLE.fullmatch(word):
            break
        light = word in _LIGHT
        if spans and light:
            break
        if not light and word not in _BEFORE:
            spans.append(Span(match.start(1), match.end(1)))
        place = match.end()
    joined = _AND.match(question, place)
    if spans and joined and joined["noun"].split()[0].lower() not in _ENDS | _LIGHT:
        begin = joined.start("noun")
        nouns = re.finditer(r"\S+", joined["noun"])
        spans += [Span(begin + noun.start(), begin + noun.end()) for noun in nouns]
    return tuple(spans)
