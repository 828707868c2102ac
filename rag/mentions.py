"""A question -> the phrases in which it speaks of papers without their names.

"the Rank-Measure paper", "the paper on video segmentation", "A, B and the tape, how do they
differ?"; "the second one", "[2]". Goes in: a question. Comes out: phrases, or places in a list, in
order. Pure; which paper is meant is found by searching for the phrase.
"""

from __future__ import annotations

import re

_NOUN = r"(?:paper|study|work|article|approach|method)"
_THE_PAPER = re.compile(
    rf"\b(?:the|that|this)\s+(?P<phrase>(?:[\w'’-]+\s+){{1,6}}?){_NOUN}\b"
    # "the end-to-end method for tracking" is told by all of its words, not by "end-to-end".
    r"(?!\s+(?:on|about|for|of|that|which|to|by|with|from|in)\b)",
    re.IGNORECASE,
)
_PAPER_ON = re.compile(
    rf"\b(?:the|a|that)\s+{_NOUN}\s+(?:on|about)\s+(?P<phrase>[^,?;:()]{{8,160}})", re.IGNORECASE
)
# What shows that a question is about several papers, each of which it then mentions.
_SEVERAL = re.compile(
    r"\b(?:compare|both|each|between|differ|differs|difference|respectively|versus|vs|"
    r"in common|(?:two|three|four) (?:[\w-]+ ){0,3}papers)\b",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"[,;:()?.]|\band\b|\bversus\b|\bvs\b|\bwith\b|\bdiffers?\b|\bcompare\?", re.IGNORECASE
)
_ITEM = re.compile(
    r"^\s*(?:(?:namely|between|compare|both|how do|how does)\s+)?(?:the|a|an)\s+(?P<item>.+?)\s*$",
    re.I,
)
_LAST = re.compile(rf"\s+{_NOUN}s?$|^.*\bones?$", re.IGNORECASE)
# An enumerated paper is called by a short phrase; longer pieces are clauses.
MOST_WORDS = 4
_EMPTY = re.compile(
    r"^(?:(?:same|first|second|third|last|other|two|three|four|whole|main|new|proposed|abstract|"
    r"of|in|recent|best|authors?|paper)\s*)+$"
    r"|\b(?:the|an?|this|that|each|both|of|in)$",  # "authors of the" paper says nothing of it
    re.IGNORECASE,
)

_PLACES = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5,
    "former": 1, "latter": -1, "last": -1,
}  # fmt: skip
# "the first step" is no paper: what follows says so, or that nothing does.
_COUNTED = re.compile(
    rf"\bthe (?P<word>{'|'.join(_PLACES)})(?: (?:one|{_NOUN}|of (?:them|these|those))\b"
    r"|(?=\s*(?:[?.,;!]|$|(?:and|or)\b)))"
    r"|\bthe (?P<alone>former|latter)\b"
    r"|\b(?:paper|source) (?:no\. )?(?P<number>\d{1,2})\b|\[(?P<mark>\d{1,2})\]",
    re.IGNORECASE,
)


def mentions(question: str) -> tuple[str, ...]:
    """The phrases that stand for papers; empty where the question mentions none."""
    found = [match["phrase"] for match in _THE_PAPER.finditer(question)]
    found += [match["phrase"] for match in _PAPER_ON.finditer(question)]
    if _SEVERAL.search(question):
        found += _enumerated(question)
    phrases = (phrase.strip(" '\"“”") for phrase in found)
    return tuple(dict.fromkeys(each for each in phrases if each and not _EMPTY.search(each)))


def places(question: str) -> tuple[int, ...]:
    """The places in an earlier list by which a question calls papers: from 1, the last -1."""
    found = []
    for match in _COUNTED.finditer(question):
        word = match["word"] or match["alone"]
        found.append(_PLACES[word.casefold()] if word else int(match["number"] or match["mark"]))
    return tuple(dict.fromkeys(place for place in found if place))


def is_about_several(question: str) -> bool:
    """Whether a question asks of several papers at once."""
    return _SEVERAL.search(question) is not None


def _enumerated(question: str) -> list[str]:
    items = (_ITEM.match(piece) for piece in _CUT.split(question))
    phrases = [_LAST.sub("", match["item"]) for match in items if match]
    return [phrase for phrase in phrases if len(phrase.split()) <= MOST_WORDS]
