"""An assistant whose answers are written down: made-up papers, scripted streams.

What it was asked is recorded in `asked`, of which papers alone in `chosen`; a stream that was
closed before its end in `closed`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rag.errors import ModelError
from rag.types import About, Answer, Citation, Claim, Paper, Turn

ABSTRACTS = {
    "TARNIS: Tidal Adaptive Routing for Networked Inference": (
        "Serving many small models at once wastes memory. We propose TARNIS, a router that moves "
        "requests with the tide of demand. TARNIS lowers the median delay by 41% on three public "
        "traces. It needs no training. The cost of a misrouted request grows as $O(n^2)$ in the "
        "worst case, and renting the machines costs $5 to $7 an hour. Whether the gain holds "
        "for single users is left open."
    ),
    "Quiet Gradients: Sparse Updates for Small Devices": (
        "Small devices cannot hold every gradient. We keep only the loudest hundredth. On two "
        "sensor benchmarks the accuracy falls by less than one point. Sparse updates also save "
        "radio time. Our code is public."
    ),
    "MOSSLAND: A Benchmark of Slow Environments": (
        "Most benchmarks reward speed. MOSSLAND holds 64 environments whose rewards come late. "
        "Sparse updates do not help there. Seven agents were compared, and none passed half of it."
    ),
}
HOSTILE = (
    "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'> "
    "![pixel](http://192.0.2.1/pixel.png) [click](javascript:window.ran=3) "
    '<a href="http://192.0.2.1/">there</a> <iframe src="http://192.0.2.1/"></iframe> '
    "<svg onload=window.ran=4></svg> \u202egnirts\u202c $\\href{javascript:window.ran=5}{x^2}$ "
    "\\( unclosed <style>body{display:none}</style> end."
)


def made_up_papers() -> tuple[Paper, ...]:
    """Three papers, the last with a derived name."""
    return tuple(
        Paper(
            id=f"paper-{number}",
            title=title,
            title_source="derived" if number == 3 else "given",
            abstract=abstract,
            raw=abstract,
            authors=("Ada Quill", "Ben Marsh"),
            year=2031,
            venue="Made-up Conference",
            source="made-up.txt",
            position=number,
        )
        for number, (title, abstract) in enumerate(ABSTRACTS.items(), start=1)
    )


def hostile_paper() -> Paper:
    """A paper every field of which tries to run, fetch or mislead."""
    return Paper(
        id="paper-x",
        title=f"EVILNET: {HOSTILE}",
        title_source="given",
        abstract=f"EVILNET is hostile. {HOSTILE} It ends here.",
        raw="",
        authors=(HOSTILE,),
        venue=HOSTILE,
        url="javascript:window.ran=6",
        keywords=(HOSTILE,),
        source="<b>x</b>.txt",
        position=9,
    )


def citation(marker: int, paper: Paper, quote: str) -> Citation:
    """A citation of a sentence of the paper."""
    start = paper.abstract.index(quote)
    return Citation(marker, paper, quote, start, start + len(quote))


def answer_about_tarnis(papers: Sequence[Paper]) -> Answer:
    """Three claims over two papers, the second claim with two quotes, the last unsupported."""
    tarnis, quiet = papers[0], papers[1]
    first = "We propose TARNIS, a router that moves requests with the tide of demand."
    second = "It lowers the median delay by 41% without training"
    third = "TARNIS also halves the radio time"
    text = (
        f"**TARNIS**: {first} [1]\n\n{second} [1]. {third} [2].\n\nThe bound is $O(n^2)$; $5 stays."
    )
    return Answer(
        question="What is TARNIS?",
        text=text,
        status="answered",
        mode="extractive",
        citations=(
            citation(1, tarnis, first),
            citation(1, tarnis, "TARNIS lowers the median delay by 41% on three public traces."),
            citation(1, tarnis, "It needs no training."),
            citation(2, quiet, "Sparse updates also save radio time."),
        ),
        claims=(
            Claim(first, (1,), "quoted", "", (0,)),
            Claim(second, (1,), "supported", "", (1, 2)),
            Claim(third, (2,), "unsupported", "The quotes say nothing of halving.", (3,)),
        ),
        papers=(tarnis, quiet),
        warnings=("The index was made yesterday.",),
        suggestions=("What is MOSSLAND?",),
    )


def answer_that_compares(papers: Sequence[Paper]) -> Answer:
    """A table with a row a paper, every cell a quote of its first sentence."""
    firsts = [paper.abstract.split(". ")[0] + "." for paper in papers]
    rows = [
        f"| {paper.name} | {first} [{number}] |"
        for number, (paper, first) in enumerate(zip(papers, firsts, strict=True), start=1)
    ]
    pairs = list(zip(papers, firsts, strict=True))
    return Answer(
        question="Compare these.",
        text="\n".join(["| Paper | Problem |", "|---|---|", *rows]),
        status="answered",
        mode="extractive",
        citations=tuple(citation(n, paper, first) for n, (paper, first) in enumerate(pairs, 1)),
        claims=tuple(
            Claim(first, (n,), "quoted", "", (n - 1,)) for n, first in enumerate(firsts, 1)
        ),
        papers=tuple(papers),
    )


def answer_that_is_hostile(paper: Paper) -> Answer:
    """A model's text that tries everything, with a claim quoting a hostile abstract."""
    table = f"| a | b |\n|---|---|\n| {HOSTILE} | 1 |"
    text = f"EVILNET is hostile [1].\n\n{HOSTILE}\n\n# A heading\n\n{table}"
    return Answer(
        question=HOSTILE,
        text=text,
        status="answered",
        mode="llm",
        citations=(citation(1, paper, "EVILNET is hostile."), citation(1, paper, HOSTILE)),
        claims=(Claim("EVILNET is hostile", (1,), "unsupported", HOSTILE, (0, 1)),),
        papers=(paper,),
        borderline=(paper,),
        rule=HOSTILE,
        warnings=(HOSTILE,),
        suggestions=(HOSTILE,),
        error=HOSTILE,
        complete=False,
    )


