"""Example questions that the index can answer.

Goes in: Papers. Comes out: a few questions, always the same for the same papers. Knows nothing of
retrieval.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from rag.types import Paper

MOST = 4
# A topic that this many papers share is a question; one that most share says nothing.
FEWEST_SHARING, MOST_SHARING = 2, 0.5
# Enough papers to know the topics of a conference by, in a moment.
LOOKED_AT = 2000

# A coined name has a capital after its first letter, a digit beside capitals, or is all capitals.
_COINED = re.compile(r"(?=\S*[A-Z]\S*[A-Z0-9]|\S*[a-z][A-Z])[A-Za-z][\w.+-]{1,24}")
_WORD = re.compile(r"[a-z][a-z-]+[a-z]")
# Words that hold sentences together, and words that every paper's abstract uses of itself.
_COMMON = frozenset(
    """a about above across after again against all almost also although among an and another any
    are around as at based be because been before being best better between beyond both but by can
    cannot could data dataset datasets despite different do does during each effective efficient
    even every existing experiments extensive few first for four framework from further furthermore
    general given good had has have here high higher how however i if improve improved improves in
    instead into introduce introduces is it its itself key large larger least less level like low
    lower make many may method methods model models more moreover most much multiple must need new
    no non not novel of often on one only open or other our out over paper papers per performance
    present previous prior problem problems propose proposed proposes provide quality real recent
    require results same second set several show shown shows significant significantly simple since
    single small so some standard state state-of-the-art strong study such task tasks than that the
    their them then there these they this those three through thus to together toward towards two
    under up use used user uses using various very via was way we well were what when where whether
    which while who whose why widely will with within without work works would yet you you your
    licence license licensed exclusive springer elsevier ieee acm wiley rights reserved copyright
    published publisher part approach approaches challenge challenges code consistently
    outperforms outperform achieve achieves achieving demonstrate demonstrates address
    across-the-board available end-to-end respectively compared known time long short author
    authors prove proves proven""".split()
)


def example_questions(papers: Sequence[Paper]) -> tuple[str, ...]:
    """Up to four questions: two for a paper's coined name, the others for topics that several
    papers share. Empty for an empty index."""
    named = [f"What is {name}?" for name in coined_names(papers)]
    topics = [f"Which papers study {topic}?" for topic in shared_topics(papers)]
    chosen = [*named[:1], *topics[:1], *named[1:2], *topics[1:2]]
    spare = [q for q in (*topics, *named) if q not in chosen]
    questions = [*chosen, *spare][:MOST]
    if not questions and papers:
        questions = [f"What does “{papers[0].name}” propose?"]
    return tuple(questions)


def coined_names(papers: Sequence[Paper]) -> list[str]:
    """Names that papers coin in the head of their title ("FEROM: ..."), each with one paper,
    spread over the index, those that abstracts repeat first."""
    names: dict[str, int] = {}
    for paper in papers[:LOOKED_AT]:
        head, colon, _ = paper.title.partition(": ")
        if colon and _COINED.fullmatch(head):
            names[head] = 0 if head in names else len(re.findall(re.escape(head), paper.abstract))
    used = [name for name, count in names.items() if count]
    return sorted(used, key=lambda name: -min(names[name], 3))


def shared_topics(papers: Sequence[Paper]) -> list[str]:
    """Phrases of two words that several papers use, the most shared first; none that shares a
    word with an earlier one."""
    looked = papers[:LOOKED_AT]
    counts: Counter[str] = Counter()
    for paper in looked:
        counts.update(_phrases(f"{paper.title}. {paper.abstract}"))
    most = max(FEWEST_SHARING, int(len(looked) * MOST_SHARING))
    shared = [(n, phrase) for phrase, n in counts.items() if FEWEST_SHARING <= n <= most]
    topics: list[str] = []
    taken: set[str] = set()
    for _, phrase in sorted(shared, key=lambda item: (-item[0], item[1])):
        words = set(phrase.split())
        if not words & taken:
            topics.append(phrase)
            taken |= words
        if len(topics) == MOST:
            break
    return topics


def _phrases(text: str) -> set[str]:
    """Pairs of neighbouring words of a text that may name a topic; each once."""
    phrases = set()
    for clause in re.split(r"[^\w\s-]+", text.lower()):
        words = clause.split()
        for first, second in pairwise(words):
            if all(_WORD.fullmatch(w) and w not in _COMMON for w in (first, second)):
                phrases.add(f"{first} {second}")
    return phrases
