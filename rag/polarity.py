"""A claim beside its source: what was denied, turned into its opposite or put more sharply; pure.

Goes in: an `Alignment`. Comes out: a reason in words, empty where nothing is found. Knows the
words of rag/thesaurus.py and no grammar: a word's neighbours stand for what it speaks of.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from Stemmer import Stemmer

from rag.align import Alignment, after, before, near
from rag.thesaurus import thesaurus
from rag.wording import Word, denied_form, stem_of

# So many words around a word may deny it, within its clause or the next. With 5 a paraphrase that
# says "stays the same" for "does not change" was taken for a lost denial.
REACH = 7
# What of a word's neighbours two texts must share for their words to speak of the same thing, and
# by how much more than with any word of the same sense.
ABOUT, MORE = 1.0, 0.4
# What is taken off where both texts have both words.
BOTH = 1.0


def denied(a: Alignment) -> str:
    """A denial that only the claim has, or that only the source has."""
    deny = thesaurus().plain_denial
    for word in a.claim:
        if word.text in deny and not _in_phrase(a.claim, word):
            scope = [w for w in _scope(a.claim, word) if a.there[w.place] and not w.name][:2]
            if _passive(a.claim, word, scope):  # "is not needed" speaks of what stands before
                scope += before(a.claim, word.place, 1)
            places = [j for w in scope for j in a.there[w.place]]
            bare = {w.stem for w in _scope(a.claim, word)}
            said = any(denied_form(w.stem) in bare for w in a.source)
            if places and not said and not any(_denies(a.source, j, a.claim) for j in places):
                return f"it says “{word.shown}”, the source does not"
            little = _little(a, word)
            if little is not None:
                return f"the source says “{little.shown}”, not “{word.shown}”"
    for word in a.spoken():
        if word.text in deny | _CONTRAST | _REMOVES and not _in_phrase(a.source, word):
            scope = _scope(a.source, word)[:2]
            if word.text in _CONTRAST and any(
                a.back[w.place] for w in before(a.source, word.place, 1)
            ):
                continue  # the claim has what the source says instead
            hit = [w for w in scope if a.back[w.place]]
            if scope and len(hit) == len(scope) and not _stays(a, scope[0]):
                places = [i for w in hit for i in a.back[w.place]]
                if not any(_denies(a.claim, i, a.source) for i in places):
                    return f"the source says “{word.shown} {scope[0].shown}”"
    return ""


def _passive(row: Sequence[Word], word: Word, scope: Sequence[Word]) -> bool:
    following = row[word.place + 1].text if word.place + 1 < len(row) else ""
    return following in {"be", "been"} or (bool(scope) and "~need" in scope[0].keys)


def _stays(a: Alignment, word: Word) -> bool:
    """Whether the source denies a change, and the claim says that all stays as it is."""
    return word.stem in _CHANGES and any(w.text in _STAYS for w in a.claim)


_CHANGES = frozenset("chang alter modifi affect vari influenc impact touch move shift".split())
_STAYS = frozenset(
    "same stay stays remain remains unchanged unaffected constant fixed intact invariant keeps "
    "keep retains preserves preserve".split()
)


def _little(a: Alignment, word: Word) -> Word | None:
    """A "little" of the source for a "no" of the claim, before the same word."""
    if word.text not in {"no", "without", "zero"}:
        return None
    counted = {j for w in after(a.claim, word.place, 2) for j in a.there[w.place]}
    for other in a.source:
        behind = {w.place for w in after(a.source, other.place, 2)}
        if other.text in _LITTLE and behind & counted:
            return other
    return None


_LITTLE = frozenset("little minimal negligible small few minor slight modest limited".split())
# A source that says so of a thing does not have it.
_REMOVES = frozenset("removing removes avoiding avoids eliminating eliminates obviating".split())
# What stands behind these is what a source does not say.
_CONTRAST = frozenset("rather_than instead_of as_opposed_to in_place_of".split())


def _scope(row: Sequence[Word], word: Word) -> list[Word]:
    found = after(row, word.place, 4)
    if found and found[0].stem in _LIGHT and word.text in {"without", "no"}:
        found = found[1:]  # "without using labels" speaks of labels
    return found[:3] or before(row, word.place, 2)


_LIGHT = frozenset("use need requir ani access reli addit introduc incur".split())


def _in_phrase(row: Sequence[Word], word: Word) -> bool:
    """Whether a denial denies nothing: "not only", "no more than", "not necessarily"."""
    following = row[word.place + 1].text if word.place + 1 < len(row) else ""
    return following in {"only", "just", "merely", "necessarily", "longer", "even"} and word.text != "no"


def _denies(row: Sequence[Word], place: int, others: Sequence[Word]) -> bool:
    """Whether something denies the word at a place that does not stand in the other text too."""
    plain = thesaurus().plain_denial | _CONTRAST | _REMOVES
    theirs = {word.stem for word in others if word.text not in plain}
    return any(
        _negative(word) and word.stem not in theirs and _governs(word, row[place])
        for word in [row[place], *near(row, place, REACH)]
    )


def _governs(denial: Word, word: Word) -> bool:
    """Whether a denial may speak of a word: most deny what follows them, a verb its subject too."""
    if denial.text not in thesaurus().plain_denial:
        return abs(denial.clause - word.clause) <= 1
    ahead = denial.place - word.place
    return denial.clause == word.clause and (ahead <= 0 or (denial.text in _VERBAL and ahead <= 4))


_VERBAL = frozenset("not cannot never fail failed failing fails lack lacks hardly unable".split())


def _negative(word: Word) -> bool:
    return word.text in thesaurus().denial or (
        not word.plain and denied_form(word.stem) is not None
    )


def turned_word(a: Alignment) -> str:
    """A word of the claim that the source has the opposite of, about the same things."""
    for word in a.claim:
        reason = "" if word.plain else _prefix(a, word)
        if reason:
            return reason
    for word in a.claim:
        opposite = _opposite(a, word) if _sides(word.stem) and not _keeps_from(a, word) else None
        if opposite is not None and not _odd_denial(a.claim, word):
            return f"the source says “{opposite.shown}”, not “{word.shown}”"
    return ""


def _keeps_from(a: Alignment, word: Word) -> bool:
    """Whether a word keeps something from happening, and so prevents it."""
    following = a.claim[word.place + 1 : word.place + 6]
    return word.stem == "keep" and any(w.text == "from" for w in following)


def _opposite(a: Alignment, word: Word) -> Word | None:
    """The opposite of a word in the source, where it speaks of what the word speaks of, and no
    word of the same sense speaks of nearly as much of it."""
    sides, mine = _sides(word.stem), _context(a.claim, word)
    stems = {other.stem for other in a.claim}
    around = [*before(a.claim, word.place, 6, 9), *after(a.claim, word.place, 2)]
    of_quality = any(w.stem in _QUALITIES for w in around)
    best_same, best_other, found = 0.0, 0.0, None
    for other in a.spoken():
        theirs = _sides(other.stem)
        same = not other.keys.isdisjoint(word.keys)
        if not theirs and not same:
            continue
        shared = _shared(a, mine, _context(a.source, other))
        if other.stem in stems and not same:
            shared -= BOTH  # the claim has both words, each for its own thing
        if same:
            best_same = max(best_same, shared + 0.5)
        elif _allied(sides, theirs) and not _opposed(sides, theirs, of_quality):
            best_same = max(best_same, shared)
        elif shared > best_other and _opposed(sides, theirs, of_quality) and not _odd_denial(a.source, other):
            best_other, found = shared, other
    return found if best_other >= ABOUT and best_other > best_same + MORE else None


def _odd_denial(row: Sequence[Word], word: Word) -> bool:
    """Whether a word is denied, so that it says the same as its opposite."""
    return any(w.text in thesaurus().denial for w in row[max(0, word.place - 3) : word.place])


def _prefix(a: Alignment, word: Word) -> str:
    """A word that differs from one of the source by a prefix that denies, and no other denial."""
    if a.there[word.place]:
        return ""
    bare = denied_form(word.stem)
    for other in a.source:
        if other.plain:
            continue
        theirs = denied_form(other.stem)
        adds = bare is not None and other.stem == bare
        drops = theirs is not None and theirs == word.stem and not a.back[other.place]
        if (adds or drops) and not (
            _denied_near(a.source, other.place) or _denied_near(a.claim, word.place)
        ):
            return f"the source says “{other.shown}”, not “{word.shown}”"
    return ""


def _denied_near(row: Sequence[Word], place: int) -> bool:
    return any(
        word.text in thesaurus().denial or word.stem in _LESSENS for word in near(row, place, 3)
    )


_LESSENS = frozenset("reduc mitig allevi lower decreas counter diminish resolv address".split())


def _context(row: Sequence[Word], word: Word) -> list[tuple[Word, float]]:
    """What a word speaks of: the nearest content words, those behind it first."""
    behind = after(row, word.place, 3, 6)
    ahead = before(row, word.place, 2, 5)
    weights = (1.0, 0.8, 0.6)
    return [*zip(behind, weights, strict=False), *zip(ahead, (0.7, 0.5), strict=False)]


def _shared(
    a: Alignment, mine: list[tuple[Word, float]], theirs: list[tuple[Word, float]]
) -> float:
    total = 0.0
    for word, weight in mine:
        for other, their_weight in theirs:
            if other.place in a.there[word.place]:
                total += max(weight, their_weight)
                break
    return total


@lru_cache(maxsize=4096)
def _sides(stem: str) -> frozenset[str]:
    return frozenset(name for name, stems in _named().items() if stem in stems)


def _opposed(one: frozenset[str], other: frozenset[str], of_quality: bool) -> bool:
    """Whether two words are opposites; of a quality also "decline" and "improve" are."""
    against = _against()
    if any(not other.isdisjoint(against.get(name, ())) for name in one):
        return True
    return of_quality and any(
        (a in one and b in other) or (a in other and b in one) for a, b in _TURNED
    )


_QUALITIES = frozenset(
    """perform accuraci effect qualiti gain lead robust score util efficaci fidel precis recal
    success advantag improv throughput reliabl""".split()
)
_TURNED = (("better", "down"), ("worse", "up"))


@lru_cache(maxsize=1)
def _against() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one, other in thesaurus().opposite:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return found


def _allied(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one & other) or any(one & kin and other & kin for kin in _KIN)


# What raises a figure often improves it, and the other way round.
_KIN = (frozenset(("up", "better")), frozenset(("down", "worse")), frozenset(("down", "lose")))


@lru_cache(maxsize=1)
def _named() -> dict[str, frozenset[str]]:
    stemmer = Stemmer("english")
    return {
        name: frozenset(stem_of(word, stemmer) for word in group)
        for name, group in thesaurus().named.items()
    }


def exclusive(a: Alignment) -> str:
    """A word of the claim in whose place the source has another of a class of which one is true."""
    theirs = {word.text for word in a.source}
    mine = {word.text for word in a.claim}
    for word in a.claim:
        for own, others in _classes().get(word.text, ()):
            if theirs & own or not theirs & others:
                continue
            for other in a.source:
                if other.text not in others or mine & _member(other.text, others):
                    continue
                if _shared(a, _context(a.claim, word), _context(a.source, other)) >= BESIDE:
                    return f"the source says “{other.shown}”, not “{word.shown}”"
    return ""


# A neighbour that directly follows both words, or nearly so, is shared.
BESIDE = 0.7


def _member(text: str, others: frozenset[str]) -> frozenset[str]:
    """The forms of the one member that a word is of."""
    return next(
        (own for own, rest in _classes()[text] if not rest.isdisjoint(others) or own <= others),
        frozenset((text,)),
    )


@lru_cache(maxsize=1)
def _classes() -> dict[str, list[tuple[frozenset[str], frozenset[str]]]]:
    """For each word of a class its own forms, and the words of all other members."""
    found: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
    for line in thesaurus().exclusive:
        for own in line:
            others = frozenset().union(*(member for member in line if member is not own))
            for form in own:
                found.setdefault(form, []).append((own, others))
    return found


def sharper(a: Alignment) -> str:
    """A word of the claim that says more than its source: "all", "always", "only"."""
    for word in a.claim:
        for said, enough in thesaurus().sharp:
            if word.text in said and not _said_as_much(a, word, said | enough):
                if word.text.startswith("even_") and _conditioned(a, word):
                    continue
                if word.text == "all" and _apposed(a.claim, word):
                    continue
                if word.text == "only" and _merely(a.claim, word):
                    continue
                return f"the source does not say “{word.shown.replace('_', ' ')}”"
    return ""


def _apposed(row: Sequence[Word], word: Word) -> bool:
    """Whether an "all" only takes up what was named before: "small ones, all drawn from it"."""
    following = row[word.place + 1] if word.place + 1 < len(row) else word
    new = word.place > 0 and row[word.place - 1].clause != word.clause
    return new and following.text.endswith(("ed", "wn", "ing"))


def _few(row: Sequence[Word], article: Word) -> bool:
    return any(w.text in _SOME for w in row[article.place + 1 : article.place + 3])


_SOME = frozenset("few small subset fraction part portion single handful minority".split())


def _merely(row: Sequence[Word], word: Word) -> bool:
    """Whether an "only" says how little, and shuts nothing out: "only a few"."""
    following = row[word.place + 1] if word.place + 1 < len(row) else word
    ahead = row[word.place - 1] if word.place else word
    needs = any(w.stem in {"need", "requir", "use", "involv"} for w in (ahead, following))
    return needs or following.text in {"a", "an"} and not _few(row, following)


def _conditioned(a: Alignment, word: Word) -> bool:
    """Whether the source makes a condition of what follows "even under"."""
    places = {j for w in after(a.claim, word.place, 2) for j in a.there[w.place]}
    return any(
        w.place in places
        for other in a.spoken()
        if other.text in _CONDITIONS
        for w in after(a.source, other.place, 2)
    )


_CONDITIONS = frozenset("under in when with if for at".split())


# Words that say "all" of what follows them.
_DETERMINERS = frozenset("all every each any".split())


def _said_as_much(a: Alignment, word: Word, enough: frozenset[str]) -> bool:
    theirs = [other for other in a.source if other.text in enough]
    of = [w for w in after(a.claim, word.place, 2, 4) if a.there[w.place]]
    if word.text not in _DETERMINERS or not of or not theirs:
        return bool(theirs)
    places = {j for w in of for j in a.there[w.place]}
    return any(
        w.place in places
        for other in theirs
        for w in (
            *after(a.source, other.place, 4, 8),
            *(before(a.source, other.place, 4, 8) if other.text not in _DETERMINERS else ()),
        )
    )
