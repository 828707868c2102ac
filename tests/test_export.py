"""Papers -> formats of other programs."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from rag.types import Paper
from ui.export import FORMATS, to_bibtex, to_json, to_jsonl, to_markdown

ONE = Paper(
    id="a1",
    title="ORCHID: 50% less & more_",
    title_source="given",
    abstract="It saves $5 {today}.",
    raw="It saves $5 {today}.",
    authors=("Ada Löwe", "Bo Li"),
    year=2026,
    venue="NeurIPS",
    url="https://example.org/a?b=1",
    keywords=("graphs", "packing"),
    source="list.csv",
    position=3,
)
BARE = Paper(id="b2", title="Ω", title_source="derived", abstract="Short.", raw="Short.")


def test_json_and_jsonl_hold_every_field() -> None:
    assert json.loads(to_json([ONE, BARE])) == [ONE.to_dict(), BARE.to_dict()]
    assert [json.loads(line) for line in to_jsonl([ONE, BARE]).splitlines()] == [
        ONE.to_dict(),
        BARE.to_dict(),
    ]


def test_bibtex_escapes_what_tex_would_read() -> None:
    entry = to_bibtex([ONE])
    assert entry.startswith("@inproceedings{lowe2026orchid,\n")
    assert r"title = {{ORCHID: 50\% less \& more\_}}," in entry
    assert "author = {Ada Löwe and Bo Li}," in entry
    assert r"abstract = {It saves \$5 \{today\}.}," in entry


def test_bibtex_keys_are_never_alike_and_never_empty() -> None:
    text = to_bibtex([ONE, ONE, BARE])
    assert "{lowe2026orchid-2," in text
    assert "@misc{paperb2," in text
    assert "title derived from the abstract" in text


def test_markdown_names_a_digest() -> None:
    from dataclasses import replace

    assert "digest, not the authors' words" in to_markdown([replace(ONE, digest=True)])
    assert "## ORCHID: 50% less & more_" in to_markdown([ONE])


@given(st.text(max_size=60))
def test_bibtex_braces_are_balanced_whatever_a_title_holds(title: str) -> None:
    paper = Paper(id="c3", title=title or "x", title_source="given", abstract=title, raw=title)
    text = to_bibtex([paper]).replace("\\{", "").replace("\\}", "")
    assert text.count("{") == text.count("}")


def test_every_format_takes_no_papers() -> None:
    for write in FORMATS.values():
        assert isinstance(write([]), str)
