"""Files -> the names that they have as sources in an index.

Goes in: paths, and the sources that the index knows. Comes out: a name for each path. Knows
nothing of what the files hold.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path


def source_names(paths: Sequence[Path], known: Mapping[str, str]) -> dict[str, Path]:
    """Name each file by its file name, with as many folders as tell it from others of that name.

    `known` maps names to the absolute paths they were given to. A file keeps its name; a file
    that moved (same name, and nothing lies at the former path any more) keeps it as well. A link
    goes by its own name, whatever it points to.
    """
    # Not Path.resolve, which raises RuntimeError where links go round in a circle.
    resolved = list(dict.fromkeys(Path(os.path.realpath(p.parent)) / p.name for p in paths))
    by_path = {former: name for name, former in known.items()}
    shared = Counter(path.name for path in resolved)
    names: dict[str, Path] = {}
    for path in resolved:
        name = by_path.get(str(path))
        depth = 1 if shared[path.name] == 1 else 2
        while name is None:
            wanted = "/".join(path.parts[-depth:])
            former = known.get(wanted)
            free = wanted not in names and (former is None or _is_gone(Path(former)))
            if free or depth >= len(path.parts):
                name = wanted
            depth += 1
        names[name] = path
    return names


def _is_gone(path: Path) -> bool:
    """Whether nothing lies there any more; what cannot be looked at may well be there."""
    try:
        return not path.exists()
    except OSError:
        return False
