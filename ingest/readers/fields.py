"""One row of a JSON, JSONL, CSV or TSV file -> a `Record`, or the reason why it is none.

Goes in: a mapping of field names to values, and where it stood. Comes out: `Record | Skipped`.
Field names are compared without case, blanks and punctuation ("Abstract Note", "abstractNote" and
"abstract_note" are one). Does not know the format that the row came from.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence

from ingest.readers.abstracts import is_placeholder, is_url, why_no_abstract, word_count
from ingest.readers.people import names
from ingest.records import Record, Skipped

# Usual names, the surest first. They come from the exports of OpenReview, arXiv, Semantic Scholar,
# OpenAlex, Crossref, Zotero, Scopus, Web of Science, IEEE, Mini-Conf, BEIR and SciTLDR.
ABSTRACT = (
    "abstract", "paperabstract", "abstracttext", "abstractnote", "abstracten", "摘要",
    "summary", "text", "description", "body", "content", "sentences",
)  # fmt: skip
TITLE = (
    "title", "papertitle", "articletitle", "documenttitle", "titleen", "displayname", "标题",
    "题目", "name",
)  # fmt: skip
AUTHORS = (
    "authors", "author", "authorfullnames", "authornames", "authorlist", "authorships",
    "creators", "creator", "authorsite", "作者",
)  # fmt: skip
YEAR = (
    "year", "publicationyear", "pubyear", "publishedyear", "date", "publicationdate", "published",
    "publishedat", "issued", "publisheddate", "pubdate", "created", "updatedate", "updated", "年份",
)  # fmt: skip
VENUE = (
    "venue", "conference", "conferencename", "journal", "journalname", "booktitle",
    "proceedingstitle", "publicationtitle", "containertitle", "publicationname", "sourcetitle",
    "container", "publication", "hostvenue",
)  # fmt: skip
URL = (
    "url", "link", "paperurl", "site", "openreview", "openreviewurl", "absurl", "paperlink",
    "html", "pdf", "pdfurl", "pdflink", "doi",
)  # fmt: skip
KEYWORDS = (
    "keywords", "keyword", "authorkeywords", "tags", "manualtags", "categories", "category",
    "subjects", "subject", "topics", "fieldsofstudy", "关键词",
)  # fmt: skip
KEY = (
    "id", "uid", "paperid", "key", "arxivid", "citationkey", "entryid", "openreviewid",
    "accessionnumber", "corpusid", "doi",
)  # fmt: skip
KNOWN = frozenset((*ABSTRACT, *TITLE, *AUTHORS, *YEAR, *VENUE, *URL, *KEYWORDS, *KEY))

# Wrappers of one record: OpenReview's content, a search engine's _source, Zotero's data, JSON:API's
# attributes.
_NESTED = ("content", "source", "data", "attributes", "fields", "metadata", "info", "paper", "node")
_ARXIV_CATEGORIES = re.compile(r"[a-z-]+(?:\.[A-Za-z-]+)?(?: [a-z-]+(?:\.[A-Za-z-]+)?)*")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_DOI = re.compile(r"10\.\d{4,}/\S+")
# Identifiers that are an address in themselves.
_PLACES = (
    ("arxivid", "https://arxiv.org/abs/"),
    ("arxiv", "https://arxiv.org/abs/"),
    ("forum", "https://openreview.net/forum?id="),
)
_LABELS = ("value", "name", "term", "displayname", "tag", "keyword", "label", "title")

Row = Mapping[str, object]


def plain_name(name: str) -> str:
    """A field's name without case, blanks and punctuation."""
    return re.sub(r"[\W_]", "", name).lower()


def has_abstract(row: Row) -> bool:
    """Whether `row`, or what it wraps, has a field with one of the usual names of an abstract."""
    return _has(_plain(row), ABSTRACT)


def has_title(row: Row) -> bool:
    """Whether `row`, or what it wraps, has a field with one of the usual names of a title."""
    return _has(_plain(row), TITLE)


