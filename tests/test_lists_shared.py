"""Lists and counts over papers of ../shared against a plain search that knows nothing of ours."""

from __future__ import annotations

import gzip
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from Stemmer import Stemmer

from ingest import ingest
from rag import Assistant
from rag.embed import Floats, unit
from rag.index import Index, open_index
from rag.lexical import STOPWORDS
from rag.lists import listed
from rag.live import LiveIndex
from rag.settings import Settings
from rag.types import Paper
from rag.understand import understand
from tests.word_embedder import WordEmbedder

CORPUS = Path(__file__).parents[1].parent / "shared" / "corpus" / "neurips-2023.jsonl.gz"
if not CORPUS.is_file():
    pytest.skip("the papers of ../shared are not here", allow_module_level=True)

PAPERS = 600
QUESTIONS = 200
# A list of more papers is right or wrong for the same reasons and takes its time.
MOST_HOLDERS = 40
FORMS = (
    "Which papers mention {}?",
    "How many papers mention {}?",
    "How many papers use {}?",
    "Which papers are about {}?",
    "List all papers that study {}.",
)
# Every n-th question is answered as a whole.
ANSWERED = 10
# Words of questions for papers, which are not what is asked for.
FRAME = frozenset(
    "paper papers method methods approach approaches address addresses addressing apply applies "
    "consider considers deal deals describe describes discuss employ employs examine explore find "
    "explores focus focuses experiments investigate investigates involve involves kind kinds list "
    "many number present presents propose proposes report reports show shows state states study "
    "studies studied topic topics type types uses used using various work works working given "
    "newly tackle article authors abstract involve methods name sort mention something anything "
    "nothing anyone anybody contribute concern concerned publication related index holds say says "
    "count addressed".split()
)
WORD = re.compile(r"[^\W_]+")
STEMMER = Stemmer("english")


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    stemmed: str = STEMMER.stemWord(word.lower())
    # The stemmer leaves the plurals of most acronyms: LLMs, PDEs.
    return re.sub(r"^([^aeiouy\d]{2,}[aeiouy]?)s$", r"\1", stemmed)


@lru_cache(maxsize=10_000)
def folded(text: str) -> str:
    """A text in which each word is its stem and what parts two words of a phrase is a space."""
    parted = re.sub(r"[.,;:?!]['\"”’)]*(?=\s)|[()\[\]]", " | ", re.sub(r"['’]s\b", "", f"{text} "))
    words = re.findall(r"[^\W_]+|\|", parted)
    return " ".join(["", *(stem(word) for word in words), ""])


def texts(paper: Paper) -> tuple[str, ...]:
    return (paper.title, *paper.keywords, paper.abstract)


def holding(papers: tuple[Paper, ...], term: str) -> set[str]:
    """The ids of the papers that have a term, word by word."""
    wanted = folded(term).rstrip() + " "
    return {p.id for p in papers if any(wanted in folded(text) for text in texts(p))}


def spelt_out(papers: tuple[Paper, ...]) -> dict[str, set[str]]:
    """Acronyms of capitals -> their long forms, where first letters agree, folded."""
    found: dict[str, set[str]] = {}
    for text in (text for paper in papers for text in texts(paper)):
        for match in re.finditer(r"\(([A-Z]{2,6})s?\)", text):
            words = text[: match.start()].split()
            for count in range(1, 9):
                long = words[-count:]
                if any(not re.fullmatch(r"[\w-]+", word) for word in long):
                    break
                parts = " ".join(long).lower().replace("-", " ").split()
                meant = [word for word in parts if word not in STOPWORDS]
                heads = {"".join(word[0] for word in each) for each in (long, parts, meant)}
                if match[1].lower() in {each.lower() for each in heads}:
                    found.setdefault(match[1], set()).add(" ".join(long))
                    break
    return found


