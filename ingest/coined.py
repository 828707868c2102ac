"""An abstract -> the names that its authors coin in it, and what each stands for.

Goes in: cleaned text, one line. Comes out: names as they are written, best first. Knows no title
and no list of known systems: a name is told from an acronym that the paper merely uses by how the
text brings it in ("we propose X", "called X", "Long Form (X)") and by what it does afterwards.
"""

from __future__ import annotations

import re
from collections import defaultdict

from ingest.introduced import (
    MENTIONED,
    OURS,
    PROPOSED,
    PROPOSED_AS_MODIFIER,
    introduced,
    mixed,
    named_at_once,
)
from ingest.mentions import Mention, is_unusual, long_form, mentions, occurrences
from rag.sentences import sentences
from rag.types import Span

# Acronyms so common that "we propose an LLM ..." must not make a name of them. A prior only: the
# long tail is settled by the text.
FIELD = frozenset(
    "ai ml nlp cv rl marl ssl dl fl llm vlm lm gan vae gnn gcn cnn rnn lstm mlp vit clip bert "
    "gpt transformer bayesian gaussian markov mc gpt-2 gpt-3 gpt-4 chatgpt llama imagenet "
    "cifar cifar-10 cifar-100 mnist coco nerf sgd adam ppo dpo grpo rlhf rlvr lora moe cot "
    "rag ood iid kl ode sde pde mcmc mdp pomdp api gpu cpu sota auc fid 2d 3d 4d dnn snn nn "
    "dp relu bayes opt ntk gp elbo mse eeg fmri pac erm svm pca qa vqa rgb uav".split()
)
# What the use of a name adds to the best of its introductions; weighed in the same way as those.
ACTS = 0.8
REPEATED = 0.4
IN_LINK = 4.0
UNUSUAL = 1.0
NEW_HERE = 0.8
IN_RESULTS = 1.0
KNOWN_BEFORE = -4.0
COMPARED = -1.5
PART_OF_ANOTHER = -3.0
COMMON_IN_FIELD = -6.0
ENOUGH = 3.2
# An acronym that is used apart from its words comes before them, later though it is.
SHORTER = 1.6
# Each name that was brought in before costs a later one this much: the first is the paper's own.
LATER = 0.5
MOST_LATER = 3
# Further repetitions say nothing new about a name.
MOST_REPEATS = 5
# How far to the left of a name, in characters, a comparison is looked for.
NEAR = 60
# No abstract is longer, in characters; of anything longer the beginning is enough.
LONGEST = 10_000

_REPOSITORY = re.compile(r"(?:github|gitlab)\.com/[\w.-]+/([\w+-]+)")
_TURN = re.compile(
    r"\b(?:we|us|our|here|authors|(?:this|the) (?:paper|work|article|study)|"
    r"(?:is|are) (?:proposed|introduced|presented))\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:outperform\w*|surpass\w*|than|over|unlike|like|such as|e\.g\.,?|including|against|"
    r"compared (?:to|with)|versus|vs\.?|baselines?,?|previous|prior|existing|recent|popular|"
    r"standard|well-known|state-of-the-art|original|traditional|conventional|built (?:up)?on|"
    r"based on|inspired by|benchmarks?,?|datasets?,?)(?: the)? [(]*$",
    re.IGNORECASE,
)
_CLOSE = r"[\"'”’)]*"
_ACTS = re.compile(
    rf"{_CLOSE}(?:['’]s?)?(?: (?:also|further|can|then|thus|not|only|first|\w+ly))* "
    r"(?:achiev|outperform|surpass|improv|reduc|enabl|us|leverag|learn|provid|generat|obtain|"
    r"exhibit|demonstrat|show|combin|employ|consist|contain|introduc|require|work|attain|yield|"
    r"produc|support|exploit|offer|reach|deliver|recover|ensur|allow|maintain|perform|adapt|aim|"
    r"integrat|incorporat|utiliz|captur|construct|treat|tak|mak|giv|gain|beat|match|converg|extract|"
    r"optimi[sz]|guarantee|augment|avoid|model|select|compris|cover|includ|decompos|scal|run|set)"
    r"(?:es|s)?\b"
)
# "we propose Fast Ordered Outlines of drawings (FOODraw)"
_BESIDE = re.compile(
    r"[^.;:(),]{0,60}(?: \((?=[\w-]+[),])|, (?=[\w-]+, (?:that|which|an?|to|where)\b))"
    r"([A-Z][\w-]*[A-Z][\w-]*)| \(([A-Z][a-z]{2,})\)"
)
# At the head of a sentence any verb may follow ("FOO plans ...", "FOO never waits").
_HEADS = re.compile(
    rf"{_CLOSE}(?: \([^()]+\))?(?: (?:also|further|can|then|thus|not|only|first|never|\w+ly))* "
    r"(?!(?:is|was|has|does|as|vs|plus|versus|across|towards|models|methods|agents|networks|systems|"
    r"algorithms|layers|images|tasks|datasets|features|policies|architectures|variants)\b)"
    r"([a-z]{2,}[a-rt-z]s)\b"
)
_RESULTS = re.compile(
    r"\b(?:experiment|evaluat|outperform|state-of-the-art|empirical|superior|surpass|code |"
    r"competitive|effectiveness|results show|benchmarks)",
    re.IGNORECASE,
)


