"""Papers -> the names by which a question can call them; a text -> the papers that it names.

Goes in: papers, texts. Comes out: ids. Pure; knows nothing of questions.

Case does not matter, unless the name is also an ordinary word (AND, SHOT): then it must be typed as
it is written. A coined name is also found with one slip in it (a letter too many, too few, wrong,
or two swapped), as long as what was typed is no word of the papers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from rag import lexical
from rag.figures import coined
from rag.types import Paper

# A name that more papers claim, or that so many others use, is a word of the field, not a name; a
# word that more papers write without capitals is an ordinary one.
MOST_OWNERS = 3
# Words that a name has at most: whole titles are pasted.
LONGEST = 40
# Letters of a name that may be misspelt; shorter ones are too near to each other.
LEAST_LETTERS = 5
# A word with more characters is no name with a slip in it, and has too many neighbours to look at.
MOST_CHARACTERS = 60
_WORD = re.compile(r"\w+(?:[-.+/]\w+)*\+?")

Owners = Mapping[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Names:
    """`owners`: the words of each name in lower case -> the ids of the papers that bear it.
    `ordinary`: of names that are also ordinary words, by their lower case, how they are written.
    `coined` are the names of one word that may be misspelt. `papers` tell which words exist."""

    owners: Owners
    ordinary: Mapping[str, frozenset[str]]
    coined: frozenset[str]
    papers: Sequence[Paper]


def paper_names(papers: Sequence[Paper]) -> Names:
    """The names of papers; those that more than MOST_OWNERS bear are none."""
    owners: dict[tuple[str, ...], list[str]] = {}
    written: dict[str, set[str]] = {}
    long: set[str] = set()
    for paper in papers:
        borne = {paper.name, paper.title, *paper.names}
        for words in {_words(name) for name in borne}:
            if 0 < len(words) <= LONGEST:
                owners.setdefault(words, []).append(paper.id)
        for name in filter(_WORD.fullmatch, borne):
            written.setdefault(name.casefold(), set()).add(name)
        long |= {name.casefold() for name in borne if coined(name) == (name,)}
    users = _users(papers, written)
    kept = {name: tuple(ids) for name, ids in owners.items() if len(ids) <= MOST_OWNERS}
    for word in written.keys() & {name[0] for name in kept if len(name) == 1}:
        used = max(users[form] for form in written[word])
        if used > len(kept[word,]) + MOST_OWNERS:
            kept[word,] = _titled(word, kept[word,], papers)
    ordinary = {
        word: frozenset(form for form in forms if sum(map(str.isupper, form)) > 1)
        for word, forms in written.items()
        if word in lexical.STOPWORDS or (users[word] > MOST_OWNERS and word not in forms)
    }
    single = {word for word in long if (word,) in kept and _letters(word) >= LEAST_LETTERS}
    return Names(kept, ordinary, frozenset(single), papers)


def _users(papers: Sequence[Paper], written: Mapping[str, set[str]]) -> Counter[str]:
    """How many papers have each word, as it is written or in lower case."""
    looked_for = {*written, *(form for forms in written.values() for form in forms)}
    users = Counter[str]()
    for paper in papers:
        users.update(looked_for.intersection(_WORD.findall(paper.abstract)))
    return users


def _titled(word: str, owners: Sequence[str], papers: Sequence[Paper]) -> tuple[str, ...]:
    """Those of the owners whose title begins with the word."""
    return tuple(p.id for p in papers if p.id in owners and p.name.casefold() == word)


def named_papers(text: str, names: Names) -> tuple[str, ...]:
    """Ids of the papers that a text names, in order of mention; the longest name wins."""
    typed = _WORD.findall(text)
    words = tuple(map(str.casefold, typed))
    shouted = text.isupper()
    found: list[str] = []
    start = 0
    while start < len(words):
        for length in range(min(LONGEST, len(words) - start), 0, -1):
            owners = names.owners.get(words[start : start + length], ())
            if length == 1 and words[start] in names.ordinary:
                meant = typed[start] in names.ordinary[words[start]] and not shouted
                owners = owners if meant else ()
            if owners:
                found.extend(owners)
                start += length - 1
                break
        else:
            found.extend(_misspelt(words[start], names))
        start += 1
    return tuple(dict.fromkeys(found))


def _misspelt(word: str, names: Names) -> tuple[str, ...]:
    """The ids of the papers whose name a word is but for one slip; none for a word that exists."""
    fits = _letters(word) >= LEAST_LETTERS - 1 and len(word) <= MOST_CHARACTERS
    if not fits or word in lexical.STOPWORDS:
        return ()
    meant = {
        name
        for name in names.coined.intersection(_one_off(word))
        # An inflection is no slip, and another number another thing.
        if lexical.stem(name) != lexical.stem(word) and _digits(name) == _digits(word)
    }
    if not meant or _exists(word, names.papers):
        return ()
    return tuple(owner for name in sorted(meant) for owner in names.owners[(name,)])


def _one_off(word: str) -> Iterator[str]:
    """Every word that differs in one letter or hyphen, or has two neighbours swapped."""
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]
        for letter in f"{ascii_lowercase}-":
            yield before + letter + after
            yield before + letter + after[1:]


def _exists(word: str, papers: Sequence[Paper]) -> bool:
    """Whether some paper has a word that begins so, as inflections do."""
    pattern = re.compile(rf"\b{re.escape(word)}")
    return any(pattern.search(f"{paper.title} {paper.abstract}".casefold()) for paper in papers)


def _letters(word: str) -> int:
    return sum(map(str.isalpha, word))


def _digits(word: str) -> str:
    return "".join(filter(str.isdigit, word))


def _words(text: str) -> tuple[str, ...]:
    return tuple(match.group().casefold() for match in _WORD.finditer(text))