class QuickEmbedder(WordEmbedder):
    """Lists need no meaning: one direction for all words."""

    def _direction(self, word: str) -> Floats:
        return unit(np.ones(self.dimension, dtype=np.float32))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of 600 papers, every fifth of the corpus."""
    place = tmp_path_factory.mktemp("lists")
    with gzip.open(CORPUS, "rt", encoding="utf-8") as lines:
        chosen = [line for number, line in enumerate(lines) if number % 5 == 0][:PAPERS]
    (place / "papers.jsonl").write_text("".join(chosen), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ingest.job.open_embedder", lambda _settings: QuickEmbedder())
        ingest([place / "papers.jsonl"], place / "index")
    return place / "index"


@pytest.fixture(scope="module")
def assistant(folder: Path) -> Iterator[Assistant]:
    live = LiveIndex(folder, "words")
    with Assistant(live, QuickEmbedder(), Settings(), None) as opened:
        yield opened


@pytest.fixture(scope="module")
def index(folder: Path) -> Iterator[Index]:
    opened = open_index(folder, "words")
    yield opened
    opened.close()


def phrases(papers: tuple[Paper, ...], length: int) -> list[str]:
    """Runs of words within a clause that two to MOST_HOLDERS papers have."""
    counts: Counter[str] = Counter()
    for paper in papers:
        for clause in re.split(r"[^\w\s]", paper.abstract):
            words = WORD.findall(clause.lower())
            runs = zip(*(words[place:] for place in range(length)), strict=False)
            counts.update({" ".join(run) for run in runs})
    return sorted(
        phrase
        for phrase, count in counts.items()
        if 2 <= count <= MOST_HOLDERS
        and is_asked_for(phrase)
        and all(len(word) > 3 and word.isascii() and word.isalpha() for word in phrase.split())
    )


def is_asked_for(term: str) -> bool:
    """Whether no word of a term is one that questions are made of."""
    return not (FRAME | STOPWORDS).intersection(term.lower().split())


def other_number(term: str) -> str:
    if term.endswith("ss"):
        return f"{term}es"
    return term[:-1] if term.endswith("s") else f"{term}s"


def asked_terms(papers: tuple[Paper, ...]) -> list[str]:
    chance = random.Random(20231212)
    defined = spelt_out(papers)
    plain = [
        term
        for length, count in ((1, 150), (2, 150), (3, 120))
        for term in chance.sample(phrases(papers, length), count)
    ]
    plural = [other_number(term) for term in chance.sample(plain, 60)]
    lower = [name.lower() for name in sorted(defined)[::3] if len(name) > 3]
    long = [min(forms) for forms in defined.values()]
    terms = [term for term in (*defined, *long, *lower, *plain, *plural) if is_asked_for(term)]
    chance.shuffle(terms)
    return terms


def forms_of(term: str, defined: dict[str, set[str]]) -> set[str]:
    """A term, and the acronyms or long forms that papers give for it."""
    same = folded(term)
    forms = {term}
    for name, long in defined.items():
        if folded(name) == same:
            forms |= long
        forms |= {name for each in long if folded(each) == same}
    return forms


def test_the_papers_of_200_lists_and_counts_are_those_of_a_plain_search(
    assistant: Assistant, index: Index
) -> None:
    papers, wrong, asked = index.papers, [], 0
    defined = spelt_out(papers)
    for number, term in enumerate(asked_terms(papers)):
        expected = set().union(*(holding(papers, form) for form in forms_of(term, defined)))
        if not 0 < len(expected) <= MOST_HOLDERS:
            continue
        question = FORMS[number % len(FORMS)].format(term)
        query = understand(question, (), index.names)
        counted = listed(index, query.terms)
        found = {papers[row].id for row in counted.rows}
        if query.intent != "list" or found != expected:
            wrong.append((question, len(expected - found), len(found - expected), counted.rule))
        if asked % ANSWERED == 0:
            answer = assistant.ask(question)
            assert {paper.id for paper in answer.papers} == found
            assert answer.text.startswith(f"{len(found):,} paper")
            assert counted.rule == answer.rule
            assert counted.rule in answer.text
        asked += 1
        if asked == QUESTIONS:
            break
    assert asked == QUESTIONS
    assert not wrong, f"{len(wrong)} of {asked}: {wrong[:8]}"
