"""The product's ranking as a LlamaIndex retriever, for pipelines built with LlamaIndex.

Goes in: a live index, an embedder. Comes out: a `BaseRetriever` whose nodes carry the abstract's
best sentence and the paper's fields as metadata. It hands out a vendor's type because that is its
point; importing it loads llama_index.
"""

from __future__ import annotations

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from rag.embed import Embedder
from rag.live import LiveIndex
from rag.quote import with_quotes
from rag.retrieve import read_question, retrieve
from rag.types import Evidence, Query
from rag.understand import check_question


def make_retriever(live: LiveIndex, embedder: Embedder, k: int) -> BaseRetriever:
    """A retriever that returns k papers, best first; it works until the index is closed."""
    return _PaperRetriever(live, embedder, k)


class _PaperRetriever(BaseRetriever):
    def __init__(self, live: LiveIndex, embedder: Embedder, k: int) -> None:
        super().__init__()
        self._live = live
        self._embedder = embedder
        self._k = k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        asked = check_question(query_bundle.query_str)
        with self._live.use() as index:
            query = Query(asked, asked)
            read = read_question(index, self._embedder, asked)
            found = with_quotes(index, read, query, retrieve(index, read, query, self._k))
        return [_node(item) for item in found]


def _node(evidence: Evidence) -> NodeWithScore:
    """The whole abstract as a node; the best sentence is named by its offsets."""
    paper, best = evidence.paper, evidence.quotes[0]
    metadata = {
        "title": paper.title,
        "source": paper.source,
        "best_sentence": best.text,
        "start": best.span.start,
        "end": best.span.end,
    }
    node = TextNode(id_=paper.id, text=paper.abstract, metadata=metadata)
    return NodeWithScore(node=node, score=evidence.score)
