"""Files of abstracts are read whole: every record is a paper or is named with its reason."""

from __future__ import annotations

import csv
import gzip
import io
import json
import string
import tempfile
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.readers import read_records
from ingest.readers.people import names
from ingest.records import Record, Skipped
from rag.errors import InputError

ONE = (
    "We study how ants divide labour when food is scarce. A small model with three rates "
    "reproduces the data of 12 colonies, and predicts that idle ants are a reserve."
)
TWO = (
    "Bridges are inspected by eye, which is slow. BRIDGENET finds cracks in photographs of a "
    "phone with 91.5% recall, and runs on the phone itself."
)
THREE = (
    "Sorting networks with few comparators are hard to find. We search them with a grammar, and "
    "give a network for 18 inputs that has two comparators fewer than the best one known."
)
CHINESE = (
    "本文研究蚂蚁在食物稀缺时如何分工。我们提出一个含三个速率的小模型，能够重现十二个蚁群的数据。"
)


def read(tmp_path: Path, content: str | bytes, name: str = "list.txt") -> list[Record | Skipped]:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_records(path))


def abstracts(tmp_path: Path, content: str | bytes, name: str = "list.txt") -> list[str]:
    found = read(tmp_path, content, name)
    assert all(isinstance(record, Record) for record in found), found
    return [record.abstract for record in found if isinstance(record, Record)]


def one_record(tmp_path: Path, row: dict[str, object]) -> Record:
    (record,) = read(tmp_path, json.dumps([row]), "list.json")
    assert isinstance(record, Record), record
    return record


def reason_of(tmp_path: Path, row: dict[str, object]) -> str:
    good = {"title": "Ants", "abstract": ONE}
    _, skipped = read(tmp_path, json.dumps([good, row]), "list.json")
    assert isinstance(skipped, Skipped), skipped
    assert (skipped.source, skipped.row) == ("list.json", 2)
    return skipped.reason


def refusal(tmp_path: Path, content: str | bytes, name: str = "list.txt") -> str:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content, name)
    message = str(caught.value)
    assert name in message
    return message


# Text lists


@pytest.mark.parametrize(
    "heading",
    [
        "",
        "Papers of the Workshop 2031\n\n",
        "# Papers of the Workshop 2031\n\n",
        "Papers of the Workshop 2031\n===========================\n\n",
        "====================\nPapers 2031\n====================\n\n",
        "2031 年研讨会论文列表\n\n",
        "研讨会论文列表\n",
        "Liste der Beiträge\n\nzusammengestellt am 3. Mai\n\n\n",
        "Papers of the Workshop 2031\nSpringfield\n3 May 2031\n\n",
        "Papers of the Workshop 2031\n",
        "## Papers\n",
    ],
)
def test_a_heading_is_no_abstract(tmp_path: Path, heading: str) -> None:
    records = read(tmp_path, f"{heading}{ONE}\n\n{TWO}\n\n{THREE}\n")
    assert [record.abstract for record in records if isinstance(record, Record)] == [
        ONE,
        TWO,
        THREE,
    ]
    assert records[0] == Record(abstract=ONE, position=1)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_and_blank_lines_with_blanks_in_them_divide(tmp_path: Path, end: str) -> None:
    content = end.join(["Papers", " \t", ONE, "\u00a0 \f", TWO, "   ", "", THREE, ""])
    assert abstracts(tmp_path, content) == [ONE, TWO, THREE]


@pytest.mark.parametrize("width", [40, 72, 100])
def test_wrapped_lines_are_joined(tmp_path: Path, width: int) -> None:
    wrapped = [textwrap.fill(text, width) for text in (ONE, TWO, THREE)]
    assert abstracts(tmp_path, "Papers\n\n" + "\n\n".join(wrapped)) == [ONE, TWO, THREE]


def test_a_word_broken_at_its_hyphen_is_one_word(tmp_path: Path) -> None:
    lines = [
        "For idle ants we give a zero-",
        "shot method. It makes use of pre-",
        "and post-training of ants.",
    ]
    wrapped = "\n".join(lines)
    assert abstracts(tmp_path, wrapped) == [
        "For idle ants we give a zero-shot method. It makes use of pre- and post-training of ants."
    ]


def test_wrapped_chinese_is_joined_without_blanks(tmp_path: Path) -> None:
    wrapped = f"{CHINESE[:20]}\n{CHINESE[20:]}\n\n{ONE}"
    assert abstracts(tmp_path, wrapped) == [CHINESE, ONE]


