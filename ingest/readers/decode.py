"""Bytes of a file -> its text.

Goes in: a path. Comes out: one string with `\\n` line ends, without byte order mark. Reads gzip,
UTF-8, UTF-16 and UTF-32; anything else is refused, because a wrong guess garbles names for good.
Does not know what the text means.
"""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path

from rag.errors import InputError

READ_TODAY = "plain text lists, JSON, JSONL, CSV and TSV, each also as .gz"

# Longest mark first: the UTF-32 mark begins with the UTF-16 one.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SIGNATURES = (
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a ZIP container (such as .zip, .xlsx or .docx)"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"(\xb5/\xfd", "a Zstandard archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
)
# English prose in UTF-16 has a zero in nearly every other byte; text in UTF-8 has none.
_SHARE_OF_ZEROS = 0.3
_PEEK = 4096


def read_text(path: Path) -> str:
    """The text of `path`; raises `InputError` where there is none to read."""
    data = _decompress(path, _read_bytes(path))
    if not data.strip():
        raise InputError(f"{str(path)!r} is empty; give a file with abstracts in it.")
    for signature, kind in _SIGNATURES:
        if data.startswith(signature):
            raise InputError(
                f"{str(path)!r} is {kind}, which is not read; export it as one of: {READ_TODAY}."
            )
    text = _decode(path, data).replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if not text.strip():
        raise InputError(f"{str(path)!r} holds only blanks; give a file with abstracts in it.")
    return text


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"There is no file {str(path)!r}; check the path.") from None
    except IsADirectoryError:
        raise InputError(f"{str(path)!r} is a folder; name the files in it.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"{str(path)!r} cannot be read ({reason}); check the path and its permissions."
        ) from error


def _decompress(path: Path, data: bytes) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"{str(path)!r} is a damaged gzip file ({error}); fetch or pack it again."
        ) from error


def _decode(path: Path, data: bytes) -> str:
    encoding = _encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if _control_share(data) > 0.0:
            raise _binary(path) from error
        raise InputError(
            f"{str(path)!r} is not {encoding.upper()} (byte {data[error.start]:#04x} at offset "
            f"{error.start}); save it as UTF-8, for example by "
            f"`iconv -f {_likely_encoding(data)} -t UTF-8`."
        ) from error
    if "\0" in text:
        raise _binary(path)
    return text


def _binary(path: Path) -> InputError:
    return InputError(f"{str(path)!r} is a binary file, not text; give one of: {READ_TODAY}.")


def _encoding(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    peek = data[:_PEEK]
    even, odd = peek[::2].count(0), peek[1::2].count(0)
    if odd > _SHARE_OF_ZEROS * len(peek) and not even:
        return "utf-16-le"
    if even > _SHARE_OF_ZEROS * len(peek) and not odd:
        return "utf-16-be"
    return "utf-8"


def _control_share(data: bytes) -> float:
    """The share of bytes that no text has in any single-byte or Chinese encoding."""
    peek = data[:_PEEK]
    return sum(byte < 9 or 13 < byte < 27 for byte in peek) / len(peek)


def _likely_encoding(data: bytes) -> str:
    """What a file that is not UTF-8 most likely is: Chinese has most high bytes in pairs."""
    high = sum(byte >= 0x80 for byte in data)
    if high > 0.1 * len(data):  # Western letters with accents are a few per cent of a text
        return "GB18030"
    return "WINDOWS-1252"
