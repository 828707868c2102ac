"""What the page shows is text: answers, questions and abstracts as HTML that cannot act."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.types import Answer, Citation, Claim, Paper
from tests.browser.scripted_assistant import (
    HOSTILE,
    answer_about_tarnis,
    answer_that_is_hostile,
    hostile_paper,
    made_up_papers,
)
from ui.chat import answer_html, coverage_line, exchange_html, messages, streaming_html
from ui.evidence import evidence_html, is_web_address, paper_html
from ui.markers import marked
from ui.markup import markdown_html, marked_html, text_html
from ui.maths import find_maths
from ui.talk import Exchange, turns

ALLOWED_TAGS = frozenset(
    "a article b blockquote br button code details div em h2 h3 h4 h5 h6 hr li mark ol p pre s "
    "input label span strong summary table tbody td th thead tr ul wbr".split()
)
ALLOWED_ATTRIBUTES = frozenset(
    "class href id rel role start style target title type".split()  # no handler among them
)
NASTY = st.lists(
    st.sampled_from(
        [
            *(
                "<script>alert(1)</script>",
                "<img src=x onerror=alert(1)>",
                "![a](http://e.x/p.png)",
            ),
            *("[a](javascript:alert(1))", "[a]: javascript:alert(1)", "<http://e.x>", "&lt;b&gt;"),
            *(
                "[1]",
                "[2]",
                "**",
                "_",
                "`",
                "```\n",
                "\n",
                "\n\n",
                "# ",
                "- ",
                "1. ",
                "> ",
                "|",
                "---",
            ),
            *(
                "$",
                "$x^2$",
                "$$",
                "\\(",
                "\\)",
                "\\[",
                "\\]",
                "\\",
                "\ue000",
                "\ue001",
                "c0",
                ":",
                "[",
            ),
            *("%%%LATEX_BLOCK_0%%%", "\u202e", "\x00", "\r\n", "\t", "'", '"', "a", " ", "é", "$5"),
        ]
    ),
    max_size=25,
).map("".join)


LINKS = ("#src-", "#ask", "#act-", "#paper-", "#save-", "https://", "http://")


class Reader(HTMLParser):
    """Reads HTML as a browser would: its tags, attributes, text, and the text inside marks."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.marks: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag == "mark":
            self.marks.append("")
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.text += data
        if "mark" in self._open:
            self.marks[-1] += data


def assert_harmless(page: str) -> Reader:
    """Only known tags and attributes; links lead to sources or are web addresses of papers."""
    read = Reader(page)
    assert set(read.tags) <= ALLOWED_TAGS
    for name, value in read.attributes:
        assert name in ALLOWED_ATTRIBUTES
        assert name != "href" or value.startswith(LINKS)
        assert name != "style" or value.startswith("text-align:")
    return read


@given(NASTY)
def test_markdown_of_anything_is_harmless_and_its_blocks_are_whole(text: str) -> None:
    page = markdown_html(text)
    assert_harmless(page)
    for block in filter(None, page.split("\n\n")):
        assert "\n" not in block
        assert block.startswith("<")


@given(NASTY, NASTY, NASTY)
def test_an_answer_of_anything_is_harmless(text: str, said: str, reason: str) -> None:
    paper = replace(hostile_paper(), title=said or "x", abstract=text)
    answer = Answer(
        question=said,
        text=f"{text}{said}{reason} [1]",
        status="answered",
        mode="llm",
        citations=(Citation(1, paper, text, 0, len(text)),),
        claims=(Claim(said, (1,), "unsupported", reason, (0,)),),
        warnings=(text,),
        suggestions=(text,),
        error=said,
    )
    assert_harmless(answer_html(0, answer, asked=text))
    assert_harmless(evidence_html(0, answer))


@given(st.text())
def test_text_is_shown_as_text(text: str) -> None:
    assert_harmless(text_html(text))
    assert_harmless(exchange_html(0, Exchange(text, failure=text)))