@dataclass
class ScriptedAssistant:
    """Answers by the words in the question: silent, slow, broken, hostile, else about TARNIS."""

    known: tuple[Paper, ...] = field(default_factory=made_up_papers)
    model: str | None = None
    digest: bool = False
    asked: list[tuple[str, tuple[Turn, ...]]] = field(default_factory=list)
    chosen: list[tuple[str, ...]] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)

    def about(self) -> About:
        return About(
            mode="llm" if self.model else "extractive",
            model=self.model,
            endpoint="http://127.0.0.1:9/v1" if self.model else None,
            index="chroma_db",
            papers=len(self.known),
            digest=self.digest,
        )

    def papers(self) -> tuple[Paper, ...]:
        return self.known

    def search(self, query: str, k: int = 10) -> tuple[Paper, ...]:
        return self.known[:k]

    def related(self, paper_id: str, k: int = 10) -> tuple[Paper, ...]:
        return tuple(paper for paper in self.known if paper.id != paper_id)[:k]

    def compare(self, paper_ids: Sequence[str], aspects: Sequence[str] | None = None) -> Answer:
        papers = [paper for paper in self.known if paper.id in paper_ids]
        return answer_that_compares(papers)

    def stream(
        self,
        question: str,
        history: Sequence[Turn] = (),
        papers: Sequence[str] | None = None,
    ) -> Iterator[str | Answer]:
        self.asked.append((question, tuple(history)))
        self.chosen.append(tuple(papers or ()))
        if "broken" in question:
            raise ModelError("The model endpoint refused the key; check OPENAI_API_KEY.")
        if "HOSTILE" in question or "<script>" in question:
            answer = answer_that_is_hostile(hostile_paper())
        else:
            answer = replace(answer_about_tarnis(self.known), question=question)
        words = answer.text.split(" ")
        try:
            if "silent" in question:
                self.release.wait(20)
            for number, word in enumerate(words):
                yield word if number == 0 else f" {word}"
                time.sleep(0.02)
                if "slow" in question and number == 3:
                    self.release.wait(20)
            yield answer
        except GeneratorExit:
            self.closed.append(question)
            raise
