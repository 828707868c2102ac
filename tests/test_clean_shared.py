"""Cleaning on the shared corpora: nothing lost that a question asks for, nothing left half read."""

from __future__ import annotations

import gzip
import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ingest.clean import clean
from ingest.maths import find_formulae

SHARED = Path(__file__).parents[1].parent / "shared"
if not SHARED.is_dir():
    pytest.skip(f"the shared corpora are not at {SHARED}", allow_module_level=True)


def _scoring() -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_lib", SHARED / "eval" / "score_lib.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _questions() -> list[dict[str, Any]]:
    lines = (SHARED / "eval" / "questions-dev.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def _abstracts() -> list[str]:
    """All untitled abstracts, and every tenth of the large collections."""
    texts = [
        block
        for path in sorted((SHARED / "corpus" / "neurips-2026").glob("*.txt"))
        for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8"))[1:]
    ]
    for name in ("neurips-2023.jsonl.gz", "ml-20k.jsonl.gz"):
        with gzip.open(SHARED / "corpus" / name, "rt", encoding="utf-8") as lines:
            texts += [json.loads(line)["text"] for i, line in enumerate(lines) if i % 10 == 0]
    return texts


ABSTRACTS = _abstracts()


def test_a_key_fact_that_the_raw_evidence_conveys_is_conveyed_by_the_clean_one() -> None:
    scoring = _scoring()
    lost = []
    for question in _questions():
        raw = " ".join(piece["text"] for piece in question["evidence"])
        cleaned = clean(raw)
        for fact in question["key_facts"]:
            if scoring.fact_match(fact, raw) and not scoring.fact_match(fact, cleaned):
                lost.append((question["qid"], fact))
    assert lost == []


def test_clean_evidence_is_a_part_of_its_clean_abstract() -> None:
    papers = [clean(text) for text in ABSTRACTS]
    evidence = {clean(piece["text"]) for q in _questions() for piece in q["evidence"]}
    assert [text for text in evidence if not any(text in paper for paper in papers)] == []


def test_abstracts_come_out_as_one_stable_line() -> None:
    for raw in ABSTRACTS:
        text = clean(raw)
        assert clean(text) == text
        assert text == " ".join(text.split())


def test_no_markup_is_left_outside_formulae() -> None:
    left = []
    for raw in ABSTRACTS:
        text = clean(raw)
        for formula in reversed(find_formulae(text)):
            text = f"{text[: formula.start]}{text[formula.end :]}"
        left += re.findall(
            r".{0,20}(?:\\[A-Za-z]+|\*\*|``|</?(?:i|b|p|sub|sup)>|&[a-z]+;).{0,20}", text
        )
    assert left == []


def test_numbers_of_the_abstracts_survive() -> None:
    gone = re.compile(r"\\?(?:cite\w*|ref|label|href|textcolor)\s*(?:\[[^\]]*\])?\{[^{}]*\}")
    links = re.compile(r"\]\([^)]*\)|\\unicode\{[^}]*\}")
    for raw in ABSTRACTS:
        shown = links.sub("]", gone.sub("", raw)).replace(r"\,", ",")
        kept = clean(raw).translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789"))
        assert set(re.findall(r"[0-9]+", shown)) <= set(re.findall(r"[0-9]+", kept)), raw
