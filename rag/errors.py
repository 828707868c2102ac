"""What can go wrong, as a tree; a face prints `str(error)`, which is a sentence with the remedy.

    ColloquyError
    ├── UsageError         a value given by the caller cannot be used
    │   ├── QuestionError  an empty question, or one that is too long
    │   ├── InputError     a file that is missing, unreadable or holds no papers
    │   └── SettingsError  an environment variable or flag with a value that does not fit
    ├── IndexProblem       the index cannot be used
    │   ├── IndexMissing   there is none, or it is empty
    │   ├── IndexMismatch  it was made by another model or format, or is not an index
    │   └── IndexBusy      another ingest is writing to it
    └── ModelError         a model or its endpoint failed
        └── ContextFull    the request was too long for the model

Goes in: nothing. Comes out: exception classes. Knows no other module.
"""

from __future__ import annotations


class ColloquyError(Exception):
    """Any failure that is stated to the user in words."""


class UsageError(ColloquyError):
    """A value given by the caller cannot be used."""


class QuestionError(UsageError):
    """The question is empty or too long."""


class InputError(UsageError):
    """A file to ingest is missing, unreadable or holds no papers."""


class SettingsError(UsageError):
    """A setting has a value that does not fit."""


class IndexProblem(ColloquyError):
    """The index cannot be used."""


class IndexMissing(IndexProblem):
    """There is no index at the place, or it holds no papers."""


class IndexMismatch(IndexProblem):
    """The index was made by another model or format, or the place holds something else."""


class IndexBusy(IndexProblem):
    """Another ingest is writing to this index."""


class ModelError(ColloquyError):
    """The language model or its endpoint failed; the message says how, and what to do."""


class ContextFull(ModelError):
    """The request was too long for the model; `window` is what it takes, in tokens, if known."""

    def __init__(self, message: str, window: int | None) -> None:
        super().__init__(message)
        self.window = window
