"""Adding files from the page, and the assistant that waits for the first of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.errors import IndexMissing
from rag.settings import Settings
from rag.types import Answer
from tests.papers import ALL, write_list
from ui.adding import Step, add, look_at
from ui.adding_panel import preview_html, step_html
from ui.app import uploads_of
from ui.late import LateAssistant


def last(steps: list[Step]) -> Step:
    assert all(step.report is None and not step.failure for step in steps[:-1])
    return steps[-1]


def test_a_look_counts_papers_and_shows_the_first(tmp_path: Path) -> None:
    look = look_at(write_list(tmp_path / "list.txt"))
    assert (look.name, look.papers, len(look.first)) == ("list.txt", 5, 3)
    assert look.first[0].startswith("Training graph networks")
    assert "and 2 more" in preview_html([look])


def test_a_look_says_why_a_file_or_a_row_is_left_out(tmp_path: Path) -> None:
    missing = look_at(tmp_path / "none.txt")
    assert "There is no file 'none.txt'" in missing.failure
    rows = tmp_path / "rows.jsonl"
    rows.write_text(f'{{"title": "A", "abstract": "{ALL[0]}"}}\n{{"title": "B"}}\n')
    look = look_at(rows)
    assert look.papers == 1
    assert [count for _, count in look.left_out] == [1]
    assert "Left out, 1:" in preview_html([look])


def test_the_same_name_again_brings_its_papers_up_to_date(tmp_path: Path) -> None:
    index = tmp_path / "index"
    for folder, papers in (("one", ALL), ("two", ALL[:4])):
        (tmp_path / folder).mkdir()
        write_list(tmp_path / folder / "list.txt", papers)
    first = last(list(add([tmp_path / "one" / "list.txt"], index)))
    assert first.report is not None
    assert first.report.added == 5
    second = last(list(add([tmp_path / "two" / "list.txt"], index)))
    assert second.report is not None
    assert (second.report.unchanged, second.report.removed) == (4, 1)


def test_a_failure_ends_the_steps_in_words(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.write_text("a file, no folder")
    end = last(list(add([write_list(tmp_path / "list.txt")], place)))
    assert "make the folder writable" in end.failure
    assert "make the folder writable" in step_html(end)


def test_progress_is_a_share(tmp_path: Path) -> None:
    assert "width:25%" in step_html(Step(1, 4))
    assert "Reading" in step_html(Step())


def test_an_assistant_waits_for_the_first_ingest(tmp_path: Path) -> None:
    index = tmp_path / "index"
    with LateAssistant(Settings(index=str(index))) as late:
        assert (late.about().papers, late.papers(), late.search("x")) == (0, (), ())
        with pytest.raises(IndexMissing, match="add a list"):
            next(late.stream("What is ORCHID?"))
        last(list(add([write_list(tmp_path / "list.txt")], index)))
        assert late.about().papers == 5
        assert len(late.related(late.papers()[0].id, 2)) == 2
        *_, answer = late.stream("What is ORCHID?")
        assert isinstance(answer, Answer)
        assert answer.status == "answered"


@pytest.mark.parametrize(
    ("settings", "takes"),
    [
        (Settings(), True),
        (Settings(host="0.0.0.0"), False),
        (Settings(host="0.0.0.0", auth=("ada", "secret")), True),
    ],
)
def test_files_are_taken_where_only_the_owner_or_a_login_can_be(
    settings: Settings, takes: bool
) -> None:
    assert (uploads_of(settings) is not None) is takes
