"""Which kind of file a text is, by its content first and its name second.

Goes in: the text and the path. Comes out: "json", "table" or "list". A kind that is known but not
read is refused by name, so that its tags never become abstracts. Does not read any record.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from ingest.readers.decode import READ_TODAY
from ingest.readers.json_lists import is_json
from ingest.readers.tables import is_table
from rag.errors import InputError

Kind = Literal["json", "table", "list"]

# The first lines tell: every one of these kinds opens a record, or the file, with its sign.
_HEAD = 4000
_REFUSED = (
    ("RIS", re.compile(r"^TY  ?- ?\S", re.MULTILINE)),
    ("PubMed's MEDLINE format", re.compile(r"^PMID- ?\d", re.MULTILINE)),
    ("EndNote's tagged format", re.compile(r"^%0 \S", re.MULTILINE)),
    ("Web of Science's tagged format", re.compile(r"\A\s*(?:FN .*\n|PT [JCBSP]\n)")),
    (
        "BibTeX",
        re.compile(
            r"^\s*@(?:article|book|booklet|comment|conference|dataset|in\w+|manual|\w*thesis|misc|"
            r"online|preamble|proceedings|report|software|string|techreport|unpublished)\s*[{(]",
            re.MULTILINE | re.IGNORECASE,
        ),
    ),
    ("XML or HTML", re.compile(r"\A\s*<(?:[?!]|[A-Za-z][\w:-]*(?:\s[^<>]*)?/?>)")),
    ("RTF", re.compile(r"\A\{\\rtf")),
    ("LaTeX source", re.compile(r"^\s*\\(?:documentclass|begin\{document\})", re.MULTILINE)),
)


def kind_of(text: str, path: Path) -> Kind:
    """The kind of `text`; raises `InputError` for a kind that is known and not read."""
    suffixes = {suffix.lower() for suffix in path.suffixes[-2:]}
    if is_json(text, suffixes):
        return "json"
    for kind, sign in _REFUSED:
        if sign.search(text, 0, _HEAD):
            raise InputError(
                f"{str(path)!r} is {kind}, which is not read; export it as one of: {READ_TODAY}."
            )
    return "table" if is_table(text, suffixes) else "list"
