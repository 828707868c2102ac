"""Text -> its words, each with what it can stand for in a paraphrase; pure.

Goes in: readable text, a claim or a sentence. Comes out: `Word`s in order, phrases such as "up to"
as one word. Knows nothing of claims and sources.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from Stemmer import Stemmer

from rag.figures import figures
from rag.thesaurus import thesaurus

# Words that carry no content of their own: they are never missed and never matched.
FUNCTION = frozenset(
    """another according a about after all also although among an and any are as at be because been
    before being both but by can could did do does doing each either even ever every for
    from had has have having here how however if in into is it its itself just may me might
    more most much must my of off on once one only onto or other others our out over own per
    same shall she he should since so some still such than that the their them then there
    thereby these they this those though through throughout thus to too toward towards under
    until up upon very via was we were well what when where whereas whether which while who
    whose why will with within would yet you your us not no nor neither without never
    against between during rather instead hence moreover furthermore finally specifically
    particularly namely especially respectively e.g i.e etc paper papers author authors work
    show shows shown demonstrate demonstrates propose proposes proposed introduce introduces
    introduced present presents presented called named across along amid despite further
    additionally themselves becomes become became make makes made get gets give gives given
    let lets take takes taken come comes done go goes keep keeps ones argue argues
    argued""".split()
)
PHRASES = (
    "certain to|sure to|bound to|guaranteed to|no matter|or more|or less|or fewer|"
    "however large|however small|"
    "makes sure|make sure|at the price of|above all|first of all|at all|all in all|up to|at most|"
    "at least|rather than|instead of|"
    "as opposed to|in contrast to|due to|because of|so that|lead to|leads to|leading to|"
    "led to|result in|results in|resulting in|resulted in|stem from|stems from|on par|"
    "state of the art|as well as|no longer|not only|as much as|as many as|as high as|"
    "no more than|no less than|more than|less than|fewer than|close to|in part|in general|"
    "to some extent|prior to|compared to|compared with|relative to|regardless of|"
    "across the board|in every case|without exception|beyond doubt|probability one|speed up|"
    "speeds up|slow down|slows down|rid of|large language model|large language models|"
    "in order to|so as to|without bound|just some|only some|"
    "traced to|fall short|falls short|give up|gives up|giving up|"
    "owing to|as a result of|attributed to|serves to|serve to|"
    "carry out|bear out|take place|takes place|caused by|driven by|explained by|"
    "at the expense of|at the cost of|outperformed by|give rise to|gives rise to|"
    "giving rise to|subject to|produced by|induced by|thanks to|beaten by|in place of|even if|"
    "even when|even for|even in|even under|only if|only when|replaced by|replaced with|"
    "dominated by|in favor of|in favour of|as good as|with certainty|"
    r"(?:greater|larger|higher|smaller|lower|less) than(?= \d)"
)
_PHRASE = re.compile(rf"\b(?:{PHRASES})\b".replace(" ", r"[\s-]"), re.IGNORECASE)
_WORD = re.compile(
    r"\d+(?:[.,]\d+)*(?:%|[kKMBT](?![^\W_]))?|[^\W\d_]+(?:['’][^\W\d_]+)?(?:_[^\W\d_]+)*\d*|[≈~;:,.()—–%×]|\S"
)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve".split(), start=2
    )
}
# Symbols and what formulas are written with: one spelling each, and no content of their own.
_SPELLING = {
    sign: name
    for signs, name in (
        ("αɑ", "alpha"), ("β", "beta"), ("γ", "gamma"), ("δΔ", "delta"), ("εϵ", "epsilon"),
        ("ζ", "zeta"), ("η", "eta"), ("θϑ", "theta"), ("κ", "kappa"), ("λ", "lambda"), ("μµ", "mu"),
        ("ν", "nu"), ("ξ", "xi"), ("πΠ", "pi"), ("ρ", "rho"), ("σΣ", "sigma"), ("τ", "tau"),
        ("φϕΦ", "phi"), ("χ", "chi"), ("ψΨ", "psi"), ("ωΩ", "omega"),
    )
    for sign in signs
} | {
    "sota": "state_of_the_art", "eps": "epsilon", "varepsilon": "epsilon", "infty": "infinity",
    "∞": "infinity",
}  # fmt: skip
_FORMULA = frozenset(_SPELLING.values()) | frozenset(
    """sqrt frac mathcal mathbb mathbf mathrm operatorname cdot prod leq geq approx sim
    ll gg""".split()
)
_SUFFIXES = frozenset("abl er or ing ful ness al".split())
_PREFIXES = "non|re|sub|pre|co|anti|semi|super|hyper"
# A prefix that denies is one word with what it denies; an underscore keeps the offsets.
_NON = re.compile(rf"\b(?:{_PREFIXES})-(?=[^\W\d_])", re.IGNORECASE)
_PREFIXED = re.compile(rf"^({_PREFIXES})_")
_CLAUSE = re.compile(r"[;:,.()—–]")
_SPLITTERS = frozenset("while whereas although though but because since if when which yet".split())
_ENDINGS = (
    (re.compile(r"is(e|ed|es|ing|ation|ations|er|ers)$"), r"iz\1"),
    (re.compile(r"our(s|ed|ing|able|ably)?$"), r"or\1"),
    (re.compile(r"lys(e|ed|es|ing)$"), r"lyz\1"),
    (re.compile(r"ell(ed|ing)$"), r"el\1"),
)
# Only beginnings of which the rest is a word of its own: "improve" does not deny "prove".
_DENYING = re.compile(
    r"^(?:under(?=stud|explor|research|investig)"
    r"|un(?=(?!iform|ique|iqu|it|ifi|ion|ivers|der|til|dertak)[a-z]{3})|non-?(?=[a-z]{3})"
    r"|in(?=suff|accur|consist|complet|depend|stab|flex|exact|direct|visib|feas|adequ|correct|effic"
    r"|sensit|valid|cap|expens|frequ)|im(?=poss|prec|perf|balanc|proper|plaus)"
    r"|dis(?=agree|appear|advantag|similar|connect|regard|continu|order|entangl)"
    r"|mis(?=align|match|label|class|specif|interp)|ir(?=relev|regul|revers)|a(?=symmet))"
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word in lower case: `keys` are its stem and the groups of words that say the same.

    `place` counts words, `clause` counts clauses from the text's beginning; `start` is an offset
    in the text. `plain` is True for a word without content of its own, `name` for one that is
    written as a name (a capital inside, or one in the middle of a text); `value` is the number that
    a figure or a number word stands for.
    """

    text: str
    stem: str
    keys: frozenset[str]
    place: int
    clause: int
    start: int
    plain: bool
    shown: str
    name: bool
    value: str

    def means(self, other: Word) -> bool:
        """Whether one may stand for the other."""
        return bool(self.keys & other.keys) or alike(self.stem, other.stem)


