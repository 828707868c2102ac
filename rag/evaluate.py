"""A question set and an assistant -> which answers are right, part by part.

Goes in: JSON Lines with one question each, an open `Assistant`. Comes out: `Result`s and figures
by kind. Knows nothing of how answers come about.

A question has `qid`, `kind`, `question`, `gold_papers`, `acceptable_papers`, `key_facts`, `history`
and `notes`. A paper is named by its id in the index or by SOURCE-NUMBER: the beginning of its
source's name and its position there. A key fact is a list of alternatives; `re:` marks a regular
expression, any other is found as whole words.
"""

from __future__ import annotations

import json
import re
import statistics
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from rag.assistant import Assistant
from rag.errors import InputError
from rag.types import Answer, Paper, Turn

# Words that a brief answer may have: about one paper, for each further one, a paper of a list.
WORDS, WORDS_MORE, WORDS_LISTED = 120, 60, 40

_COMMAND = re.compile(
    r"\\(?:texttt|textsc|textbf|emph|mathbf|textit|underline|em|mathbb|mathcal|operatorname"
    r"|widetilde|tilde|hat|bigg|url|text)\b"
)
_ALIKE = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "×": "x", "\u00ad": None})
_MARKER = re.compile(r"\[\d{1,2}(?:\s*[,;]\s*\d{1,2})*\]")


@dataclass(frozen=True, slots=True)
class Question:
    """One line of a question set."""

    qid: str
    kind: str
    question: str
    gold: tuple[str, ...]
    acceptable: tuple[str, ...]
    facts: tuple[tuple[str, ...], ...]
    history: tuple[Turn, ...]
    notes: str


@dataclass(frozen=True, slots=True)
class Result:
    """An answer and which parts of it are right; `seconds` of wall time.

    `precision`, `recall` and `exact` are over `answer.papers`, for listings alone.
    """

    question: Question
    answer: Answer
    facts: bool
    citations: bool
    quotes: bool
    brief: bool
    status: bool
    seconds: float
    precision: float | None = None
    recall: float | None = None
    exact: bool | None = None

    @property
    def right(self) -> bool:
        return self.facts and self.citations and self.quotes and self.brief and self.status


def read_questions(path: Path) -> tuple[Question, ...]:
    """Read a question set; raises `InputError` with the line that does not fit."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{str(path)!r} cannot be read ({error}).") from error
    questions = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                questions.append(_question(json.loads(line)))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise InputError(
                    f"Line {number} of {str(path)!r} is no question ({error!r}); each line is a "
                    "JSON object with qid, kind, question, gold_papers and key_facts."
                ) from error
    if not questions:
        raise InputError(f"{str(path)!r} holds no questions.")
    return tuple(questions)


def evaluate(assistant: Assistant, questions: Sequence[Question]) -> Iterator[Result]:
    """Ask every question, in order, and score each answer as it comes."""
    papers = assistant.papers()
    for question in questions:
        start = time.perf_counter()
        answer = assistant.ask(question.question, question.history)
        yield score(question, answer, papers, time.perf_counter() - start)


def score(
    question: Question, answer: Answer, papers: Sequence[Paper], seconds: float = 0.0
) -> Result:
    """Compare an answer with what is right; `papers` are those of the index."""
    gold = resolve(question.gold, papers)
    allowed = gold | resolve(question.acceptable, papers)
    cited = {citation.paper.id for citation in answer.citations}
    listing = question.kind == "listing"
    found = {paper.id for paper in answer.papers}
    return Result(
        question=question,
        answer=answer,
        facts=all(conveys(answer.text, alternatives) for alternatives in question.facts),
        citations=gold <= cited <= allowed,
        quotes=all(c.paper.abstract[c.start : c.end] == c.quote for c in answer.citations),
        brief=_length(answer.text) <= _limit(question, len(gold)),
        status=_status_fits(question, answer),
        seconds=seconds,
        precision=len(found & gold) / max(len(found), 1) if listing else None,
        recall=len(found & gold) / max(len(gold), 1) if listing else None,
        exact=found == gold if listing else None,
    )


def resolve(names: Sequence[str], papers: Sequence[Paper]) -> set[str]:
    """The ids of papers named by id or by SOURCE-NUMBER; raises `InputError` for no such paper."""
    return {_resolve(name, papers) for name in names}


def conveys(text: str, alternatives: Sequence[str]) -> bool:
    """Whether a text, markers left out, says one of the alternatives of a key fact."""
    plain = normal(_MARKER.sub(" ", text))
    return any(_occurs(alternative, plain) for alternative in alternatives)


@lru_cache(maxsize=1024)  # each text is asked for once a fact, each fact once a text
def normal(text: str) -> str:
    """Lower case, no accents, no markup, one kind of dash and quote, no thousands commas."""
    decomposed = unicodedata.normalize("NFKD", text)
    text = "".join(letter for letter in decomposed if not unicodedata.combining(letter)).lower()
    text = text.translate(_ALIKE).replace("\\times", "x")
    text = _COMMAND.sub("", text)
    text = re.sub(r"[\u2010-\u2015\u2212]", "-", text)
    text = re.sub(r"-{2,}", "-", text)
    text = re.sub(r"[\\$*{}`\"]", "", text)
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = " ".join(text.split())
    return re.sub(r"(?<=\d) %", "%", text)


def figures(results: Sequence[Result]) -> dict[str, Any]:
    """Shares of right answers and their parts, in all and by kind, and seconds an answer."""
    kinds = dict.fromkeys(result.question.kind for result in results)
    statuses = Counter(
        (expected_status(result.question), result.answer.status) for result in results
    )
    seconds = sorted(result.seconds for result in results)
    return {
        "all": _shares(results),
        "kinds": {
            kind: _shares([each for each in results if each.question.kind == kind])
            for kind in kinds
        },
        "statuses": {f"{wanted} -> {given}": n for (wanted, given), n in statuses.most_common()},
        "seconds": {
            "median": round(statistics.median(seconds), 4),
            "p95": round(seconds[int(0.95 * (len(seconds) - 1))], 4),
        },
    }


def expected_status(question: Question) -> str:
    """The status that a right answer has, in words."""
    if question.gold:
        return "answered"
    if question.facts:
        return "corrected"  # a false premise: any status that conveys the correction
    return "not_stated" if question.acceptable else "not_found"


def against(results: Sequence[Result], old: Mapping[str, bool]) -> dict[str, list[str]]:
    """The questions that came right and went wrong since an earlier run, by qid."""
    now = {result.question.qid: result.right for result in results}
    both = [qid for qid in now if qid in old]
    return {
        "came right": [qid for qid in both if now[qid] and not old[qid]],
        "went wrong": [qid for qid in both if old[qid] and not now[qid]],
    }


def read_saved(path: Path) -> dict[str, bool]:
    """Which questions an earlier run, saved as JSON Lines, had right; raises `InputError`."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        return {str(row["qid"]): bool(row["right"]) for row in map(json.loads, filter(None, lines))}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{str(path)!r} is no saved run ({error}).") from error