def coined_names(abstract: str) -> tuple[str, ...]:
    """The names that the authors give to what is theirs, as written, best first; maybe none."""
    abstract = abstract[:LONGEST]
    spans = sentences(abstract)
    turn = _turn(abstract, spans)
    places: dict[str, list[Mention]] = defaultdict(list)
    for mention in mentions(abstract, spans):
        places[mention.name].append(mention)
    _join_plurals(places)
    links = {name.casefold() for name in _REPOSITORY.findall(abstract)}
    scores = {
        name: _score(abstract, spans, turn, found, name.casefold() in links)
        for name, found in places.items()
    }
    _settle(abstract, places, scores)
    good = [name for name, score in scores.items() if score >= ENOUGH]
    good.sort(key=lambda name: places[name][0].start)
    late = {name: LATER * min(rank, MOST_LATER) for rank, name in enumerate(good)}
    return tuple(sorted(good, key=lambda name: late[name] - scores[name]))


def _join_plurals(places: dict[str, list[Mention]]) -> None:
    """Count "FOOs" and "FOO" as one name, spelt as it mostly is."""
    for plural in [name for name in places if name.endswith("s") and name[:-1] in places]:
        name = plural[:-1]
        if is_unusual(name) and name in places and plural in places:
            seldom, often = sorted((name, plural), key=lambda form: len(places[form]))
            found = places.pop(seldom) + places[often]
            places[often] = sorted(found, key=lambda place: place.start)


def expansion(abstract: str, name: str) -> str | None:
    """What the letters of `name` stand for, as the abstract writes it, or None."""
    for start, end in occurrences(abstract, name):
        long = long_form(abstract, name, start, end)
        if long is not None:
            return abstract[long.start : long.end]
    return None


def initials(name: str) -> tuple[str, ...]:
    """The acronyms that a name of several words makes, hyphens joining or parting; else none."""
    ways = (re.split(parting, name) for parting in (r" ", r"[ -]")) if " " in name else ()
    return tuple("".join(word[:1] for word in words).upper() for words in ways)


def _turn(text: str, spans: tuple[Span, ...]) -> int:
    """The number of the first sentence in which the authors speak of their own work."""
    for number, span in enumerate(spans):
        if _TURN.search(text, span.start, span.end):
            return number
    return 0


def _score(
    text: str, spans: tuple[Span, ...], turn: int, places: list[Mention], linked: bool
) -> float:
    name = places[0].name
    plain = name.casefold()
    unusual = is_unusual(name)
    best = max(introduced(text, spans, turn, place) for place in places)
    if linked:
        best = max(best, OURS)
    acts = sum(1 for place in places if place.sentence >= turn and _ACTS.match(text, place.end))
    heads = _heads(text, spans, places)
    acts = max(acts, heads)
    repeats = min(len(places) - 1, MOST_REPEATS)
    score = best + REPEATED * repeats + ACTS * min(acts, MOST_REPEATS) + UNUSUAL * unusual
    if places[0].sentence >= turn:
        score += NEW_HERE
    elif not named_at_once(text, spans, places[0]):
        score += KNOWN_BEFORE
    if any(_RESULTS.search(text, *_bounds(spans, place)) for place in places):
        score += IN_RESULTS
    if best < PROPOSED and any(_compared(text, spans, place) for place in places):
        score += COMPARED
    if plain in FIELD or plain.removesuffix("s") in FIELD:
        score += COMMON_IN_FIELD
    if best < PROPOSED_AS_MODIFIER and not (
        unusual and acts and _acts_enough(text, spans, turn, places, acts)
    ):
        score = min(score, 0.0)
    return score + IN_LINK * linked


