"""A question for a list -> the papers that are counted, those on the border, and the rule.

Goes in: an open index, an embedder, a `Query`. Comes out: `Counted`. Knows nothing of answers.

The words decide where they can: where papers have each word or phrase as it stands. Where none has,
or one alone has the phrase, meaning decides. What papers lack is not counted: the rule says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from rag.embed import Embedder
from rag.index import Index
from rag.lists import listed
from rag.near import near
from rag.retrieve import Asked, read_question, rows_of
from rag.silence import covers
from rag.tokens import NO_ROWS, Rows
from rag.types import Paper, Query

# A phrase that one paper alone has is rarely how the field calls the thing.
LEAST_HOLDERS = 2
# Asks for words, not for what they mean.
_ASKS_WORDS = re.compile(
    r"[\"“”]|\b(?:mention(?:s|ed|ing)?|contain(?:s|ing)?)\b"
    r"|\bthe (?:word|term|phrase|acronym)s?\b",
    re.IGNORECASE,
)
# Asks for what papers lack; "Aren't there papers on X?" does not.
_LACKS = re.compile(
    r"(?<!^)\b(?:(?<!\bor )not(?! only\b)|neither|nor|without|except|excluding|\w+n['’]t)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Counted:
    """The rows of the papers that are counted, the rule in words, papers that nearly are, and the
    topic: which sentence shows why a paper is counted depends on that, not on the question."""

    rows: Rows
    topic: Asked
    rule: str = ""
    borderline: tuple[Paper, ...] = ()


def count(index: Index, embedder: Embedder, query: Query, asked: Asked) -> Counted:
    """What a list or a count is made of; nothing where the question, as `asked`, wants neither, or
    says nothing of the papers it wants."""
    if query.intent != "list" or not query.terms:
        return Counted(NO_ROWS, asked)
    found = _found(index, embedder, query)
    lacks = _LACKS.search(query.asked)
    if not found.rule or lacks is None:
        return found
    said = (
        f"The “{lacks[0]}” of the question is not heeded: no abstract tells all that is not in it."
    )
    return replace(found, rule=f"{found.rule} {said}")


def _found(index: Index, embedder: Embedder, query: Query) -> Counted:
    words = listed(index, query.terms, rows_of(index, query.papers))
    several = len(words.rows) >= LEAST_HOLDERS or not any(
        " " in term for group in query.terms for term in group
    )
    text = ", ".join(" or ".join(group) for group in query.terms)
    topic = read_question(index, embedder, text)
    if len(words.rows) and (several or _ASKS_WORDS.search(query.asked)):
        return Counted(words.rows, topic, words.rule)
    if not any(map(str.isalpha, text)):  # a year means nothing to a model
        return Counted(words.rows, topic, words.rule)
    found = near(index, topic, rows_of(index, query.papers))
    rows = found.rows
    if len(rows) and _is_one_phrase(query) and not covers(index, topic, index.papers[rows[0]]):
        rows = NO_ROWS  # "quantum error correction": not what corrects other errors
    if not len(np.setdiff1d(rows, words.rows)):
        return Counted(words.rows, topic, words.rule)
    rows = np.union1d(rows, words.rows)
    border = tuple(index.papers[row] for row in found.borderline if row not in rows)
    return Counted(rows, topic, f"papers whose meaning is near to “{topic.text}”.", border)


def _is_one_phrase(query: Query) -> bool:
    """Whether the topic is a phrase of which each word matters; a clause has words that do not."""
    return len(query.terms) == 1 and len(query.terms[0]) == 1
