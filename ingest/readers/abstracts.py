"""What is an abstract, and what only stands in the place of one.

Goes in: the text of a field or of a block. Comes out: a reason in words, or None where it may well
be an abstract. Does not know where the text stood.
"""

from __future__ import annotations

import re

# The shortest abstract cut off by its export in a list of 3,218 has eight words; below five
# nothing is said.
_FEWEST_WORDS = 5
# A block without a name is prose from five words and a full stop on, or from twenty words on:
# headings and titles are shorter and end without one.
_FEWEST_WORDS_OF_A_SENTENCE = 5
_FEWEST_WORDS_OF_PROSE = 20
# A script without blanks (Thai) has no words to count: twelve characters stand for one, twice
# the usual word of a script with blanks.
_CHARACTERS_PER_WORD = 12
_LONGEST_KEYWORD = 6

_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_URL = re.compile(r"(?:https?://|ftp://|www\.|doi:\s*|10\.\d{4,}/)\S+", re.IGNORECASE)
_ENDS_A_SENTENCE = re.compile(r"[.。！？]['\"”’»)\]]*$|[.!?]['\"”’»)\]]*\s+[A-Z]\w*\W|[。！？]")
_PLACEHOLDER = re.compile(
    r"\W*+(?:n\W?a|none|null|nan|nil|tbd|tba|todo|unknown|undefined|name|ref|abstract"
    r"|(?:there is )?(?:no|missing|empty) abstract"
    r"(?: (?:is |was )?(?:available|provided|found|given))?"
    r"|(?:the )?(?:abstract|summary) (?:is |was )?"
    r"(?:not (?:yet )?(?:available|provided|given|found)"
    r"|unavailable|missing|coming soon|to (?:appear|follow|come|be (?:added|announced)))"
    r"|not (?:yet )?available|unavailable|coming soon|to (?:appear|be announced)"
    r"|kein abstract|pas de résumé|sin resumen|无|無|暂无|暂无摘要|无摘要|無摘要)?\W*+",
    re.IGNORECASE,
)
# Sentences of the sites, not of the papers, that scrapers pick up.
_BOILERPLATE = re.compile(
    r"requests for name changes in the electronic proceedings"
    r"|do not remove: this comment is monitored"
    r"|authors are asked to consider this carefully"
    r"|(?:please )?(?:enable|turn on) javascript|access (?:to this page )?(?:is |has been )?denied"
    r"|(?:404 )?page not found|checking your browser|(?:sign|log) in to (?:view|read|access)",
    re.IGNORECASE,
)
_WITHDRAWN = re.compile(
    r"(?:this|the) (?:paper|article|submission|manuscript|work) (?:has been|was|is) "
    r"(?:withdrawn|retracted)",
    re.IGNORECASE,
)
_LONGEST_WITHDRAWAL = 60


def word_count(text: str) -> int:
    """How many words `text` has; two Chinese or Japanese characters count as one."""
    spaced = len(_WORD.findall(text))
    if chinese := len(_CJK.findall(text)):
        spaced = len(_WORD.findall(_CJK.sub(" ", text))) + chinese // 2
    return max(spaced, len("".join(text.split())) // _CHARACTERS_PER_WORD)


def is_url(text: str) -> bool:
    """Whether `text` is one address and nothing else."""
    return _URL.fullmatch(text.strip()) is not None


def is_placeholder(text: str) -> bool:
    """Whether `text` only says that there is nothing: empty, "N/A", "None", "Abstract
    unavailable"."""
    return _PLACEHOLDER.fullmatch(" ".join(text.split())) is not None


def is_prose(text: str) -> bool:
    """Whether an unnamed block says something in a sentence, as no heading or title does."""
    words = word_count(text)
    if words >= _FEWEST_WORDS_OF_PROSE:
        return True
    return words >= _FEWEST_WORDS_OF_A_SENTENCE and bool(_ENDS_A_SENTENCE.search(text.strip()))


def why_no_abstract(text: str) -> str | None:
    """Why the text of an abstract field is no abstract; None where it may be one."""
    flat = " ".join(text.split())
    if not flat:
        return "no abstract"
    if is_placeholder(flat):
        return f"no abstract (the field says {flat!r})"
    if is_url(flat):
        return "no abstract: a URL stands in its place"
    if _BOILERPLATE.match(flat):
        return "no abstract: boilerplate of the website stands in its place"
    words = word_count(flat)
    if words <= _LONGEST_WITHDRAWAL and _WITHDRAWN.match(flat):
        return "no abstract: it says that the paper was withdrawn"
    if words < _FEWEST_WORDS:
        return f"too short to be an abstract ({flat[:60]!r})"
    if _is_keyword_list(flat):
        return "no abstract: a list of keywords or short pieces stands in its place"
    return None


def _is_keyword_list(flat: str) -> bool:
    """Three or more short pieces between commas, never a longer one, and not set like a sentence:
    without a full stop at the end, or without a blank after any comma."""
    pieces = [piece for piece in re.split(r"[,;|.]", flat) if piece.strip()]
    if len(pieces) < 3 or any(word_count(piece) >= _LONGEST_KEYWORD for piece in pieces):
        return False
    return flat[-1] not in ".!?。" or not re.search(r"[,;|] ", flat)
