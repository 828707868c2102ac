"""A bar on stderr with rate and estimate, for `ingest(progress=...)`.

Goes in: (done, total). Comes out: what tqdm draws. Knows nothing of papers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(what: str, unit: str = "paper") -> Iterator[Callable[[int, int], None]]:
    """Draw a bar from the first call to the end of the block; nothing where nothing is called."""
    from tqdm import tqdm  # not needed for --help

    # In a log every redraw is a line of its own: there one in ten seconds is enough.
    pause = 0.1 if sys.stderr.isatty() else 10.0
    with tqdm(desc=what, unit=unit, delay=0.5, mininterval=pause, dynamic_ncols=True) as drawn:

        def show(done: int, total: int) -> None:
            drawn.total = total
            drawn.update(done - drawn.n)

        yield show
