"""An abstract -> every place where a name may stand, with what it stands for.

Goes in: cleaned text and its sentences. Comes out: mentions as offsets, and the long form that is
written beside a name. Knows spelling only: whether a name is the authors' own is judged elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from rag.types import Span

# A longer run of capitalised words is a heading or a list.
MOST_WORDS = 7
# "Long Form (NAME)": besides a word for each letter, this many small words.
SPARE_WORDS = 6
# The longest long form, in characters, that is looked for.
REACH = 160

# Stems of verbs by which authors bring in what is theirs.
OWN_STEMS = (
    "propos|introduc|present|develop|design|devis|construct|creat|releas|contribut|describ|"
    "formulat|unveil|advocat|curat|compos|publish|open-sourc|build|offer|provid|deriv|establish"
)
# A noun phrase that reaches from a verb to a name holds none of these.
BREAKS = re.compile(
    r"[.;()]|\b(?:of|for|to|in|on|with|by|via|from|that|which|who|whose|where|when|while|as|into|at|"
    r"over|under|than|is|are|can|will|based|using|through|between|against|towards?|without|within|"
    r"across|because|since|if|so|how|such|called|named|dubbed|termed)\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[^\W_]\w*(?:[-/+&@.·–’'*][^\W_]\w*)*(?:\+\+?)?")
# Addresses and formulas hold no names.
_OPAQUE = re.compile(
    r"https?://\S+|www\.\S+|\b[\w-]{1,60}\.(?:com|io|org|ai)/\S+|\S{0,40}\$[^$\s](?:[^$]*[^$\s])?\$\S*"
)
# "FOO 2019" is a meeting or a paper that is cited.
_DATED = re.compile(r",? (?:19|20)\d\d\b")
# "FOO 2", and amounts, which are no names ("65B", "120K").
_VERSION = re.compile(r"[2-9](?:\.\d)?$")
_AMOUNT = re.compile(r"\d[\d.,]*(?:[KMBGkx]|nd|th|st|rd)?$")
# "FOO-based" speaks of FOO.
_SUFFIX = re.compile(
    r"-(?:[a-z]{2,}(?:ed|ing|en)|like|style|type|specific|free|aware|level|agnostic)$|['’]s$"
)
# Capitalised at the head of a sentence, these are no part of a name.
_OPENERS = frozenset(
    "a an the our we in on to this these those that it its is are their his as at by for from "
    "with and or but if when while since because however moreover furthermore finally first "
    "second third then thus hence here such although though despite given unlike like most "
    "many some few one two three both each every all no not there they he she i you your what "
    "which who whose where why how can do does recent existing current previous prior new "
    "novel experiments experimental results code codes data based under over after before "
    "through between across within without beyond whereas also still yet so now instead "
    "rather even only another other more therefore central key large project building "
    "motivated inspired equipped compared extensive".split()
)
_JOINTS = frozenset("of for to in and with the via & by from on".split())
_CLOSERS = "\"'”’)"
_LOWER = r"[a-z][a-z-]+"
_PLAIN_CALLED = re.compile(
    r"\b(?:called|termed|dubbed|named|coined|(?:we|authors) (?:call|term|dub|name)|"
    r"(?:paper|work) (?:calls|terms|dubs|names)|refer to as|coin)"
    r"(?: (?:this|these) [\w-]+| it| the| as)? "
    r"[\"'“‘]?([A-Za-z][a-z-]+(?: [\w-]+){0,2})"
    r"(?=[\"'”’]?(?:[.,;:)]| (?:\(|that|which|to|for|and|in|of|can)\b))"
)
# "a new technique, radioactive marks, that ..."
_PLAIN_APART = re.compile(
    rf"\b(?:new|novel) (?:[\w-]+ ){{0,3}}?\w+, ({_LOWER}(?: [\w-]+){{0,2}})"
    r"(?=, (?:that|which|an?|to) )"
)
# "we propose scissor hands, a system ..."
_PLAIN_PROPOSED = re.compile(
    rf"\b(?:[Ww]e|to|and|by|paper|work|authors)(?: \w+ly)? (?:{OWN_STEMS})(?:e|es|ing)? (?:the )?"
    rf"({_LOWER}(?: [\w-]+){{0,3}})(?=(?:,|:| –) (?:an?|the first|which) )"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a name stands: offsets, the number of its sentence, its long form beside it."""

    name: str
    start: int
    end: int
    sentence: int
    long: Span | None


