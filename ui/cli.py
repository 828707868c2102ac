"""The `colloquy` command: arguments -> calls of `Assistant` and `ingest`, results -> text.

Exit codes: 0 done (not_stated and not_found too), 1 a stated failure, 2 wrong usage. Results go to
stdout; progress, notes and errors to stderr. Loads nothing heavy before a command needs it.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rag.errors import ColloquyError, SettingsError
from rag.settings import Settings, read_settings
from ui import commands
from ui.commands import say
from ui.export import FORMATS

Command = Callable[[argparse.Namespace, Settings], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    command: Command = options.command
    try:
        settings = read_settings(index=options.index)
        return command(options, settings)
    except ColloquyError as error:
        say(f"colloquy: {error}")
        return 2 if isinstance(error, SettingsError) else 1
    except BrokenPipeError:  # the reader of our output (head, less) has seen enough
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="colloquy",
        description="Ask a conference's papers; every statement opens the sentence it rests on.",
    )
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def add(name: str, command: Command, text: str) -> argparse.ArgumentParser:
        sub = subparsers.add_parser(name, help=text, description=text)
        sub.add_argument(
            "--index",
            metavar="PATH",
            help="the index's folder (COLLOQUY_INDEX, else ./chroma_db)",
        )
        sub.set_defaults(command=command)
        return sub

    sub = add(
        "ingest",
        commands.ingest_command,
        "Index lists of papers; a list that is read again is updated.",
    )
    sub.add_argument("files", nargs="*", metavar="FILE", help="text, JSON, JSONL, CSV or TSV; .gz")
    sub.add_argument("--sync", action="store_true", help="remove papers of files not named")
    sub.add_argument("--sample", action="store_true", help="index the digest that comes along")
    sub.add_argument("--json", action="store_true", help="print the report as JSON")

    sub = add("ask", commands.ask_command, "Answer one question with citations.")
    sub.add_argument("question", help="'-' reads it from standard input")
    sub.add_argument("--json", action="store_true", help="print the whole answer as JSON")
    sub.add_argument(
        "--repair",
        action="store_true",
        help="show the model once which of its claims fail the check (COLLOQUY_REPAIR)",
    )

    sub = add("serve", commands.serve_command, "Serve the page.")
    sub.add_argument("--host", help="the address to listen at (COLLOQUY_HOST, else 127.0.0.1)")
    sub.add_argument("--port", type=int, help="the port (COLLOQUY_PORT, else 7860)")

    sub = add("papers", commands.papers_command, "List the papers.")
    sub.add_argument("query", nargs="?", help="only those that fit this, best first")
    sub.add_argument("-k", type=int, default=10, help="how many for a query (10)")
    sub.add_argument("--json", action="store_true", help="print all fields as JSON")

    sub = add("evaluate", commands.evaluate_command, "Score the answers to a set of questions.")
    sub.add_argument(
        "questions",
        metavar="FILE",
        type=Path,
        help="JSON Lines, a question each; or a BEIR folder whose corpus was ingested",
    )
    sub.add_argument("--against", metavar="OLD", type=Path, help="what an earlier --save wrote")
    sub.add_argument("--split", default="test", help="the judgements of a BEIR folder (test)")
    sub.add_argument("--json", action="store_true", help="print the figures as JSON")
    sub.add_argument("--save", metavar="FILE", type=Path, help="write every answer as JSON Lines")

    sub = add(
        "doctor", commands.doctor_command, "Say what is there, whether it is sound and what to do."
    )
    sub.add_argument("--json", action="store_true", help="print the findings as JSON")

    sub = add("export", commands.export_command, "Write all papers in a format for other programs.")
    sub.add_argument("--format", choices=sorted(FORMATS), default="json", help="json by default")
    sub.add_argument("--output", metavar="FILE", type=Path, help="a file instead of stdout")
    return parser
