"""The sample digest against the abstracts it retells.

Goes in: the sample and the three lists of abstracts beside the repository. Comes out: for each
entry, the numbers and names of its source that it lacks, and the runs of words it copied. What it
does not know: whether a sentence says the same as its source; that needs a reader.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT.parent / "shared" / "corpus" / "neurips-2026"
SAMPLE = ROOT / "ingest" / "sample" / "neurips-2026-digest.txt"
HEADING = "NeurIPS 2026 papers: a digest, not the authors' words"
PAPERS = 57  # 19 in each of the three lists
RUN = 8  # words in a row that an entry may not share with its source

if not SOURCES.is_dir():
    pytest.skip("the abstracts of ../shared are not here", allow_module_level=True)

RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
CITED = re.compile(r"\\cite\w*\s*(?:\[[^\]]*\])*\{[^{}]*\}")
COMMAND = re.compile(r"\\([A-Za-z]+)\s*")
SYMBOLS = {"times": "×", "approx": "≈", "cdot": "·", "pm": "±", "le": "≤", "ge": "≥", "infty": "∞"}
NUMBER = re.compile(r"(?<![^\W_])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:\^[+-]?\d+)?(?:\s?%)?")
LISTED = re.compile(r"(?<!\S)\((?:\d|[ivx]+)\)\s")  # (1), (ii) in front of the points of a list
COUNTS = "two three four five six seven eight nine ten eleven twelve".split()
DIGITS = {word: str(number) for number, word in enumerate(COUNTS, start=2)}
COUNTED = re.compile(rf"\b(?:{'|'.join(COUNTS)})\b", re.IGNORECASE)
WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")
TOKEN = re.compile(r"[^\W_]+(?:[.@&+]?[^\W_]+)*(?:-[^\W_]+(?:[.@&+]?[^\W_]+)*)*")
OPENING = re.compile(r"(?:^|[.!?:][\"')\]]*\s)[\s\"'“(\[]*(?:\([\dixv]+\)\s*)?$")
INNER = re.compile(r"[A-Za-z0-9@][A-Z]|\d")  # an inner capital or a figure
UNIT = re.compile(r"\d[\d.]*[a-z]{2,}")  # 14.3pp is a number with its unit, not a name


def entries(text: str, heading: bool) -> list[str]:
    """The paragraphs of a list, without its heading if it has one."""
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text) if block.strip()]
    return blocks[1:] if heading else blocks


def plain(text: str) -> str:
    """`text` without LaTeX and Markdown; an exponent stays behind a `^`."""
    text = FRACTION.sub(r"\1/\2", CITED.sub("", text))
    text = RAISED.sub(lambda found: "^" + found[0], text)
    text = COMMAND.sub(_symbol, unicodedata.normalize("NFKC", text))
    text = re.sub(r"[${}*_`\\]", "", text.replace("~", " "))
    # Minus signs and hyphens are one sign; the longer dashes part words.
    return re.sub(r"[‐‑−]", "-", re.sub(r"-{2,3}|[–—]", " – ", text)).replace("’", "'")


def _symbol(command: re.Match[str]) -> str:
    name = command[1]
    if name in SYMBOLS:
        return SYMBOLS[name]
    size = "CAPITAL" if name[0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {name.upper()}")
    except KeyError:  # a command that dresses its argument
        return ""


def numbers(text: str) -> set[str]:
    """Every number in figures, and two to twelve in words, as figures without thousands commas."""
    text = LISTED.sub(" ", plain(text))
    found = {re.sub(r"[,\s]", "", number) for number in NUMBER.findall(text)}
    return found | {DIGITS[word.lower()] for word in COUNTED.findall(text)}


def names(text: str) -> set[str]:
    """Acronyms, names with inner capitals or figures, and words capitalised within a sentence."""
    text = plain(text)
    found = set()
    for token in TOKEN.finditer(text):
        opens = bool(OPENING.search(text[: token.start()]))
        parts = token[0].split("-")
        marked = [n for n, part in enumerate(parts) if _is_name(part, opens and n == 0)]
        # "GRPO-style" names GRPO; what stands between two marked parts belongs to the name.
        name = "-".join(parts[marked[0] : marked[-1] + 1]) if marked else ""
        if re.search("[A-Za-z]", name):  # else a number alone
            found.add(re.sub(r"(?<=[A-Z])s$", "", name))
    return found


def _is_name(part: str, opens_sentence: bool) -> bool:
    if UNIT.fullmatch(part) or not part.isascii():
        return False
    return bool(INNER.search(part)) or (len(part) > 2 and part[0].isupper() and not opens_sentence)


def lacks(entry: str, name: str) -> bool:
    """Whether `name` is missing; only a plain capitalised word may change its capitals."""
    exact = INNER.search(name)
    stem = name if exact else name.removesuffix("s")
    pattern = rf"(?<![^\W_]){re.escape(stem)}(?:'?s)?(?![^\W_])"
    return not re.search(pattern, plain(entry), 0 if exact else re.IGNORECASE)


def shared_runs(entry: str, source: str, length: int = RUN) -> list[str]:
    """The longest runs of at least `length` words that stand in both."""
    there, here = _words(source), _words(entry)
    known = {tuple(there[n : n + length]) for n in range(len(there) - length + 1)}
    runs: list[list[str]] = []
    end = 0
    for start in range(len(here) - length + 1):
        if tuple(here[start : start + length]) not in known:
            continue
        if start + length > end + 1 or not runs:
            runs.append(here[start : start + length])
        else:
            runs[-1].append(here[start + length - 1])
        end = start + length
    return [" ".join(run) for run in runs]


def _words(text: str) -> list[str]:
    return [word.lower() for word in WORD.findall(plain(text))]


def problems(entry: str, source: str) -> Iterator[str]:
    """What is wrong with one entry, in words."""
    for number in sorted(numbers(source) - numbers(entry)):
        yield f"number missing: {number}"
    for name in sorted(names(source)):
        if lacks(entry, name):
            yield f"name missing: {name}"
    for run in shared_runs(entry, source):
        yield f"words copied: {run}"


def compare(part: list[str], sources: list[str]) -> list[str]:
    """Every problem of a list of entries, each with its entry's 1-based number."""
    assert len(part) == len(sources), f"{len(part)} entries for {len(sources)} papers"
    return [
        f"{n}: {problem}"
        for n, (entry, source) in enumerate(zip(part, sources, strict=True), start=1)
        for problem in problems(entry, source)
    ]