def test_a_stray_block_is_named_with_its_reason(tmp_path: Path) -> None:
    records = read(tmp_path, f"Papers\n\n{ONE}\n\nReferences\n\n{TWO}\n\n---\n\n{THREE}")
    assert [type(record) for record in records] == [Record, Skipped, Record, Record]
    assert records[1] == Skipped("list.txt", 2, None, "too short to be an abstract ('References')")
    assert isinstance(records[3], Record)
    assert records[3].position == 4


def test_stray_lines_at_the_end_are_no_titles(tmp_path: Path) -> None:
    records = read(tmp_path, f"Papers\n\n{ONE}\n\n{TWO}\n\nReferences\n\nPage 2\n\nThe end")
    assert [type(record) for record in records] == [Record] * 2 + [Skipped] * 3


def test_an_introduction_is_not_an_abstract_and_is_named(tmp_path: Path) -> None:
    long = [f"{text} {text} {text} {text}" for text in (ONE, TWO, THREE)]
    intro = "Below are all of the papers of the year."
    first, *rest = read(tmp_path, "\n\n".join([intro, *long]))
    assert isinstance(first, Skipped)
    assert intro in first.reason
    assert [record.position for record in rest if isinstance(record, Record)] == [1, 2, 3]


def test_abstracts_of_a_line_each_without_blank_lines_are_apart(tmp_path: Path) -> None:
    long = [f"{text} {text}" for text in (ONE, TWO, THREE)]
    assert abstracts(tmp_path, "\n".join(long)) == long
    assert abstracts(tmp_path, "Papers\n\n" + "\n".join(long)) == long


def test_a_file_with_one_abstract_is_read(tmp_path: Path) -> None:
    assert abstracts(tmp_path, ONE) == [ONE]
    assert abstracts(tmp_path, f"Papers\n\n{ONE}") == [ONE]


PARAGRAPHS = [
    "Ants are many, and they walk in lines to find food.",
    "We count the ants by day and by night.",
    "Bridges are old, and cracks are found too late.",
    "We photograph all bridges of a county.",
    "Sorting is slow, so we sort less than others do.",
]
GROUPED = [
    f"{PARAGRAPHS[0]}\n\n{PARAGRAPHS[1]}",
    f"{PARAGRAPHS[2]}\n\n{PARAGRAPHS[3]}",
    PARAGRAPHS[4],
]


@pytest.mark.parametrize(
    "content",
    [
        "\n\n\n".join(GROUPED),
        "Papers\n\n\n" + "\n\n\n\n".join(GROUPED),
        "Papers\n\n" + "\n\n\n".join(GROUPED),
        "\n----\n".join(GROUPED),
        "Papers 2031\n====\n\n" + "\n\n****\n\n".join(GROUPED),
        "====\n" + "\n====\n".join(GROUPED) + "\n====\n",
        "\n\n* * *\n\n".join(GROUPED),
        "\n\n".join(f"{number}. {group}" for number, group in enumerate(GROUPED, 1)),
        "Papers\n\n" + "\n\n".join(f"[{n}] {group}" for n, group in enumerate(GROUPED, 12)),
        "\n".join(f"({number}) {group}" for number, group in enumerate(GROUPED, 1)),
        "\n\n".join(f"{number}.\n{group}" for number, group in enumerate(GROUPED, 1)),
        "\n\n".join(f"[{number}]\n\n{group}" for number, group in enumerate(GROUPED, 1)),
        "\n\n".join(f"Paper {number}:\n{group}" for number, group in enumerate(GROUPED, 1)),
        "\n\n".join(f"- {group}" for group in GROUPED),
        "\n\n".join(f"Abstract\n{group}" for group in GROUPED),
    ],
)
def test_paragraphs_are_put_together_at_a_sign_of_it(tmp_path: Path, content: str) -> None:
    assert abstracts(tmp_path, content) == GROUPED


@pytest.mark.parametrize("stray", ["\n\n\n", "\n\n----\n\n", "\n\n\n\n\n"])
def test_a_stray_gap_or_rule_puts_no_abstracts_together(tmp_path: Path, stray: str) -> None:
    texts = [f"{text} {text} {text} {text}" for text in (ONE, TWO, THREE) for _ in range(3)]
    content = "\n\n".join(texts[:5]) + stray + "\n\n".join(texts[5:])
    assert abstracts(tmp_path, content) == texts


def test_a_number_in_the_prose_is_no_sign(tmp_path: Path) -> None:
    texts = [
        f"{ONE} It has two parts:\n1. ants are counted at night\n2. ants are counted by day.",
        "3.5 million bridges are old. We look at them all, and tell which of them to close first.",
    ]
    assert abstracts(tmp_path, "\n\n".join(texts)) == [" ".join(t.split("\n")) for t in texts]


