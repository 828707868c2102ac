"""BM25 over whole papers: which of them share words with a question.

Goes in: texts, then a question. Comes out: a score for every text. Knows nothing of vectors.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rag.embed import Floats

if TYPE_CHECKING:
    from bm25s import BM25
    from Stemmer import Stemmer

# The usual values of the literature (Robertson and Zaragoza 2009); BEIR's BM25 uses k1 0.9, b 0.4
# for long documents, which lost on abstracts.
K1, B = 1.2, 0.75

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_SIMPLE = re.compile(r"[^\W_]+(?:['’]\w+)*")
_POSSESSIVE = re.compile(r"['’]s$")
_PART = re.compile(r"[-'’_]")

# Words that questions are made of; what they ask about is in the others.
STOPWORDS = frozenset(
    "a about above after all also am an and any are as at be because been before being below "
    "between both but by can could did do does doing done down during each else ever few for from "
    "further get gets give gives had has have having he her here hers him his how i if in into is "
    "it its itself just let like many may me might more most much must my no nor not of off on "
    "once one only or other our ours out over own please same shall she should so some such tell "
    "than that the their them then there these they this those through to too under until up upon "
    "us very was we were what when where whether which while who whom whose why will with within "
    "without would you your yours".split()
)


@dataclass(frozen=True, slots=True)
class Lexical:
    """The postings of an index and the number of its texts."""

    postings: BM25
    texts: int


def words(text: str) -> list[str]:
    """The words of a text in lower case; a hyphenated word gives itself and its parts."""
    found = []
    for _, _, word in word_spans(text, whole=True):
        found.append(word)
        parts = [part for part in _PART.split(word) if part]
        if parts != [word]:
            found.extend(parts)
    return found


def word_spans(text: str, *, whole: bool = False) -> Iterator[tuple[int, int, str]]:
    """(start, end, word in lower case) of each word; hyphenated ones in parts unless `whole`."""
    for match in (_WORD if whole else _SIMPLE).finditer(text):
        word = _POSSESSIVE.sub("", match.group().lower())
        yield match.start(), match.start() + len(word), word


def simple_words(text: str) -> list[str]:
    """The words of a text in lower case, hyphenated ones in parts."""
    return [word for _, _, word in word_spans(text)]


def stem(word: str) -> str:
    """The stem of a word in lower case."""
    stemmed: str = _stemmer().stemWord(word)
    return stemmed


def terms(text: str) -> list[str]:
    """The stems that BM25 counts: words that carry meaning, inflections folded."""
    stems: list[str] = _stemmer().stemWords([w for w in words(text) if w not in STOPWORDS])
    return stems


_local = threading.local()


def _stemmer() -> Stemmer:
    """The thread's own stemmer: one must not be shared."""
    if not hasattr(_local, "stemmer"):
        from Stemmer import Stemmer  # compiled, and not needed for --help

        _local.stemmer = Stemmer("english")
    stemmer: Stemmer = _local.stemmer
    return stemmer


def build(texts: Iterable[str], folder: Path) -> None:
    """Index `texts` (at least one) into `folder`, which is made."""
    from bm25s import BM25

    index = BM25(k1=K1, b=B)
    # An empty text would shift nothing but leaves bm25s without a token to count.
    index.index([terms(text) or [""] for text in texts], show_progress=False)
    index.save(folder, show_progress=False)


def load(folder: Path) -> Lexical:
    """Open what `build` wrote, mapped from disk."""
    from bm25s import BM25

    postings = BM25.load(folder, mmap=True)
    return Lexical(postings, postings.scores["num_docs"])


def scores(lexical: Lexical, question: str) -> Floats:
    """BM25 score of each text, shape (texts,); zeros where no word is shared."""
    known = [term for term in terms(question) if term in lexical.postings.vocab_dict]
    if not known:
        return np.zeros(lexical.texts, dtype=np.float32)
    return np.asarray(lexical.postings.get_scores(known), dtype=np.float32)


def holders(lexical: Lexical, term: str) -> NDArray[np.int64]:
    """The rows of the texts in which a stem occurs."""
    column = lexical.postings.vocab_dict.get(term)
    if column is None:
        return np.empty(0, dtype=np.int64)
    begin, end = lexical.postings.scores["indptr"][column : column + 2]
    return np.asarray(lexical.postings.scores["indices"][begin:end], dtype=np.int64)


def rarity(lexical: Lexical, term: str) -> float:
    """Inverse document frequency of a stem: 0 in every text, log(texts + 1) in none."""
    return float(np.log((lexical.texts + 1) / (len(holders(lexical, term)) + 1)))
