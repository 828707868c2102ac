"""A question -> a checked answer; read `rag.assistant` first."""

from rag.assistant import Assistant, ask
from rag.errors import (
    ColloquyError,
    IndexBusy,
    IndexMismatch,
    IndexMissing,
    InputError,
    ModelError,
    QuestionError,
    SettingsError,
)
from rag.types import Answer, Citation, Claim, Paper, Turn

__all__ = [
    "Answer",
    "Assistant",
    "Citation",
    "Claim",
    "ColloquyError",
    "IndexBusy",
    "IndexMismatch",
    "IndexMissing",
    "InputError",
    "ModelError",
    "Paper",
    "QuestionError",
    "SettingsError",
    "Turn",
    "ask",
]
