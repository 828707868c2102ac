"""The only reader of the environment: variables and flags -> one frozen `Settings`.

Goes in: `os.environ` and the caller's overrides. Comes out: `Settings`. A flag wins over a
variable. Knows nothing of what the values are used for.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from rag.errors import SettingsError

DEFAULT_INDEX = "chroma_db"
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 7860
OPENAI_BASE_URL = "https://api.openai.com/v1"
# As COLLOQUY_MODEL: no model writes, whatever endpoint is set; it may be there for embeddings.
NO_MODEL = "none"
# What COLLOQUY_EMBEDDER is, or begins with.
BUNDLED, FOLDER, ENDPOINT = "bundled", "onnx", "openai"


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting; `api_key` and `auth` never appear in a repr.

    `price` is what a million tokens of prompt and of answer cost, in whatever currency it is given.
    `repair` lets a model mend what fails the check, where the answer is not streamed.
    With neither `api_key` nor `base_url`, or with the model "none", answers are extractive.
    """

    index: str = DEFAULT_INDEX
    model: str | None = None
    embedder: str = BUNDLED
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    auth: tuple[str, str] | None = field(default=None, repr=False)
    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None
    price: tuple[float, float] | None = None
    repair: bool = False

    @property
    def endpoint(self) -> str | None:
        """The address of the endpoint whose model writes, or None where none is to write."""
        return None if self.model == NO_MODEL else self.address

    @property
    def address(self) -> str | None:
        """The endpoint's address, or None where none is set up."""
        if self.base_url:
            return self.base_url
        return OPENAI_BASE_URL if self.api_key else None


def read_settings(
    environment: Mapping[str, str] | None = None,
    *,
    index: str | None = None,
    model: str | None = None,
    host: str | None = None,
    port: int | None = None,
) -> Settings:
    """Read the environment (os.environ where None); an argument that is not None wins.

    Raises `SettingsError` for a value that does not fit.
    """
    env = os.environ if environment is None else environment

    def variable(name: str) -> str | None:
        return env.get(name, "").strip() or None

    return Settings(
        index=index or variable("COLLOQUY_INDEX") or DEFAULT_INDEX,
        model=model or variable("COLLOQUY_MODEL"),
        embedder=_embedder(variable("COLLOQUY_EMBEDDER") or BUNDLED),
        host=host or variable("COLLOQUY_HOST") or DEFAULT_HOST,
        port=_port(port if port is not None else variable("COLLOQUY_PORT") or DEFAULT_PORT),
        auth=_auth(variable("COLLOQUY_AUTH")),
        api_key=variable("OPENAI_API_KEY"),
        base_url=variable("OPENAI_BASE_URL"),
        price=_price(variable("COLLOQUY_PRICE")),
        repair=_repair(variable("COLLOQUY_REPAIR") or "0"),
    )


def _port(value: str | int) -> int:
    try:
        port = int(value)
    except ValueError:
        port = -1
    if not 0 <= port <= 65535:
        raise SettingsError(
            f"COLLOQUY_PORT is {value!r}, which is no port; give a number from 0 to 65535."
        )
    return port


def _auth(value: str | None) -> tuple[str, str] | None:
    if value is None:
        return None
    user, colon, password = value.partition(":")
    if not (user and colon and password):
        raise SettingsError("COLLOQUY_AUTH has no password; write it as user:password.")
    return user, password


def _price(value: str | None) -> tuple[float, float] | None:
    if value is None:
        return None
    try:
        prompt, answer = (float(part) for part in value.split("/"))
    except ValueError:
        prompt = answer = -1.0
    if not (0 <= prompt < math.inf and 0 <= answer < math.inf):
        raise SettingsError(
            f"COLLOQUY_PRICE is {value!r}; write what a million tokens of prompt and of answer "
            "cost, like 0.15/0.60."
        )
    return prompt, answer


def _repair(value: str) -> bool:
    if value not in ("0", "1"):
        raise SettingsError(f"COLLOQUY_REPAIR is {value!r}; write 1 for yes or 0 for no.")
    return value == "1"


def _embedder(value: str) -> str:
    kind, colon, name = value.partition(":")
    if value != BUNDLED and not (kind in (FOLDER, ENDPOINT) and colon):
        raise SettingsError(
            f"COLLOQUY_EMBEDDER is {value!r}, which this version does not know; unset it, or write "
            f"{BUNDLED}, {FOLDER}:FOLDER or {ENDPOINT}:MODEL."
        )
    if colon and not name:
        wanted = "folder" if kind == FOLDER else "model"
        raise SettingsError(
            f"COLLOQUY_EMBEDDER names no {wanted}; write it like {kind}:{wanted.upper()}."
        )
    return value