@pytest.mark.parametrize(
    "entry",
    [
        "{title}\n{names}\n{text}\n****************\n",
        "{title}\n\n{names}\n\n{text}\n\n",
        "{title}\n{text}\n\n",
        "### [{title}](https://example.org/1)\n*{names}*\n\n{text}\n\n\n",
        "# {title}\n\n{text}\n\n",
        "Title: {title}\nAuthors: {names}\nAbstract: {text}\n\n",
    ],
)
def test_a_list_with_titles_is_refused_not_misread(tmp_path: Path, entry: str) -> None:
    titles = ("Idle Ants Are a Reserve", "Cracks from Phones", "Grammars for Sorting Networks")
    content = "".join(
        entry.format(title=title, names="Ada Byron, Max Muster, Eva Müller", text=f"{text} {text}")
        for title, text in zip(titles, (ONE, TWO, THREE), strict=True)
    )
    assert "titles" in refusal(tmp_path, content)


PARAGRAPH = st.lists(
    st.lists(
        st.text(string.ascii_letters + "éß'", min_size=1, max_size=9), min_size=6, max_size=30
    ),
    min_size=1,
    max_size=5,
).map(lambda sentences: " ".join(" ".join(words).capitalize() + "." for words in sentences))


@settings(deadline=None)
@given(
    st.lists(PARAGRAPH, min_size=1, max_size=8),
    st.sampled_from(["", "Papers of 2031\n\n", "论文列表\n\n"]),
    st.sampled_from([0, 50, 80]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_text_list_of_any_paragraphs_is_read_back(
    paragraphs: list[str], heading: str, width: int, end: str
) -> None:
    wrapped = [textwrap.fill(text, width) if width else text for text in paragraphs]
    content = (heading + "\n\n".join(wrapped)).replace("\n", end)
    with tempfile.TemporaryDirectory() as folder:
        records = read(Path(folder), content)
    kept = [record.abstract for record in records if isinstance(record, Record)]
    introduction = [record for record in records if isinstance(record, Skipped)]
    assert all(skipped.row == 0 for skipped in introduction)
    assert kept == paragraphs[len(introduction) :]


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_in_words(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            read(Path(folder), data)
        except InputError as error:
            assert "list.txt" in str(error)  # noqa: PT017


@settings(deadline=None)
@given(st.text(alphabet='ab ,;\t\n"#-1.[]{}:<@TY', max_size=200), st.sampled_from(["txt", "csv"]))
def test_any_text_is_read_or_refused_in_words(text: str, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            read(Path(folder), text, f"list.{suffix}")
        except InputError as error:
            assert f"list.{suffix}" in str(error)  # noqa: PT017


# Bytes


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_marks_and_wide_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    texts = [ONE.replace("labour", "“labour” – Müller"), TWO]
    assert abstracts(tmp_path, "\n\n".join(texts).encode(encoding)) == texts
    rows = f'title,abstract\nAnts,"{texts[0]}"\n'.encode(encoding)
    assert abstracts(tmp_path, rows, "list.csv") == texts[:1]


def test_gzip_is_read_as_it_is_whatever_its_name(tmp_path: Path) -> None:
    packed = gzip.compress(json.dumps([{"title": "Ants", "abstract": ONE}]).encode())
    assert abstracts(tmp_path, packed, "list.json.gz") == [ONE]
    assert abstracts(tmp_path, packed, "list.dat") == [ONE]
    assert "gzip" in refusal(tmp_path, packed[:-9], "list.json.gz")


def test_another_encoding_is_refused_with_the_command_that_mends_it(tmp_path: Path) -> None:
    western = refusal(tmp_path, ONE.replace("labour", "Müller").encode("cp1252"))
    assert "iconv -f WINDOWS-1252" in western
    assert "iconv -f GB18030" in refusal(tmp_path, CHINESE.encode("gb18030"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"\xef\xbb\xbf \n", "blanks"),
        (b"%PDF-1.7 \x00\x01\x02", "PDF"),
        (b"PK\x03\x04abc", "ZIP"),
        (bytes(range(256)), "binary"),
        (b"Papers\n\nNone yet\n", "no abstract"),
        (b"TY  - JOUR\nTI  - Ants\nAB  - We study ants.\nER  -\n", "RIS"),
        (b"\xef\xbb\xbfTY  - CPAPER\nTI  - Ants\n", "RIS"),
        (b"@article{ants,\n  title = {Ants},\n  abstract = {We study ants.}\n}\n", "BibTeX"),
        (b"<?xml version='1.0'?>\n<feed><entry/></feed>", "XML"),
        (b"<html><p>We study ants and bridges in this paper.</p></html>", "XML"),
        (b"PMID- 123\nTI  - Ants\n", "MEDLINE"),
        (b"{\\rtf1 We study ants.}", "RTF"),
        (b"\\documentclass{article}\n\\begin{document}\nWe study ants.", "LaTeX"),
    ],
)
def test_what_is_no_list_of_abstracts_is_refused_in_words(
    tmp_path: Path, content: bytes, said: str
) -> None:
    assert said in refusal(tmp_path, content)


def test_a_missing_file_and_a_folder_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        read_records(tmp_path / "none.txt")
    with pytest.raises(InputError, match="folder"):
        read_records(tmp_path)


# JSON


ROWS = [{"title": "Ants", "abstract": ONE}, {"title": "Bridges", "abstract": TWO}]


@pytest.mark.parametrize(
    "value",
    [
        ROWS,
        {"data": ROWS},
        {"papers": ROWS, "total": 2, "authors": [{"name": "Ada Byron"}]},
        {"status": "ok", "message": {"items": ROWS, "facets": {}}},
        {"oral": ROWS[:1], "poster": ROWS[1:]},
        {"hits": {"hits": [{"_id": "7", "_source": row} for row in ROWS]}},
        {"a1": ROWS[0], "a2": ROWS[1]},
        [{"key": "K", "data": row, "meta": {}} for row in ROWS],
        {"title": {"0": "Ants", "1": "Bridges"}, "abstract": {"0": ONE, "1": TWO}},
        {"title": ["Ants", "Bridges"], "abstract": [ONE, TWO]},
        {
            "columns": ["title", "abstract"],
            "index": [0, 1],
            "data": [["Ants", ONE], ["Bridges", TWO]],
        },
        {
            "notes": [
                {"id": f"x{n}", "content": {k: {"value": v} for k, v in row.items()}}
                for n, row in enumerate(ROWS)
            ]
        },
    ],
)
def test_the_list_is_found_by_its_shape(tmp_path: Path, value: object) -> None:
    for indent in (None, 2):
        records = read(tmp_path, json.dumps(value, indent=indent), "list.txt.txt")
        assert [(r.title, r.abstract) for r in records if isinstance(r, Record)] == [
            ("Ants", ONE),
            ("Bridges", TWO),
        ]


def test_objects_keyed_by_id_keep_it_and_strings_are_untitled(tmp_path: Path) -> None:
    keyed = read(tmp_path, json.dumps({"a1": ROWS[0], "a2": ROWS[1]}), "list.json")
    assert [record.key for record in keyed if isinstance(record, Record)] == ["a1", "a2"]
    assert read(tmp_path, json.dumps([ONE, TWO]), "list.json") == [
        Record(abstract=ONE, position=1),
        Record(abstract=TWO, position=2),
    ]


def test_a_bad_line_of_jsonl_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    lines = [json.dumps(ROWS[0]), "", '{"title": "Cut', json.dumps(ROWS[1]), "[1]", ""]
    first, second, third, fourth = read(tmp_path, "\n".join(lines), "list.txt")
    assert isinstance(first, Record)
    assert isinstance(third, Record)
    assert third.position == 3
    assert isinstance(second, Skipped)
    assert second.row == 2
    assert "not valid JSON" in second.reason
    assert isinstance(fourth, Skipped)
    assert "[1]" in fourth.reason


def test_a_line_separator_inside_a_string_ends_no_line(tmp_path: Path) -> None:
    line = json.dumps({"abstract": f"{ONE}\u2028{TWO}"}, ensure_ascii=False)
    assert abstracts(tmp_path, f"{line}\n{line}\n", "list.jsonl") == [f"{ONE}\u2028{TWO}"] * 2


def test_broken_json_is_refused_with_the_place(tmp_path: Path) -> None:
    whole = json.dumps(ROWS, indent=1)
    assert "line" in refusal(tmp_path, whole[:-30], "list.json")
    assert "valid JSON" in refusal(tmp_path, whole[:-30], "list.txt")
    assert "no list of papers" in refusal(tmp_path, '{"version": 3}', "list.json")
    assert "no list of papers" in refusal(tmp_path, "[]", "list.json")
    assert "nested" in refusal(tmp_path, "[" * 100_000, "list.json")


def test_latex_braces_and_numbers_in_brackets_are_no_json(tmp_path: Path) -> None:
    texts = [f"{{\\em Ants}} matter. {ONE}", f"[We] argue so. {TWO}"]
    assert abstracts(tmp_path, "\n\n".join(texts)) == texts


@pytest.mark.parametrize(
    "row",
    [
        {"Paper Title": "Ants", "Abstract Note": ONE},
        {"paper_title": "Ants", "SUMMARY": ONE},
        {"name": "Ants", "description": ONE},
        {"title": "Ants", "abstract": None, "text": ONE},
        {
            "title": ["Ants"],
            "source": ONE.replace(". ", ".|").split("|"),
        },
        {"title": "\n  Ants ", "abstract": f"  {ONE}\n"},
        {
            "display_name": "Ants",
            "abstract_inverted_index": {
                word: [n for n, other in enumerate(ONE.split()) if other == word]
                for word in ONE.split()
            },
        },
    ],
)
def test_usual_names_of_fields_are_known(tmp_path: Path, row: dict[str, object]) -> None:
    record = one_record(tmp_path, row)
    assert (record.title, record.abstract) == ("Ants", ONE)


def test_what_else_is_known_of_a_paper_is_kept(tmp_path: Path) -> None:
    record = one_record(
        tmp_path,
        {
            "_id": 17,
            "title": "Ants",
            "abstract": ONE,
            "author": "Byron, Ada; Muster, Max",
            "publication_year": "2031.0",
            "journal": {"name": "Journal of Ants", "volume": "3"},
            "doi": "https://doi.org/10.1234/ants.5",
            "tags": [{"term": "cs.LG"}, {"term": "q-bio"}],
        },
    )
    assert record == Record(
        abstract=ONE,
        position=1,
        title="Ants",
        key="17",
        authors=("Ada Byron", "Max Muster"),
        year=2031,
        venue="Journal of Ants",
        url="https://doi.org/10.1234/ants.5",
        keywords=("cs.LG", "q-bio"),
    )


@pytest.mark.parametrize(
    ("field", "value", "year"),
    [
        ("year", 2031, 2031),
        ("date", "3 May 2031", 2031),
        ("published", "2031-05-03T10:00:00Z", 2031),
        ("issued", {"date-parts": [[2031, 5]]}, 2031),
        ("year", "n.d.", None),
        ("year", 0, None),
        ("venue", "Conference on Ants 2031 poster", 2031),
        ("bibtex", "@inproceedings{a,\n year = {2031},\n title = {Ants of 1999}\n}", 2031),
    ],
)
def test_the_year_is_found_in_any_date(
    tmp_path: Path, field: str, value: object, year: int | None
) -> None:
    assert one_record(tmp_path, {"abstract": ONE, field: value}).year == year


@pytest.mark.parametrize(
    ("field", "value", "url"),
    [
        ("link", "https://example.org/1", "https://example.org/1"),
        ("pdf", "/pdf/1.pdf", None),
        ("site", "Hall 3", None),
        ("DOI", "10.1234/ants.5", "https://doi.org/10.1234/ants.5"),
        ("arxiv_id", "2031.01234v2", "https://arxiv.org/abs/2031.01234v2"),
        ("forum", "aBcD-12_xY", "https://openreview.net/forum?id=aBcD-12_xY"),
        ("url", "www.example.org/1", "https://www.example.org/1"),
        ("url", "javascript:alert(1)", None),
    ],
)
def test_an_address_is_one_that_can_be_opened(
    tmp_path: Path, field: str, value: str, url: str | None
) -> None:
    assert one_record(tmp_path, {"abstract": ONE, field: value}).url == url


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("ants; bridges ;ants", ("ants", "bridges")),
        ("ants|bridges", ("ants", "bridges")),
        ("idle ants, bridges", ("idle ants", "bridges")),
        ("math.CO cs.CG", ("math.CO", "cs.CG")),
        ("idle ants", ("idle ants",)),
        (["ants", None, "bridges"], ("ants", "bridges")),
        ("['ants', 'bridges']", ("ants", "bridges")),
        ("nan", ()),
    ],
)
def test_keywords_are_split_as_exports_join_them(
    tmp_path: Path, value: object, found: tuple[str, ...]
) -> None:
    assert one_record(tmp_path, {"abstract": ONE, "keywords": value}).keywords == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (["Ada Byron", "Max Muster"], ("Ada Byron", "Max Muster")),
        (["Byron, Ada"], ("Ada Byron",)),
        ([{"name": "Ada Byron"}], ("Ada Byron",)),
        ([{"given": "Ada", "family": "Byron"}], ("Ada Byron",)),
        ([{"firstName": "Ada", "lastName": "Byron"}], ("Ada Byron",)),
        ([{"author": {"display_name": "Ada Byron"}, "position": "first"}], ("Ada Byron",)),
        ("Byron, Ada; Muster, Max", ("Ada Byron", "Max Muster")),
        ("Ada Byron;Max Muster", ("Ada Byron", "Max Muster")),
        ("Ada Byron|Max Muster", ("Ada Byron", "Max Muster")),
        ("Ada Byron and Max Muster", ("Ada Byron", "Max Muster")),
        ("Byron, Ada and Muster, Max", ("Ada Byron", "Max Muster")),
        ("Ada Byron, Max Muster and\n Eva Li", ("Ada Byron", "Max Muster", "Eva Li")),
        ("Ada Byron, Max Muster, and Eva Li", ("Ada Byron", "Max Muster", "Eva Li")),
        ("Wei Li, Bo Xu", ("Wei Li", "Bo Xu")),
        ("Byron, Ada", ("Ada Byron",)),
        ("Byron, A., Muster, M. X.", ("A. Byron", "M. X. Muster")),
        ("Muster, Jr., Max; Byron, Ada", ("Max Muster Jr.", "Ada Byron")),
        ("Ada Byron et al.", ("Ada Byron",)),
        ("Ada Byron, Max Muster, et al.", ("Ada Byron", "Max Muster")),
        (None, ()),
        ([None, "", "Ada Byron"], ("Ada Byron",)),
    ],
)
def test_names_of_authors_come_as_first_and_last(value: object, found: tuple[str, ...]) -> None:
    assert names(value) == found


