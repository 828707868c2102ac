"""Evidence -> a draft made of the papers' own sentences, without a model.

Goes in: a `Judgement`. Comes out: a `Draft` whose claims are verbatim sentences, each paper
introduced by its name. Knows nothing of retrieval and thresholds.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.judge import Judgement
from rag.types import Draft, DraftClaim, Evidence, Paper, Quote

# Words of an answer about one paper, and for each further one: a reader's patience, a little below
# the limits of 120 and 60 words that answers are measured by.
WORDS_FIRST, WORDS_MORE = 112, 58
# Sentences of a listed paper whose scores differ by less than so many deviations are level.
LEVEL = 1.0
# Papers that are named to show what an index holds.
SHOWN = 3


def extract(judgement: Judgement, chosen: int = 0) -> Draft:
    """Quote what answers: the best sentences of each paper within a budget of words. `chosen` is
    the number of papers that alone were asked, 0 for all."""
    if judgement.status == "not_found":
        raise ValueError("there is nothing to quote where nothing was found")
    if judgement.status == "not_stated":
        return _silent(judgement)
    papers = [item.paper for item in judgement.evidence]
    text, claims = _counted(len(papers), judgement.rule, chosen), []
    for marker, item in enumerate(judgement.evidence, 1):
        quotes = [_line(item)] if judgement.rule else _chosen(item, _budget(judgement))
        text += "\n\n" if text else ""
        text += f"**{_escaped(item.paper.name if judgement.rule else item.paper.title)}**:"
        text += "\n" if len(quotes) > 1 else ""
        for quote in quotes:
            text += "\n- “" if len(quotes) > 1 else " “"
            claims.append(DraftClaim(len(text), len(text) + len(quote.text), (marker,), (quote,)))
            text += f"{quote.text}” [{marker}]"
    return Draft(
        text=text,
        status=judgement.status,
        mode="extractive",
        claims=tuple(claims),
        cited=tuple(papers),
        papers=tuple(papers),
        borderline=judgement.borderline,
        rule=judgement.rule,
    )


def _line(item: Evidence) -> Quote:
    """The quote that shows why a paper is listed: of those that are level, the shortest."""
    best = item.quotes[0].score
    level = [quote for quote in item.quotes if quote.score >= best - LEVEL]
    return min(level, key=_words)


def _counted(count: int, rule: str, chosen: int) -> str:
    """How many papers a list has and by what rule; empty where the answer is no list."""
    if not rule:
        return ""
    counted = f"{count:,} of the {_papers(chosen)} asked" if chosen else _papers(count)
    return f"{counted}. Counted: {rule}"


def _papers(count: int) -> str:
    return "1 paper" if count == 1 else f"{count:,} papers"


def _silent(judgement: Judgement) -> Draft:
    """Name what is missing, and quote the nearest sentence of the paper that comes first."""
    item = judgement.evidence[0]
    nearest = item.quotes[0]
    names = " and ".join(f"**{_escaped(each.paper.name)}**" for each in judgement.evidence)
    abstract = "abstracts" if len(judgement.evidence) > 1 else "abstract"
    say = "say" if len(judgement.evidence) > 1 else "says"
    text = f"The {abstract} of {names} {say} nothing of “{judgement.missing}”. Nearest to it: “"
    claim = DraftClaim(len(text), len(text) + len(nearest.text), (1,), (nearest,))
    return Draft(
        text=f"{text}{nearest.text}” [1]",
        status="not_stated",
        mode="extractive",
        claims=(claim,),
        cited=(item.paper,),
        papers=tuple(each.paper for each in judgement.evidence),
    )


def nothing_found(nearest: Sequence[Paper], count: int) -> Draft:
    """Say that nothing is about the question, and what the index does hold."""
    text = f"No paper here is about this. {_held(nearest, count)}"
    return Draft(text, "not_found", "extractive")


def all_papers(nearest: Sequence[Paper], count: int, chosen: int = 0) -> Draft:
    """What a question for papers that asks nothing of them gets: how many there are, or how many
    were `chosen`."""
    text = _only(nearest, chosen) if chosen else _held(nearest, count)
    return Draft(text, "answered", "extractive")


def _held(nearest: Sequence[Paper], count: int) -> str:
    names = ", ".join(f"“{paper.title}”" for paper in nearest[:SHOWN])
    held = f"{count:,} papers" if count != 1 else "one paper"
    return f"The index holds {held}, for example {names}."


def nothing_chosen(nearest: Sequence[Paper], chosen: int, outside: Sequence[Paper]) -> Draft:
    """Say that none of the papers chosen is about the question, and that only they were asked;
    `outside` are those that the question names and that were not chosen."""
    others = " and ".join(f"**{_escaped(paper.name)}**" for paper in outside)
    if others:
        text = f"{others} {'is' if len(outside) == 1 else 'are'} not among the papers chosen."
    else:
        text = "No paper chosen is about this."
    return Draft(f"{text} {_only(nearest, chosen)}", "not_found", "extractive")


def _only(nearest: Sequence[Paper], chosen: int) -> str:
    names = ", ".join(f"“{paper.title}”" for paper in nearest[:SHOWN])
    verb, example = "was" if chosen == 1 else "were", ", for example" * (chosen > SHOWN)
    return f"Only {_papers(chosen)} {verb} asked{example}: {names}."


def _budget(judgement: Judgement) -> int:
    count = len(judgement.evidence)
    names = sum(len(item.paper.title.split()) for item in judgement.evidence)
    return (WORDS_FIRST + WORDS_MORE * (count - 1) - names) // count


def _chosen(item: Evidence, budget: int) -> list[Quote]:
    """The best sentence first, then others that fit into the budget, in the abstract's order."""
    best, *others = item.quotes
    spent = _words(best)
    chosen, seen = [], {best.text}
    for quote in others:
        if quote.text not in seen and spent + _words(quote) <= budget:
            spent += _words(quote)
            chosen.append(quote)
            seen.add(quote.text)
    return [best, *sorted(chosen, key=lambda quote: quote.span.start)]


def _words(quote: Quote) -> int:
    return len(quote.text.split())


def _escaped(title: str) -> str:
    """A title without what Markdown would take for its own."""
    return title.replace("*", "\\*")
