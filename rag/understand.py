"""A question and the turns before it -> what to look for.

Goes in: what was typed, the history, the papers of the index. Comes out: a `Query`: a stand-alone
wording and the papers that it names. Knows nothing of scores.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag import lexical
from rag.errors import QuestionError
from rag.names import Names, named_papers
from rag.types import Query, Turn

# A long, rambling question has 1,500 characters; what is longer is a document.
LONGEST = 4000
# "What is X?" with a longer X asks for more than what X is.
SHORT_NAME_WORDS = 4
# A question that leans on the one before it: it begins with a conjunction, or speaks of something
# that it does not name.
_LEANS = re.compile(
    r"^\s*(?:and|but|so|then|also|or|what about|how about|what if|why not)\b"
    r"|\b(?:it|its|they|them|their|theirs|this|these|those|that|one|ones|he|she|the (?:first|"
    r"second|third|last|other|same|former|latter))\b",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"\b(?:which|what|any|list|find|show|name|how many|are there|all|give me|other)\b[^?.]{0,40}?"
    r"\b(?:papers|works|articles|studies|abstracts|publications)\b"
    r"|\bwho (?:works?|studies|studied)\b|\bpapers (?:on|about|that|which|using)\b",
    re.IGNORECASE,
)
_EXPLAIN = re.compile(
    r"^\s*(?:what(?:'s| is| are| does)?|explain|describe|define|tell me about|summari[sz]e|"
    r"who is|how does)\s+(?:an? |the )?(?P<name>[^?]+?)(?: do| work| about| paper)?\s*\??\s*$",
    re.IGNORECASE,
)
_COMPARE = re.compile(
    r"^\s*compare\b|\bcompar(?:e|ed|ison) (?:of|between|with|to)\b|\bdifferences? between\b"
    r"|\b(?:versus|vs\.?)\b",
    re.IGNORECASE,
)
# Words in which questions speak of papers; what a listed paper must have is in the others.
_FRAME = frozenset(
    "abstract abstracts address addresses addressing any apply applies approach approaches "
    "article articles author authors concern concerned consider considers contribute contributes "
    "count deal deals describe describes discuss discusses employ employs examine examines "
    "explore explores find focus focuses given holds index investigate investigates involve "
    "experiments involves kind kinds list many mention mentions method methods name new newly "
    "number paper papers "
    "present presents propose proposes publication publications related report reports say says "
    "show shows sort sorts state states studied studies study studying tackle tackles talk talks "
    "topic topics type types use uses used using various work works working".split()
)
_WORD = re.compile(r"\w+(?:[-.+]\w+)*\+?")


def check_question(question: str) -> str:
    """The question without outer white space; raises `QuestionError` if empty or too long."""
    asked = question.strip()
    if not asked:
        raise QuestionError("The question is empty; type what you want to know.")
    if len(asked) > LONGEST:
        raise QuestionError(
            f"The question has {len(asked):,} characters; the most is {LONGEST:,}: ask for one "
            "thing at a time."
        )
    return asked


def understand(question: str, history: Sequence[Turn], names: Names) -> Query:
    """Read a question in the light of the turns before it.

    `names` are those of the papers of the index.
    """
    asked = check_question(question)
    named = named_papers(asked, names)
    if not history or named or not _LEANS.search(asked):
        return _query(asked, named)
    last = history[-1]
    meant = last.papers or named_papers(f"{last.question} {last.answer}", names)
    before = [turn.question.strip() for turn in history[-2:]]
    wording = f"{asked} (asked after: {' '.join(before)})"
    return Query(wording, asked, named=tuple(meant))


def _query(asked: str, named: tuple[str, ...]) -> Query:
    explained = _EXPLAIN.match(asked)
    if named and explained and len(_WORD.findall(explained["name"])) <= SHORT_NAME_WORDS:
        return Query(asked, asked, "explain", named)
    if not named and _LIST.search(asked):
        return Query(asked, asked, "list", terms=_groups(asked))
    return Query(asked, asked, "compare" if _COMPARE.search(asked) else "fact", named)


def _groups(asked: str) -> tuple[tuple[str, ...], ...]:
    """What a listed paper must have: neighbours make a phrase, "or" makes alternatives."""
    groups: list[tuple[str, ...]] = []
    phrase: list[str] = []
    either = False
    for match in [*_WORD.finditer(asked), None]:
        word = match.group() if match else ""
        if match and _is_asked_for(word.casefold()):
            phrase.append(word)
            continue
        if phrase:
            if either and groups:
                groups[-1] = _alternatives(groups[-1], phrase)
            else:
                groups.append((" ".join(phrase),))
            phrase, either = [], False
        either = word.casefold() == "or"
    return tuple(dict.fromkeys(groups))


def _alternatives(before: tuple[str, ...], phrase: list[str]) -> tuple[str, ...]:
    """ "image or video segmentation" means image segmentation or video segmentation."""
    if len(phrase) > 1 and all(" " not in each for each in before):
        before = tuple(f"{each} {phrase[-1]}" for each in before)
    return (*before, " ".join(phrase))


def _is_asked_for(word: str) -> bool:
    return len(word) > 1 and word not in _FRAME and word not in lexical.STOPWORDS
