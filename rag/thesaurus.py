"""Words of research English: which say the same, the opposite, or how much is claimed.

Goes in: thesaurus.txt beside this file. Comes out: a `Thesaurus` of word lists. Knows nothing of
how they are compared.

Sections of the file, a line an entry, words in lower case, phrases joined by underscores:
- named: groups of words of which one may stand for another, by name; opposite: pairs of these;
- same: further groups without a name;
- exclusive: classes of which one can be true (the members of a class separated by spaces, forms of
  a member by |);
- hedge: words that say less than a fact, by family; sharp: words that say more, by family;
  behind a | stand words of a source that say as much;
- denial: words that deny or take away; plain denial: those that deny the statement itself;
- irregular: forms of a word that no stemmer finds;
- common: words of general English, whose addition by itself adds no fact of the field.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

PATH = Path(__file__).with_suffix(".txt")


@dataclass(frozen=True, slots=True)
class Thesaurus:
    """See the module: every section as data."""

    named: dict[str, tuple[str, ...]]
    opposite: tuple[tuple[str, str], ...]
    same: tuple[tuple[str, ...], ...]
    exclusive: tuple[tuple[frozenset[str], ...], ...]
    hedge: dict[str, frozenset[str]]
    sharp: tuple[tuple[frozenset[str], frozenset[str]], ...]
    denial: frozenset[str]
    plain_denial: frozenset[str]
    common: frozenset[str]
    irregular: dict[str, str]


@lru_cache(maxsize=1)
def thesaurus() -> Thesaurus:
    """The word lists, read once."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in PATH.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    pairs = [pair.split("/") for line in sections["opposite"] for pair in line.split()]
    return Thesaurus(
        named={name: tuple(words) for name, words in map(_family, sections["named"])},
        opposite=tuple((one, other) for one, other in pairs),
        same=tuple(tuple(line.split()) for line in sections["same"]),
        exclusive=tuple(
            tuple(frozenset(member.split("|")) for member in line.split())
            for line in sections["exclusive"]
        ),
        hedge={name: frozenset(words) for name, words in map(_family, sections["hedge"])},
        sharp=tuple(map(_sharp, sections["sharp"])),
        denial=_all(sections["denial"]),
        plain_denial=_all(sections["plain denial"]),
        common=_all(sections["common"]),
        irregular={
            form: name for name, forms in map(_family, sections["irregular"]) for form in forms
        },
    )


def _family(line: str) -> tuple[str, list[str]]:
    name, _, words = line.partition(": ")
    return name, words.split()


def _all(lines: list[str]) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


def _sharp(line: str) -> tuple[frozenset[str], frozenset[str]]:
    said, _, enough = line.partition(": ")[2].partition("|")
    return frozenset(said.split()), frozenset(enough.split())
