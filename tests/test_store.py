"""Papers and passages in Chroma."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from chromadb.errors import InternalError

from rag import store
from rag.embed import Floats, unit
from rag.errors import IndexMismatch
from rag.store import Store
from rag.types import Paper, Passage, Span
from tests.open_files import left_open, open_below

FULL = Paper(
    id="p0",
    title="Ants: a Study",
    title_source="given",
    abstract="Ants carry leaves — “home”.",
    raw="Ants carry leaves --- ``home''.",
    authors=("A. Nt", "Ö. Bee"),
    year=2026,
    venue="Proc. of Insects",
    url="https://example.org/ants?a=1&b=2",
    keywords=("ants", "leaves"),
    source="x/list.txt",
    position=3,
    digest=True,
)


def random_units(rows: int, d: int = 16) -> Floats:
    return unit(np.random.default_rng(rows).normal(size=(rows, d)).astype(np.float32))


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Store]:
    made = store.open_store(tmp_path / "chroma", create=True)
    yield made
    made.close()


def passages(rows: int) -> list[Passage]:
    return [Passage(f"p{n}", 0, Span(0, 1)) for n in range(rows)]


def put(opened: Store, rows: int, d: int = 16) -> Floats:
    """Passages p0:0, p1:0, ... with random vectors, which are returned."""
    vectors = random_units(rows, d)
    store.put_passages(opened, passages(rows), [f"text {n}" for n in range(rows)], vectors)
    return vectors


def test_a_paper_comes_back_with_every_field(opened: Store) -> None:
    plain = Paper("p1", "Bees", "derived", "Bees dance.", "Bees dance.")
    store.put_papers(opened, [FULL, plain], random_units(2))
    assert store.read_papers(opened) == {"p0": FULL, "p1": plain}
    assert store.counts(opened) == (0, 2)


def test_putting_a_paper_again_replaces_it(opened: Store) -> None:
    store.put_papers(opened, [FULL], random_units(1))
    changed = replace(FULL, abstract="Ants rest.", year=None, authors=())
    store.put_papers(opened, [changed], random_units(1))
    assert store.read_papers(opened) == {"p0": changed}


def test_putting_a_passage_again_replaces_its_text_and_its_vector(opened: Store) -> None:
    vectors = put(opened, 3)
    store.put_passages(opened, passages(1), ["another text"], -vectors[:1])
    assert store.counts(opened) == (3, 0)
    assert store.nearest(opened, -vectors[0], 1) == ["p0"]
    assert store.nearest(opened, vectors[0], 3)[-1] == "p0"
    found = opened.passages.get(ids=["p0:0"], include=["documents", "embeddings"])
    assert found["documents"] == ["another text"]
    assert np.allclose(np.asarray(found["embeddings"]), -vectors[:1], atol=1e-6)


def test_what_is_removed_is_found_no_more(opened: Store) -> None:
    vectors = put(opened, 5)
    store.put_papers(opened, [FULL], random_units(1))
    store.remove(opened, ["p0:0", "p3:0"], ["p0"])
    assert store.counts(opened) == (3, 0)
    assert set(store.nearest(opened, vectors[0], 5)) == {"p1", "p2", "p4"}
    store.remove(opened, [], [])
    assert store.counts(opened) == (3, 0)


def test_the_nearest_are_papers_each_once_nearest_first(opened: Store) -> None:
    vector = random_units(1)[0]
    other = unit(vector + 0.5 * random_units(2)[1])
    rows = [Passage("a", 0, Span(0, 1)), Passage("a", 1, Span(1, 2)), Passage("b", 0, Span(0, 1))]
    store.put_passages(opened, rows, ["x", "y", "z"], np.stack([vector, vector, other]))
    assert store.nearest(opened, vector, 3) == ["a", "b"]


def test_nearest_agrees_with_brute_force(opened: Store) -> None:
    rows, k, d = 2000, 100, 384
    vectors = put(opened, rows, d)
    found, questions = 0, random_units(10, d)
    for question in questions:
        best = np.argsort(-(vectors @ question))[:k]
        found += len({f"p{n}" for n in best} & set(store.nearest(opened, question, k)))
    assert found / (k * len(questions)) >= 0.98


def test_a_copy_has_every_row(
    opened: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PAGE", 7)  # several pages and a rest
    vectors = put(opened, 30)
    papers = [replace(FULL, id=f"p{n}", position=n) for n in range(30)]
    store.put_papers(opened, papers, vectors)
    copy = store.open_store(tmp_path / "copy", create=True)
    store.copy_rows(opened, copy)
    assert store.counts(copy) == (30, 30)
    assert store.read_papers(copy) == store.read_papers(opened)
    assert all(store.nearest(copy, vector, 1) == [f"p{n}"] for n, vector in enumerate(vectors))
    found = copy.passages.get(ids=["p4:0"], include=["documents", "metadatas"])
    assert found["documents"] == ["text 4"]
    assert found["metadatas"] == [{"paper": "p4", "start": 0, "end": 1}]
    copy.close()


def test_more_rows_than_one_batch_holds_are_written(
    opened: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(opened.client), "get_max_batch_size", lambda _self: 4)
    put(opened, 10)
    store.put_papers(opened, [replace(FULL, id=f"p{n}") for n in range(10)], random_units(10))
    assert store.counts(opened) == (10, 10)
    store.remove(opened, [f"p{n}:0" for n in range(9)], [f"p{n}" for n in range(9)])
    assert store.counts(opened) == (1, 1)


def test_what_was_written_is_there_when_opened_again_and_closing_leaves_no_handle(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "chroma"
    made = store.open_store(folder, create=True)
    vectors = put(made, 5)
    store.put_papers(made, [FULL], vectors[:1])
    made.close()
    again = store.open_store(folder)
    assert store.counts(again) == (5, 1)
    assert store.nearest(again, vectors[2], 1) == ["p2"]
    assert open_below(folder)
    again.close()
    assert not left_open(folder)


def test_one_database_is_opened_and_closed_by_many_threads(tmp_path: Path) -> None:
    folder = tmp_path / "chroma"
    made = store.open_store(folder, create=True)
    vectors = put(made, 8)
    made.close()

    def use(number: int) -> list[str]:
        opened = store.open_store(folder)
        try:
            return store.nearest(opened, vectors[number % 8], 1)
        finally:
            opened.close()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(use, range(48))) == [[f"p{n % 8}"] for n in range(48)]
    assert not left_open(folder)


def _foreign(folder: Path) -> None:
    import chromadb

    client = chromadb.PersistentClient(folder)
    client.create_collection("somebody-elses", embedding_function=None)
    client.close()  # type: ignore[attr-defined]


def _junk(folder: Path) -> None:
    folder.mkdir()
    (folder / "chroma.sqlite3").write_bytes(b"junk" * 2000)


def _file(folder: Path) -> None:
    folder.write_text("thesis", encoding="utf-8")


@pytest.mark.parametrize("make", [_foreign, _junk, _file])
def test_a_place_with_something_else_is_refused_and_left_closed(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    folder = tmp_path / "chroma"
    make(folder)
    with pytest.raises(IndexMismatch, match="no database of Colloquy"):
        store.open_store(folder)
    assert not left_open(folder)


@pytest.mark.parametrize("call", ["upsert", "delete", "count"])
def test_a_disk_that_is_full_is_an_os_error(
    opened: Store, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def full(*_: object, **__: object) -> None:
        raise InternalError("disk is full")

    def write() -> None:
        store.put_papers(opened, [FULL], random_units(1))
        store.remove(opened, (), ["p0"])
        store.counts(opened)

    monkeypatch.setattr(type(opened.papers), call, full)
    with pytest.raises(OSError, match="disk is full"):
        write()


def test_a_database_that_cannot_be_made_is_an_os_error(tmp_path: Path) -> None:
    _junk(tmp_path / "chroma")
    with pytest.raises(OSError, match="database"):
        store.open_store(tmp_path / "chroma", create=True)
