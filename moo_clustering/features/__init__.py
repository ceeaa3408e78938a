"""Features of texts: from words to weights, sparse from end to end.

:func:`document_term_counts` counts the stems of documents, with :class:`StemmingAnalyzer`, which
scikit-learn's ``CountVectorizer`` takes as well; :func:`prune_terms` drops rare terms, of a subset for
instance. :class:`PaperTfidfTransformer` weighs the counts, and :class:`NCWTransformer` weighs the documents.
"""

from moo_clustering.features._counts import document_term_counts, prune_terms
from moo_clustering.features._information_gain import information_gain
from moo_clustering.features._information_gain_selector import InformationGainSelector
from moo_clustering.features._ncw import NCWTransformer
from moo_clustering.features._paper_tfidf import PaperTfidfTransformer
from moo_clustering.features._stemming import StemmingAnalyzer
from moo_clustering.features._unigrams import binary_unigrams

__all__ = [
    "InformationGainSelector",
    "NCWTransformer",
    "PaperTfidfTransformer",
    "StemmingAnalyzer",
    "binary_unigrams",
    "document_term_counts",
    "information_gain",
    "prune_terms",
]
