"""Says once, for all tests of this folder, that the browser is missing."""

from __future__ import annotations

import os

import pytest

from tests.browser.conftest import CHROMIUM


def test_chromium_is_installed() -> None:
    if CHROMIUM:
        return
    message = "the page was not tested in a browser: install Debian's package 'chromium'"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)
