"""Where the page is served: a socket, its address, and headers that keep the browser here.

Goes in: a host and a port, or an ASGI application. Comes out: a listening socket, or the guarded
application. Knows nothing of the page.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from typing import Any

from rag.errors import SettingsError

# An ASGI application: called with scope, receive and send.
Application = Callable[[Any, Any, Any], Awaitable[None]]
# What the browser may load, whatever a text manages to say: this server and nothing else.
# Gradio builds its templates and event scripts at run time, hence 'unsafe-eval' and -inline.
CONTENT_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
    )
)
HEADERS = (
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


def guarded(application: Application) -> Application:
    """The application with headers on every response that keep the browser on this server."""

    async def guard(scope: Any, receive: Any, send: Any) -> None:
        async def answer(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        await application(scope, receive, answer)

    return guard


def listen(host: str, port: int) -> socket.socket:
    """A socket that already takes connections, so that an address once printed answers.

    Raises `SettingsError` where the host or the port cannot be had.
    """
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise SettingsError(
            f"The host {host!r} is no address of this machine ({error.strerror}); "
            "set COLLOQUY_HOST to 127.0.0.1 or another one."
        ) from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(where)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise SettingsError(
            f"Port {port} of {host!r} cannot be used ({error.strerror}); stop what is using it, "
            "or choose another with --port or COLLOQUY_PORT."
        ) from error
    return listener


def address(listener: socket.socket) -> str:
    """The address to open in a browser."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104  shown, not bound
    return f"http://{f'[{shown}]' if ':' in shown and '[' not in shown else shown}:{port}/"
