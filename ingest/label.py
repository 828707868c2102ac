"""An abstract without a title -> a name for it; names that two papers share -> different names.

Goes in: cleaned text, one line. Comes out: a line of 1 to `LIMIT` characters: the coined name with
what it stands for or does, else the subject as a noun phrase. Knows no other paper, except
`distinct`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, count

from ingest.coined import LONGEST, coined_names, expansion, initials
from ingest.mentions import occurrences
from ingest.phrases import (
    capitalised,
    content_words,
    does,
    for_object,
    noun_phrase,
    trimmed,
    with_clause,
)
from ingest.subject import LEAST_ROOM, subject, subjects, with_topic

# What a list of papers shows in one line.
LIMIT = 90
# A name for a text that has no word in it.
NAMELESS = "Untitled paper"
# An addition in brackets that tells two papers apart is at most so long.
ADDITION = 45
# A word that is shorter, or occurs once, tells little about a paper.
LEAST_LETTERS = 5

# How far to the left of a name, in characters, the words that announce it are looked for.
REACH = 160
_EXPLAINED = re.compile(
    r"[\"'”’)]*(?: \([^()]*\))? ?(?:,|:|;|–|—)? (?:which )?(?:is |as )?(?=(?:an?|the first|the) )"
)
_WHICH = re.compile(r"[\"'”’)]*(?: \([^()]*\))?,? ((?:which|that) )")
_ANNOUNCED = re.compile(
    r"\b(?:propos|introduc|present|develop|design|devis)\w* ((?:an?|the|our) [^.;:]{4,120}?),?"
    r"(?: \w+){0,2}(?<! on)(?<! of)(?<! for)(?<! with)(?<! to)(?<! in)(?<! by) [\"'“‘(]*$"
)
# Marks of formulae and broken brackets, which no name may show.
_MARKS = re.compile(r"[$\\{}]")


def label(abstract: str) -> str:
    """A name for the paper with this abstract: one line of 1 to `LIMIT` characters."""
    text = " ".join(abstract.split())[:LONGEST].strip()
    names = tuple(name for name in coined_names(text) if len(name) <= LIMIT)
    if names:
        return _named(text, names)
    return subject(text, LIMIT) or _first_words(text) or NAMELESS


def distinct(
    labels: Sequence[str], abstracts: Sequence[str], taken: Collection[str] = ()
) -> list[str]:
    """The labels, of which none equals another or one of `taken`, capitals aside.

    The first paper keeps a name; a later one gets in brackets what its abstract says beyond it, and
    a number only where that tells nothing apart. `abstracts[i]` belongs to `labels[i]`.
    """
    used = {name.casefold() for name in taken}
    result = []
    for name, abstract in zip(labels, abstracts, strict=True):
        choices = chain((name,), _told_apart(name, abstract), _numbered(name))
        chosen = next(choice for choice in choices if choice.casefold() not in used)
        used.add(chosen.casefold())
        result.append(chosen)
    return result


def _named(text: str, names: tuple[str, ...]) -> str:
    """The coined name with what it stands for, else with what it is, else with the subject."""
    name = names[0]
    title = capitalised(name)
    room = LIMIT - len(title) - len(": ")
    long = expansion(text, name) or next(_longer(text, name, names[1:]), None)
    if long is not None and len(long) <= room and not _MARKS.search(long):
        return f"{title}: {capitalised(long)}"
    if room < LEAST_ROOM:
        return title
    for phrase in _what_it_is(text, name, room):
        whole = with_topic(text, phrase, room) if content_words(phrase) else ""
        if len(content_words(whole)) >= 2 and name not in whole:
            return f"{title}: {capitalised(whole)}"
    others = [expansion(text, other) or other for other in names[1:]]
    phrase = subject(text, room, (*names, *others))
    return f"{title}: {phrase}" if phrase else title


def _longer(text: str, name: str, others: tuple[str, ...]) -> Iterator[str]:
    """Those of the other names that `name` shortens by its letters or in brackets behind them."""
    for other in others:
        if name in initials(other) or f"{other} ({name})" in text:
            yield other


def _what_it_is(text: str, name: str, room: int) -> Iterator[str]:
    """What the text says it is: "NAME, a ...", "NAME is a ...", "we propose a ..., NAME"."""
    for _, end in occurrences(text, name):
        explained = _EXPLAINED.match(text, end)
        if explained is not None:
            tail = text[explained.end() :]
            yield for_object(tail, room)
            yield noun_phrase(tail, room)
            yield with_clause(tail, room)
            yield does(tail, room)
    for start, _ in occurrences(text, name):
        left = text[max(0, start - REACH) : start]
        announced = _ANNOUNCED.search(left)
        if announced is not None:
            yield noun_phrase(left[announced.start(1) :].rstrip(" \"'“‘("), room)
    for _, end in occurrences(text, name):
        clause = _WHICH.match(text, end)
        if clause is not None:
            yield does(text[clause.start(1) :], room)


def _first_words(text: str) -> str:
    """The first words of a text in which no phrase was found; of one huge word its beginning."""
    if len(text) <= LIMIT:
        return text
    cut = text.rfind(" ", 0, LIMIT + 1)
    head = text[: cut if cut > 0 else LIMIT].strip()
    whole = head.rpartition("(")[0] if head.count("(") > head.count(")") else head
    return trimmed(_MARKS.split(whole)[0]) or head


def _told_apart(name: str, abstract: str) -> Iterator[str]:
    """The name with a phrase, another coined name, or the words its abstract repeats most."""
    text = " ".join(abstract.split())[:LONGEST]
    known = name.casefold()
    additions = chain(
        (phrase for phrase in subjects(text, ADDITION) if len(content_words(phrase)) > 1),
        coined_names(text),
        _repeated(text),
    )
    for addition in additions:
        words = [word for word in content_words(addition) if word not in known]
        if words and len(addition) <= ADDITION:
            base = _shortened(name, LIMIT - len(addition) - len(" ()"))
            if base:
                yield f"{base} ({addition[:1].lower()}{addition[1:]})"


def _repeated(text: str) -> list[str]:
    counts = Counter(word for word in content_words(text) if len(word) >= LEAST_LETTERS)
    return [word for word, _ in counts.most_common()]


def _numbered(name: str) -> Iterator[str]:
    for number in count(2):
        ending = f" ({number})"
        room = LIMIT - len(ending)
        yield f"{_shortened(name, room) or name[:room].strip()}{ending}"


def _shortened(name: str, room: int) -> str:
    """The name, or its part before the colon, or as many of its phrases as fit; maybe nothing."""
    if len(name) <= room:
        return name
    head, colon, _ = name.partition(": ")
    if colon and len(head) <= room:
        return head
    return capitalised(noun_phrase(name, room)) if room >= LEAST_ROOM else ""
