"""Cleaning: what markup becomes, and what holds for any text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.clean import clean
from ingest.maths import find_formulae

LATEX = {
    r"\texttt{LUMEN} learns": "LUMEN learns",
    r"{\em two words} more": "two words more",
    r"\textbf{Co}ntrollable \emph{a \textbf{b} c}": "Controllable a b c",
    r"shown before \cite{a,b}, and in~\citep[see][]{x}.": "shown before, and in.",
    r"(e.g., \cite{y}; \cite{z}) so": "so",
    r"\footnote{See \url{https://a.org/x_y_z}.}": "(See https://a.org/x_y_z.)",
    r"\href{https://a.org}{here} \textcolor{red}{now}": "here now",
    r"95\% of R\&D, Figure~1, et~al.": "95% of R&D, Figure 1, et al.",
    r"na\"ive Schr\"{o}dinger, Erd\H{o}s, {\'E}t\'{e}": "naïve Schrödinger, Erdős, Été",
    r"Stra{\ss}e, {\O}re, \L odz": "Straße, Øre, Łodz",
    r"don\'t say \"no\"": 'don\'t say "no"',
    r"\ours{} beats \theirs": "ours beats theirs",
    r"a set {a, b} and {BERT}": "a set {a, b} and BERT",
    r"\begin{itemize} \item one \item two \end{itemize} Then": "one; two. Then",
    r"an \emph{open brace": "an open brace",
    r"\emphLost braces in \mathbbR": "Lost braces in R",
    "``double'' and `single' and 'as is'": "“double” and ‘single’ and 'as is'",
    "a--b, c---d, e -- f": "a–b, c—d, e – f",
    "run it with --index here": "run it with --index here",
}
MATHS = {
    r"by $20$--$1000\times$": "by 20–1000×",
    r"$94.4$% or $\mathbf{+8.26\%}$": "94.4% or +8.26%",
    r"$\approx 10$ of $131{,}072$": "≈ 10 of 131,072",
    r"$\epsilon$-DP on the $z$-plane": "ε-DP on the z-plane",
    r"$H=1$, $h>0$, p $<$ 0.01, $>$16K": "H=1, h>0, p < 0.01, >16K",
    r"$O(n\log n)$ and $\mathcal{O}(\sqrt{T})$": "O(n log n) and O(√T)",
    r"$n\times d$ in $\mathbb{R}$, $\frac{1}{2}$": "n × d in ℝ, 1/2",
    r"$\textbf{AB}$ ($\underline{A}$lpha $\underline{B}$eta)": "AB (Alpha Beta)",
    r"CO$_2$, X$^3$Y, the $k^{th}$": "CO2, X³Y, the k-th",
    r"$\widetilde{O}(H^4 \max_{i\in[m]} A_i)$": r"$\widetilde{O}(H^4 \max_{i\in[m]} A_i)$",
    r"\( x^2 \) and \[ y_1 = 2 \] and \[3\]": "$x^2$ and $$y_1 = 2$$ and [3]",
    r"$A_i$$B_j$ $\mathcal{O(n}$ ${x}}^2$": r"$A_i B_j$ $\mathcal{O(n}$ ${x}^2$",
    r"$\\varepsilon=1$ at $60 \\%$": "ε=1 at 60%",
    "pays $5 and $10, or \\$7": "pays $5 and $10, or $7",
    "pays $5 while $x$ and $y_1$": "pays $5 while x and $y_1$",
    "a lost $ sign": "a lost sign",
    r"\begin{align*} x &= y_1 \end{align*}": r"$$\begin{aligned} x &= y_1 \end{aligned}$$",
}
MARKUP = {
    "**L**ow-rank **Q**uantized": "Low-rank Quantized",
    "**Hyper Codes (HC)** , which": "Hyper Codes (HC), which",
    "*one* _two_ ***three*** __four five__": "one two three four five",
    "snake_case, a_1 * b_2 * c, mean@8, __init__": "snake_case, a_1 * b_2 * c, mean@8, __init__",
    "2*3*4 and x**2 + y**2": "2*3*4 and x**2 + y**2",
    "# Aim\nWe ask.\n- one\n- two\n\nThen": "Aim. We ask. one; two. Then",
    "[our code](https://a.org/b_c) and `x_y`": "our code and x_y",
    "R&amp;amp;D &lt;i&gt;x&lt;/i&gt;&nbsp;y AT&T": "R&D x y AT&T",
    "<jats:p>H<sub>2</sub>O, 10<sup>-3</sup><br/>x</jats:p>": "H2O, 10⁻³ x",
    "a < b, p<0.05, <think> and x<b>c": "a < b, p<0.05, <think> and x<b>c",
}
CHARACTERS = {
    "a\u200bb\ufeff \u202eco\u00adop c\u00a0d\te\nf": "ab coop c d e f",
    "cafe\u0301 o\ufb03ce": "café office",
    "\u00e2\u0080\u009cmisread\u00e2\u0080\u009d": "“misread”",
    "quanti-\nzation is state-\nof-the-art": "quantization is state-of-the-art",
    "lone \ud800 surrogate": "lone surrogate",
}


@pytest.mark.parametrize(
    ("raw", "read"), [*LATEX.items(), *MATHS.items(), *MARKUP.items(), *CHARACTERS.items()]
)
def test_markup_becomes_what_a_person_reads(raw: str, read: str) -> None:
    assert clean(raw) == read
    assert clean(read) == read


FRAGMENTS = r"""{ } $ $$ \ \\ * ** _ __ ` `` '' < > & &amp; &lt; &#36; &amp;lt; ~ -- --- # [ ]( ) \(
\) \[ \] \$ \% \{ \} \begin{itemize} \end{itemize} \item \cite{ \footnote{ \textbf{ \frac{ \sqrt
\eps \foo ^ ^2 _i x 7 12 word Word <i> </i> <p> <br/> \" \'e - |""".split()
SPACES = ["\n", "\n\n", "- ", " ", "\x02", "\u00ad", "https://a.org/~u_v ", "\U000f0000"]
PIECES = st.sampled_from([*LATEX, *MATHS, *MARKUP, *CHARACTERS, *FRAGMENTS, *SPACES])
MARKED = st.lists(PIECES, max_size=12).map("".join)
ANY = st.one_of(st.text(max_size=200), MARKED)


@settings(max_examples=400, deadline=None)
@given(ANY)
def test_cleaning_is_idempotent_and_gives_one_tidy_line(raw: str) -> None:
    text = clean(raw)
    assert clean(text) == text
    assert text == " ".join(text.split())
    text.encode("utf-8")


@settings(max_examples=300, deadline=None)
@given(ANY)
def test_formulae_that_stay_are_found_again_with_balanced_braces(raw: str) -> None:
    text = clean(raw)
    for formula in find_formulae(text):
        assert text[formula.start] == text[formula.end - 1] == "$"
        depth = 0
        for brace in re.findall(r"\\.|[{}]", formula.content):
            depth += {"{": 1, "}": -1}.get(brace, 0)
            assert depth >= 0
        assert depth == 0


@settings(max_examples=300, deadline=None)
@given(MARKED)
def test_a_dollar_outside_formulae_stands_before_an_amount(raw: str) -> None:
    text = clean(raw)
    outside = text
    for formula in reversed(find_formulae(text)):
        outside = outside[: formula.start] + outside[formula.end :]
    assert len(re.findall(r"\$", outside)) == len(re.findall(r"\$(?= ?\.?\d)", outside))


WORDS = st.from_regex(
    r"[A-Za-z]{1,9}|[0-9]{1,4}(\.[0-9])?%?|[A-Za-z]{2}-[A-Za-z]{3}", fullmatch=True
)
PROSE = st.lists(st.tuples(WORDS, st.sampled_from(["", "", "", ",", ".", ";", ":"])), min_size=1)


@settings(deadline=None)
@given(PROSE)
def test_plain_prose_is_unchanged(words: list[tuple[str, str]]) -> None:
    prose = " ".join(f"{word}{point}" for word, point in words)
    assert clean(prose) == prose


@settings(deadline=None)
@given(PROSE, st.sampled_from([r"\textbf{%s}", "**%s**", "<b>%s</b>", "{%s}", r"{\em %s}", "$%s$"]))
def test_every_number_of_marked_prose_survives(words: list[tuple[str, str]], mark: str) -> None:
    marked = " ".join(f"{mark % word}{point}" for word, point in words)
    numbers = re.findall(r"\d+", " ".join(word for word, _ in words))
    assert re.findall(r"\d+", clean(marked)) == numbers


HOSTILE = [
    "{",
    "}",
    "$",
    "*",
    "<",
    "<i>",
    "\\",
    "_",
    "`",
    "&amp;",
    "[",
    "\\(",
    "\\textbf{",
    "$x$",
    "''",
]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hundred_kilobytes_of_marks_are_read_without_trouble(piece: str) -> None:
    text = clean(f"before {piece * (100_000 // len(piece))} after")
    assert text.startswith("before")
    assert text.endswith("after")


@pytest.mark.parametrize(
    ("left", "right"), [("{", "}"), ("\\emph{", "}"), ("<i>", "</i>"), ("*", "*")]
)
def test_deep_nesting_keeps_the_text_inside(left: str, right: str) -> None:
    text = clean(f"{left * 5000}core{right * 5000}")
    assert "core" in text
    assert clean(text) == text


@pytest.mark.timeout(20)
def test_a_huge_word_takes_no_time() -> None:
    assert clean(f"{'a' * 50_000}\nb") == f"{'a' * 50_000} b"
