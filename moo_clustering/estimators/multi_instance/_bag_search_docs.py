"""What the genetic estimators of bags have in common, for their docstrings."""

from __future__ import annotations

SEARCH_PARAMETERS = """
max_evals : int, optional
    Evaluations in all, trial evaluations counted; the search ends there.
constraint_handling : {"penalty", "repair"}, default="penalty"
    Partial labels and pairs multiply the objective by 1 + ``penalty`` times their violation; with
    ``"repair"`` bags that belong together are also moved into one cluster, and apart from those
    they cannot be with, in every new individual.
penalty : float, default=1.0
normalize : bool, default=True
    Scale every feature to 0..1 over all instances (Eq. 11).
random_state : int, Generator, RandomState or None, default=None
n_jobs : int, optional
    Threads; the result does not depend on it.
verbose : bool, default=False
    Progress bar with rate, time left and best value.
checkpoint : path, optional
    File to which the state is written; needs an integer ``random_state``.
checkpoint_every : int, default=10
    Generations between checkpoints.
resume : bool, default=False
    Continue from ``checkpoint`` if it exists, to the same result as without interruption.
"""

PARTITION_ATTRIBUTES = """
labels_ : ndarray of shape (n_bags,), int32
    Clusters numbered in the order of their first bags.
n_clusters_ : int
cluster_sizes_ : ndarray of shape (n_clusters_,)
    Look at the smallest beside the objective.
"""

SEARCH_ATTRIBUTES = """
violation_ : float
    Violated part of the must-links plus that of the cannot-links, 0 to 2.
logbook_, hall_of_fame_ : deap.tools.Logbook, deap.tools.HallOfFame
n_evaluations_, n_trial_evaluations_ : int
    Individuals evaluated, and values of single genes tried besides.
n_restarts_, n_iter_ : int
history_ : Recorder
interrupted_ : bool
    Whether Ctrl-C ended the search early.
data_min_, data_range_ : ndarray of shape (n_features,)
n_features_in_, feature_names_in_
"""

BAG_SEARCH_DOCS = {
    "search_parameters": SEARCH_PARAMETERS,
    "partition_attributes": PARTITION_ATTRIBUTES,
    "search_attributes": SEARCH_ATTRIBUTES,
}