def mentions(text: str, spans: tuple[Span, ...]) -> Iterator[Mention]:
    """Every mention of every possible name, sentence by sentence; a place may hold two names."""
    opaque = [match.span() for match in _OPAQUE.finditer(text)]
    for number, span in enumerate(spans):
        for run in _runs(text, span, opaque):
            for start, end in _names(text, span, run):
                if _DATED.match(text, end) is None:
                    yield _mention(text, start, end, number)
    plain = (_PLAIN_CALLED, _PLAIN_PROPOSED, _PLAIN_APART)
    for match in chain.from_iterable(pattern.finditer(text) for pattern in plain):
        words = match.group(1)
        again = match.re is _PLAIN_CALLED or text.count(words) > 1
        if again and words.split()[0] not in _OPENERS and BREAKS.search(words) is None:
            number = sum(1 for span in spans if span.end <= match.start(1))
            yield _mention(text, match.start(1), match.end(1), number)


def occurrences(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Where the name stands as a whole word: offsets, in order."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not text[max(0, start - 1) : start].isalnum() and not text[end : end + 1].isalnum():
            yield start, end
        start = text.find(name, end)


def is_unusual(word: str) -> bool:
    """Whether no common word is spelt so: capitals or digits inside (kFFM, S4, LoRA+, FEROM)."""
    rest = word[1:]
    if (rest.isalpha() and rest.islower()) or _AMOUNT.match(word):
        return False
    if word.endswith("+") or re.match(r"[^\W\d_]-[A-Z]", word):
        return True
    return any(_odd(part) for part in re.split(r"[-–/’'.*]", word))


def _odd(part: str) -> bool:
    if part[:1].isdigit():
        return any(letter.isupper() for letter in part) and len(part) > 1
    return any(letter.isupper() or letter.isdigit() for letter in part[1:])


def _mention(text: str, start: int, end: int, number: int) -> Mention:
    name = text[start:end]
    return Mention(name, start, end, number, long_form(text, name, start, end))


def _runs(text: str, span: Span, opaque: list[tuple[int, int]]) -> Iterator[list[re.Match[str]]]:
    """Runs of words that may make a name: capitalised or unusual, with small words between."""
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text, span.start, span.end):
        word = token.group()
        apart = bool(run) and text[run[-1].end() : token.start()] != " "
        capital = word[0].isupper() or is_unusual(word) or (bool(run) and _VERSION.match(word))
        if apart or not (capital or (run and word in _JOINTS)) or _clash(run, word):
            if run:
                yield run
            run = []
        if run or (capital and not any(a <= token.start() < b for a, b in opaque)):
            run.append(token)
    if run:
        yield run


def _clash(run: list[re.Match[str]], word: str) -> bool:
    """Whether a small word parts two names ("CIFAR10 and MNIST") instead of joining one."""
    return bool(run) and word in _JOINTS and is_unusual(run[-1].group())