@lru_cache(maxsize=2048)  # the sentences of a few answers' papers, and their claims
def words(text: str) -> tuple[Word, ...]:
    """The words of a text in order; marks are left out, but end a clause."""
    text = _NON.sub(lambda found: found[0][:-1] + "_", text)
    joined = _PHRASE.sub(lambda found: re.sub(r"[\s-]", "_", found[0]), text)
    # One per call: a stemmer must not be shared by threads.
    stemmer = Stemmer("english")
    found: list[Word] = []
    clause = 0
    for match in _WORD.finditer(joined):
        token = match[0]
        if _CLAUSE.fullmatch(token):
            clause += 1
            continue
        lower = _SPELLING.get(token) or _SPELLING.get(token.casefold()) or token.casefold()
        lower = _unaccented(lower)
        if lower in _SPLITTERS:
            clause += 1
        if not lower or not (lower[0].isalnum() or lower in "≈~"):
            continue
        if token[-1] == "s" and token[:-1].isupper() and len(token) > 2:
            lower = lower[:-1]  # GPUs
        stem = _NUMBERS.get(lower) or stem_of(lower.replace(",", ""), stemmer)
        # A phrase is looked at as a whole where it matters, and carries no content elsewhere.
        plain = (
            lower in FUNCTION
            or lower in _FORMULA
            or ("_" in lower and not _PREFIXED.match(lower))
            or (len(lower) == 1 and not lower.isdigit())
        )
        keys = frozenset({stem}) | _groups().get(stem, frozenset())
        place = len(found)
        name = token[1:] != token[1:].lower() or (place > 0 and token[0].isupper())
        value = _value(token) if token[0].isdigit() or lower in _NUMBERS else ""
        found.append(
            Word(lower, stem, keys, place, clause, match.start(), plain, token, name, value)
        )
    return tuple(found)


