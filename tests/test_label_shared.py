"""Derived names measured on real abstracts whose titles are hidden.

The measure: of the papers whose title begins with a coined name, in how many does the derived name
contain it as a whole word, capitals aside. A title begins with a coined name where

- what stands before its first colon has one to three words;
- one of them is unusual (capitals or digits inside) or no common word, a common word being one that
  at least three abstracts of the corpus write in small letters; and
- the cleaned abstract, without its web addresses, contains what stands before the colon as a whole
  word, capitals aside: a name is coined only where the abstract gives it.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from ingest.clean import clean
from ingest.label import LIMIT, distinct, label
from ingest.mentions import is_unusual

CORPUS = Path(__file__).parents[1].parent / "shared" / "corpus"
if not CORPUS.is_dir():
    pytest.skip("../shared/corpus is not here", allow_module_level=True)

LISTS = sorted((CORPUS / "neurips-2026").glob("*.txt"))
SAMPLE = Path(__file__).parents[1] / "ingest" / "sample" / "neurips-2026-digest.txt"
COMMON_IN = 3
ADDRESS = re.compile(r"https?://\S+|www\.\S+")


def read(name: str) -> list[tuple[str, str]]:
    """Title and raw abstract of each paper of a corpus."""
    with gzip.open(CORPUS / name, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(row["title"], row["text"]) for row in rows]


def contains(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def titled_by_a_coined_name(papers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The coined name and the cleaned abstract of each paper that the measure is about."""
    spread: Counter[str] = Counter()
    for _, raw in papers:
        spread.update(set(re.findall(r"[a-z]+", raw)))
    cases = []
    for title, raw in papers:
        head, colon, _ = title.partition(":")
        name = head.strip()
        words = name.split()
        if not colon or not 1 <= len(words) <= 3:
            continue
        rare = any(
            spread[part.lower()] < COMMON_IN
            for word in words
            for part in re.findall(r"[A-Za-z]+", word)
        )
        if rare or any(map(is_unusual, words)):
            abstract = clean(raw)
            if contains(ADDRESS.sub("", abstract), name):
                cases.append((name, abstract))
    return cases


@pytest.mark.parametrize(
    ("corpus", "step", "least"),
    [("neurips-2023.jsonl.gz", 1, 0.92), ("ml-20k.jsonl.gz", 4, 0.9)],
)
def test_the_derived_name_contains_the_coined_name_that_begins_the_title(
    corpus: str, step: int, least: float
) -> None:
    cases = titled_by_a_coined_name(read(corpus)[::step])
    assert len(cases) > 300
    missed = [(name, label(abstract)) for name, abstract in cases]
    missed = [(name, derived) for name, derived in missed if not contains(derived, name)]
    rate = 1 - len(missed) / len(cases)
    assert rate >= least, f"{rate:.3f} of {len(cases)}; missed: {missed[:20]}"


def names_of(paths: list[Path]) -> list[str]:
    """The derived names of the papers in text lists with a heading each."""
    abstracts = []
    for path in paths:
        blocks = re.split(r"\n\s*\n", path.read_text(encoding="utf-8").strip())
        abstracts += [clean(block) for block in blocks[1:]]
    return distinct([label(abstract) for abstract in abstracts], abstracts)


def test_a_retold_abstract_gives_the_coined_name_of_its_source() -> None:
    heads = [[name.partition(": ")[0] for name in names_of(paths)] for paths in (LISTS, [SAMPLE])]
    pairs = list(zip(*heads, strict=True))
    coined = [pair for pair in pairs if any(is_unusual(head.split()[0]) for head in pair)]
    assert len(coined) > 30
    assert [pair for pair in coined if pair[0] != pair[1]] == []


@pytest.mark.parametrize("paths", [LISTS, [SAMPLE]])
def test_every_untitled_paper_gets_its_own_clean_name(paths: list[Path]) -> None:
    names = names_of(paths)
    assert len(names) == 57
    assert len({name.casefold() for name in names}) == 57
    for name in names:
        assert len(name) <= LIMIT
        assert not re.search(r"[$\\{}]|\*\*|  ", name)
        assert name.count("(") == name.count(")")
        assert not re.search(r"\b(?:the|an?|of|for|in|on|with|by|to|and|or|that|we)$", name), name
        assert not re.match(r"(?:we|this (?:paper|work)|in this)\b", name, re.IGNORECASE), name