def _names(text: str, span: Span, run: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """The run as a name, and the unusual words in it."""
    if len(run) > 2 * MOST_WORDS:
        return
    while run and _heads(text, span, run[0].start()) and _opens(run[0].group()):
        run = run[1:]
    while run and run[-1].group() in _JOINTS:
        run = run[:-1]
    while run and run[0].group() in _JOINTS:
        run = run[1:]
    if not run or len(run) > MOST_WORDS:
        return
    start, end = run[0].start(), _bare_end(text, run[0].start(), run[-1].end())
    whole = text[start:end]
    if len(run) > 1:
        yield start, end
        for token in run:
            if is_unusual(token.group()) and text.count(token.group()) > 1:
                yield token.start(), _bare_end(text, token.start(), token.end())
        return
    chosen = is_unusual(whole) or not _heads(text, span, start)
    if len(whole) > 1 and (chosen or re.search(rf"[a-z] {re.escape(whole)}\b", text)):
        yield start, end


def _bare_end(text: str, start: int, end: int) -> int:
    suffix = _SUFFIX.search(text[start:end])
    bare = "" if suffix is None else text[start : start + suffix.start()]
    return start + len(bare) if len(re.split(r"\W", bare)[-1]) > 1 else end


def _heads(text: str, span: Span, start: int) -> bool:
    """Whether any word would have a capital here: behind a colon or "(1)" as at the beginning."""
    return start == span.start or text[start - 2 : start - 1] in (".", ":", "?", "!", ")", "–")


def _opens(word: str) -> bool:
    lower = word.casefold()
    return not is_unusual(word) and (lower in _OPENERS or lower.endswith("ly"))


_IN_BRACKETS = re.compile(r"[\"'”’]? ?\(([^()]{6,120})\)")
_BEHIND = re.compile(
    r"[,:] ((?:[A-Z][\w-]+|of|for|and|with|in|to|the|&)"
    r"(?: (?:[A-Z][\w-]+|of|for|and|with|in|to|the|via|by|&))+)"
)
# "Three Towers (3T)": capitals say as much as letters that fit.
_CAPITALS = re.compile(
    r"(?<=[a-z,:] )((?:[A-Z][\w-]*)(?:,? (?:of|for|and|with|in|to|the|via|by|from|&|[A-Z][\w-]*))* "
    r"[A-Z][\w-]*(?: [a-z]{4,})?) $"
)


def long_form(text: str, name: str, start: int, end: int) -> Span | None:
    """Where the words that the name at these offsets stands for are written, or None."""
    if " " in name or not is_unusual(name):
        return None
    if text[start - 1 : start] == "(" and re.match(r"[),;]| for short", text[end : end + 10]):
        return _before(text, name, start - 1)
    for pattern in (_IN_BRACKETS, _BEHIND):
        after = pattern.match(text, end)
        if after is not None and spells(name, after.group(1)):
            return Span(after.start(1), after.end(1))
    return None


def _before(text: str, name: str, end: int) -> Span | None:
    """The fewest words before `end` that spell the name, else the capitalised words there."""
    base = max(0, end - REACH)
    words = list(re.finditer(r"[^\W_]\w*", text[base:end]))
    letters = sum(1 for character in name if character.isalpha())
    stop = end - (len(text[base:end]) - len(text[base:end].rstrip(f" {_CLOSERS}")))
    for word in reversed(words[-(letters + SPARE_WORDS) :]):
        first = base + word.start()
        piece = text[first:stop]
        if re.search(r"[.;:()]", piece):
            break
        if spells(name, piece):
            while text[first - 1 : first] == "-" and text[first - 2 : first - 1].isalnum():
                first -= len(re.split(r"\W", text[base : first - 1])[-1]) + 1
            return Span(first, stop)
    run = _CAPITALS.search(text, base, end)
    return None if run is None else Span(run.start(1), run.end(1))


def spells(name: str, words: str) -> bool:
    """Whether the letters of the name run through the words in order, the first at their head."""
    letters = [letter for letter in name.casefold() if letter.isalpha()]
    if len(letters) > 1 and name.endswith("s"):
        letters.pop()
    rest = words.casefold()
    if not letters or not rest.startswith(letters[0]):
        return False
    position = 0
    for letter in letters:
        position = rest.find(letter, position) + 1
        if position == 0:
            return False
    return len(words.split()) > 1 or "-" in words or is_unusual(words)
