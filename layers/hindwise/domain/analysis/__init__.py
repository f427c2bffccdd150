"""How text becomes search terms: the same terms whichever index holds them.

The recipe is letters joined with their marks (`composed`; whoever sends a text to a node does that
first), then OpenSearch's `standard` tokenizer and the filters `cjk_width`, `lowercase`, a cut at
the apostrophe, stop words in queries alone, `cjk_bigram` and Porter stemming, so that a term made
here is the term made there; tests/data/analysis_sample.jsonl holds what a real node answered.
English and Chinese share one field. The index holds bigrams and single characters, a query only
bigrams unless a character stands alone: 辣 finds 不吃辣, and longer queries count no single ones.
"""

from hindwise.domain.analysis.asking import asked_words, without_asking
from hindwise.domain.analysis.composing import composed
from hindwise.domain.analysis.identifiers import identifiers
from hindwise.domain.analysis.languages import language, speaks_chinese
from hindwise.domain.analysis.porter import stem
from hindwise.domain.analysis.terms import (
    QUERY_TERMS,
    STOP_QUERY,
    index_words,
    length,
    query_words,
)

__all__ = [
    "QUERY_TERMS",
    "STOP_QUERY",
    "asked_words",
    "composed",
    "identifiers",
    "index_words",
    "language",
    "length",
    "query_words",
    "speaks_chinese",
    "stem",
    "without_asking",
]
