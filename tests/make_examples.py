"""`make examples`: docs/examples.md, questions over the sample with the answers as they come.

Each question carries the mark that a reader of the last page gave its answer against the digest:
good, poor or wrong (`heading` says what these are). The marks are set by hand.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ingest import SAMPLE, ingest
from rag import Answer, Assistant, Turn

TARGET = Path(__file__).parents[1] / "docs" / "examples.md"
Mark = Literal["good", "poor", "wrong", ""]
MARKS: tuple[Mark, ...] = ("good", "poor", "wrong")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the one that it follows, if any, and the mark; "" is not read yet."""

    question: str
    before: str = ""
    mark: Mark = ""


QUESTIONS: dict[str, tuple[Asked, ...]] = {
    "Explain": (
        Asked("What is FEROM?", mark="good"),
        Asked("what is antithetic neumann good for", mark="poor"),
        Asked("How does CODI change self-distillation?", mark="good"),
        Asked("What is the Cayley-Encoder?", mark="good"),
        Asked("what are rock tokens", mark="poor"),
        Asked("Explain controllability collapse in user simulators.", mark="poor"),
        Asked("What is the Lyapunov Tube Loss?", mark="good"),
        Asked("What is the idea behind the paper on lane and road markings?", mark="good"),
        Asked("What is Conveyence?", mark="good"),
        Asked(
            "Tell me about the paper that treats benchmarks as measures over difficulty.",
            mark="poor",
        ),
    ),
    "Fact": (
        Asked("How can I defend decentralized training against backdoors?", mark="poor"),
        Asked("What does SCALAR add to a network?", mark="poor"),
        Asked("On which benchmark is the Gumbel-Max tape tested?", mark="poor"),
        Asked(
            "Is there a method that makes text-to-image models forget a concept without harm?",
            mark="poor",
        ),
        Asked("Welche Arbeit handelt von Graphonen?", mark="good"),
        Asked("Do SHAP or LIME satisfy all causal desiderata for explanations?", mark="good"),
        Asked("what causes codebook collapse in representation autoencoders", mark="good"),
        Asked("Which datasets does CCVFM use for image generation?", mark="good"),
        Asked("Does LAMP need more denoising evaluations?", mark="good"),
        Asked("Why do LLM agents fail at zero-shot coordination?", mark="poor"),
    ),
    "Number": (
        Asked("By how much does ZEBRA beat LLM-direct on HotpotQA?", mark="poor"),
        Asked("How well does CoMole keep molecules valid?", mark="good"),
        Asked("How large a vocabulary does dRAE scale to?", mark="good"),
        Asked("How many points does LGR gain on AIME-26?", mark="good"),
        Asked("how many objects are in ShapeNetPU", mark="good"),
        Asked("What Jaccard index does ATPO reach on SafeWatch-Bench-Real?", mark="good"),
        Asked("How much faster is an outer iteration with ZOS?", mark="good"),
        Asked("What share of all generated tokens can be Rock Tokens?", mark="good"),
        Asked("realism win rate of DISH on Sonnet-4.6", mark="good"),
        Asked(
            "How many extra parameters does the graph network over LLM layers cost?", mark="wrong"
        ),
    ),
    "Compare": (
        Asked("Compare ATLAS and EFXPLORER.", mark="good"),
        Asked("What is the difference between POISE and GRPO?", mark="wrong"),
        Asked("RPKD vs CODI", mark="poor"),
        Asked("Compare LGR with the Rock Tokens paper.", mark="wrong"),
        Asked("How do kFFM and CCVFM differ in their use of Sinkhorn?", mark="good"),
        Asked("Compare LQZO with the paper on zeroth-order influence functions.", mark="poor"),
        Asked("zno vs commutativity regularization for long rollouts", mark="poor"),
        Asked("Which needs less compute, POISE or FEROM?", mark="poor"),
        Asked("How do H-LRU and BD-LRU differ?", mark="good"),
        Asked("Compare ControlJEPA, SMART and the Cayley-Encoder.", mark="wrong"),
    ),
    "List": (
        Asked("Which papers study on-policy distillation?", mark="poor"),
        Asked("Which papers work on video?", mark="good"),
        Asked("Which papers promise to release code?", mark="good"),
        Asked("List all papers on multi-agent reinforcement learning.", mark="poor"),
        Asked("Which papers prove convergence guarantees?", mark="poor"),
        Asked("zeroth-order optimization papers", mark="wrong"),
        Asked("Which papers are about flow matching?", mark="good"),
        Asked("Which papers introduce a new benchmark or dataset?", mark="wrong"),
        Asked("哪些论文研究知识蒸馏？", mark="wrong"),
        Asked("show me work on differential privacy", mark="good"),
    ),
    "Count": (
        Asked("How many papers mention Sinkhorn?", mark="good"),
        Asked("How many papers are in this collection?", mark="good"),
        Asked("How many papers are about reinforcement learning?", mark="poor"),
        Asked("how many papers mention imagenet", mark="good"),
        Asked("How many papers evaluate on CIFAR-10?", mark="good"),
        Asked("How many papers use graph neural networks?", mark="good"),
        Asked("How many papers deal with Hessians?", mark="good"),
        Asked("How many papers compare themselves with GRPO?", mark="wrong"),
        Asked("number of papers that use Qwen models", mark="good"),
        Asked("How many of the papers study Markov games?", mark="good"),
    ),
    "Follow-up": (
        Asked(
            "And at half of the unconstrained budget?",
            "By how much does ZEBRA beat LLM-direct on HotpotQA?",
            mark="good",
        ),
        Asked("Does it need a central coordinator?", "What is Argus?", mark="good"),
        Asked(
            "Which of them works on 3D data?", "Which papers are about flow matching?", mark="good"
        ),
        Asked("which ones", "How many papers mention Sinkhorn?", mark="poor"),
        Asked("Which one scales to more agents?", "Compare ATLAS and EFXPLORER.", mark="poor"),
        Asked("on how many tasks was it tested", "What is the Cayley-Encoder?", mark="good"),
        Asked("Why do they matter for training?", "what are rock tokens", mark="good"),
        Asked(
            "What did they find for the triangle graph?",
            "Which paper studies graphons?",
            mark="good",
        ),
        Asked("And ControlJEPA?", "Tell me about SMART.", mark="poor"),
        Asked("how does that compare to critique refinement", "What is DISH?", mark="poor"),
    ),
    "Silence": (
        Asked("Is there anything about quantum error correction?", mark="good"),
        Asked("Who won the football match yesterday?", mark="good"),
        Asked("how do i bake sourdough bread", mark="good"),
        Asked("Which papers are about speech recognition?", mark="good"),
        Asked("papers on protein structure prediction", mark="good"),
        Asked("What learning rate did POISE use?", mark="good"),
        Asked("How many GPUs were used to train Value-Prober-8B?", mark="good"),
        Asked("Who are the authors of the Argus paper?", mark="wrong"),
        Asked("Why did ZEBRA fail on HotpotQA?", mark="poor"),
        Asked("Why does RPKD need architecture-specific adapters?", mark="good"),
    ),
}