ABSTRACT = st.text(alphabet=st.sampled_from("ab <&>\"'.\n\\é\U0001d4b3[1]*_`"), max_size=60)


@given(ABSTRACT, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4))
def test_marks_are_exactly_the_quotes(abstract: str, pairs: list[tuple[int, int]]) -> None:
    ranges = [(min(pair), min(max(pair), len(abstract))) for pair in pairs]
    read = Reader(marked_html(abstract, ranges))
    covered = {i for start, end in ranges for i in range(start, end)}
    if not find_maths(abstract):
        assert read.text == abstract
        assert "".join(read.marks) == "".join(c for i, c in enumerate(abstract) if i in covered)


def test_separate_quotes_are_separate_marks_and_overlapping_ones_are_one() -> None:
    assert Reader(marked_html("one two three", [(0, 3), (8, 13)])).marks == ["one", "three"]
    assert Reader(marked_html("one two three", [(0, 5), (4, 7)])).marks == ["one two"]


def test_a_formula_inside_a_quote_is_rendered_and_one_cut_by_it_is_shown_as_typed() -> None:
    assert r"\(x^2\)</mark>" in marked_html("is $x^2$ here", [(0, 8)])
    assert r"\(" not in marked_html("is $x^2$ here", [(0, 5)])


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("It costs $5, not $6, a day.", []),
        ("From $5M to $10M a year", []),
        ("Between $5M and 10M$ was spent", []),
        ("US$ 5 and CA$ 6", []),
        ("$5–$7 per hour and $x^2$ steps", ["x^2"]),
        ("an error of $10^{-3}$ and $n$ steps", ["10^{-3}", "n"]),
        ("a rate of $O(n)$ in $\\mathbb{R}^d$", ["O(n)", "\\mathbb{R}^d"]),
        ("a gain of $94.4$% or $94.4\\%$", ["94.4", "94.4\\%"]),
        ("$$E = mc^2$$ and \\(a<b\\) and \\[c\\]", ["E = mc^2", "a<b", "c"]),
        ("an unclosed $x and \\( y", []),
        ("escaped \\$x^2\\$ stays", []),
    ],
)
def test_dollars_are_maths_only_where_they_read_as_maths(text: str, formulas: list[str]) -> None:
    assert [maths.tex for maths in find_maths(text)] == formulas


def test_maths_survives_markdown_and_markers_inside_it_are_no_chips() -> None:
    page = streaming_html("so $a_1 * b_2 * c$ and $x_{[1]}$ hold [1].")
    assert r"\(a_1 * b_2 * c\)" in page
    assert r"\(x_{[1]}\)" in page
    assert page.count('class="cite') == 1


def test_markdown_is_rendered_and_headings_never_rival_the_page_name() -> None:
    page = markdown_html("# Big\n\n**bold** and\n\n- one\n- two\n\n| a |\n|---|\n| b |")
    assert "<h3>Big</h3>" in page
    assert "<strong>bold</strong>" in page
    assert page.count("<li>") == 2
    assert "<td>b</td>" in page


def test_links_and_images_stay_as_they_were_typed() -> None:
    read = assert_harmless(markdown_html("see ![a](http://192.0.2.1/p.png) and [b](https://e.x)"))
    assert read.text == "see ![a](http://192.0.2.1/p.png) and [b](https://e.x)"


def test_each_chip_opens_the_quotes_of_its_own_claim() -> None:
    answer = answer_about_tarnis(made_up_papers())
    page = answer_html(3, answer)
    assert [m.claim for m in marked(answer)] == [0, 1, 2]
    for claim in range(3):
        marker = answer.claims[claim].markers[0]
        address = f"src-3-{marker}-{claim}"
        assert f'<a class="cite" href="#{address}"' in page
        article = evidence_html(3, answer).split(f'id="{address}"')[1].split("</article>")[0]
        quotes = [answer.citations[i].quote for i in answer.claims[claim].citations]
        assert Reader(f"<article>{article}</article>").marks == quotes


