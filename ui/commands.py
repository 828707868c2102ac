"""What each command of `colloquy` does: options and settings -> output and an exit code.

Results go to stdout; progress, notes and errors to stderr. A command loads what it needs inside.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import IndexMissing, SettingsError, UsageError
from rag.settings import NO_MODEL, Settings, read_settings
from rag.types import plain
from ui.export import FORMATS
from ui.terminal import readable, table

if TYPE_CHECKING:
    from rag.assistant import Assistant


def ingest_command(options: argparse.Namespace, settings: Settings) -> int:
    from ingest import SAMPLE, Skipped, ingest  # numpy and the readers: not for --help
    from ui.progress import bar

    if options.sample == bool(options.files):
        raise SettingsError("Name the files to ingest, or --sample, not both.")
    files = [SAMPLE] if options.sample else options.files
    with bar("embedding") as progress:
        report = ingest(files, settings.index, options.sync, progress=progress, settings=settings)
    for note in report.notes:
        say(note)
    if options.json:
        print_json(plain(report))
        return 0

    def line(skipped: Skipped) -> str:
        title = f" ({skipped.title})" if skipped.title else ""
        return f"skipped: {skipped.source}, number {skipped.row}{title}: {skipped.reason}"

    for skipped in report.skipped:
        say(line(skipped))
    write(
        f"{report.papers:,} {'paper' if report.papers == 1 else 'papers'} in {settings.index}: "
        f"{report.added:,} added, "
        f"{report.updated:,} updated, {report.unchanged:,} unchanged, {report.removed:,} removed, "
        f"{len(report.skipped):,} skipped."
    )
    return 0


def ask_command(options: argparse.Namespace, settings: Settings) -> int:
    from rag.assistant import Assistant

    question = sys.stdin.read() if options.question == "-" else options.question
    chosen = replace(settings, repair=settings.repair or options.repair)
    with Assistant.open(settings=chosen) as assistant:
        answer = assistant.ask(question)
    if options.json:
        print_json(answer.to_dict())
    else:
        write(readable(answer))
    return 1 if answer.error else 0


def serve_command(options: argparse.Namespace, settings: Settings) -> int:
    from rag.assistant import Assistant
    from rag.index import check_place
    from ui.app import serve, uploads_of  # gradio: seconds
    from ui.late import LateAssistant

    chosen = read_settings(index=settings.index, host=options.host, port=options.port)
    try:
        opened: Assistant | LateAssistant = Assistant.open(settings=chosen)
    except IndexMissing:
        if uploads_of(chosen) is None:
            raise  # nobody could add papers on that page
        check_place(Path(chosen.index))
        say(f"There is no index at {chosen.index!r} yet: the page starts empty and takes files.")
        opened = LateAssistant(chosen)
    with opened as assistant:
        serve(assistant, chosen)
    return 0


def papers_command(options: argparse.Namespace, settings: Settings) -> int:
    from rag.assistant import Assistant

    with Assistant.open(settings=replace(settings, model=NO_MODEL)) as assistant:
        found = assistant.search(options.query, options.k) if options.query else assistant.papers()
    if options.json:
        print_json([paper.to_dict() for paper in found])
    else:
        for paper in found:
            write(f"{paper.id}  {paper.title}  ({paper.source}, number {paper.position})")
    return 0


def doctor_command(options: argparse.Namespace, settings: Settings) -> int:
    from rag.doctor import examine

    findings = examine(Path(settings.index), settings)
    if options.json:
        print_json([plain(finding) for finding in findings])
    else:
        for finding in findings:
            mark = "ok  " if finding.sound else "BAD "
            write(f"{mark} {finding.subject}: {finding.text}")
            if finding.remedy:
                write(f"     -> {finding.remedy}")
    return 0 if all(finding.sound for finding in findings) else 1


def export_command(options: argparse.Namespace, settings: Settings) -> int:
    from rag.assistant import Assistant

    with Assistant.open(settings=replace(settings, model=NO_MODEL)) as assistant:
        text = FORMATS[options.format](assistant.papers())
    if options.output is None:
        sys.stdout.write(text)
        return 0
    _save(options.output, text)
    return 0


def evaluate_command(options: argparse.Namespace, settings: Settings) -> int:
    """Score the answers to a question set, or the ranking of a BEIR folder."""
    from rag.assistant import Assistant

    with Assistant.open(settings=settings) as assistant:
        if options.questions.is_dir():
            from rag.beir import evaluate_beir

            print_json(evaluate_beir(assistant, options.questions, options.split))
            return 0
        return _evaluate(assistant, options)


def _evaluate(assistant: Assistant, options: argparse.Namespace) -> int:
    """Ask every question of a set and print the share of right answers, by kind and part."""
    from rag.evaluate import against, evaluate, figures, read_questions, read_saved, saved
    from ui.progress import bar

    questions = read_questions(options.questions)
    old = read_saved(options.against) if options.against else None
    results = []
    with bar("asking", "question") as progress:
        for result in evaluate(assistant, questions):
            results.append(result)
            progress(len(results), len(questions))
    if options.save is not None:
        lines = [json.dumps(saved(result), ensure_ascii=False) for result in results]
        _save(options.save, "\n".join(lines) + "\n")
    shares = figures(results)
    if old is not None:
        shares["against"] = against(results, old)
    if options.json:
        print_json(shares)
    else:
        write(table(shares))
    return 0


def _save(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written ({error.strerror}).") from error


def say(text: str) -> None:
    sys.stderr.write(text + "\n")


def write(text: str) -> None:
    sys.stdout.write(text + "\n")


def print_json(value: object) -> None:
    write(json.dumps(value, ensure_ascii=False, indent=1))
