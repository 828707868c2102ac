"""`make examples`: docs/examples.md, questions over the sample with the answers as they come."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from ingest import SAMPLE, ingest
from rag import Answer, Assistant, Turn

TARGET = Path(__file__).parents[1] / "docs" / "examples.md"
# A question, and the one that it follows where it is a follow-up.
QUESTIONS: tuple[tuple[str, str], ...] = (
    ("What is FEROM?", ""),
    ("Which papers study on-policy distillation?", ""),
    ("By how much does ZEBRA beat LLM-direct on HotpotQA?", ""),
    (
        "And at half of the unconstrained budget?",
        "By how much does ZEBRA beat LLM-direct on HotpotQA?",
    ),
    ("Compare ATLAS and EFXPLORER.", ""),
    ("Which papers work on video?", ""),
    ("How many papers mention Sinkhorn?", ""),
    ("What learning rate did POISE use?", ""),
    ("Why did ZEBRA fail on HotpotQA?", ""),
    ("How can I defend decentralized training against backdoors?", ""),
    ("Is there anything about quantum error correction?", ""),
    ("What does SCALAR add to a network?", ""),
    ("On which benchmark is the Gumbel-Max tape tested?", ""),
    ("what is antithetic neumann good for", ""),
    ("Which papers promise to release code?", ""),
    ("How does CODI change self-distillation?", ""),
    ("Is there a method that makes text-to-image models forget a concept without harm?", ""),
    ("How well does CoMole keep molecules valid?", ""),
    ("Who won the football match yesterday?", ""),
    ("Welche Arbeit handelt von Graphonen?", ""),
)


def main() -> int:
    """Index the sample, ask, write."""
    parts = [
        "# Examples",
        "",
        f"{len(QUESTIONS)} questions over the sample, with the answers as they come without a "
        "model. `make examples` writes this page.",
    ]
    with tempfile.TemporaryDirectory() as folder:
        ingest([SAMPLE], folder)
        with Assistant.open(folder) as assistant:
            for number, (question, before) in enumerate(QUESTIONS, 1):
                history = []
                if before:
                    earlier = assistant.ask(before)
                    cited = tuple(dict.fromkeys(c.paper.id for c in earlier.citations))
                    history = [Turn(before, earlier.text, cited)]
                parts += section(number, before, assistant.ask(question, history), question)
    TARGET.write_text("\n".join(parts) + "\n", encoding="utf-8")
    return 0


def section(number: int, before: str, answer: Answer, question: str) -> list[str]:
    """One question with its answer."""
    lines = ["", f"## {number}. {question}", ""]
    if before:
        lines += [f"Asked after “{before}”. Understood as: {answer.question}", ""]
    lines += [answer.text, "", f"*{answer.status}*"]
    return lines + [f"*{note}*" for note in answer.warnings]


if __name__ == "__main__":
    sys.exit(main())