def test_a_marker_before_its_claim_and_the_same_sentence_twice_are_told_apart() -> None:
    paper = made_up_papers()[0]
    quotes = tuple(Citation(1, paper, paper.abstract[i : i + 5], i, i + 5) for i in (0, 10, 20))
    answer = Answer(
        question="q",
        text="- [1] It works.\n- [1] It works.\n- So [1] it ends.",
        status="answered",
        mode="llm",
        citations=quotes,
        claims=(
            Claim("It works.", (1,), "supported", "", (0,)),
            Claim("It works.", (1,), "supported", "", (1,)),
            Claim("So [1] it ends.", (1,), "supported", "", (2,)),
        ),
    )
    assert [m.claim for m in marked(answer)] == [0, 1, 2]


def test_a_marker_without_a_citation_is_plain_text() -> None:
    answer = replace(answer_about_tarnis(made_up_papers()), text="Said so [7].", claims=())
    assert 'class="cite"' not in answer_html(0, answer)
    assert "[7]" in Reader(answer_html(0, answer)).text


def test_an_unsupported_claim_looks_different_and_says_why() -> None:
    page = answer_html(0, answer_about_tarnis(made_up_papers()))
    assert '<span class="unsupported">TARNIS also halves the radio time</span>' in page
    assert "The quotes say nothing of halving." in Reader(page).text


def test_an_unsupported_list_item_stays_a_list_item() -> None:
    answer = Answer(
        question="q",
        text="- **Bold** claim\n- another",
        status="answered",
        mode="llm",
        claims=(Claim("- **Bold** claim", (), "unsupported", "no quote"),),
    )
    page = answer_html(0, answer)
    assert page.count("<li>") == 3  # two of the list, one in the note beneath
    assert '<strong><span class="unsupported">Bold</span></strong>' in page


def test_a_digest_and_a_derived_name_are_said_wherever_a_paper_is_named() -> None:
    papers = tuple(replace(p, digest=True, title_source="derived") for p in made_up_papers())
    answer = answer_about_tarnis(papers)
    assert answer_html(0, answer).count("digest, not the authors’ words") >= 2
    assert "derived name" in answer_html(0, answer)
    assert "digest, not the authors’ words" in evidence_html(0, answer)
    assert "derived name" in paper_html(papers[0])


def test_warnings_errors_and_a_cut_answer_are_shown() -> None:
    answer = replace(
        answer_about_tarnis(made_up_papers()), complete=False, error="The line went dead."
    )
    text = Reader(answer_html(0, answer)).text
    assert "The line went dead." in text
    assert "incomplete" in text
    assert "The index was made yesterday." in text


def test_the_wording_that_was_answered_is_shown_where_it_differs() -> None:
    answer = answer_about_tarnis(made_up_papers())
    assert "Understood as" in answer_html(0, answer, asked="and that one?")
    assert "Understood as" not in answer_html(0, answer, asked="What is TARNIS?")


def test_hostile_content_stays_text_everywhere() -> None:
    answer = answer_that_is_hostile(hostile_paper())
    page = answer_html(0, answer, asked=HOSTILE) + evidence_html(0, answer)
    read = assert_harmless(page)
    assert "<script>window.ran = 1</script>" in read.text
    assert "\u202e" not in page


def test_history_becomes_turns_with_the_papers_that_were_cited() -> None:
    papers = made_up_papers()
    answer = answer_about_tarnis(papers)
    exchanges = (
        Exchange("What is it?", answer.text, answer),
        Exchange("broken?", failure="The endpoint failed."),
        Exchange("slow?", "So far", stopped=True),
    )
    first, second = turns(exchanges)
    assert (first.question, first.answer) == ("What is it?", answer.text)
    assert first.papers == ("paper-1", "paper-2")
    assert (second.question, second.answer, second.papers) == ("slow?", "So far", ())


def test_messages_alternate_and_a_question_is_text() -> None:
    shown = messages((Exchange("<script>x</script>\nsecond line"),))
    assert [message["role"] for message in shown] == ["user", "assistant"]
    assert Reader(shown[0]["content"]).text.strip() == "<script>x</script>\nsecond line"


