"""The ingest job from files to a published index; the model is a made-up one."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from ingest import SAMPLE, Report, ingest, passages
from ingest.job import MOST_CHARACTERS
from ingest.publish import DEAD_SHARE
from rag import generations, store
from rag.embed import Encoded, embed_question
from rag.errors import IndexBusy, IndexMismatch, IndexProblem, InputError
from rag.index import open_index
from rag.types import Paper, Span
from tests.papers import ALL, BEETLE, LANTERN, MOSAIC, ORCHID, TIDEPOOL, write_list
from tests.word_embedder import WordEmbedder

# Most of its words are those of ORCHID.
ORCHID_REVISED = ORCHID.replace("37%", "39%")


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    """The embedder that every ingest of a test uses."""
    embedder = WordEmbedder()
    monkeypatch.setattr("ingest.job.open_embedder", lambda _settings: embedder)
    return embedder


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index"


def papers(index: Path) -> tuple[Paper, ...]:
    opened = open_index(index, "words")
    try:
        return opened.papers
    finally:
        opened.close()


def ids(index: Path) -> dict[str, str]:
    return {paper.abstract: paper.id for paper in papers(index)}


def counted(report: Report) -> tuple[int, int, int, int]:
    return report.added, report.updated, report.unchanged, report.removed


def write_json(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def snapshot(index: Path) -> tuple[str | None, list[str]]:
    """What is current and which generations lie there."""
    folder = index / generations.GENERATIONS
    there = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    return generations.current(index), there


def test_a_list_becomes_an_index_with_all_its_papers(
    tmp_path: Path, index: Path, words: WordEmbedder
) -> None:
    calls: list[tuple[int, int]] = []
    report = ingest(
        [write_list(tmp_path / "list.txt")], index, progress=lambda *call: calls.append(call)
    )
    assert counted(report) == (5, 0, 0, 0)
    assert (report.papers, report.skipped, report.notes) == (5, (), ())
    assert [paper.abstract for paper in papers(index)] == list(ALL)
    assert [paper.position for paper in papers(index)] == [1, 2, 3, 4, 5]
    assert calls == [(n, 5) for n in range(1, 6)]
    assert set(ALL) <= set(words.asked)


def test_a_second_run_embeds_nothing_and_publishes_nothing(
    tmp_path: Path, index: Path, words: WordEmbedder
) -> None:
    files = [write_list(tmp_path / "a.txt", ALL[:3]), write_list(tmp_path / "b.txt", ALL[3:])]
    ingest(files, index)
    before = snapshot(index)
    words.asked.clear()
    calls: list[tuple[int, int]] = []
    for again in (files, files[:1], files[::-1]):
        report = ingest(again, index, progress=lambda *call: calls.append(call))
        assert counted(report) == (0, 0, 5, 0)
        assert snapshot(index) == before
    assert not calls
    assert not words.asked


def test_an_update_embeds_only_what_changed(
    tmp_path: Path, index: Path, words: WordEmbedder
) -> None:
    file = write_list(tmp_path / "list.txt")
    ingest([file], index)
    first = ids(index)
    words.asked.clear()
    changed = (ORCHID_REVISED, TIDEPOOL, MOSAIC, "Ducks sleep with one eye open in every flock.")
    report = ingest([write_list(file, changed)], index)
    assert counted(report) == (1, 1, 2, 2)
    assert sorted(words.asked) == sorted([changed[0], changed[3]])
    now = ids(index)
    assert list(now) == list(changed)
    assert now[ORCHID_REVISED] == first[ORCHID]
    assert (now[TIDEPOOL], now[MOSAIC]) == (first[TIDEPOOL], first[MOSAIC])
    check_whole(index)


def check_whole(index: Path) -> None:
    """Sentences and passages lie where their papers say, with the vectors of their own words."""
    opened = open_index(index, "words")
    embedder = WordEmbedder()
    for row, paper in enumerate(opened.papers):
        spans, vectors = opened.arrays.of(row).spans, opened.arrays.of(row).sentences
        texts = [paper.abstract[span.start : span.end] for span in spans]
        assert " ".join(texts) == paper.abstract
        for place, encoded in embedder.encode(texts):
            assert float(encoded.vector @ vectors[place]) > 0.99
        passage = embed_question(embedder, " ".join(texts[: passages.LENGTH]))
        assert store.nearest(opened.store, passage.vector, 1) == [paper.id]
    assert store.counts(opened.store) == (opened.manifest.passages, len(opened.papers))
    opened.close()


def test_ids_do_not_depend_on_the_order_of_the_files(tmp_path: Path) -> None:
    files = [write_list(tmp_path / f"{n}.txt", [text]) for n, text in enumerate(ALL)]
    ingest(files, tmp_path / "one")
    ingest(files[::-1], tmp_path / "other")
    assert ids(tmp_path / "one") == ids(tmp_path / "other")


def test_a_given_title_is_kept_and_a_missing_one_is_derived(tmp_path: Path, index: Path) -> None:
    file = write_json(
        tmp_path / "list.json",
        {
            "title": "On {\\em Molecules}",
            "abstract": ORCHID,
            "authors": ["A. B. See"],
            "year": 2026,
        },
        {"abstract": TIDEPOOL},
    )
    ingest([file], index)
    given, derived = papers(index)
    assert (given.title, given.title_source) == ("On Molecules", "given")
    assert (given.authors, given.year, given.source) == (("A. B. See",), 2026, "list.json")
    assert derived.title_source == "derived"
    assert 0 < len(derived.title) <= 90


def test_no_two_papers_have_the_same_name(tmp_path: Path, index: Path) -> None:
    texts = [f"We study the sleep of ducks. It lasts {hours} hours a night." for hours in "456"]
    ingest([write_list(tmp_path / "a.txt", texts[:2]), write_list(tmp_path / "b.txt", ALL)], index)
    ingest([write_list(tmp_path / "c.txt", texts[2:])], index)
    titles = [paper.title for paper in papers(index)]
    assert len(titles) == len(set(titles)) == 8


def test_a_key_in_the_file_makes_a_rewritten_abstract_the_same_paper(
    tmp_path: Path, index: Path
) -> None:
    path = tmp_path / "list.json"
    ingest([write_json(path, {"id": "k1", "abstract": ORCHID})], index)
    first = ids(index)[ORCHID]
    report = ingest(
        [write_json(path, {"abstract": BEETLE}, {"id": "k1", "abstract": TIDEPOOL})], index
    )
    assert counted(report) == (1, 1, 0, 0)
    assert ids(index)[TIDEPOOL] == first


def test_a_key_that_comes_later_counts_from_then_on(tmp_path: Path, index: Path) -> None:
    path = tmp_path / "list.json"
    ingest([write_json(path, {"abstract": ORCHID})], index)
    first = ids(index)[ORCHID]
    ingest([write_json(path, {"id": "k1", "abstract": ORCHID})], index)
    ingest([write_json(path, {"id": "k1", "abstract": TIDEPOOL})], index)
    assert ids(index)[TIDEPOOL] == first


def test_other_sources_stay_unless_they_are_to_be_removed(tmp_path: Path, index: Path) -> None:
    one = write_list(tmp_path / "a.txt", ALL[:2])
    other = write_list(tmp_path / "b.txt", ALL[2:])
    ingest([one], index)
    assert counted(ingest([other], index)) == (3, 0, 2, 0)
    assert counted(ingest([other], index, sync=True)) == (0, 0, 3, 2)
    assert [paper.abstract for paper in papers(index)] == list(ALL[2:])
    check_whole(index)


def test_a_text_that_moves_to_another_file_keeps_its_id(
    tmp_path: Path, index: Path, words: WordEmbedder
) -> None:
    one, other = tmp_path / "a.txt", tmp_path / "b.txt"
    ingest([write_list(one, ALL[:3]), write_list(other, ALL[3:])], index)
    first = ids(index)
    words.asked.clear()
    report = ingest([write_list(one, ALL[:2]), write_list(other, ALL[2:])], index)
    assert counted(report) == (0, 0, 5, 0)
    assert ids(index) == first
    assert words.asked == []
    moved = next(paper for paper in papers(index) if paper.abstract == LANTERN)
    assert (moved.source, moved.position) == ("b.txt", 1)


def test_duplicates_are_skipped_and_say_where_the_first_stands(tmp_path: Path, index: Path) -> None:
    report = ingest(
        [
            write_list(tmp_path / "a.txt", [ORCHID, TIDEPOOL, ORCHID.upper()]),
            write_list(tmp_path / "b.txt", [BEETLE, TIDEPOOL]),
        ],
        index,
    )
    assert report.papers == 3
    assert [(s.source, s.row, s.reason) for s in report.skipped] == [
        ("a.txt", 3, "the same abstract as number 1 of a.txt"),
        ("b.txt", 2, "the same abstract as number 2 of a.txt"),
    ]


def test_a_row_without_an_abstract_is_named_with_its_reason(tmp_path: Path, index: Path) -> None:
    file = write_json(
        tmp_path / "list.json",
        {"title": "Nothing", "abstract": "N/A"},
        {"title": "Something", "abstract": ORCHID},
    )
    report = ingest([file], index)
    assert [(s.source, s.row, s.title) for s in report.skipped] == [("list.json", 1, "Nothing")]
    assert report.skipped[0].reason
    assert papers(index)[0].position == 2


def test_a_file_of_rows_without_abstracts_is_refused_with_the_reasons(
    tmp_path: Path, index: Path
) -> None:
    file = write_json(tmp_path / "list.json", {"title": "A", "abstract": ""}, {"title": "B"})
    with pytest.raises(InputError, match=r"list\.json.*abstract"):
        ingest([file], index)
    assert snapshot(index) == (None, [])


def test_a_text_that_is_too_long_for_an_abstract_is_skipped_with_its_length(
    tmp_path: Path, index: Path
) -> None:
    long = " ".join([ALL[1]] * (MOST_CHARACTERS // len(ALL[1]) + 1))
    report = ingest([write_list(tmp_path / "mixed.txt", [ALL[0], long])], index)
    assert (report.added, len(report.skipped)) == (1, 1)
    assert "an abstract at most 50,000" in report.skipped[0].reason


def test_a_file_of_which_cleaning_leaves_nothing_is_refused_with_the_reasons(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = write_list(tmp_path / "good.txt", ALL)
    ingest([good], index)
    before = snapshot(index)
    bad = write_list(tmp_path / "bad.txt", ["A B C D E F G H I J K."] * 2)
    monkeypatch.setattr("ingest.job.clean", lambda text: "" if text.startswith("A B") else text)
    for place in (index, tmp_path / "new"):
        with pytest.raises(InputError, match=r"bad\.txt.*nothing is left.*\(2\)"):
            ingest([good, bad], place, sync=True)
    assert snapshot(index) == before
    assert snapshot(tmp_path / "new") == (None, [])


@pytest.mark.parametrize(
    ("name", "content"),
    [("missing.txt", None), ("empty.txt", b""), ("film.mp4", bytes(range(256)) * 20)],
)
def test_a_bad_file_among_good_ones_changes_nothing(
    tmp_path: Path, index: Path, name: str, content: bytes | None
) -> None:
    good = write_list(tmp_path / "good.txt", ALL[:2])
    ingest([good], index)
    before = snapshot(index)
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=name):
        ingest([write_list(good, ALL), tmp_path / name], index)
    assert snapshot(index) == before
    assert len(papers(index)) == 2


def test_no_file_at_all_is_refused(index: Path) -> None:
    with pytest.raises(InputError, match="No file was given"):
        ingest([], index)
    assert not index.exists()


def test_two_files_of_one_name_are_two_sources(tmp_path: Path, index: Path) -> None:
    files = []
    for folder, texts in (("x", ALL[:2]), ("y", ALL[2:])):
        (tmp_path / folder).mkdir()
        files.append(write_list(tmp_path / folder / "list.txt", texts))
    ingest(files, index)
    assert [p.source for p in papers(index)] == ["x/list.txt"] * 2 + ["y/list.txt"] * 3
    assert counted(ingest(files[1:], index)) == (0, 0, 5, 0)
    report = ingest([write_list(files[1], ALL[2:4])], index)
    assert counted(report) == (0, 0, 4, 1)


def test_a_second_ingest_at_the_same_time_is_told_so(tmp_path: Path, index: Path) -> None:
    file = write_list(tmp_path / "list.txt")
    with generations.writing(index), pytest.raises(IndexBusy):
        ingest([file], index)
    assert ingest([file], index).papers == 5


def test_an_index_of_another_model_is_not_continued(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_list(tmp_path / "list.txt")
    ingest([file], index)
    before = snapshot(index)
    monkeypatch.setattr("ingest.job.open_embedder", lambda _settings: WordEmbedder("others"))
    with pytest.raises(IndexMismatch, match="others"):
        ingest([file], index)
    assert snapshot(index) == before


@pytest.mark.parametrize("kind", ["file", "chroma", "address", "long"])
def test_a_place_that_is_no_index_is_refused_and_left_alone(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = write_list(tmp_path / "list.txt")
    (tmp_path / "chroma").mkdir()
    (tmp_path / "chroma" / "chroma.sqlite3").touch()
    places = {"file": file, "chroma": tmp_path / "chroma", "address": Path("http://host")}
    place = places.get(kind, tmp_path / ("a" * 300))
    with pytest.raises(IndexMismatch, match="--index"):
        ingest([file], place)
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "chroma",
        "chroma.sqlite3",
        "list.txt",
    ]


class _Interrupted(WordEmbedder):
    """Stops in the middle of embedding."""

    def encode(
        self, texts: Sequence[str], parts: Sequence[Sequence[Span]] = (), *, asking: bool = False
    ) -> Iterator[tuple[int, Encoded]]:
        for place, encoded in super().encode(texts):
            if place == 2:
                raise KeyboardInterrupt
            yield place, encoded


def test_nothing_is_left_of_a_run_that_fails(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_list(tmp_path / "list.txt")
    with monkeypatch.context() as patch:
        patch.setattr("ingest.job.open_embedder", lambda _settings: _Interrupted())
        with pytest.raises(KeyboardInterrupt):
            ingest([file], index)
    assert snapshot(index) == (None, [])
    ingest([file], index)
    before = snapshot(index)

    def broken(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    for step in (
        "rag.generations.begin",
        "rag.arrays.write",
        "rag.index.write_lexical",
        "rag.index.write_manifest",
    ):
        with monkeypatch.context() as patch:
            patch.setattr(f"{step}", broken)
            with pytest.raises(IndexProblem, match="No space left"):
                ingest([write_list(file, ALL[:3])], index)
        assert snapshot(index) == before
    assert len(papers(index)) == 5


def test_an_interruption_after_the_pointer_moved_leaves_the_new_generation(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_list(tmp_path / "list.txt")
    ingest([file], index)
    move = generations.publish

    def interrupted(place: Path, generation: Path) -> None:
        move(place, generation)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(generations, "publish", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ingest([write_list(file, ALL[:3])], index)
    assert len(papers(index)) == 3
    assert counted(ingest([file], index)) == (0, 0, 3, 0)
    current, there = snapshot(index)
    assert there == [current]


def test_the_sample_leaves_when_papers_come_and_says_so(tmp_path: Path, index: Path) -> None:
    sample = ingest([SAMPLE], index)
    assert sample.papers > 20
    assert all(paper.digest for paper in papers(index))
    assert counted(ingest([SAMPLE], index)) == (0, 0, sample.papers, 0)
    report = ingest([write_list(tmp_path / "list.txt")], index)
    assert counted(report) == (5, 0, 0, 0)
    assert report.notes == (
        f"The sample of {sample.papers} digests was removed: the index now holds your papers.",
    )
    assert [paper.abstract for paper in papers(index)] == list(ALL)
    assert not any(paper.digest for paper in papers(index))
    check_whole(index)


def test_the_sample_is_refused_where_papers_are(tmp_path: Path, index: Path) -> None:
    ingest([write_list(tmp_path / "list.txt")], index)
    before = snapshot(index)
    with pytest.raises(InputError, match=r"index of its\s+own.*--index"):
        ingest([SAMPLE], index)
    assert snapshot(index) == before


def test_an_index_that_may_not_be_written_in_place_is_continued(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_list(tmp_path / "list.txt")
    ingest([file], index)
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    assert counted(ingest([write_list(file, ALL[:4])], index)) == (0, 0, 4, 1)
    assert len(papers(index)) == 4


def test_an_index_that_was_moved_goes_on_as_before(tmp_path: Path, index: Path) -> None:
    file = write_list(tmp_path / "list.txt")
    ingest([file], index)
    moved = tmp_path / "elsewhere" / "index"
    shutil.copytree(index, moved)
    shutil.rmtree(index)
    assert counted(ingest([write_list(file, ALL[:4])], moved)) == (0, 0, 4, 1)
    check_whole(moved)


def test_many_updates_rebuild_the_database_and_lose_nothing(
    tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[bool] = []
    copy_rows = store.copy_rows

    def recorded(source: store.Store, target: store.Store) -> None:
        copied.append(True)
        copy_rows(source, target)

    monkeypatch.setattr(store, "copy_rows", recorded)
    file = tmp_path / "list.txt"
    for edition in range(8):
        texts = [f"{text} This is edition {edition} of it." for text in ALL]
        report = ingest([write_list(file, texts)], index)
        assert report.updated == (5 if edition else 0)
        check_whole(index)
        opened = open_index(index, "words")
        manifest = opened.manifest
        opened.close()
        # One update may go beyond the share by all rows there are; the next builds afresh.
        rows = manifest.passages + manifest.papers
        assert manifest.dead <= DEAD_SHARE / (1 - DEAD_SHARE) * rows + rows
    assert 1 < len(copied) < 7
    assert len(set(ids(index).values())) == 5


def test_a_sentence_of_small_words_has_one_token_that_resembles_nothing(
    tmp_path: Path, index: Path
) -> None:
    texts = [
        "It is so, and that is what it was. Ducks sleep at night with the head under the wing. "
        "Of the? And then. Ducks fly.",
        "So it was, and that is what it is and then! It is so, and that is what it was.",
    ]
    titled: list[dict[str, object]] = [
        {"title": title, "abstract": text}
        for title, text in zip(("About Ducks: A Title", "Before Title: A Past"), texts, strict=True)
    ]
    assert ingest([write_json(tmp_path / "list.json", *titled)], index).skipped == ()
    opened = open_index(index, "words")
    ducks, nothing = (opened.arrays.of(row) for row in range(2))
    opened.close()
    assert ducks.runs.tolist() == [2, 3, 8, 9, 10]  # behind the two tokens of the title
    assert [bool(ducks.tokens[place].any()) for place in (2, 3, 8, 9, 10)] == [
        False, True, False, False, True,
    ]  # fmt: skip
    assert len(ducks.tokens) == 12
    assert nothing.runs.tolist() == [2, 3]
    assert not nothing.tokens[2:].any()