def _unaccented(word: str) -> str:
    """A word without its accents: Hölder as Holder."""
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFKD", word)
    return "".join(part for part in parts if not unicodedata.combining(part))


def _value(token: str) -> str:
    read = figures(token)
    return str(read[0].value.normalize()) if read else ""


_SHORT = re.compile(r"\(([A-Z][A-Za-z]*[A-Z])s?\)")


@lru_cache(maxsize=512)  # the abstracts of a few answers, each asked for once a claim
def acronyms(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The acronyms that a text explains, as "Graph Learning (GL)" does: each in lower case, with
    the stems of the words that it stands for."""
    stemmer = Stemmer("english")
    found = []
    for match in _SHORT.finditer(text):
        letters = [letter.casefold() for letter in match[1] if letter.isupper()]
        before = re.findall(r"[^\W\d_]+", text[max(0, match.start() - 100) : match.start()])
        long = [word.casefold() for word in before[-len(letters) :]]
        if len(letters) > 1 and [word[0] for word in long] == letters:
            stems = (stem_of(word, stemmer) for word in long if word not in FUNCTION)
            found.append((stem_of(match[1].casefold(), stemmer), tuple(stems)))
    return tuple(found)


def content(text: str) -> tuple[Word, ...]:
    """The words of a text that carry content."""
    return tuple(word for word in words(text) if not word.plain)


def stem_of(word: str, stemmer: Stemmer) -> str:
    """The stem of a word in lower case, the same for British and American spelling."""
    bare = re.sub(r"['’]s?$", "", word)
    prefix = _PREFIXED.match(bare)
    if prefix:  # a stemmer cuts "nonsequence" where it does not cut "sequence"
        return prefix[1] + stem_of(bare[prefix.end() :], stemmer)
    irregular = thesaurus().irregular
    bare = irregular.get(bare) or irregular.get(bare.removesuffix("s"), bare)
    for ending, other in _ENDINGS:
        bare = ending.sub(other, bare)
    return "_".join(str(stemmer.stemWord(part)) for part in bare.split("_"))


@lru_cache(maxsize=65536)
def alike(one: str, other: str) -> bool:
    """Whether two stems are of one family (accur, accuraci; explain, explan)."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if not (short.isalpha() and long.isalpha()):
        return False
    if long.startswith(short) and (len(short) >= 5 or long[len(short) :] in _SUFFIXES):
        return True
    if len(short) >= 5 and long in (f"re{short}", f"over{short}"):
        return True
    if len(short) < 5:
        return False
    # A letter was lost or added in a long word.
    if len(short) >= 9 and len(long) - len(short) <= 1 and short[:4] == long[:4]:
        return short[-4:] == long[-4:]
    shared = next(
        (n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short)
    )
    return shared >= 5 and shared / len(long) >= 0.7


def denied_form(stem: str) -> str | None:
    """What a negative prefix denies (unstabl -> stabl); None where there is none."""
    if stem.endswith("less") and len(stem) > 7:
        bare = stem.removesuffix("less").removesuffix("e")
        return re.sub("is$", "iz", bare)  # as `stem_of` spells "noise"
    found = _DENYING.match(stem)
    return stem[found.end() :] if found else None


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    stemmer = Stemmer("english")
    found: dict[str, set[str]] = {}
    book = thesaurus()
    numbered = {str(number): group for number, group in enumerate(book.same)}
    for name, group in (book.named | numbered).items():
        for word in group:
            found.setdefault(stem_of(word, stemmer), set()).add(f"~{name}")
    return {stem: frozenset(names) for stem, names in found.items()}