def test_a_finished_reply_offers_what_can_be_done_with_it() -> None:
    answer = answer_about_tarnis(made_up_papers())
    done = exchange_html(4, Exchange("What?", answer.text, answer))
    for act in ("copy", "retry", "markdown", "json", "bibtex"):
        assert f'href="#act-{act}-4"' in done
    assert "#act-bibtex" not in exchange_html(4, Exchange("What?", "So far", stopped=True))
    assert "#act-copy" not in exchange_html(4, Exchange("What?", failure="It failed."))
    assert "#act-" not in exchange_html(4, Exchange("What?", "So far"))


def test_text_that_is_not_checked_yet_says_so() -> None:
    assert "not yet checked" in exchange_html(0, Exchange("What?", "So far"))
    answer = answer_about_tarnis(made_up_papers())
    assert "not yet checked" not in exchange_html(0, Exchange("What?", answer.text, answer))


def test_the_coverage_counts_papers_and_is_left_out_where_it_is_not_known() -> None:
    answer = answer_about_tarnis(made_up_papers())
    assert coverage_line(answer, 57) == "57 papers searched, 2 cited"
    more = replace(answer, papers=made_up_papers())
    assert coverage_line(more, 1057) == "1,057 papers searched, 3 relevant, 2 cited"
    assert coverage_line(answer, 3, chosen=True) == "3 chosen papers searched, 2 cited"
    assert coverage_line(answer, 0) == ""
    assert coverage_line(replace(answer, status="not_found"), 57) == ""


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://papers.example/1?a=b", True),
        ("http://papers.example", True),
        ("javascript:alert(1)", False),
        ("https://user@evil.example", False),
        ("https://[bad", False),
        ("data:text/html,x", False),
        ("//papers.example", False),
        ('https://e.example/"onload=', False),
    ],
)
def test_only_a_plain_web_address_becomes_a_link(url: str, safe: bool) -> None:
    assert is_web_address(url) is safe
    paper = Paper("p", "T", "given", "An abstract.", "An abstract.", url=url)
    assert ("<a " in paper_html(paper)) is safe
    assert_harmless(paper_html(paper))


def test_a_text_full_of_opening_delimiters_is_read_in_a_moment() -> None:
    for opening in ("\\[", "\\(", "$$", "$a "):
        assert find_maths(opening * 20_000 + "x") == () or opening == "$$"


def test_references_that_a_paper_has_in_its_own_words_are_no_chips() -> None:
    text = "See also [1] and [2] for more."
    paper = replace(made_up_papers()[0], title="Foo [1] and bar", abstract=text)
    answer = Answer(
        question="q",
        text=f"**{paper.title}**: “{text}” [1]",
        status="answered",
        mode="extractive",
        citations=(Citation(1, paper, text, 0, len(text)),),
        claims=(Claim(text, (1,), "quoted", "", (0,)),),
    )
    assert [(m.start, m.claim) for m in marked(answer)] == [(len(answer.text) - 3, 0)]
    assert answer_html(1, answer).count('class="cite"') == 1


def test_the_heads_of_a_comparison_are_chips() -> None:
    one, two = made_up_papers()[:2]
    cells = [paper.abstract.split(". ")[0] for paper in (one, two)]
    head = f"| | {one.name} [1] | {two.name} [2] |\n|---|---|---|\n"
    answer = Answer(
        question="q",
        text=f"{head}| **Problem** | “{cells[0]}” [1] | “{cells[1]}” [2] |",
        status="answered",
        mode="extractive",
        citations=(
            Citation(1, one, cells[0], 0, len(cells[0])),
            Citation(2, two, cells[1], 0, len(cells[1])),
        ),
        claims=(
            Claim(cells[0], (1,), "quoted", "", (0,)),
            Claim(cells[1], (2,), "quoted", "", (1,)),
        ),
    )
    assert [m.marker for m in marked(answer)] == [1, 2, 1, 2]
