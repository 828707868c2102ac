"""Papers -> the names by which a question can call them; a text -> the papers that it names.

Goes in: papers, texts. Comes out: ids. Pure; knows nothing of questions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rag.types import Paper

# A name that more papers claim is a word of the field, not a name.
MOST_OWNERS = 3
# Words that a name has at most; longer titles are not typed.
LONGEST = 6
_WORD = re.compile(r"\w+(?:[-.+/]\w+)*\+?")

Names = Mapping[tuple[str, ...], tuple[str, ...]]


def paper_names(papers: Sequence[Paper]) -> Names:
    """The words of each name in lower case -> the ids of the papers that bear it."""
    owners: dict[tuple[str, ...], list[str]] = {}
    for paper in papers:
        for name in {_words(name) for name in (paper.name, *paper.names)}:
            if 0 < len(name) <= LONGEST:
                owners.setdefault(name, []).append(paper.id)
    return {name: tuple(ids) for name, ids in owners.items() if len(ids) <= MOST_OWNERS}


def named_papers(text: str, names: Names) -> tuple[str, ...]:
    """Ids of the papers that a text names, in order of mention; the longest name wins."""
    words = _words(text)
    found: list[str] = []
    start = 0
    while start < len(words):
        for length in range(min(LONGEST, len(words) - start), 0, -1):
            owners = names.get(words[start : start + length])
            if owners:
                found.extend(owners)
                start += length - 1
                break
        start += 1
    return tuple(dict.fromkeys(found))


def _words(text: str) -> tuple[str, ...]:
    return tuple(match.group().casefold() for match in _WORD.finditer(text))