@pytest.mark.parametrize(
    ("abstract", "said"),
    [
        ("", "no abstract"),
        (None, "no abstract"),
        (" \n ", "no abstract"),
        ("N/A", "'N/A'"),
        ("nan", "'nan'"),
        (float("nan"), "no abstract"),
        ("[No abstract available]", "no abstract"),
        ("Abstract Unavailable", "no abstract"),
        ("#NAME?", "no abstract"),
        ("暂无", "no abstract"),
        ("https://example.org/ants.pdf", "URL"),
        (
            "Requests for name changes in the electronic proceedings will be accepted.",
            "boilerplate",
        ),
        ("This paper has been withdrawn by the author due to an error in Lemma 3.", "withdrawn"),
        ("We", "too short"),
        ("idle ants,division of labour,scarcity", "keywords"),
        (["", None], "no abstract"),
        ({"html": None}, "no abstract"),
    ],
)
def test_a_row_without_an_abstract_is_named_with_its_reason(
    tmp_path: Path, abstract: object, said: str
) -> None:
    assert said in reason_of(tmp_path, {"title": "Bridges", "abstract": abstract})


def test_values_in_the_wrong_columns_are_named_as_such(tmp_path: Path) -> None:
    shifted: dict[str, object] = {
        "title": "Ants",
        "abstract": "idle ants",
        "keywords": "https://example.org/1",
    }
    assert "wrong columns" in reason_of(tmp_path, {**shifted, "url": " Bees"})
    cut: dict[str, object] = {
        "title": "Ants",
        "abstract": " and Wasps",
        "keywords": " Bees",
        "url": " Hornets",
    }
    assert "' Hornets' in 'url'" in reason_of(tmp_path, cut)
    assert one_record(tmp_path, {"abstract": ONE, "site": "Hall 3"}).url is None