def saved(result: Result) -> dict[str, Any]:
    """A result as plain JSON types, answer and all."""
    parts = ("facts", "citations", "quotes", "brief", "status", "right", "seconds")
    return {
        "qid": result.question.qid,
        "kind": result.question.kind,
        **{part: getattr(result, part) for part in parts},
        "answer": result.answer.to_dict(),
    }


def _question(fields: Mapping[str, Any]) -> Question:
    return Question(
        qid=str(fields["qid"]),
        kind=str(fields["kind"]),
        question=str(fields["question"]),
        gold=tuple(fields["gold_papers"]),
        acceptable=tuple(fields.get("acceptable_papers") or ()),
        facts=tuple(tuple(map(_fact, alternatives)) for alternatives in fields["key_facts"]),
        history=tuple(
            Turn(str(turn["question"]), str(turn["answer"])) for turn in fields.get("history") or ()
        ),
        notes=str(fields.get("notes") or ""),
    )


def _fact(alternative: str) -> str:
    """An alternative of a key fact; raises ValueError where nothing could be found by it."""
    if alternative.startswith("re:"):
        try:
            re.compile(alternative[3:])
        except re.error as error:
            raise ValueError(f"{alternative!r} is no regular expression ({error})") from error
    elif not normal(alternative):
        raise ValueError(f"the key fact {alternative!r} has no words")
    return alternative


def _resolve(name: str, papers: Sequence[Paper]) -> str:
    source, _, number = name.rpartition("-")
    there = [p for p in papers if str(p.position) == number.lstrip("0")] if source else []
    found = [paper for paper in papers if paper.id == name]
    found += [paper for paper in there if paper.source.split(".")[0] == source]
    found += [paper for paper in there if paper.source.startswith(source)]
    if found:
        return found[0].id
    raise InputError(f"No paper of the index is {name!r}; ingest the papers that the set is about.")


def _occurs(alternative: str, plain: str) -> bool:
    if alternative.startswith("re:"):
        return re.search(alternative[3:], plain, re.IGNORECASE | re.DOTALL) is not None
    wanted = normal(alternative)
    before = r"(?<![\d.])" if wanted[0].isdigit() else r"(?<![a-z0-9])"
    after = r"(?!\d|\.\d)" if wanted[-1].isdigit() else r"(?:s|es)?(?![a-z0-9])"
    return re.search(before + re.escape(wanted) + after, plain) is not None


def _status_fits(question: Question, answer: Answer) -> bool:
    if question.gold:
        return answer.status == "answered"
    if question.facts:  # a false premise: what counts is that the correction is conveyed
        return True
    if question.acceptable:
        return answer.status in ("not_stated", "not_found")
    return answer.status == "not_found" and not answer.citations


def _limit(question: Question, gold: int) -> int:
    if question.kind == "listing":
        return WORDS_LISTED * max(gold, 1)
    return WORDS + WORDS_MORE * max(gold - 1, 0)


def _length(text: str) -> int:
    """Words, markers left out; a table counts by its cells."""
    return len(_MARKER.sub(" ", text).replace("|", " ").split())


def _shares(results: Sequence[Result]) -> dict[str, float | int]:
    shares: dict[str, float | int] = {"questions": len(results)}
    for part in ("right", "facts", "citations", "quotes", "brief", "status"):
        shares[part] = round(statistics.fmean(getattr(each, part) for each in results), 3)
    listed = [each for each in results if each.precision is not None]
    if listed:
        shares["precision"] = round(statistics.fmean(each.precision or 0.0 for each in listed), 3)
        shares["recall"] = round(statistics.fmean(each.recall or 0.0 for each in listed), 3)
        shares["exact"] = round(statistics.fmean(bool(each.exact) for each in listed), 3)
    return shares
