"""Parts of docstrings that the subspace clusterers share."""

from __future__ import annotations

FUZZY = """
fuzziness : float, default=1.5
    f above 1: near 1 documents belong to one cluster, from 2 on to all alike where features are many.
weight_exponent : float, default=5
    q above 1: near 1 one feature takes all weight of a cluster, a large one gives all features the same.
"""

PREDICTION = """
n_neighbors : int, optional
    Nearest clusters that vote on the classes of a document; all by default.
"""

AGGREGATION = """
aggregation : {"normalised", "sum", "membership"}, default="normalised"
    Votes weighted by inverse distances and divided by their sum; not divided, as printed, which makes
    scores of documents incomparable; or weighted by memberships.
"""

START = """
max_iter : int, default=15
    Sweeps at most.
tol : float, default=1e-4
    Sweeps end where no membership changes by more.
floor : float, default=1e-6
    Least dispersion of a feature, above 0: features that a cluster lacks have none.
"""

COMMON = """
threshold : float, default=0.5
    Least probability of the labels that ``predict`` gives, for label sets.
binarize : bool, default=False
    Take presence of features, 1 where ``X`` is positive, in place of ``X``.
dtype : {"float64", "float32"}, default="float64"
    Single precision takes half the memory.
n_init : int, default=1
    Independent starts, of which that with the least objective counts.
random_state : int, Generator, RandomState or None, default=None
n_jobs : int, optional
    Threads; results do not depend on it.
"""

ATTRIBUTES = """
memberships_ : ndarray of shape (n_documents, n_clusters)
    Rows sum to 1.
cluster_centers_ : ndarray of shape (n_clusters, n_features)
feature_weights_ : ndarray of shape (n_clusters, n_features)
    Rows sum to 1; 0 for features that are the same in all documents.
class_shares_ : ndarray of shape (n_clusters, n_classes)
    Shares of the classes among the labelled documents of the clusters; those among all labelled
    documents where a cluster has none.
classes_ : ndarray of shape (n_classes,)
    Classes; 0, 1, ... for label sets; empty without labels.
multilabel_ : bool
    Whether documents have label sets.
labels_ : ndarray of shape (n_documents,), int32
    Column of the largest membership; columns that are the largest of no document leave gaps.
n_clusters_ : int
    Clusters with documents.
history_ : ndarray of shape (n_iter_,)
    Objective of every sweep; it need not fall.
n_iter_ : int
n_features_in_, feature_names_in_
"""

PARTIAL = """
``y`` says -1 for unlabelled documents: numeric classes cannot include -1. Whatever replaces ``y`` by codes,
as ``cross_val_predict(method="predict_proba")`` does with classes, makes -1 one of them; give it labelled
documents only. ``n_neighbors``, ``aggregation`` and ``threshold`` may be changed after the fit.
"""