def the_sources() -> list[str]:
    files = sorted(SOURCES.glob("*.txt"))
    return list(chain.from_iterable(entries(f.read_text("utf-8"), heading=True) for f in files))


def test_the_sample_says_in_its_first_line_whose_words_it_has() -> None:
    first, blank = SAMPLE.read_text("utf-8").split("\n")[:2]
    assert (first, blank) == (HEADING, "")


def test_the_sample_retells_each_paper_with_its_numbers_and_names_in_other_words() -> None:
    sources = the_sources()
    assert len(sources) == PAPERS
    assert compare(entries(SAMPLE.read_text("utf-8"), heading=True), sources) == []


def test_numbers_are_compared_without_their_markup() -> None:
    assert numbers(r"up to $131{,}072$ or $3$--$40\times$, $9.5$\% of $10^{-3}$") == {
        *("131072", "3", "40", "9.5%", "10^-3")
    }
    assert numbers("(1) Six of 131,072, 3–40×, 9.5% and 10⁻³") == {
        *("6", "131072", "3", "40", "9.5%", "10^-3")
    }


def test_fractions_and_listed_points_give_no_false_numbers() -> None:
    assert numbers(r"(i) at a rate of $T^{2/3}$ or (2) $\frac{1}{4}$") == {"2", "3", "1", "4"}
    assert numbers("(2) the rate is not stated") == set()


def test_names_are_found_inside_their_markup() -> None:
    text = r"We call it \texttt{MAPLE}, a GRPO-style **D**eep tuner of FooNets and Bar-7B-1.5."
    assert names(text) == {"MAPLE", "GRPO", "Deep", "FooNets", "Bar-7B-1.5"}


def test_a_name_must_keep_its_spelling_but_a_capitalised_word_may_lose_its_capital() -> None:
    assert lacks("the maple tuner", "MAPLE")
    assert lacks("the MAPLES2 tuner", "MAPLE")
    assert not lacks("two MAPLEs", "MAPLE")
    assert not lacks("its deep tuner", "Deep")


def test_a_copied_run_is_given_whole() -> None:
    source = "a b c d e f g h i j k"
    assert shared_runs("x a b c d e f g h i y", source) == ["a b c d e f g h i"]
    assert shared_runs("a b c d e f g x h i j k", source) == []
