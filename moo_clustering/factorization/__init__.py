"""Non-negative factorisations of a document-term matrix, many runs at once: A ~ V U^T.

A has a row per document and a column per term; U (terms, components) holds the topics and V (documents,
components) how much of each topic a document has. The loss is J = ||A - V U^T||^2, never computed from
the product V U^T.
"""

from moo_clustering.factorization._document_weights import document_weights
from moo_clustering.factorization._labels import labels_from_factors
from moo_clustering.factorization._loss import factorization_loss
from moo_clustering.factorization._nmf import MAX_MEMORY, map_nmf, nmf
from moo_clustering.factorization._runs import NMFRuns
from moo_clustering.factorization._solvers import SOLVERS
from moo_clustering.factorization._topics import topic_lengths

__all__ = [
    "MAX_MEMORY",
    "SOLVERS",
    "NMFRuns",
    "document_weights",
    "factorization_loss",
    "labels_from_factors",
    "map_nmf",
    "nmf",
    "topic_lengths",
]
