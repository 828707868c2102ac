"""Which files of a folder this process has open (Linux)."""

from __future__ import annotations

import time
from pathlib import Path

HANDLES, MAPS = Path("/proc/self/fd"), Path("/proc/self/maps")


def open_below(folder: Path) -> set[str]:
    """The files below a folder that are open or mapped, removed ones as well."""
    found = set()
    for handle in HANDLES.iterdir():
        try:
            found.add(str(handle.readlink()))
        except FileNotFoundError:  # the one that lists the others, or closed meanwhile
            continue
    for line in MAPS.read_text(encoding="utf-8").splitlines():
        found.add(line.partition("/")[1] + line.partition("/")[2])
    return {name for name in found if name.startswith(f"{folder}/")}


def left_open(folder: Path, patience: float = 10.0) -> set[str]:
    """What is still open after a while: Chroma closes its connections a moment after `close`."""
    deadline = time.monotonic() + patience
    while (found := open_below(folder)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found