def test_a_file_whose_rows_all_lack_abstracts_gives_them_and_is_then_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps({"data": [{"title": "Ants"}, {"title": "Bridges"}]}))
    records = read_records(path)
    assert next(records) == Skipped("list.json", 1, "Ants", "no abstract")
    assert next(records) == Skipped("list.json", 2, "Bridges", "no abstract")
    with pytest.raises(InputError, match=r"no abstract \(2\)"):
        next(records)


NASTY = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=60
)


@settings(deadline=None)
@given(st.lists(st.tuples(NASTY, NASTY), min_size=1, max_size=6), st.booleans(), st.booleans())
def test_json_with_nasty_strings_is_read_back(
    pairs: list[tuple[str, str]], by_line: bool, ascii_only: bool
) -> None:
    rows = [{"title": f"On {title} now", "abstract": f"{ONE} {text}"} for title, text in pairs]
    dumped = [json.dumps(row, ensure_ascii=ascii_only) for row in rows]
    content = "\n".join(dumped) if by_line else f"[{','.join(dumped)}]"
    with tempfile.TemporaryDirectory() as folder:
        records = read(Path(folder), content, "list.json")
    assert [(r.title, r.abstract, r.position) for r in records if isinstance(r, Record)] == [
        (" ".join(row["title"].split()), row["abstract"].strip(), n)
        for n, row in enumerate(rows, 1)
    ]


