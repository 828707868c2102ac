"""Settings -> the embedder that they name.

Goes in: `Settings`. Comes out: an `Embedder`. Knows no model: each kind has a file of its own.
"""

from __future__ import annotations

from pathlib import Path

from rag.embed import Embedder, bundled
from rag.errors import SettingsError
from rag.folder import open_folder
from rag.settings import ENDPOINT, FOLDER, Settings


def open_embedder(settings: Settings) -> Embedder:
    """The bundled model, that in a folder, or that behind the endpoint (no request is made).

    Raises `ColloquyError` where the files cannot be used or no endpoint is set.
    """
    kind, _, name = settings.embedder.partition(":")
    if kind == FOLDER:
        return open_folder(Path(name).expanduser())
    if kind == ENDPOINT:
        return _behind_endpoint(settings, name)
    return bundled()


def _behind_endpoint(settings: Settings, model: str) -> Embedder:
    if settings.address is None:
        raise SettingsError(
            f"COLLOQUY_EMBEDDER is {settings.embedder!r}, but no endpoint is set; set "
            "OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own."
        )
    from rag.endpoint import endpoint_at  # loads openai: seconds
    from rag.remote import remote_embedder

    return remote_embedder(endpoint_at(settings.address, settings.api_key), model)
