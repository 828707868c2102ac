"""Who may import whom, and what must not be loaded."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# The order of docs/architecture.md: a file of rag/ imports only files above it.
RAG = [
    "types",
    "errors",
    "settings",
    "sentences",
    "figures",
    "thesaurus",
    "wording",
    "align",
    "bound",
    "novelty",
    "denial",
    "polarity",
    "sharper",
    "hedges",
    "roles",
    "causes",
    "contrasts",
    "carry",
    "objections",
    "prompts",
    "embed",
    "failures",
    "line",
    "overflow",
    "bridge",
    "endpoint",
    "chat",
    "thoughts",
    "llm",
    "folder",
    "remote",
    "embedders",
    "generations",
    "store",
    "lexical",
    "tokens",
    "gauge",
    "arrays",
    "names",
    "index",
    "live",
    "lists",
    "doctor",
    "mentions",
    "understand",
    "retrieve",
    "near",
    "chosen",
    "quote",
    "retriever",
    "judge",
    "wanted",
    "silence",
    "count",
    "compare",
    "citations",
    "extract",
    "fit",
    "generate",
    "verify",
    "language",
    "write",
    "repair",
    "suggest",
    "assistant",
    "evaluate",
    "beir",
]
HEAVY = ("chromadb", "llama_index", "gradio", "openai")


def imported(path: Path) -> set[str]:
    """Every module that a file imports, wherever in it, as dotted names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def rooms(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(path)}


def test_rag_imports_neither_ingest_nor_ui() -> None:
    for path in (ROOT / "rag").glob("*.py"):
        assert not rooms(path) & {"ingest", "ui"}, path


def test_ingest_does_not_import_ui() -> None:
    for path in (ROOT / "ingest").rglob("*.py"):
        assert "ui" not in rooms(path), path


def test_a_file_of_rag_imports_only_files_above_it() -> None:
    for path in (ROOT / "rag").glob("*.py"):
        if path.stem == "__init__":
            continue
        above = RAG[: RAG.index(path.stem)]
        used = {
            name.split(".")[1]
            for name in imported(path)
            if name.startswith("rag.") and name.split(".")[1] in RAG
        }
        assert used <= set(above), (path.name, used - set(above))


def test_only_its_adapter_imports_a_vendor() -> None:
    owners = {
        "chromadb": {"rag/store.py"},
        "openai": {"rag/endpoint.py", "rag/chat.py", "rag/failures.py"},
        "llama_index": {
            "rag/chat.py",
            "rag/llm.py",
            "rag/retriever.py",
            "rag/assistant.py",
            "rag/write.py",
            "rag/repair.py",
            "rag/generate.py",
        },
        "bm25s": {"rag/lexical.py"},
        "onnxruntime": {"rag/embed.py"},
    }
    for package in ("rag", "ingest", "ui"):
        for path in (ROOT / package).rglob("*.py"):
            for vendor, allowed in owners.items():
                if vendor in rooms(path):
                    assert str(path.relative_to(ROOT)) in allowed, (path, vendor)


def test_the_environment_is_read_in_one_place() -> None:
    for package in ("rag", "ingest", "ui"):
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if path.name != "settings.py":
                assert "getenv" not in text, path
                assert "environ.get" not in text, path


@pytest.mark.parametrize("statement", ["import rag, ingest", "import ui.cli"])
def test_importing_loads_nothing_heavy(statement: str) -> None:
    code = f"{statement}\nimport sys\nprint([n for n in {HEAVY!r} if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"


def test_all_lists_what_a_package_exports() -> None:
    import ingest
    import rag

    for package in (rag, ingest):
        assert len(set(package.__all__)) == len(package.__all__)
        for name in package.__all__:
            assert hasattr(package, name)