# Tables


def table(rows: list[list[str]], delimiter: str, quoting: int = csv.QUOTE_MINIMAL) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting)  # type: ignore[arg-type]
    writer.writerows(rows)
    return out.getvalue()


@settings(deadline=None)
@given(
    st.lists(st.tuples(NASTY, NASTY), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_tables_with_nasty_strings_are_read_back(
    pairs: list[tuple[str, str]], delimiter: str, quoting: int
) -> None:
    rows = [[f"On {title} now", "Ada Byron", f"{ONE} {text}."] for title, text in pairs]
    content = table([["Title", "Authors", "Abstract"], *rows], delimiter, quoting)
    with tempfile.TemporaryDirectory() as folder:
        records = read(Path(folder), content, "list.csv")
    assert [(r.title, r.abstract, r.position) for r in records if isinstance(r, Record)] == [
        (" ".join(row[0].split()), row[2].strip(), n) for n, row in enumerate(rows, 1)
    ]


@settings(deadline=None)
@given(st.lists(st.tuples(NASTY, NASTY), min_size=1, max_size=6))
def test_tabs_without_quoting_keep_every_quote_and_row(pairs: list[tuple[str, str]]) -> None:
    def flat(text: str) -> str:
        return " ".join(text.split())

    rows = [['"So?"', flat(title) or "-", f'"{ONE} {flat(text)}'] for title, text in pairs]
    content = "\n".join("\t".join(row) for row in [["title", "keywords", "abstract"], *rows])
    with tempfile.TemporaryDirectory() as folder:
        records = read(Path(folder), content, "list.tsv")
    assert [r.abstract for r in records if isinstance(r, Record)] == [r[2].strip() for r in rows]


def test_a_quote_that_is_never_closed_swallows_no_rows(tmp_path: Path) -> None:
    content = f'id\ttitle\tabstract\n1\t"Ants\t{ONE}\n2\tBridges\t{TWO}\n3\tSorting\t{THREE}\n'
    assert abstracts(tmp_path, content, "list.tsv") == [ONE, TWO, THREE]
    content = f'id,title,abstract\n1,"Ants,"{ONE}"\n2,Bridges,"{TWO}"\n3,"Sorting","{THREE}"\n'
    records = read(tmp_path, content, "list.csv")
    assert len(records) == 3
    assert [r.abstract for r in records[1:] if isinstance(r, Record)] == [TWO, THREE]


def test_loose_commas_and_quotes_are_put_right(tmp_path: Path) -> None:
    quoted = ONE.replace("idle", '"idle"').replace("scarce", '"scarce"')
    content = f'id,title,url,abstract\n1,Ants, Bees, and Wasps,https://example.org/1,"{quoted}"\n'
    (record,) = read(tmp_path, content, "list.csv")
    assert isinstance(record, Record)
    assert record.title == "Ants, Bees, and Wasps"
    assert record.abstract == quoted


def test_a_row_with_too_many_or_too_few_cells_is_named(tmp_path: Path) -> None:
    content = f'id,title,abstract\n1,Ants,"{ONE}"\n2,Bees,x,y,z\n3,Wasps\n4,Ticks,"{TWO}",\n'
    first, many, few, last = read(tmp_path, content, "list.csv")
    assert isinstance(first, Record)
    assert many == Skipped("list.csv", 2, "Bees", "the row has 5 cells, the header names 3 columns")
    assert few == Skipped(
        "list.csv", 3, "Wasps", "no abstract; the row has 2 cells, the header names 3"
    )
    assert isinstance(last, Record)
    assert last.position == 4


def test_empty_rows_are_no_records(tmp_path: Path) -> None:
    content = f'title,abstract\n\nAnts,"{ONE}"\n,\n\nBridges,"{TWO}"\n,\n'
    assert [r.position for r in read(tmp_path, content, "a.csv") if isinstance(r, Record)] == [1, 2]


def test_a_table_without_abstracts_lists_its_columns(tmp_path: Path) -> None:
    message = refusal(tmp_path, "Title,Authors\nAnts,Ada Byron\n", "list.csv")
    assert "'Title', 'Authors'" in message
    assert "'abstract'" in message
    assert "first row" in refusal(tmp_path, f"1\tAnts\t{ONE}\n2\tBees\t{TWO}\n", "list.txt")


def test_a_table_is_known_by_its_header_whatever_its_name(tmp_path: Path) -> None:
    rows = [["Title", "Abstract"], ["Ants", ONE], ["Bridges", TWO]]
    for delimiter in ",;\t|":
        assert abstracts(tmp_path, table(rows, delimiter), "list.txt") == [ONE, TWO]
        assert abstracts(tmp_path, f"sep={delimiter}\n" + table(rows, delimiter), "a.csv") == [
            ONE,
            TWO,
        ]
    assert abstracts(tmp_path, table([["abstract"], [ONE], [TWO]], ","), "a.csv") == [ONE, TWO]


def test_blanks_behind_delimiters_and_rules_under_the_header_are_no_content(tmp_path: Path) -> None:
    spaced = f'title, abstract, year\n"Ants, Bees", "{ONE}", 2031\nWasps, "{TWO}", 2030\n'
    first, second = read(tmp_path, spaced, "list.csv")
    assert isinstance(first, Record)
    assert (first.title, first.abstract, first.year) == ("Ants, Bees", ONE, 2031)
    assert isinstance(second, Record)
    drawn = f"| title | abstract |\n|-------|:---|\n| Ants | {ONE} |\n| Bees | {TWO} |\n"
    assert abstracts(tmp_path, drawn, "list.md") == [ONE, TWO]


def test_a_cell_of_a_million_characters_is_read(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    long = f"{ONE} " * 6000
    assert abstracts(tmp_path, table([["title", "abstract"], ["Ants", long]], ","), "a.csv") == [
        long.strip()
    ]
    assert csv.field_size_limit() == limit


def test_nothing_is_lost_in_twenty_thousand_rows(tmp_path: Path) -> None:
    rows = [[f"Ants {n}", f"{ONE} Colony {n}." if n % 100 else ""] for n in range(20_000)]
    records = read(tmp_path, table([["title", "abstract"], *rows], ","), "list.csv")
    assert len(records) == 20_000
    assert sum(isinstance(record, Skipped) for record in records) == 200


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"{number} ants walked by and were counted by hand." for number in range(5_000)),
        "\n\n".join([ONE.replace("12", str(number)) for number in range(3_000)]),
        f"{ONE}{' ' * 100_000}\f{TWO}{chr(10) * 100_000}{THREE}",
        f"{'-' * 100_000} {ONE}",
    ],
    ids=["one block of many lines", "many blocks", "white space", "marks"],
)
def test_a_large_or_odd_list_is_read_in_time(tmp_path: Path, text: str) -> None:
    assert abstracts(tmp_path, text)