def _heads(text: str, spans: tuple[Span, ...], places: list[Mention]) -> int:
    """Of how many sentences the name is the subject, each with another verb.

    One alone counts only for a name whose words are given.
    """
    verbs = {
        found.group(1)
        for place in places
        if spans[place.sentence].start == place.start
        and (found := _HEADS.match(text, place.end)) is not None
    }
    return len(verbs) if len(verbs) > 1 or any(place.long for place in places) else 0


def _acts_enough(
    text: str, spans: tuple[Span, ...], turn: int, places: list[Mention], acts: int
) -> bool:
    """Whether a name that is never plainly brought in as new does what only an own name does."""
    defined = [place for place in places if place.long]
    if defined:
        return max(introduced(text, spans, turn, place) for place in defined) >= MENTIONED
    return acts > (0 if mixed(places[0].name) else 1)


def _settle(text: str, places: dict[str, list[Mention]], scores: dict[str, float]) -> None:
    """Weigh names that stand for, lie within, or were built around each other."""
    for name, found in places.items():
        for long in (place.long for place in found if place.long is not None):
            _inherit(name, long, places, scores)
    longs = [p.long for found in places.values() for p in found if p.long is not None]
    everywhere = [place for found in places.values() for place in found]
    for name, found in places.items():
        if all(any(s.start <= p.start and p.end <= s.end for s in longs) for p in found):
            scores[name] = 0.0
        elif not is_unusual(name) and any(_within(found[0], other) for other in everywhere):
            scores[name] += PART_OF_ANOTHER
    strong = [name for name, score in scores.items() if score >= ENOUGH]
    _prefer_acronyms(text, strong, places, scores)
    for name in strong:
        if any(_built_around(other, name) for other in strong):
            scores[name] += PART_OF_ANOTHER


def _prefer_acronyms(
    text: str, strong: list[str], places: dict[str, list[Mention]], scores: dict[str, float]
) -> None:
    """Let an acronym apart from its words, or a name in brackets beside them, come before them."""
    for name in strong:
        beside = (_BESIDE.match(text, place.end) for place in places[name] if " " in name)
        for short in (
            *initials(name),
            *(found.group(1) or found.group(2) for found in beside if found),
        ):
            known = short not in places or short.casefold() in FIELD
            if not known and scores[short] < scores[name]:
                scores[short] = scores[name] + SHORTER


def _inherit(
    name: str, long: Span, places: dict[str, list[Mention]], scores: dict[str, float]
) -> None:
    """Let a name take over the score of the words that it stands for."""
    for other, found in places.items():
        if " " in other and any(p.start < long.end and long.start < p.end for p in found):
            scores[name] = max(scores[name], scores[other])
            scores[other] = min(scores[other], scores[name] + PART_OF_ANOTHER)


def _within(place: Mention, other: Mention) -> bool:
    longer = len(other.name) > len(place.name)
    return longer and other.start <= place.start and place.end <= other.end


def _built_around(name: str, part: str) -> bool:
    """ "RGMIL" is built around "MIL"; "ANE-SGD" is a variant of "ANE"."""
    return (
        part in name
        and len(name) > len(part) + 1
        and " " not in name
        and not re.match(rf"{re.escape(part)}[-+\d]", name)
    )


def _bounds(spans: tuple[Span, ...], place: Mention) -> tuple[int, int]:
    span = spans[place.sentence]
    return span.start, span.end


def _compared(text: str, spans: tuple[Span, ...], place: Mention) -> bool:
    start = max(spans[place.sentence].start, place.start - NEAR)
    return _COMPARED.search(text[start : place.start]) is not None