def make_record(
    row: Row, position: int, source: str, key: str | None = None, remark: str = ""
) -> Record | Skipped:
    """The paper in `row`; `key` is used where the row has none of its own; `remark` (what was odd
    about the row) is put behind the reason of a row that is skipped."""
    fields = _plain(row)
    title = _title(fields)
    abstract, reason = _abstract(fields)
    reason = _why_shifted(fields, reason) or reason
    if reason is not None:
        return Skipped(source, position, title, f"{reason}; {remark}" if remark else reason)
    return Record(
        abstract=abstract,
        position=position,
        title=title,
        key=_first(fields, KEY) or key,
        authors=_authors(fields),
        year=_year(fields),
        venue=_first(fields, VENUE)
        or _in_bibtex(fields, "booktitle")
        or _in_bibtex(fields, "journal"),
        url=_url(fields),
        keywords=_keywords(fields),
    )


def make_untitled(text: str, position: int, source: str) -> Record | Skipped:
    """A bare string of a list as an untitled abstract."""
    reason = why_no_abstract(text)
    if reason is not None:
        return Skipped(source, position, None, reason)
    return Record(abstract=text.strip(), position=position)


def _has(fields: Row, names_: Iterable[str]) -> bool:
    return any(name in fields for name in names_) or "abstractinvertedindex" in fields


def _plain(row: Row) -> dict[str, object]:
    """The row under plain names, `{"value": x}` opened, and what it wraps laid beside its own."""
    fields: dict[str, object] = {}
    for name, value in row.items():
        plain = plain_name(str(name))
        opened = _opened(value)
        if plain not in fields or fields[plain] in (None, "", [], {}):
            fields[plain] = opened
    for name in _NESTED:
        inner = fields.get(name)
        if isinstance(inner, Mapping) and not ("abstract" in fields and "title" in fields):
            del fields[name]
            fields = {**_plain(inner), **fields}
    if isinstance(fields.get("source"), list):  # sentences; a string there names where it is from
        fields.setdefault("sentences", fields["source"])
    return fields


def _opened(value: object) -> object:
    return value["value"] if isinstance(value, Mapping) and "value" in value else value


def _text(value: object) -> str:
    """The text of a string, a number, a list of strings (sentences) or a labelled object."""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int):
        return str(value)  # whole: ids of twenty digits must not become one by rounding
    if isinstance(value, float):
        return "" if value != value else f"{value:.15g}"  # NaN differs from itself
    if isinstance(value, Mapping):
        plain = {plain_name(str(name)): item for name, item in value.items()}
        return next((_text(plain[label]) for label in _LABELS if label in plain), "")
    if isinstance(value, Sequence):
        return " ".join(part for part in map(_text, value) if part)
    return ""


def _first(fields: Row, names_: Iterable[str]) -> str | None:
    """The first of the named fields that says something, on one line."""
    for name in names_:
        text = " ".join(_text(fields.get(name)).split())
        if text and not is_placeholder(text):
            return text
    return None


def _title(fields: Row) -> str | None:
    title = _first(fields, TITLE)
    return None if title is None or is_url(title) else title


def _abstract(fields: Row) -> tuple[str, str | None]:
    """The abstract, or the reason of the surest field why there is none."""
    first_reason: str | None = None
    for name in ABSTRACT:
        if name in fields:
            value = fields[name]
            text = "" if isinstance(value, Mapping) else _text(value)
            reason = why_no_abstract(text)
            if reason is None:
                return text, None
            first_reason = first_reason or reason
    index = fields.get("abstractinvertedindex")
    if isinstance(index, Mapping) and index:
        return _from_inverted_index(index), None
    return "", first_reason or "no abstract"


def _from_inverted_index(index: Mapping[str, object]) -> str:
    """OpenAlex's abstracts: each word with the places where it stands."""
    places = [
        (place, word)
        for word, found in index.items()
        if isinstance(found, list)
        for place in found
        if isinstance(place, int)
    ]
    return " ".join(word for _, word in sorted(places))


