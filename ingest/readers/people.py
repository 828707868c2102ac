"""Names of authors as exports write them -> a tuple of "First Last".

Goes in: a string, a list of strings or of objects, or an object. Comes out: names in the order of
the file. Does not know the paper.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_AND = re.compile(r"\s+(?:and|&|und)\s+", re.IGNORECASE)
_INITIALS = re.compile(r"(?:[A-ZÀ-Þ]\.[\s-]?){1,4}|[A-ZÀ-Þ]{1,3}|[A-ZÀ-Þ](?: [A-ZÀ-Þ]){1,2}")
_ET_AL = re.compile(r"(?:\bet(?:\.\s*|\s+)al\b\.?|^others$)", re.IGNORECASE)
_FULL_NAMES = ("name", "fullname", "displayname", "preferredname", "literal", "value")
_GIVEN_NAMES = ("given", "firstname", "first", "givenname", "forename", "givennames")
_FAMILY_NAMES = ("family", "lastname", "last", "familyname", "surname")


def names(value: object) -> tuple[str, ...]:
    """The names in `value`; what is no name ("et al.", an empty entry) is left out."""
    found = [_tidy(_ET_AL.sub("", name)) for name in _names(value)]
    return tuple(name for name in found if name)


def _names(value: object) -> list[str]:
    if isinstance(value, str):
        return _split(" ".join(value.split()))
    if isinstance(value, Mapping):
        return [_of_object(value)]
    if isinstance(value, Sequence):
        return [_one(item) for item in value]
    return []


def _one(item: object) -> str:
    if isinstance(item, str):
        return _first_last(item) if item.count(",") == 1 else item
    if isinstance(item, Mapping):
        return _of_object(item)
    return ""


def _of_object(item: Mapping[object, object]) -> str:
    plain = {re.sub(r"[\W_]", "", str(key)).lower(): value for key, value in item.items()}

    def text(keys: Sequence[str]) -> str:
        found = (plain.get(key) for key in keys)
        return next((value for value in found if isinstance(value, str) and value.strip()), "")

    family = text(_FAMILY_NAMES)
    if family:
        return f"{text(_GIVEN_NAMES)} {family}"
    if full := text(_FULL_NAMES):
        return _one(full)
    nested = plain.get("author") or plain.get("person")
    return _one(nested) if isinstance(nested, str | Mapping) else ""


def _split(text: str) -> list[str]:
    for separator in (";", "|"):
        if separator in text:
            return [_first_last(part) for part in text.split(separator)]
    parts = _AND.split(text)
    if len(parts) > 1 and all(part.count(",") == 1 for part in parts):
        return [_first_last(part) for part in parts]
    pieces = [piece.strip() for part in parts for piece in part.split(",") if piece.strip()]
    if len(pieces) % 2 == 0 and _alternates(pieces):
        pairs = zip(pieces[::2], pieces[1::2], strict=True)
        return [f"{given} {family}" for family, given in pairs]
    return pieces


def _alternates(pieces: list[str]) -> bool:
    """Whether family and given names take turns: "Doe, J., Roe, A. B." or the one "Doe, Jane"."""
    if all(_INITIALS.fullmatch(given) for given in pieces[1::2]):
        return True
    return len(pieces) == 2 and " " not in pieces[0]


def _first_last(name: str) -> str:
    family, *rest = [part.strip() for part in name.split(",")]
    if not rest:
        return name
    given, suffixes = rest[-1], rest[:-1]
    return " ".join([given, family, *suffixes])


def _tidy(name: str) -> str:
    return " ".join(name.split()).strip(" ,;*")
