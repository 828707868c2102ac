"""`python -m tests.make_basis`: rag/basis.npy, the directions that token states are stored in.

The strongest directions of the unit token states of the sample.
"""

from __future__ import annotations

import sys

import numpy as np

from ingest import SAMPLE
from ingest.clean import clean
from ingest.readers import read_records
from ingest.records import Record
from rag.embed import bundled, unit
from rag.gauge import strongest
from rag.tokens import BASIS


def main() -> int:
    """Encode the sample, decompose, write."""
    texts = [clean(r.abstract) for r in read_records(SAMPLE) if isinstance(r, Record)]
    states = np.concatenate([unit(encoded.states) for _, encoded in bundled().encode(texts)])
    np.save(BASIS, strongest(states).astype(np.float16))
    return 0


if __name__ == "__main__":
    sys.exit(main())