def _why_shifted(fields: Row, reason: str | None) -> str | None:
    """Why the row's values stand in the wrong columns, as an unquoted comma in a title makes them.

    Such a row has a wrong title too, so that an abstract in it is not taken.
    """
    for name in (*TITLE, *AUTHORS, *KEYWORDS):
        value = fields.get(name)
        if isinstance(value, str) and is_url(value):
            return f"the values stand in the wrong columns: a URL in {name!r}"
    if reason is not None:
        for name in URL:
            value = fields.get(name)
            if isinstance(value, str) and word_count(value) and _is_loose_text(value):
                return f"{reason}; the values stand in the wrong columns: {value!r} in {name!r}"
    return None


def _is_loose_text(value: str) -> bool:
    """Text in the place of an address: words between blanks, or a blank at the front."""
    return not is_url(value) and (" " in value.strip() or value != value.lstrip())


def _authors(fields: Row) -> tuple[str, ...]:
    for name in AUTHORS:
        value = fields.get(name)
        if isinstance(value, str) and is_placeholder(value):
            continue
        if found := names(_written_list(value)):
            return found
    return ()


def _written_list(value: object) -> object:
    """A list that a CSV export wrote out as text ("['A', 'B']"), read back; else the value."""
    if not isinstance(value, str) or not re.match(r"\s*\[.*\]\s*$", value, re.DOTALL):
        return value
    try:
        read = ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value.strip().strip("[]")
    return read if isinstance(read, list) else value


def _year(fields: Row) -> int | None:
    for name in YEAR:
        if found := _YEAR.search(_flat(fields.get(name))):
            return int(found.group())
    written = _in_bibtex(fields, "year") or _first(fields, VENUE) or ""
    year = _YEAR.search(written)  # venues are often written "NeurIPS 2026"
    return int(year.group()) if year else None


def _in_bibtex(fields: Row, name: str) -> str | None:
    """A field of the BibTeX entry that some exports put into a field of its own."""
    entry = fields.get("bibtex")
    if not isinstance(entry, str):
        return None
    match = re.search(rf"\b{name}\s*=\s*[{{\"]([^{{}}\"]+)[}}\"]", entry, re.IGNORECASE)
    return " ".join(match.group(1).split()) if match else None


def _flat(value: object) -> str:
    """Every number and string in `value`, nested ones too: dates come as objects of lists."""
    if isinstance(value, Mapping):
        return " ".join(_flat(item) for item in value.values())
    if isinstance(value, list):
        return " ".join(_flat(item) for item in value)
    return _text(value)


def _url(fields: Row) -> str | None:
    for name in URL:
        text = _first(fields, (name,)) or ""
        if re.fullmatch(r"(?:https?|ftp)://\S+", text):
            return text
        if text.startswith("www.") and is_url(text):
            return f"https://{text}"
        if name == "doi" and (doi := _DOI.search(text)):
            return f"https://doi.org/{doi.group()}"
    for name, place in _PLACES:
        found = _first(fields, (name,))
        if found and re.fullmatch(r"[\w.-]{6,}(?:/\d+)?", found):
            return f"{place}{found}"
    return None


def _keywords(fields: Row) -> tuple[str, ...]:
    for name in KEYWORDS:
        value = _written_list(fields.get(name))
        texts = [_text(item) for item in value] if isinstance(value, list) else _split(_text(value))
        found = [" ".join(text.split()) for text in texts]
        kept = tuple(dict.fromkeys(text for text in found if text and not is_placeholder(text)))
        if kept:
            return kept
    return ()


def _split(text: str) -> list[str]:
    for separator in (";", "|", ",", "\n"):
        if separator in text:
            return text.split(separator)
    if "." in text and _ARXIV_CATEGORIES.fullmatch(text):
        return text.split()
    return [text]
