"""What an index of the search node is made of.

Words arrive analysed (`Document.words`), so the node only splits at blanks: the terms that are
searched are the terms that are scored again, whatever version the node has, and no text leaves the
service. Nothing is kept as source: what comes back is one binary value, a third of the cost of
reading stored fields. `facts` holds every field that can be filtered by as `name value`, so that
free metadata adds no fields to the mapping.
"""

from hindwise.adapters.opensearch.shapes import Json

SHARDS = 1
"""Fixed at creation: one for each 20 GB, some five million memories."""
REFRESH = "1s"
"""Said explicitly: a shard without it goes idle and lets the next search wait for a refresh."""
_FLAG = {"type": "boolean"}
_WORD = {"type": "keyword", "doc_values": False}
_SORTED_WORD = {"type": "keyword"}
_NUMBER = {"type": "double"}
_INSTANT = {"type": "long"}


def index_body(dimensions: int, *, shards: int = SHARDS, refresh: str = REFRESH) -> Json:
    """Settings and mapping of an index; BM25 as the embedded index has it (k1 .9, b .4)."""
    settings = {
        "number_of_shards": shards,
        "auto_expand_replicas": "0-1",
        "knn": True,
        "refresh_interval": refresh,
        "similarity": {"default": {"type": "BM25", "k1": 0.9, "b": 0.4}},
    }
    mapping = {
        "dynamic": "strict",
        "_source": {"enabled": False},
        "_routing": {"required": True},
        "properties": properties(dimensions),
    }
    return {"settings": {"index": settings}, "mappings": mapping}


def properties(dimensions: int) -> Json:
    """The fields of an entry."""
    graph = {"m": 16, "ef_construction": 100}
    method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil", "parameters": graph}
    return {
        "scope": _SORTED_WORD,
        "mid": _SORTED_WORD,
        "live": _FLAG,
        "version": _INSTANT,
        "put_at": _INSTANT,
        "packed": {"type": "binary", "doc_values": True},
        "words": {"type": "text", "analyzer": "whitespace", "index_options": "freqs"},
        "exact": _WORD,
        "place": _WORD,
        "status": _WORD,
        "facts": _WORD,
        "begins": _INSTANT,
        "began": _INSTANT,
        "ends": _INSTANT,
        "event_time": _INSTANT,
        "created_at": _INSTANT,
        "updated_at": _INSTANT,
        "seen": _INSTANT,
        "stamp": _INSTANT,
        "importance": _NUMBER,
        "confidence": _NUMBER,
        "share": _NUMBER,
        "fresh": _NUMBER,
        "vector": {"type": "knn_vector", "dimension": dimensions, "method": method},
    }
