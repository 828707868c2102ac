"""A question and the turns before it -> what to look for.

Goes in: what was typed, the history, the papers of the index. Comes out: a `Query`: a stand-alone
wording and the papers that it names. Knows nothing of scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rag import lexical
from rag.errors import QuestionError
from rag.mentions import is_about_several, mentions, places
from rag.names import Names, named_papers
from rag.types import Intent, Query, Turn

# A long, rambling question has 1,500 characters; what is longer is a document.
LONGEST = 4000
# "What is X?" with a longer X asks for more than what X is.
SHORT_NAME_WORDS = 4
# "At what price?", "How much faster?", "Which datasets?" go on with what was spoken of.
_GOES_ON = re.compile(
    r"^\s*(?:(?:at|in|on|by|with|for|from|to|under|over|against)\s+)?(?:which|why|where|when|whom"
    r"|what(?!'s| is\b| are\b| does\b)|how (?:much|many|fast|long|far|often|large|high))\b",
    re.IGNORECASE,
)
LEANING_WORDS = 2
# A question that leans on the one before it: it begins with a conjunction, or speaks of something
# that it does not name.
_LEANS = re.compile(
    r"^\s*(?:and|but|so|then|also|or|what about|how about|what if|why not)\b"
    # "papers that ..." points ahead.
    r"|(?<!\bpapers )(?<!\bworks )(?<!\bmethods )(?<!\bapproaches )(?<!\bmodels )\bthat\b"
    r"|\b(?:it|its|they|them|their|theirs|this|these|those|one|ones|he|she|the (?:first|"
    r"second|third|last|other|same|former|latter))\b",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"\b(?:which|what|any|list|find|show|name|how many|are there|all|give me|other)\b[^?.]{0,40}?"
    r"\b(?:papers|works|articles|studies|abstracts|publications)\b"
    r"|(?:^\s*|\b(?:is there|have you|got|find|show me)\s+)(?:any|some)thing (?:here |new )?"
    r"(?:about|on)\b"
    r"|^\s*(?:which|what|list all) (?:methods|approaches|techniques|algorithms|systems|frameworks|"
    r"authors|groups)\b(?! (?:do|does|did)\b)"
    r"|^\s*(?!the\b|compare\b)(?:[\w+-]+\s+){1,5}(?:papers|works)\s*[?.!]*\s*$"
    r"|\bwho (?:works?|studies|studied)\b|\bpapers (?:on|about|that|which|using)\b",
    re.IGNORECASE,
)
# "Which papers use X?" asks for a list even where one paper is called X.
_PAPERS_THAT = re.compile(
    r"\b(?:which|what|how many|list|find|show|all|any)\s+(?:\w+\s+){0,2}papers\s+"
    r"(?!(?:do|does|did|is|was|has)\b)\w",
    re.IGNORECASE,
)
_EXPLAIN = re.compile(
    r"^\s*(?:what(?:'s| is| are| does)?|explain|describe|define|tell me about|summari[sz]e|"
    r"who is|how does)\s++(?:an? |the )?(?P<name>[^?]+?)(?: do| work| about| paper)?\s*+\??\s*$",
    re.IGNORECASE,
)
_COMPARE = re.compile(
    r"^\s*compare\b|\bcompar(?:e|ed|ison) (?:of|between|with|to)\b|\bdifferences? between\b"
    r"|\b(?:versus|vs\.?)\b",
    re.IGNORECASE,
)
# "What do these papers report?" speaks of those that were chosen; "which of them ..." picks some.
_OF_THEM = re.compile(
    r"\b(?:these|those|both|all|the)\s+(?:\w+\s+){0,2}(?:papers|works|studies|articles)\b"
    r"|\b(?:do|did|are|of|between|have)\s+(?:they|them|these|those|both)\b"
    r"|\b(?:each|compare)\s+(?:paper|of|them|these|those)\b",
    re.IGNORECASE,
)
_SELECTS = re.compile(r"\b(?:which|who|how many|list|find|any)\b", re.IGNORECASE)
_WHICH_OF = re.compile(
    r"\b(?:which|how many|any|who)\s+(?:(?:ones?|papers?)\s+)?of\s+(?:these|those|them)\b"
    r"|\bwhich ones?\b",
    re.IGNORECASE,
)
# More papers than that make no answer in which each is spoken of.
FEW = 5
# Words in which questions speak of papers; what a listed paper must have is in the others.
_FRAME = frozenset(
    "abstract abstracts address addresses addressing any anybody anyone anything applies "
    "apply approach approaches article articles author authors collection concern concerned "
    "conference consider considers contain containing contains contribute contributes count "
    "deal deals describe describes discuss discusses employ employs examine examines except "
    "excluding experiments explore explores find focus focuses given holds index "
    "investigate investigates involve involves kind kinds list many mention mentions method "
    "methods name neither new newly nothing number ones paper papers present presents "
    "propose proposes publication publications related report reports say says show shows "
    "something sort sorts state states studied studies study studying tackle tackles talk "
    "talks topic topics type types use used uses using various work working works".split()
)
# What papers do with a topic; elsewhere these words are part of one ("test accuracy").
_DOING = re.compile(
    r"(?<=\bpapers )(?:that |which )?"
    r"(?:compar|evaluat|introduc|offer|promis|prov|provid|test)(?:e|es|s|ing)?\b"
    r"(?: themselves)?",
    re.IGNORECASE,
)
# How a list is asked for, not of what: "use the term", "the top 3 papers", "don't".
_ASIDE = re.compile(
    r"\b(?:mention|contain|us|say)(?:e|es|s|ed|ing)? the (?:word|term|phrase|acronym)s?\b"
    r"|\b(?:top )?\d+(?= papers\b)|\b\w+n['’]t\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+(?:[-.+]\w+)*\+?")
# A word that can be part of the phrase behind "or": no acronym, no plural.
_SHARES_NOUN = re.compile(r"\w[^\W\dA-Z]*[^\W\dA-Zs]")
# A word, or what was put in quotes: a phrase as it stands.
_WORD_OR_QUOTED = re.compile(rf"[\"“”](?P<quoted>[^\"“”]{{2,80}})[\"“”]|{_WORD.pattern}")


def check_question(question: str) -> str:
    """The question without outer white space; raises `QuestionError` if empty or too long.

    Bytes that are no text, as a terminal can hand them over, become question marks.
    """
    asked = _readable(question)
    if not asked:
        raise QuestionError("The question is empty; type what you want to know.")
    if len(asked) > LONGEST:
        raise QuestionError(
            f"The question has {len(asked):,} characters; the most is {LONGEST:,}: ask for one "
            "thing at a time."
        )
    return asked


def _readable(text: str) -> str:
    return text.encode(errors="replace").decode().strip()


def understand(
    question: str, history: Sequence[Turn], names: Names, papers: tuple[str, ...] = ()
) -> Query:
    """Read a question in the light of the turns before it.

    `names` are those of the papers of the index, `papers` the ids of those that alone may answer;
    empty: all.
    """
    asked = check_question(question)
    named = named_papers(asked, names)
    leans = not named and (_leans(asked) or bool(places(asked)))
    meant = _meant(asked, history, names) if leans else ()
    meant = tuple(each for each in meant if not papers or each in papers)
    wording = asked
    if history and leans and (meant or not papers):
        before = [_readable(turn.question)[:LONGEST] for turn in history[-2:]]
        wording = f"{asked} (asked after: {' '.join(before)})"
    among = papers or meant
    terms = _groups(asked) if among and not named and _WHICH_OF.search(asked) else ()
    if terms:
        return Query(wording, asked, "list", terms=terms, papers=among)
    if wording != asked:
        return Query(wording, asked, named=meant, papers=papers)
    query = _query(asked, named)
    if 0 < len(papers) <= FEW and _OF_THEM.search(asked) and not (named or _SELECTS.search(asked)):
        query = replace(query, intent=_unlisted(asked), named=papers, terms=())
    return replace(query, papers=papers)


def _leans(asked: str) -> bool:
    """Whether a question cannot stand alone: it points back, or asks on in a word or two."""
    content = [word for word in _WORD.findall(asked) if word.casefold() not in lexical.STOPWORDS]
    goes_on = _GOES_ON.search(asked) and not _LIST.search(asked)
    return bool(_LEANS.search(asked) or (goes_on and len(content) <= LEANING_WORDS))


def _meant(asked: str, history: Sequence[Turn], names: Names) -> tuple[str, ...]:
    """The papers of the turn before, or the one of them that the question counts to; where that
    turn has not as many, those of the last that has."""
    counted = places(asked)
    found: tuple[str, ...] = ()
    there = {paper.id for paper in names.papers}  # a paper may have gone since it was cited
    for turn in reversed(history):
        cited = tuple(name for name in turn.papers if name in there)
        found = cited or named_papers(f"{turn.question} {turn.answer}", names)
        if not counted:
            return found
        if max(counted) <= len(found) and len(found) > 1:
            return tuple(found[place - 1 if place > 0 else place] for place in counted)
    return () if not history else _meant("", history, names)


def _unlisted(asked: str) -> Intent:
    return "compare" if _COMPARE.search(asked) else "fact"


def _query(asked: str, named: tuple[str, ...]) -> Query:
    explained = _EXPLAIN.match(asked)
    if named and explained and len(_WORD.findall(explained["name"])) <= SHORT_NAME_WORDS:
        return Query(asked, asked, "explain", named)
    listed = _PAPERS_THAT if len(named) == 1 else _LIST
    enumerated = is_about_several(asked) and mentions(asked)  # the papers are given, not sought
    if len(named) < 2 and listed.search(asked) and not enumerated:
        return Query(asked, asked, "list", terms=_groups(asked))
    return Query(asked, asked, _unlisted(asked), named)


def _groups(asked: str) -> tuple[tuple[str, ...], ...]:
    """What a listed paper must have: neighbours make a phrase, "or" makes alternatives."""
    groups: list[tuple[str, ...]] = []
    enumerated = 1  # groups at the end that only commas part: "A, B or C"
    for joint, phrase in _phrases(_DOING.sub(" ", _ASIDE.sub(" ", asked))):
        if joint == "or" and groups:
            before = [each for group in groups[-enumerated:] for each in group]
            groups[-enumerated:] = [_alternatives(tuple(before), phrase)]
        else:
            groups.append((" ".join(phrase),))
            enumerated = enumerated + 1 if joint == "," and len(groups) > 1 else 1
            continue
        enumerated = 1
    return tuple(dict.fromkeys(groups))


def _phrases(asked: str) -> Iterator[tuple[str, list[str]]]:
    """Neighbouring words that are asked for, and what stands before them: "or", "," or other."""
    joint, phrase, end = "", list[str](), 0
    for match in _WORD_OR_QUOTED.finditer(asked):
        parted = asked[end : match.start()].strip(" '’")
        quoted, word, end = match["quoted"], match.group().casefold(), match.end()
        wanted = quoted or _is_asked_for(match.group())
        if phrase and (parted or quoted or not wanted):
            yield joint, phrase
            joint, phrase = "", []
        if not phrase:
            joint = parted if parted == "," else joint
        if quoted:
            yield joint, [quoted.strip()]
            joint = ""
        elif wanted:
            phrase.append(match.group())
        else:
            joint = "or" if word == "or" else ""
    if phrase:
        yield joint, phrase


def _alternatives(before: tuple[str, ...], phrase: list[str]) -> tuple[str, ...]:
    """ "image or video segmentation" means image segmentation or video segmentation."""
    if len(phrase) > 1 and len(before) == 1 and _SHARES_NOUN.fullmatch(before[0]):
        before = (f"{before[0]} {phrase[-1]}",)
    return (*before, " ".join(phrase))


def _is_asked_for(word: str) -> bool:
    folded = word.casefold()
    # A letter alone is what is left of "what's", unless it is a name: Q learning.
    short = len(word) == 1 and not (word.isupper() or word.isdigit())
    return not short and folded not in _FRAME and folded not in lexical.STOPWORDS
