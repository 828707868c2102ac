"""A mention of a name -> how plainly the text says there that the name is the authors' own.

Goes in: text, its sentences and a mention. Comes out: a score. Knows the phrases by which authors
bring in what is theirs, and nothing of the other mentions.
"""

from __future__ import annotations

import re

from ingest.mentions import BREAKS, OWN_STEMS, Mention, is_unusual
from rag.types import Span

# What the way a name is brought in is worth. Weighed by hand on half of a conference's abstracts;
# the tests measure the outcome on the other half and on other conferences.
CALLED = 5.0
OF_THE_WHOLE = 1.5
PROPOSED = 5.0
PROPOSED_WITH_NOUN = 4.0
PROPOSED_AS_MODIFIER = 2.5
PROPOSED_AFAR = 2.5
OURS = 3.0
PRAISED = 2.5
MENTIONED = 1.0
DEFINED = 1.0
EXPLAINED = 1.0
ALSO = -1.5
# How far to the left of a name, in characters, the words that bring it in are looked for.
REACH = 160
_OWNS = re.compile(
    rf"\b(?:{OWN_STEMS})(?:e|es|s|ing)?\b"
    r"|\b(?:we|and|have|authors)(?: \w+ly)? "
    r"(?:proposed|introduced|presented|developed|designed|devised|built|created|collected)\b"
    r"|\b(?:collects?|collecting|results? in|resulting in|leads? to|leading to|yielding)\b"
    r"|\b(?:address|tackle|overcome|mitigate|bridge|fill|solve)(?: (?!with\b)[\w-]+){1,6} with\b",
    re.IGNORECASE,
)
_STUDIES = re.compile(
    r"\b(?:we|paper|work|authors) (?:\w+ )?(?:study|studies|consider|considers|investigate|"
    r"address|tackle|focus|explore|examine|analy[sz]e|revisit)\b",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"(?:\b(?:called|termed|named|dubbed|namely|entitled|titled|coined|nicknamed|denoted|designated|"
    r"denominated?|christened|henceforth|hereafter|(?:is|are) proposed as|abbreviated|"
    r"(?:we|to|authors)(?: \w+ly)? (?:call|name|term|dub|coin|denote)|"
    r"(?:paper|work|article|study) (?:calls|names|terms|dubs|coins|denotes)|"
    r"refer(?:red)? to|i\.e\.)"
    r"(?: (?:this|it|them|the|these|our)(?: [\w-]+){0,3}?)??(?: (?:as|by|an?|the|our|so-called))*"
    r"[,:]?) [\"'“‘(]*$",
    re.IGNORECASE,
)
# "our overall approach, dubbed X"
_WHOLE = re.compile(
    r"\b(?:our|proposed|resulting|overall|final|whole|entire|complete)\b"
    r"(?: [\w-]+){1,4},?(?: \w+){1,3} [\"'“‘(]*$",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(r"[\w)](?: [–-]|:(?: \((?:i|a|1)\))?) [\"'“‘]*$")
_OURS = re.compile(
    r"(?<!in )(?<!on )(?<!to )(?<!of )(?<!er )\b(?:our|this|the (?:proposed|resulting|new|novel))"
    r"(?: [\w-]+){0,4}?,? [\"'“‘(]*$",
    re.IGNORECASE,
)
# "experiments show the superiority of our FOO"
_PRAISED = re.compile(
    r"\b(?:effectiveness|superiority|efficacy|usefulness|advantages?|merits?|value|benefits?|"
    r"robustness|generality|versatility) of (?:(?:our|the) (?:(?:proposed|new|novel) )?"
    r"(?:[\w-]+ )?)?[\"'“‘]*$",
    re.IGNORECASE,
)
_ALSO = re.compile(r"\b(?:also|further|additionally|in addition|furthermore|moreover)\b", re.I)
_CLOSE = r"[\"'”’)]*"
_IS_PROPOSED = re.compile(
    rf"{_CLOSE}(?:(?:,[^,]{{1,60}},)? (?:is|are) (?:\w+ly )?"
    r"(?:proposed|introduced|presented|developed)|"
    r", (?:the|our) (?:newly )?(?:proposed|resulting|new|novel)) "
)
_EXPLAINED = re.compile(
    rf"{_CLOSE}(?: \([^()]{{1,90}}\))?(?:"
    r"(?:,|:|;| –| is)?(?: which is)? (?:an?|the first|the|our) |"
    r",? (?:which|that|where|to|by|for) )"
)
_THING = (
    r"(?:method|approach|framework|model|algorithm|network|architecture|system|technique|strategy|"
    r"scheme|procedure|estimator|optimi[sz]er|benchmark|data ?set|corpus|library|toolkit|tool|loss|"
    r"module|mechanism|agent|pipeline|paradigm|metric|solver|attack|defen[cs]e|test|suite|simulator)"
)
_BEFORE_THING = re.compile(rf"(?: \([^()]+\))?(?: [\w-]+)? {_THING}s?\b", re.IGNORECASE)
_A_THING = re.compile(rf"\b(?:an?|new|novel) (?:[\w-]+ ){{0,6}}{_THING}, [\"'“‘]*$", re.IGNORECASE)
_AFTER_THING = re.compile(rf"{_THING}s?[,:]? [\"'“‘(]*$", re.IGNORECASE)


def mixed(name: str) -> bool:
    """Small letters inside, as acronyms of the field hardly have them (MoVie, not GNNs)."""
    return any(letter.islower() for letter in name[:-1])


def named_at_once(text: str, spans: tuple[Span, ...], place: Mention) -> bool:
    """Whether "called X" brings the name in before the authors speak of themselves."""
    if place.name.islower():
        return False
    return _CALLED.search(text[spans[place.sentence].start : place.start]) is not None


def introduced(text: str, spans: tuple[Span, ...], turn: int, place: Mention) -> float:
    """How plainly this mention says that the name is the authors' own."""
    span = spans[place.sentence]
    start = min(place.start, place.long.start) if place.long else place.start
    left = text[max(span.start, start - REACH) : start]
    score = _brought(text, place, left, place.sentence >= turn)
    if score <= MENTIONED:
        return score
    score += DEFINED if place.long else 0.0
    score += EXPLAINED if _EXPLAINED.match(text, place.end) else 0.0
    if _ALSO.search(text, span.start, place.start):
        score += ALSO
    return score


def _brought(text: str, place: Mention, left: str, own: bool) -> float:
    if _CALLED.search(left):
        return CALLED + (OF_THE_WHOLE if _WHOLE.search(left) else 0.0)
    if _IS_PROPOSED.match(text, place.end):
        return PROPOSED
    if not own:
        return 0.0
    # "we propose a FOO-based ..." speaks of FOO as of something known.
    if text[place.end : place.end + 1] == "-" and place.long is None:
        return 0.0
    return _owned(text, place, left)


def _owned(text: str, place: Mention, left: str) -> float:
    """A name behind a verb of proposing, an "our", or praise, in the authors' own part."""
    verb = None
    for match in _OWNS.finditer(left):
        verb = match.end()
    if verb is not None and _ANNOUNCED.search(left):
        return PROPOSED
    if verb is not None:
        between = left[verb:].rstrip("( ") if left.endswith("(") else left[verb:]
        if BREAKS.search(between) is None:
            return _direct(text, place, between)
        if _AFTER_THING.search(left) and left.rstrip().endswith(","):
            return PROPOSED_WITH_NOUN
        apart = left.endswith("(") or (left.endswith(", ") and _EXPLAINED.match(text, place.end))
        own_spelling = place.long is not None and mixed(place.name)
        return PROPOSED_AFAR if apart or own_spelling else MENTIONED
    if _A_THING.search(left) and text[place.end : place.end + 1] in (",", ".", ";"):
        return PROPOSED_AFAR
    if is_unusual(place.name) and _PRAISED.search(left):
        return PRAISED
    return OURS if _OURS.search(left) and not _STUDIES.search(left) else 0.0


def _direct(text: str, place: Mention, between: str) -> float:
    """A name in the noun phrase right behind "we propose"."""
    words = between.split()
    if re.search(r", an? ", between):  # what another name is said to be
        return MENTIONED
    if words and words[-1][0].isupper() and words[-1][-1].isalnum():  # the tail of a longer name
        return MENTIONED
    if _AFTER_THING.search(f"{between.rstrip()} ") or (len(words) > 2 and words[-1][-1] in ",:"):
        return PROPOSED
    if not words or place.long or text[place.start - 1] == "(":
        return PROPOSED
    single = re.search(r"[ -]", place.name) is None and not is_unusual(place.name)
    if words[-1].casefold() in ("the", "our", "so-called") and not single:
        return PROPOSED
    if text[place.end : place.end + 1] != " " or _EXPLAINED.match(text, place.end):
        return PROPOSED
    thing = _BEFORE_THING.match(text, place.end)
    if thing and single and words[-1] == "the" and _EXPLAINED.match(text, thing.end()):
        return PROPOSED_WITH_NOUN
    if thing and not single:
        return PROPOSED_WITH_NOUN if len(words) <= 2 else PROPOSED_AS_MODIFIER
    return MENTIONED if single else PROPOSED_AS_MODIFIER
