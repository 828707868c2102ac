"""An abstract -> what it is about, as the best noun phrase that its sentences state.

Goes in: cleaned text, one line. Comes out: a phrase of limited length, or nothing. Knows the
sentences by which authors say what they do ("We study X", "We propose Y"); knows no coined names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ingest.mentions import occurrences
from ingest.phrases import (
    EMPTY,
    capitalised,
    content_words,
    gerund,
    is_bare,
    noun_phrase,
    shows_its_verb,
    with_clause,
)
from rag.sentences import sentences
from rag.types import Span

_AUTHORS = (
    r"(?:we|this (?:paper|work|article|study)|the (?:present )?paper|the authors|"
    r"our (?:work|paper|study))"
)
_ACTOR = re.compile(rf"\b{_AUTHORS}\b", re.IGNORECASE)
_ADVERB = r"(?: \w+ly| also| then| further| first| therefore| thus| hence| instead| next| here)*"
_STUDIES = re.compile(
    rf"\b{_AUTHORS}{_ADVERB} (?:stud(?:y|ies)|investigates?|considers?|examines?|analy[sz]es?|"
    r"address(?:es)?|tackles?|revisits?|explores?|formali[sz]es?|focus(?:es)? on|reconsiders?|"
    r"is concerned with|deals? with|concerns|formulates?|generali[sz]es?|characteri[sz]es?|"
    r"understands?) (?!(?:this|these|it|them|both)\b)"
    r"(?:an? \w+ (?:setting|question|problem|task): )?",
    re.IGNORECASE,
)
_PROPOSES = re.compile(
    rf"\b{_AUTHORS}{_ADVERB} (?:(?:propos|introduc|present|develop|design|devis|describ|provid|giv|"
    r"offer|deriv|establish|initiat|formulat|advocat|suggest|put forward)(?:e|es|s)?|"
    r"address (?:this|these|it|them)(?: \w+)? (?:with|by|through)) ",
    re.IGNORECASE,
)
_BUILDS = re.compile(
    rf"\b{_AUTHORS}{_ADVERB} (?:creat|build|construct|releas|contribut|curat|collect|train)"
    r"(?:e|es|s)? ",
    re.IGNORECASE,
)
_SHOWS = re.compile(
    rf"\b{_AUTHORS}{_ADVERB} (?:show|prove|demonstrate|find|observe|hypothesi[sz]e|"
    r"argue|reveal|identify|discover|uncover)s?(?: that)? ",
    re.IGNORECASE,
)
_AIMS = re.compile(
    rf"\b{_AUTHORS}{_ADVERB} (?:propose|aim|seek|attempt|want|suggest|intend|try)s? to ",
    re.IGNORECASE,
)
_DOES = re.compile(
    rf"\b{_AUTHORS}{_ADVERB} [a-z]+(?: and [a-z]+)? (?:(?:to|on|upon|with) (?:[a-z]+ing )?)?",
    re.IGNORECASE,
)
# What a phrase scores by the sentence it comes from and by its words. Weighed by how many of the
# title's words the phrase shares, on half of a conference's abstracts.
STUDIED = 3.2
PROPOSED = 2.2
BUILT = 1.2
AIMED = 1.0
OPENING = 1.0
WITH_CLAUSE = 0.3
SHOWN = 0.3
DONE = -0.5
STATED = -0.5
WORD = 0.3
FEW = -2.5
BARE = -0.5
NOTHING = -4.0
NO_VERB = -1.0
# Beyond this many, another word makes a phrase longer, not clearer.
MOST_WORDS = 8
# Less room than this, in characters, holds no phrase.
LEAST_ROOM = 12
# A phrase about these is about the paper, not about its subject.
_REPORTS = frozenset("experiments experiment evaluation evaluations analyses results study".split())
_SAYS = (
    (_STUDIES, STUDIED),
    (_PROPOSES, PROPOSED),
    (_BUILDS, BUILT),
    (_SHOWS, SHOWN),
    (_AIMS, AIMED),
    (_DOES, DONE),
)


def subject(text: str, room: int, without: Collection[str] = ()) -> str:
    """The best phrase of at most `room` characters that holds none of `without`; maybe empty."""
    found = subjects(text, room, without)
    return found[0] if found else ""


def subjects(text: str, room: int, without: Collection[str] = ()) -> list[str]:
    """All such phrases, best first, each beginning with a capital."""
    lowered = text.casefold()
    scores: dict[str, float] = {}
    for phrase, weight in _statements(text, room):
        if not phrase or any(name in phrase for name in without):
            continue
        whole = with_topic(text, phrase, room) if weight in (PROPOSED, BUILT) else phrase
        score = weight + _informative(whole, lowered)
        scores[whole] = max(score, scores.get(whole, score))
    return [capitalised(phrase) for phrase in sorted(scores, key=lambda p: -scores[p])]


def with_topic(text: str, phrase: str, room: int) -> str:
    """A thing without a purpose ("constrained exploration framework") with "for ..." from the
    sentence that opens the text; any other phrase, or one that nothing fits, as it is."""
    left = room - len(phrase) - len(" for ")
    if left < LEAST_ROOM or not _is_thing(phrase):
        return phrase
    topic = noun_phrase(text, left, subject=True)
    about = content_words(topic)
    if len(about) < 2 or set(about) & set(content_words(phrase)):
        return phrase
    first = topic.split(" ", 1)[0]
    # A word that has its capital only from the sentence loses it; Bayesian keeps it.
    capital_elsewhere = any(start > 0 for start, _ in occurrences(text, first))
    if first.istitle() and not first.endswith("ian") and not capital_elsewhere:
        topic = topic[:1].lower() + topic[1:]
    return f"{phrase} for {topic}"


def _is_thing(phrase: str) -> bool:
    return is_bare(phrase) and phrase.split(" ")[-1].casefold() in EMPTY


def _statements(text: str, room: int) -> Iterator[tuple[str, float]]:
    """Phrases with the weight of the sentence that states them; a phrase may be empty."""
    spans = [span for span in sentences(text) if "://" not in text[span.start : span.end]]
    enough = False
    for number, span in enumerate(spans):
        for phrase, weight in _stated(text, span, room):
            enough = enough or bool(content_words(phrase))
            yield phrase, weight
        if number == 0:
            weight = OPENING + _trust(text[span.start : span.end])
            yield noun_phrase(text[span.start : span.end], room, subject=True), weight
    if not enough:
        for span in spans[1:]:
            weight = STATED + _trust(text[span.start : span.end])
            yield noun_phrase(text[span.start : span.end], room, subject=True), weight


def _trust(sentence: str) -> float:
    return 0.0 if shows_its_verb(sentence) else NO_VERB


def _stated(text: str, span: Span, room: int) -> Iterator[tuple[str, float]]:
    """What the authors say in one sentence that they do."""
    actor = _ACTOR.search(text, span.start, span.end)
    if actor is None:
        return
    for pattern, weight in _SAYS:
        match = pattern.search(text, actor.start(), span.end)
        if match is not None:
            tail = text[match.end() : span.end]
            if pattern is _AIMS:
                yield gerund(tail, room), weight
            else:
                weight += _trust(tail) if pattern is _SHOWS else 0.0
                yield noun_phrase(tail, room, subject=pattern is _SHOWS), weight
            if pattern is _PROPOSES:
                yield with_clause(tail, room), WITH_CLAUSE


def _informative(phrase: str, text: str) -> float:
    """More for each word that says something, and for words that the abstract comes back to."""
    words = set(content_words(phrase))
    if not words or phrase.split(" ", 1)[0].casefold() in _REPORTS:
        return NOTHING
    again = sum(1 for word in words if text.count(word) > 1) / len(words)
    score = WORD * min(len(words), MOST_WORDS) + again
    return score + (FEW if len(words) == 1 else 0.0) + (BARE if _is_thing(phrase) else 0.0)