def test_numbers_of_any_length_are_read_whole(tmp_path: Path) -> None:
    first, second = 1234567890123456781, 1234567890123456782
    rows = [{"id": first, "abstract": ONE}, {"id": second, "abstract": TWO}]
    assert keys(read(tmp_path, json.dumps(rows), "list.json")) == [str(first), str(second)]
    huge = [{"id": 10**400, "abstract": ONE}]
    assert keys(read(tmp_path, json.dumps(huge), "list.json")) == [str(10**400)]


def keys(found: list[Record | Skipped]) -> list[str | None]:
    return [record.key for record in found if isinstance(record, Record)]


def test_a_number_that_no_program_reads_costs_its_row_alone(tmp_path: Path) -> None:
    bad = f'{{"abstract": "{ONE}", "year": {"9" * 5000}}}'
    good = json.dumps({"abstract": TWO})
    with pytest.raises(InputError, match="not valid JSON"):
        read(tmp_path, f"[{bad}]", "list.json")
    skipped, record = read(tmp_path, f"{bad}\n{good}", "list.jsonl")
    assert isinstance(skipped, Skipped)
    assert isinstance(record, Record)


@pytest.mark.parametrize("field", ["abstract", "date", "authors", "keywords"])
def test_a_row_that_is_nested_too_deeply_is_left_out(tmp_path: Path, field: str) -> None:
    deep = f'{{"title": "Ants", "{field}": {"[" * 900}"a"{"]" * 900}}}'
    good = json.dumps({"abstract": TWO})
    skipped, record = read(tmp_path, f"[{deep}, {good}]", "list.json")
    assert isinstance(skipped, Skipped)
    assert isinstance(record, Record)


def test_half_a_character_is_a_question_mark(tmp_path: Path) -> None:
    row: dict[str, object] = {
        "abstract": f"{ONE} \ud800",
        "venue": "V\udfff",
        "id": "k\ud83d",
        "title": "Ants \U0001f41c",
    }
    record = one_record(tmp_path, row)
    assert (record.abstract, record.venue) == (f"{ONE} ?", "V?")
    assert (record.key, record.title) == ("k?", "Ants \U0001f41c")


def test_et_al_is_no_author_and_etal_is_one() -> None:
    assert names("Ana Etal, Bo Li et al.") == ("Ana Etal", "Bo Li")
    assert names(["Kim, Jo", "et.al."]) == ("Jo Kim",)