def main() -> int:
    """Index the sample, ask, write."""
    parts = heading()
    number = 0
    with tempfile.TemporaryDirectory() as folder:
        ingest([SAMPLE], folder)
        with Assistant.open(folder) as assistant:
            for kind, questions in QUESTIONS.items():
                parts += ["", f"## {kind}"]
                for asked in questions:
                    number += 1
                    parts += section(number, asked, reply(assistant, asked))
    TARGET.write_text("\n".join(parts) + "\n", encoding="utf-8")
    return 0


def heading() -> list[str]:
    """What the page is, and the marks by kind."""
    total = Counter(asked.mark for questions in QUESTIONS.values() for asked in questions)
    lines = [
        "# Examples",
        "",
        f"{total.total()} questions over the sample, with the answers as they come without a "
        "model. `make examples` writes this page. The mark under an answer is that of the last "
        "reading against the digest: good (right, and the answer comes first), poor (true, but "
        "the answer comes late, lacks something or goes past the point) or wrong (something "
        "false, a wrong status, count or paper, or the answer to another question).",
        "",
        f"| | {' | '.join(MARKS)} |",
        "|---|---|---|---|",
    ]
    for kind, questions in QUESTIONS.items():
        lines.append(row(kind, Counter(asked.mark for asked in questions)))
    return [*lines, row("**all**", total)]


def row(name: str, marks: Counter[Mark]) -> str:
    """One line of the table of marks."""
    return f"| {name} | {' | '.join(str(marks[mark]) for mark in MARKS)} |"


def reply(assistant: Assistant, asked: Asked) -> Answer:
    """The answer, after the answer to the question before."""
    if not asked.before:
        return assistant.ask(asked.question)
    earlier = assistant.ask(asked.before)
    cited = tuple(dict.fromkeys(c.paper.id for c in earlier.citations))
    return assistant.ask(asked.question, [Turn(asked.before, earlier.text, cited)])


def section(number: int, asked: Asked, answer: Answer) -> list[str]:
    """One question with its answer and its mark."""
    lines = ["", f"### {number}. {asked.question}", ""]
    if asked.before:
        lines += [f"Asked after “{asked.before}”. Understood as: {answer.question}", ""]
    lines += [answer.text, "", f"*{answer.status}*"]
    lines += [f"*{note}*" for note in answer.warnings]
    return [*lines, "", f"Mark: **{asked.mark or 'not read yet'}**"]


if __name__ == "__main__":
    sys.exit(main())
