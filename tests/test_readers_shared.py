"""The lists and exports under ../shared are read whole, with the right titles and sane reasons."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from pathlib import Path

import pytest

from ingest.readers import read_records
from ingest.records import Record, Skipped
from rag.errors import InputError

SHARED = Path(__file__).parents[1].parent / "shared"
if not (SHARED / "corpus").is_dir():
    pytest.skip("../shared with the lists and exports is not there", allow_module_level=True)
CORPUS = SHARED / "corpus"
SHAPES = SHARED / "shapes"
NEURIPS_2023 = CORPUS / "neurips-2023.jsonl.gz"


def read(path: Path) -> tuple[list[Record], list[Skipped]]:
    found = list(read_records(path))
    records = [record for record in found if isinstance(record, Record)]
    skipped = [record for record in found if isinstance(record, Skipped)]
    return records, skipped


def titles_of_json(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    rows = map(json.loads, text.splitlines()) if path.suffix == ".jsonl" else json.loads(text)
    return [" ".join(row["title"].split()) for row in rows]


def test_each_text_list_gives_nineteen_untitled_abstracts() -> None:
    paths = sorted((CORPUS / "neurips-2026").glob("*.txt"))
    assert len(paths) == 3
    for path in paths:
        records, skipped = read(path)
        assert not skipped
        assert [record.position for record in records] == list(range(1, 20))
        assert all(record.title is None and record.key is None for record in records)
        assert min(len(record.abstract) for record in records) > 600


def test_every_row_of_neurips_2023_is_a_paper_or_is_named() -> None:
    records, skipped = read(NEURIPS_2023)
    assert (len(records), len(skipped)) == (3140, 78)
    rows = sorted([*(r.position for r in records), *(s.row for s in skipped)])
    assert rows == list(range(1, 3219))
    assert all("wrong columns" in skip.reason and skip.title for skip in skipped)
    with gzip.open(NEURIPS_2023, "rt", encoding="utf-8") as lines:
        raw = [json.loads(line) for line in lines]
    for record in records:
        row = raw[record.position - 1]
        assert (record.key, record.url, record.year) == (row["_id"], row["url"], 2023)
        assert record.title == " ".join(row["title"].split())
        assert record.abstract == row["text"].strip()


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("01_papercopilot_nips2015.json", 15, 0),
        ("03_papercopilot_nips1987_missing_abstracts.json", 22, 3),
        ("25_arxiv_api_list.json", 12, 0),
        ("28_arxiv_oai_snapshot.jsonl", 12, 0),
        ("29_scitldr.jsonl", 12, 0),
    ],
)
def test_json_exports_keep_every_title(name: str, good: int, bad: int) -> None:
    records, skipped = read(SHAPES / name)
    assert (len(records), len(skipped)) == (good, bad)
    titles = titles_of_json(SHAPES / name)
    assert all(record.title == titles[record.position - 1] for record in records)
    assert all(skip.title == titles[skip.row - 1] for skip in skipped)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("04_openreview_iclr2021.tsv", 60),
        ("05_openreview_neurips2023_oral.csv", 20),
        ("07_miniconf_acl2020_main_papers.csv", 15),
        ("10_zotero_export.csv", 12),
        ("27_arxiv_bom.csv", 12),
    ],
)
def test_tables_keep_every_row(name: str, count: int) -> None:
    records, skipped = read(SHAPES / name)
    assert not skipped
    assert [record.position for record in records] == list(range(1, count + 1))
    for record in records:
        assert record.title
        assert record.key
        assert len(record.abstract) > 250
        assert record.url is None or record.url.startswith("https://")
    assert len({record.key for record in records}) == count


def test_the_tabbed_export_keeps_its_quotes() -> None:
    path = SHAPES / "04_openreview_iclr2021.tsv"
    _, *lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    records, _ = read(path)
    for record, line in zip(records, lines, strict=True):
        key, title, url, _, abstract = line.split("\t")
        assert (record.key, record.title, record.url) == (key, " ".join(title.split()), url)
        assert record.abstract == abstract.strip()


def test_the_row_with_loose_commas_and_quotes_is_put_right() -> None:
    records, _ = read(SHAPES / "05_openreview_neurips2023_oral.csv")
    with gzip.open(NEURIPS_2023, "rt", encoding="utf-8") as lines:
        broken = {row["_id"]: row for row in map(json.loads, lines)}
    (mended,) = [r for r in records if r.key and "openreview" in broken[r.key]["text"]]
    assert mended.title
    row = broken[mended.key or ""]
    assert mended.title == ",".join([row["title"], row["url"], row["keywords"]])
    assert mended.abstract.count(",") == 10


def test_what_goes_with_a_paper_is_read() -> None:
    nips = read(SHAPES / "01_papercopilot_nips2015.json")[0]
    assert all(record.year == 2015 and record.venue and record.authors for record in nips)
    zotero = read(SHAPES / "10_zotero_export.csv")[0]
    assert all(record.year and record.venue and record.keywords for record in zotero)
    assert not any("," in name or ";" in name for record in zotero for name in record.authors)
    acl = read(SHAPES / "07_miniconf_acl2020_main_papers.csv")[0]
    assert all(len(record.authors) > 1 and len(record.keywords) > 1 for record in acl)
    arxiv = read(SHAPES / "25_arxiv_api_list.json")[0]
    assert all(record.authors and record.keywords for record in arxiv)


def test_papers_without_abstracts_are_named_and_the_file_is_refused() -> None:
    records = read_records(SHAPES / "37_semantic_scholar_api.json")
    named = [next(records) for _ in range(6)]
    assert all(isinstance(skip, Skipped) and skip.title for skip in named)
    with pytest.raises(InputError, match=r"no abstract \(6\)"):
        next(records)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("11_zotero_export.ris", "RIS"),
        ("12_zotero_export.bib", "BibTeX"),
        ("15_wos.ris", "RIS"),
        ("18_textdump_nips2022.txt", "titles"),
        ("20_textdump_nips2019_multiline.txt", "titles"),
        ("21_markdown_headings_neurips2025.md", "titles"),
        ("36_arxiv_atom.xml", "XML"),
    ],
)
def test_kinds_that_are_not_read_are_refused_by_name(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_records(SHAPES / name)


def test_the_large_corpus_is_read_whole() -> None:
    records, skipped = read(CORPUS / "ml-20k.jsonl.gz")
    assert len(records) + len(skipped) == 20_000
    assert len(skipped) < 10
    assert Counter(record.title is None for record in records) == {False: len(records)}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_real_abstracts_survive_a_table(tmp_path: Path, delimiter: str) -> None:
    records, _ = read(NEURIPS_2023)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(["id", "title", "keywords", "abstract"])
    writer.writerows([r.key, r.title, ";".join(r.keywords), r.abstract] for r in records)
    path = tmp_path / "list.csv"
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    again, skipped = read(path)
    assert not skipped
    assert [(r.key, r.title, r.abstract, r.keywords) for r in again] == [
        (r.key, r.title, r.abstract, r.keywords) for r in records
    ]


def test_real_abstracts_survive_tabs_without_quoting(tmp_path: Path) -> None:
    records, _ = read(NEURIPS_2023)
    rows = [["id", "title", "abstract"]]
    rows += [[r.key or "", r.title or "", " ".join(r.abstract.split())] for r in records]
    path = tmp_path / "list.txt"
    path.write_text("\n".join(map("\t".join, rows)), encoding="utf-8")
    again, skipped = read(path)
    assert not skipped
    assert [[r.key, r.title, r.abstract] for r in again] == rows[1:]
