"""Every public callable that is given data: a small valid call, and of what kind each argument is.

Kinds are those of ``odd_forms.py``. Estimators and indices come from their own registries.
"""

import ast
import dataclasses
import functools
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from pymoo.algorithms.moo.nsga2 import NSGA2
from scipy.sparse import issparse
from sklearn.cluster import KMeans

from contract import indices
from contract.consensus import ensemble
from contract.estimators import CLASSES, ESTIMATORS, GRID, PARTLY, bags, quicker, rows, words
from contract.problems import labels_problem
from contract.rooms import rooms
from moo_clustering import (
    bags as bag_room,
)
from moo_clustering import (
    consensus,
    constraints,
    controls,
    descriptions,
    diversity,
    encodings,
    estimators,
    evidence,
    factorization,
    features,
    fronts,
    graphs,
    interactive,
    pool,
    problems,
    rules,
    stats,
    subspace,
    validity,
    visualization,
)
from moo_clustering import operators as ops
from moo_clustering.operators import deap
from moo_clustering.studies import Study

# Parameters of these names are data whatever their annotation says.
DATA_NAMES = {"X", "y", "S", "W", "A", "F", "labels", "bags", "data", "results", "counts", "distances"}
# Functions with such parameters that no odd forms are tried on, and why.
EXCEPTIONS = {
    "as_mate": "of a problem",
    "as_mutate": "of a problem",
    "batched_tournament": "pymoo calls it with its own population",
    "batch_map": "of individuals",
    "apply_batch": "of individuals",
    "chc": "of individuals",
    "gka": "of individuals",
    "gcuk": "of individuals",
    "local_search": "of a problem",
    "mut_relocate": "of a problem",
    "mut_slots": "of an individual",
    "sel_dynamic_diversity": "of individuals",
    "suited_operators": "of a problem",
    "drive": "of a search",
    "main": "the command",
    "read_pairs": "of a file, with names of rows",
    "read_documents": "of a file",
    "read_graph": "of a file",
    "read_multilabel": "of a file",
    "read_table": "of a file",
    "compare_deap": "of a toolbox; its y is that of compare",
    "write_archive": "stores what it is given, and refuses masked arrays in tests of its own",
    "save_checkpoint": "as write_archive",
    "to_json": "of any values",
    "fingerprint": "a hash of whatever it is",
    "report_content": "of a fitted estimator: the report has tests of its own",
    "pymoo_plots": "gives classes",
    "convergence_data": "of recorders or of tables that scores of two runs may be of different length",
    "plot_convergence": "as convergence_data",
    "plot_archive": "of an archive",
    "plot_regions": "of a map, with tests of its own",
    "term_data": "as plot_terms",
    # Inner loops of the subspace methods, between arrays that these methods made themselves.
    "chi_square": "of sums that sweeps make",
    "class_shares": "of memberships that sweeps make",
    "distances": "of centres that sweeps make",
    "impurity": "of shares that sweeps make",
    "iterate": "of memberships that sweeps make",
    "memberships_from_distances": "of distances that sweeps make",
    "memberships_from_seeds": "of samples that a search draws",
    "overall_shares": "of checked targets",
    "start": "of checked targets",
    "sweep": "of memberships that sweeps make",
    "votes": "of shares that sweeps make",
    # Inner loops of PESC and its operators.
    "equal_loci": "of chromosomes of a search",
    "locus_counts": "of chromosomes of a search",
    "remove_counts": "of chromosomes of a search",
    "shared_choices": "of chromosomes of a search",
}


@dataclass(frozen=True, eq=False)
class Door:
    """A callable, its valid arguments with their kinds, and the rest of the call.

    ``free`` names pairs (argument, form) of which nothing is asked, with the reason.
    """

    of: str
    call: Callable[..., Any]
    data: dict[str, tuple[str, Any]]
    free: dict[tuple[str, str], str] = field(default_factory=dict)
    slow: bool = False  # a call takes more than some hundredths of a second


def _rng():
    return np.random.default_rng(0)


def _door(function, data, free=None, /, *, name="", slow=False, **fixed):
    def call(**given):
        made = {key: value() if key == "rng" else value for key, value in fixed.items()}
        return function(**given, **made)

    return Door(name or function.__name__, call, data, free or {}, slow)


@functools.cache
def similarities():
    """A dense similarity graph of the rows."""
    S = indices.graph().toarray()
    S.setflags(write=False)
    return S


@functools.cache
def square():
    """Distances of the rows."""
    X = rows()
    D = np.linalg.norm(X[:, None] - X, axis=2)
    return (D + D.T) / 2


@functools.cache
def lists():
    """Neighbours of the rows."""
    return graphs.neighbor_lists(rows(), 6, rng=_rng())


def pairs():
    """Must-links and cannot-links."""
    return constraints.PairwiseConstraints([(0, 3), (3, 6)], [(0, 1), (1, 2)], n_samples=24)


def _tree():
    return graphs.euclidean_mst(rows(), root=0, ties="index")


def _links():
    tree = _tree()
    children = np.flatnonzero(np.arange(24) != tree.root)
    return np.column_stack([children, tree.parent[children]]), tree.lengths[children]


def _compared(y):
    problem = problems.MedoidProblem(rows(), k_max=4)
    found = controls.compare(
        problem, NSGA2(4, **problem.operators()), n_evals=12, seeds=1, y=y, controls=["random"]
    )
    return found.runs["ari"]


X, Y, D, S = "table", "classes", "distances", "graph"
POOL = np.array([CLASSES, np.arange(24) // 8, np.arange(24) % 2, np.arange(24) // 6], dtype=np.int32)
RUNS = ensemble(24, n_runs=6)[0]
SCORES = np.eye(3)[POOL[1]] + 0.1 * rows()[:, :1]
_RESULTS = np.random.default_rng(5).random((6, 3))
_RESULTS_FREE = {
    ("results", "infinite"): "a method may fail by infinity on a data set",
    ("results", "one too few"): "fewer methods",
    ("results", "dict"): "average ranks of methods",
    ("results", "frame"): "names methods",
    ("results", "nullable"): "names methods",
}
_RANKS = np.random.default_rng(1).integers(0, 6, (5, 24))
_LINKS, _LENGTHS = _links()
_NMF = {"n_components": 2, "n_runs": 2, "seeds": np.random.SeedSequence(0).spawn(2), "max_iter": 5}
_FACTORS = [np.abs(np.random.default_rng(k).normal(size=(n, 2))) for k, n in ((0, 12), (1, 24))]

# Functions of the rooms.
FUNCTIONS = [
    # validity
    *(
        _door(getattr(validity, name), {"labels_true": (Y, CLASSES), "labels_pred": (Y, POOL[1])})
        for name in ("nmi", "clustering_accuracy", "matched_rand_index", "matched_f1")
    ),
    _door(validity.cluster_entropy, {"labels_true": (Y, CLASSES), "labels_pred": (Y, POOL[1])}),
    _door(validity.agreement, {"labels": ("whole", POOL[:2])}, pool=(POOL, ("km", "ward", "km", "genie"))),
    _door(validity.average_nmi, {"labels": ("whole", POOL), "candidate": ("whole", POOL[1])}),
    _door(validity.pairwise_ari, {"A": ("whole", POOL), "B": ("whole", POOL[:2])}),
    _door(validity.pairwise_nmi, {"labels": ("whole", POOL), "others": ("whole", POOL[:2])}),
    _door(validity.boundary_cut, {"labels": ("whole", POOL), "S": (S, similarities())}),
    _door(validity.graph_modularity, {"labels": ("whole", POOL), "S": (S, similarities())}),
    _door(
        validity.label_evidence,
        {"labels": ("whole", POOL), "counts": ("table", np.eye(3)[CLASSES] * (PARTLY[:, None] >= 0))},
    ),
    _door(validity.i2_criterion, {"X": (X, words()), "labels": (Y, POOL[1])}),
    # descriptions
    _door(descriptions.describe_columns, {"labels": ("whole", POOL[1])}, columns=pd.DataFrame(words())),
    _door(rules.find_rules, {"labels": ("whole", POOL[1])}, columns=pd.DataFrame(words())),
    _door(
        descriptions.describe_terms,
        {"labels": ("whole", POOL[1]), "weights": (X, words())},
        terms=[f"term {place}" for place in range(words().shape[1])],
    ),
    _door(validity.bag_report, {"bags": ("bags", bags()), "labels": ("whole", CLASSES), "y": (Y, POOL[3])}),
    _door(validity.bag_indices, {"bags": ("bags", bags())}),
    _door(
        validity.db_medoid,
        {
            "H": ("bag distances", square()),
            "labels": ("whole", CLASSES),
            "medoids": ("whole", np.array([0, 1, 2])),
        },
    ),
    *(
        _door(getattr(validity, name), {"y_true": ("targets", CLASSES), "y_score": ("numbers", SCORES)})
        for name in ("class_aucs", "macro_auc", "mean_roc_curve")
    ),
    _door(
        validity.k_error,
        {"targets": ("numbers", np.array([3, 2, 4])), "predicted": ("numbers", np.array([3, 3, 3]))},
        {("predicted", "no dimension"): "a constant"},
    ),
    # consensus
    *(
        _door(
            getattr(consensus, name),
            {"labels": ("whole", RUNS), "weights": ("numbers", np.ones(6))},
            {("labels", "one too few"): "fewer samples"},
            n_clusters=3,
            random_state=0,
        )
        for name in ("cspa", "hgpa", "mcla", "hbgf")
    ),
    _door(consensus.best_half, {"labels": ("whole", RUNS)}, {("labels", "one too few"): "fewer samples"}),
    _door(
        consensus.select_pareto,
        {"labels": ("whole", RUNS), "losses": ("numbers", np.arange(6.0)), "X": (X, words())},
        n_clusters=3,
        select="i2",
        n_gen=2,
        pop_size=4,
        random_state=0,
        slow=True,
    ),
    _door(consensus.diversity_graph, {"ranks": ("whole", _RANKS)}, lists=lists(), weight="div"),
    _door(consensus.diversity_weights, {"ranks": ("whole", _RANKS)}, lists=lists()),
    _door(consensus.edge_distances, {"ranks": ("whole", _RANKS)}, lists=lists()),
    _door(
        consensus.ensemble_members, {"F": ("numbers", _RESULTS)}, {("F", "one too few"): "fewer objectives"}
    ),
    _door(
        consensus.kernel_graph,
        {"ranks": ("whole", _RANKS)},
        lists=lists(),
        sigma="mean",
        n_clusters=3,
        laplacian="sym",
        rng=_rng,
    ),
    _door(
        consensus.kernel_weights,
        {"distances": ("numbers", consensus.edge_distances(_RANKS, lists())[1])},
        edges=consensus.edge_distances(_RANKS, lists())[0],
        sigma=0.5,
    ),
    _door(consensus.reconstruction_graph, {"ranks": ("whole", _RANKS), "X": (X, rows())}, lists=lists()),
    _door(
        consensus.reconstruction_weights,
        {"X": (X, rows())},
        edges=consensus.edge_distances(_RANKS, lists())[0],
    ),
    _door(
        consensus.to_csr, {"weights": ("numbers", np.random.default_rng(4).random((24, 6)))}, lists=lists()
    ),
    # constraints
    _door(constraints.constraint_groups, {"y": ("targets", PARTLY)}, n_samples=24),
    _door(constraints.fisher_weights, {"X": (X, rows())}, constraints=pairs()),
    _door(constraints.satisfied_from_labels, {"labels": ("whole", POOL), "y_partial": ("targets", PARTLY)}),
    # graphs
    _door(graphs.neighbor_lists, {"X": (X, rows())}, n_neighbors=4, rng=_rng),
    _door(
        graphs.neighbor_lists,
        {"X": (D, square())},
        name="neighbor_lists, distances",
        n_neighbors=4,
        metric="precomputed",
        rng=_rng,
    ),
    _door(
        graphs.lists_from_arrays,
        {"indices": ("whole", lists().indices), "distances": ("numbers", lists().distances)},
        n_samples=24,
    ),
    *(
        door
        for function, options in (
            (graphs.epsilon_graph, {"epsilon": 2.0}),
            (graphs.full_graph, {"sigma": 1.0}),
            (graphs.pair_distances, {}),
            (graphs.self_tuning_graph, {"n_neighbors": 4}),
            (graphs.euclidean_mst, {"root": 0, "ties": "index"}),
            (graphs.mutual_reachability_mst, {"n_neighbors": 3}),
            (graphs.mst_interestingness, {"tree": _tree()}),
        )
        for door in (
            _door(function, {"X": (X, rows())}, **options),
            _door(
                function,
                {"X": (D, square())},
                name=f"{function.__name__}, distances",
                metric="precomputed",
                **options,
            ),
        )
    ),
    _door(graphs.locus_graph, {"X": (X, rows())}, n_neighbors=4, rng=_rng),
    _door(graphs.laplacian, {"S": (S, similarities())}),
    _door(
        graphs.symmetrize,
        {"S": (S, similarities())},
        {("S", "not symmetric"): "its purpose", ("S", "sparse, not symmetric"): "its purpose"},
    ),
    _door(graphs.eigengap, {"S": (S, similarities())}, n_clusters=3, rng=_rng),
    _door(graphs.spectral_embedding, {"S": (S, similarities())}, n_components=3, rng=_rng),
    _door(
        graphs.spectral_partition,
        {"S": (S, similarities()), "X": (X, rows())},
        {("S", "not symmetric"): "symmetrised", ("S", "sparse, not symmetric"): "symmetrised"},
        n_clusters=3,
        rng=_rng,
    ),
    _door(
        graphs.bridge_components,
        {"S": (S, similarities()), "X": (X, rows())},
        {("S", "not symmetric"): "symmetrised", ("S", "sparse, not symmetric"): "symmetrised"},
        rng=_rng,
    ),
    _door(
        graphs.spectral_cuts,
        {"S": (S, similarities()), "ks": ("whole", np.array([2, 3]))},
        {("ks", "one too few"): "another list", ("ks", "nothing"): "another list"},
        rng=_rng,
    ),
    _door(
        graphs.ratio_cut,
        {"W": (S, similarities()), "labels": ("whole", POOL)},
        {("W", "not symmetric"): "symmetrised", ("W", "sparse, not symmetric"): "symmetrised"},
    ),
    _door(
        graphs.write_constraints,
        {"S": (S, similarities()), "X": (X, rows())},
        {("S", "not symmetric"): "symmetrised", ("S", "sparse, not symmetric"): "symmetrised"},
        groups=constraints.constraint_groups(24, constraints=pairs()),
    ),
    _door(graphs.genie_merges, {"links": ("whole", _LINKS), "lengths": ("numbers", _LENGTHS)}),
    _door(graphs.genie_cuts, {"links": ("whole", _LINKS), "lengths": ("numbers", _LENGTHS)}, ks=[2, 3]),
    *(
        _door(
            function,
            {"distances": ("numbers", lists().distances)},
            {
                ("distances", "one too few"): "any number of them",
                ("distances", "nothing"): "any number of them",
                ("distances", "too many dimensions"): "of any shape",
                ("distances", "no dimension"): "a distance",
                ("distances", "NaN"): "stands for no neighbour",
                ("distances", "infinite"): "stands for no neighbour",
            },
            **options,
        )
        for function, options in (
            (graphs.gaussian_similarity, {"sigma": 1.0}),
            (graphs.resolve_sigma, {"sigma": "median"}),
            (graphs.waterfill_weights, {"lam": 5.0}),
        )
    ),
    # evidence
    _door(
        evidence.selection_score,
        {"agreement": ("numbers", np.arange(4.0)), "modularity": ("numbers", np.arange(4.0))},
    ),
    _door(
        evidence.best_member,
        {"score": ("numbers", np.arange(4.0)), "n_clusters": ("numbers", np.array([2, 3, 4, 5]))},
    ),
    _door(
        evidence.consensus_weights,
        {"score": ("numbers", np.arange(4.0)), "n_clusters": ("numbers", np.array([2, 3, 4, 5]))},
        k=3,
    ),
    _door(
        evidence.evidence_weights,
        {"evidence": ("numbers", np.arange(4.0))},
        {("evidence", "one too few"): "fewer"},
    ),
    *(
        _door(
            function,
            {"labels": ("whole", POOL), "weights": ("numbers", np.ones(4))},
            {("labels", "one too few"): "fewer samples"},
            **options,
        )
        for function, options in (
            (evidence.coassociation, {}),
            (evidence.consensus_affinity, {}),
            (evidence.consensus_partition, {"k": 3, "rng": _rng}),
        )
    ),
    _door(
        evidence.graph_kernel,
        {"S": (S, similarities()), "columns": ("whole", np.arange(5))},
        {("columns", form): "another list" for form in ("one too few", "nothing")},
    ),
    _door(
        evidence.linear_kernel,
        {"X": (X, rows()), "columns": ("whole", np.arange(5))},
        {("columns", form): "another list" for form in ("one too few", "nothing")},
    ),
    _door(
        evidence.kernel_ridge,
        {
            "kernel": ("numbers", np.exp(-square())[:, :6]),
            "columns": ("whole", np.arange(6)),
            "targets": ("numbers", np.eye(3)[CLASSES[:6]]),
            "counts": ("numbers", np.ones(6)),
        },
        {("targets", "one too few"): "fewer classes"},
        ridge=0.1,
    ),
    _door(
        evidence.class_factors,
        {"F": ("numbers", np.abs(SCORES) + 0.1), "prior": ("numbers", np.full(3, 1 / 3))},
    ),
    _door(
        evidence.class_probabilities,
        {"F": ("numbers", np.abs(SCORES) + 0.1), "prior": ("numbers", np.full(3, 1 / 3))},
    ),
    _door(evidence.propagate_pairs, {"W": (S, similarities())}, constraints=pairs(), alpha=0.5),
    _door(
        evidence.repair_pairs, {"labels": ("whole", CLASSES), "S": (S, similarities())}, constraints=pairs()
    ),
    _door(
        evidence.cross_validated_partition,
        {"bonus": ("numbers", np.zeros(2))},
        affinities=[(similarities(), 0.5)],
        ks=[2, 3],
        constraints=pairs(),
        rng=_rng,
        slow=True,
    ),
    # factorization, features, fronts, stats, diversity
    _door(factorization.nmf, {"A": (X, words())}, **_NMF),
    Door(
        "map_nmf", lambda A: factorization.map_nmf(lambda runs: runs.losses, A, **_NMF), {"A": (X, words())}
    ),
    _door(
        factorization.factorization_loss,
        {"A": (X, words()), "U": ("numbers", _FACTORS[0]), "V": ("numbers", _FACTORS[1])},
    ),
    _door(
        factorization.document_weights,
        {"A": (X, words()), "U": ("numbers", _FACTORS[0])},
        {("U", form): "fewer topics" for form in ("one too few", "nothing")},
    ),
    _door(factorization.labels_from_factors, {"U": ("numbers", _FACTORS[0]), "V": ("numbers", _FACTORS[1])}),
    _door(
        factorization.topic_lengths,
        {"U": ("numbers", _FACTORS[0])},
        {("U", form): "fewer topics" for form in ("one too few", "nothing")},
    ),
    _door(features.information_gain, {"X": (X, words()), "y": ("targets", CLASSES)}),
    _door(
        features.prune_terms,
        {"counts": (X, words())},
        {("counts", "half precision"): "SciPy has no such matrices"},
        terms=[f"t{j}" for j in range(12)],
        min_df=2,
    ),
    _door(
        fronts.attainment_scores,
        {"F": ("numbers", _RESULTS[:, :2]), "n_clusters": ("whole", np.arange(1, 7))},
        controls=[(_RESULTS[:, 1:], np.arange(1, 7))],
    ),
    _door(fronts.control_data, {"X": (X, rows())}, kind="box", rng=_rng),
    *(
        _door(getattr(stats, name), {"results": ("numbers", _RESULTS)}, _RESULTS_FREE, greater_is_better=True)
        for name in ("average_ranks", "friedman", "holm", "nemenyi", "shaffer_static")
    ),
    _door(
        stats.compare,
        {"results": ("numbers", _RESULTS)},
        _RESULTS_FREE,
        name="stats.compare",
        greater_is_better=True,
    ),
    Door("compare", _compared, {"y": ("targets", PARTLY)}, slow=True),
    _door(
        stats.critical_difference_data,
        {"results": ("numbers", _RESULTS)},
        _RESULTS_FREE,
        greater_is_better=True,
    ),
    _door(diversity.diversity, {"population": ("whole", _RANKS), "reference": ("whole", _RANKS[:3])}),
    # encodings
    *(
        _door(getattr(encodings, name), {"a": ("whole", POOL[:2]), "b": ("whole", POOL[2:])})
        for name in ("aligned_distance", "hamming_distance")
    ),
    _door(encodings.align_labels, {"reference": ("whole", POOL[:2]), "labels": ("whole", POOL[2:])}),
    _door(
        encodings.relabel_by_first_appearance,
        {"labels": ("whole", POOL)},
        {("labels", "one too few"): "fewer samples", ("labels", "nothing"): "of no samples"},
    ),
    # pool
    _door(
        pool.candidate_pool,
        {"X": (X, rows()), "graph": (S, similarities())},
        families=("ward", "genie"),
        k_range=(2, 3),
        random_state=0,
        slow=True,
    ),
    _door(
        pool.candidate_pool,
        {"X": (D, square())},
        name="candidate_pool, distances",
        metric="precomputed",
        families=("spec", "genie"),
        k_range=(2, 3),
        random_state=0,
        slow=True,
    ),
    _door(
        pool.bag_candidate_pool,
        {"bags": ("bags", bags())},
        k_range=(2, 3),
        distances=("symmetric",),
        embeddings=("mean",),
        random_state=0,
        slow=True,
    ),
    _door(
        pool.extra_partitions,
        {"landmark_of": ("whole", np.arange(24))},
        extra_candidates=[("mine", CLASSES)],
        X=rows(),
        n_samples=24,
        rng=_rng,
    ),
    # bags
    *(
        _door(getattr(bag_room, name), {"bags": ("bags", bags())}, **options)
        for name, options in (
            ("bag_embedding", {"kind": "mean"}),
            ("bag_statistics", {}),
            ("sliced_quantile_embedding", {"rng": _rng}),
        )
    ),
    *(
        _door(getattr(bag_room, name), {"A": ("bags", bags()), "B": ("bags", bags(1))}, **options)
        for name, options in (
            ("bag_distances", {}),
            ("energy_distance", {}),
            ("bag_distance_kinds", {"kinds": ("symmetric",), "rng": _rng}),
        )
    ),
    _door(bag_room.as_bags, {"X": ("bags", bags())}),
    _door(
        bag_room.gaussian_bag_kernel,
        {"distances": ("numbers", square())},
        {("distances", form): "of other bags" for form in ("one too few", "nothing")},
    ),
    _door(
        bag_room.farthest_candidates,
        {
            "X": ("numbers", rows()),
            "offsets": ("whole", np.arange(0, 25, 3)),
            "means": ("numbers", rows()[:3]),
        },
        min_cluster_size=1,
    ),
    # interactive, operators, persistence
    Door(
        "simulate",
        lambda y: interactive.simulate(_session(), y, 2),
        {"y": ("targets", CLASSES)},
        {("y", "complex"): "classes of any type"},
        slow=True,
    ),
    _door(
        deap.fgka_fitness,
        {"F": ("numbers", np.arange(4.0)), "nonempty": ("whole", np.array([3, 3, 2, 3]))},
        dict.fromkeys(
            [("F", "infinite"), ("F", "NaN"), ("F", "missing"), ("F", "None in a list")], "undefined is worst"
        ),
        k=3,
        f_max=5.0,
    ),
    _door(
        deap.roulette_weights,
        {"F": ("numbers", np.arange(4.0))},
        {
            ("F", "one too few"): "fewer",
            ("F", "nothing"): "none",
            **dict.fromkeys(
                [("F", "infinite"), ("F", "NaN"), ("F", "missing"), ("F", "None in a list")],
                "undefined is worst",
            ),
        },
    ),
    Door(
        "vary",
        lambda X: ops.vary(labels_problem(), X, **_two_operators(), random_state=0),
        {"X": ("whole", POOL)},
    ),
    Door("start_genes", lambda start: ops.start_genes(labels_problem(), start), {"start": ("whole", POOL)}),
    # visualization
    _door(visualization.partition_data, {"X": (X, rows()), "labels": ("whole", CLASSES)}),
    _door(
        visualization.constraints_data, {"X": (X, rows()), "labels": ("whole", CLASSES)}, constraints=pairs()
    ),
    _door(visualization.bag_distance_data, {"bags_or_distances": ("bags", bags()), "labels": (Y, CLASSES)}),
    _door(
        visualization.bag_embedding_data,
        {
            "bags_or_distances": ("bags", bags()),
            "labels": (Y, CLASSES),
            "medoids": ("whole", np.array([0, 1, 2])),
        },
        {("medoids", "one too few"): "fewer", ("medoids", "nothing"): "none"},
        slow=True,
        random_state=0,
    ),
    _door(
        visualization.similarity_data,
        {
            "similarity": (S, similarities()),
            "labels": (Y, CLASSES),
            "eigenvalues": ("numbers", np.arange(4.0)),
        },
        {
            ("similarity", "not symmetric"): "drawn as it is",
            ("similarity", "sparse, not symmetric"): "drawn as it is",
            ("eigenvalues", "one too few"): "fewer",
            ("eigenvalues", "nothing"): "none",
        },
    ),
    _door(
        visualization.front_data,
        {"F": ("numbers", _RESULTS)},
        {("F", "one too few"): "fewer objectives"},
        names=None,
    ),
    _door(
        visualization.front_bounds, {"F": ("numbers", _RESULTS)}, {("F", "one too few"): "fewer objectives"}
    ),
    _door(visualization.term_data, {"topics": (X, np.abs(SCORES.T))}),
    Door(
        "roc_data",
        lambda fpr, tpr: visualization.roc_data({"a": (fpr, tpr)}),
        {"fpr": ("numbers", np.array([0.0, 0.5, 1.0])), "tpr": ("numbers", np.array([0.0, 0.7, 1.0]))},
    ),
    # subspace
    _door(
        subspace.entropy_weighted_kmeans,
        {"seeds": ("whole", np.array([0, 1, 2]))},
        data=subspace.SubspaceData.of(words()),
        n_clusters=3,
        max_iter=2,
        rng=_rng,
    ),
    Door("SubspaceData.of", lambda X: subspace.SubspaceData.of(X).mean(), {"X": (X, words())}),
]
# Classes with such parameters.
EXCEPTIONS |= {
    "AnswerSession": "of a fitted estimator; data are shown as they are",
    "ArrayIndividual": "of genes of a search",
    "CenterIndividual": "of genes of a search",
    "ChunkedCenterProblem": "of a table in parts, whose sources have tests of their own",
    "MedoidIndividual": "of genes of a search",
    "ChangePartition": "of a mutation",
    "InconsistentConstraintsError": "an error",
    "MixedStarts": "of distances that a search measured",
    "PoolSampling": "of a pool and its scores",
    "QuestionPool": "of a pool that an estimator made",
    "Recorder": "of signs of objectives",
    "RefillingSampling": "of genes of a search, which start_genes checks",
    "RuleSet": "of a table that find_rules has read",
    "SubspaceSeedEncoding": "of checked data",
    "TablePreparer": "of cells of any kind, which have tests of their own",
}
# The functions of the plots check as those that prepare their data.
EXCEPTIONS |= {
    f"plot_{name}": f"as {name}_data"
    for name in (
        "attainment",
        "bag_distances",
        "bag_embedding",
        "constraints",
        "critical_difference",
        "front",
        "partition",
        "roc",
        "similarity",
        "terms",
    )
}


def _index(name, case, kind, data=None):
    data = case.data() if data is None else data

    def call(data, labels):
        return case.make().fit(data).evaluate(labels)

    free = {("data", "nothing"): "an index of nothing"}
    return Door(f"{case.of} ({name})", call, {"data": (kind, data), "labels": ("whole", POOL)}, free)


def _two_operators():
    suited = labels_problem().operators()
    return {name: suited[name] for name in ("crossover", "mutation")}


def _index_doors():
    for name, case in indices.INDICES.items():
        yield _index(name, case, "table")
    for name, case in indices.BAG_INDICES.items():
        yield _index(name, case, "bags")
    for name in ("boundary_cut", "cut_edges", "graph_modularity"):
        yield _index(name, indices.OTHER_INDICES[name], "graph", similarities())
    yield _index("label_evidence", indices.OTHER_INDICES["label_evidence"], "table")
    agreement = indices.OTHER_INDICES["agreement"]
    yield Door(
        "FamilyAgreement",
        lambda pool, labels: agreement.make().fit((pool, indices.pool()[1])).evaluate(labels),
        {"pool": ("whole", POOL), "labels": ("whole", POOL)},
    )
    for of, make in {
        "Silhouette": lambda: validity.Silhouette("precomputed"),
        "MinimaxSilhouette": lambda: validity.MinimaxSilhouette("precomputed"),
        "XieBeni": lambda: validity.XieBeni("medoid", metric="precomputed"),
        "IIndex": lambda: validity.IIndex("medoid", metric="precomputed"),
        "Connectivity": lambda: validity.Connectivity(4, metric="precomputed", ties="index"),
    }.items():
        yield _index("precomputed", indices.IndexCase(of, make), "distances", square())
    yield _index(
        "precomputed",
        indices.IndexCase("BagSilhouette", lambda: validity.BagSilhouette("precomputed")),
        "bag distances",
        square(),
    )
    yield Door(
        "ChangedShare (previous)",
        lambda previous: validity.ChangedShare(previous).fit(rows()).evaluate(POOL),
        {"previous": ("whole", CLASSES)},
    )
    yield Door(
        "Connectivity (neighbors)",
        lambda neighbors: validity.Connectivity(4, neighbors=neighbors).fit(rows()).evaluate(POOL),
        {"neighbors": ("whole", lists().indices)},
        {("neighbors", "one too few"): "more than needed"},
    )


def _encoded(encoding):
    genes = encoding.random(4, _rng())
    return encoding.decode(genes)


def _encoding_doors():
    yield Door("MedoidEncoding", lambda X: _encoded(encodings.MedoidEncoding(X, k_max=4)), {"X": (X, rows())})
    yield Door(
        "MedoidEncoding, distances",
        lambda X: _encoded(encodings.MedoidEncoding(X, k_max=4, metric="precomputed")),
        {"X": (D, square())},
    )
    yield Door(
        "MedoidSlotEncoding",
        lambda distances: _encoded(encodings.MedoidSlotEncoding(distances, k_max=4)),
        {"distances": ("bag distances", square())},
    )
    yield Door(
        "LocusAdjacencyEncoding",
        lambda neighbors: _encoded(encodings.LocusAdjacencyEncoding(neighbors)),
        {"neighbors": ("whole", lists().indices)},
        {("neighbors", "one too few"): "fewer neighbours"},
    )
    yield Door(
        "RegionEncoding",
        lambda graph, weight: _encoded(encodings.RegionEncoding(graph, 3, weight=weight)),
        {"graph": (S, GRID.toarray()), "weight": ("numbers", np.ones(24))},
    )
    yield Door("CenterEncoding", lambda X: _encoded(problems.CenterEncoding(X, 3)), {"X": (X, rows())})
    yield Door(
        "FuzzyCenterEncoding", lambda X: _encoded(problems.FuzzyCenterEncoding(X, 3)), {"X": (X, rows())}
    )
    yield Door(
        "FeatureSubsetEncoding",
        lambda X: _encoded(problems.FeatureSubsetEncoding(X, 3, random_state=0)),
        {"X": (X, words())},
    )
    for name, encoding in {
        "LabelEncoding": encodings.LabelEncoding(24, 4),
        "RegionEncoding": encodings.RegionEncoding(GRID, 4),
        "MedoidEncoding": encodings.MedoidEncoding(rows(), k_max=4),
        "LocusAdjacencyEncoding": encodings.LocusAdjacencyEncoding(n_samples=24),
        "MedoidSlotEncoding": encodings.MedoidSlotEncoding(square(), k_max=4),
    }.items():
        genes = encoding.random(4, _rng())
        none = {("X", "nothing"): "of no individuals"}
        yield Door(f"{name}.decode", encoding.decode, {"X": ("whole", genes)}, none)
        rounded = {("X", "fractions"): "rounded", ("X", "huge"): "clipped"}
        rounded[("X", "infinite, in half precision")] = "clipped"
        yield Door(f"{name}.repair", encoding.repair, {"X": ("whole", genes)}, rounded)
        yield Door(f"{name}.encode", encoding.encode, {"labels": ("whole", POOL)})


def _scored(problem, sampling=None):
    genes = problem.encoding.random(4, _rng()) if sampling is None else sampling
    return problem.evaluate(genes)


def _problem_doors():
    for name, make in {
        "MedoidProblem": lambda X: problems.MedoidProblem(X, k_max=4),
        "MOCKProblem": lambda X: problems.MOCKProblem(X, n_neighbors=4, random_state=0),
        "SumOfSquaresProblem": lambda X: problems.SumOfSquaresProblem(X, 3),
        "PartitionProblem": lambda X: problems.PartitionProblem(
            X, encodings.LabelEncoding(24, 4), ["davies_bouldin", "connectivity"]
        ),
    }.items():
        yield Door(name, lambda X, make=make: _scored(make(X)), {"X": (X, rows())})
    for name, make in {
        "MedoidProblem": lambda X: problems.MedoidProblem(X, k_max=4, metric="precomputed"),
    }.items():
        yield Door(f"{name}, distances", lambda X, make=make: _scored(make(X)), {"X": (D, square())})
    yield Door(
        "SRMOSCProblem",
        lambda X: problems.SRMOSCProblem(X, n_candidates=5, random_state=0).n_var,
        {"X": (X, rows())},
    )
    weights = {"sample_weight": ("numbers", np.arange(1.0, 25.0))}
    yield Door(
        "NeighborGraphProblem",
        lambda sample_weight: problems.NeighborGraphProblem(
            lists(), sample_weight=sample_weight
        ).mean_distance(_RANKS),
        weights,
    )
    yield Door(
        "MOCKProblem, weights",
        lambda sample_weight: _scored(
            problems.MOCKProblem(rows(), sample_weight=sample_weight, n_neighbors=4, random_state=0)
        ),
        weights,
    )
    coarse = np.round(rows()).astype(int) - np.round(rows()).astype(int).min()
    yield Door(
        "FuzzyModesProblem",
        lambda X: problems.FuzzyModesProblem(X, 3).n_var,
        {"X": ("whole", coarse)},
        {("X", "one too few"): "fewer columns"},
    )
    yield Door(
        "FuzzyModesProblem, numbers",
        lambda X: problems.FuzzyModesProblem(X, 3, metric="euclidean").n_var,
        {"X": (X, rows())},
    )
    yield Door(
        "FeatureSubsetProblem",
        lambda X, partial_y: _scored(
            problems.FeatureSubsetProblem(X, 3, partial_y=partial_y, random_state=0)
        ),
        {"X": (X, words()), "partial_y": ("targets", PARTLY)},
    )
    yield Door(
        "SubspaceClusteringProblem",
        lambda X, y: _scored(problems.SubspaceClusteringProblem(X, y, n_seeds=4, k_min=2, n_sweeps=1)),
        {"X": (X, words()), "y": ("targets", PARTLY)},
    )
    for name in ("BagPartitionProblem", "BagMedoidProblem"):
        yield Door(name, lambda X, name=name: _scored(getattr(problems, name)(X, 3)), {"X": ("bags", bags())})
    genes = np.ones((2, 6), dtype=bool)
    yield Door(
        "EnsembleSelectionProblem",
        lambda labels, losses: _scored(
            problems.EnsembleSelectionProblem(labels, losses=losses, min_runs=2), genes
        ),
        {"labels": ("whole", RUNS), "losses": ("numbers", np.arange(6.0))},
        {("labels", "one too few"): "fewer samples"},
    )


def _object_doors():
    must, cannot = np.array([[0, 3], [3, 6]]), np.array([[0, 1], [1, 2]])

    def made(must_link, cannot_link, must_link_weights=None):
        found = constraints.PairwiseConstraints(
            must_link, cannot_link, n_samples=24, must_link_weights=must_link_weights
        )
        return found.must_link, found.cannot_link, found.must_link_weights

    yield Door(
        "PairwiseConstraints",
        made,
        {
            "must_link": ("pairs", must),
            "cannot_link": ("pairs", cannot),
            "must_link_weights": ("numbers", np.array([1.0, 2.0])),
        },
    )
    yield Door(
        "PairwiseConstraints.from_labels",
        lambda y: constraints.PairwiseConstraints.from_labels(y, 0.5, random_state=0).must_link,
        {"y": ("classes", CLASSES)},
        {("y", "one too few"): "fewer samples", ("y", "whole floats"): "classes of any type"},
    )
    for method in ("violated", "satisfied"):
        if hasattr(constraints.PairwiseConstraints, method):
            yield Door(
                f"PairwiseConstraints.{method}",
                lambda labels, method=method: getattr(pairs(), method)(labels),
                {"labels": ("whole", POOL)},
                {("labels", "whole floats"): "refused"},
            )
    yield Door(
        "ConstraintGroups",
        lambda groups, conflicts: constraints.ConstraintGroups(groups, conflicts).groups,
        {
            "groups": ("whole", np.where(np.arange(24) < 6, np.arange(24) // 2, -1)),
            "conflicts": ("pairs", np.array([[0, 1]])),
        },
        {("groups", "one too few"): "fewer samples", ("groups", "nothing"): "of none"},
    )
    alone = "a limit on other samples"
    yield Door(
        "ClusterWeights",
        lambda weight, low, labels: constraints.ClusterWeights(weight, low, 99).violations(labels),
        {
            "weight": ("numbers", np.arange(1.0, 25.0)),
            "low": ("numbers", np.array([30.0, 40.0, 50.0])),
            "labels": ("whole", POOL),
        },
        {("low", "one too few"): "fewer clusters", ("low", "no dimension"): "one for all clusters"},
    )
    yield Door(
        "GroupShares",
        lambda groups: constraints.GroupShares(groups).violations(POOL),
        {"groups": (Y, np.arange(24) % 2)},
        {("groups", "one too few"): alone},
    )
    yield Door(
        "Kept",
        lambda previous: constraints.Kept(previous, 0.1).violations(POOL),
        {"previous": ("whole", CLASSES)},
    )
    yield Door(
        "Contiguity",
        lambda graph: constraints.Contiguity(graph).violations(POOL),
        {"graph": (S, similarities())},
    )
    yield Door("Diameter", lambda D: constraints.Diameter(D, 2.0).violations(POOL), {"D": (D, square())})
    yield Door(
        "PartitionPool",
        lambda labels: pool.PartitionPool(labels, ("a", "b", "a", "b")).labels,
        {"labels": ("whole", POOL)},
        {("labels", form): "fewer samples" for form in ("one too few", "nothing")},
    )
    yield Door(
        "Bags",
        lambda instances, offsets: bag_room.Bags(instances, offsets).instances,
        {"instances": ("table", rows()), "offsets": ("whole", np.arange(0, 25, 3))},
    )
    yield Door(
        "BagGeometry", lambda bags: bag_room.BagGeometry(bags).checked(CLASSES), {"bags": ("bags", bags())}
    )
    yield Door(
        "BagGeometry.checked",
        bag_room.BagGeometry(bags()).checked,
        {"labels": ("whole", POOL)},
        {("labels", "nothing"): "none"},
    )
    failed = ("frame of dates", "NaN", "infinite", "missing in a frame", "frame of one name")
    failed += ("sparse NaN", "sparse complex")
    yield Door(
        "Study",
        lambda X: Study({"k-means": KMeans(2)}, {"a": X}, ["silhouette"], seeds=1).run().table().frame,
        {"X": (X, rows())},
        {("X", form): "a failed cell, with the reason" for form in (*failed, "sparse with zeros")},
        slow=True,
    )
    yield Door("LabelGraph", lambda graph: ops.LabelGraph.of(graph).matrix, {"graph": (S, similarities())})
    yield Door(
        "MutationChoice",
        lambda weights: (
            ops.MutationChoice([ops.MedoidSwapMutation(), ops.MedoidSwapMutation()], weights).weights
        ),
        {"weights": ("numbers", np.array([1.0, 2.0]))},
    )
    yield Door(
        "Bags.from_groups",
        lambda groups: bag_room.Bags.from_groups(rows(), groups).offsets,
        {"groups": (Y, CLASSES)},
    )


def _session():
    return estimators.ParetoClustering(2, random_state=0).fit(rows()).ask()


_KINDS = {rows: X, words: X, bags: "bags"}
# Kinds of arguments of ``fit`` other than pairs.
_MORE = {"graph": S, "start": "whole"}


def _estimator_doors():
    for name, case in ESTIMATORS.items():
        if name in EXCEPTIONS:
            continue
        case = quicker(case)
        kind = _KINDS[case.data] if case.of != "FuzzyModesMOGA" else "categories"
        y = {} if case.y is None else {"y": ("targets", np.asarray(case.y))}
        links = {
            key: (_MORE.get(key, "pairs"), value.toarray() if issparse(value) else np.array(value))
            for key, value in case.more.items()
        }
        yield Door(
            f"{name}.fit",
            lambda case=case, **given: _fitted(case, **given),
            {"X": (kind, case.data(0)), **y, **links},
            {("y", "one too few"): "fewer labels"} if np.ndim(case.y) == 2 else _BAGS_TOO.get(case.of, {}),
            slow=True,
        )
        if "," in name:
            continue
        for method in ("predict", "transform", "predict_proba", "predict_cluster", "predict_n_labels"):
            if hasattr(case.cls, method) and not (method == "predict_proba" and case.of.startswith("Pareto")):
                yield Door(
                    f"{name}.{method}",
                    lambda X, case=case, method=method: getattr(fitted(case), method)(X),
                    {"X": (kind, case.data(1))},
                )
    for of in ("PESC", "SpectralGraphClustering", "NSGA2Clus", "AMOSAClus", "ParetoClustering"):
        case = quicker(ESTIMATORS[of])
        yield Door(
            f"{of}.fit, distances",
            lambda X, case=case: _labels(case.make().set_params(metric="precomputed").fit(X)),
            {"X": (D, square())},
            slow=True,
        )


_BAGS_TOO = {
    "ParetoClustering": {
        **{("X", form): "prepared" for form in ("frame of dates", "arrow dates", "missing in a frame")},
    },
    "Regions": {
        ("start", "words"): "region names",
        **{("start", form): "an area without an earlier region" for form in ("NaN", "None in a list")},
    },
}
_FITTED = {}


def fitted(case):
    """The estimator of a case after one fit, which all doors of its methods share."""
    if case.of not in _FITTED:
        _FITTED[case.of] = case.fit(0)
    return _FITTED[case.of]


def _fitted(case, X, y=None, **links):
    arguments = (X,) if y is None else (X, y)
    return _labels(case.make().fit(*arguments, **links))


def _labels(estimator):
    return getattr(estimator, "labels_", None)


DOORS = {
    door.of: door
    for door in (
        *FUNCTIONS,
        *_index_doors(),
        *_encoding_doors(),
        *_problem_doors(),
        *_object_doors(),
        *_estimator_doors(),
    )
}


def written_annotations(function):
    """Annotations of the parameters as the source writes them; evaluated ones lack the names of aliases."""
    called = function.__init__ if inspect.isclass(function) else inspect.unwrap(function)
    try:
        arguments = ast.parse(textwrap.dedent(inspect.getsource(called))).body[0].args
    except (OSError, TypeError):  # without a source, such as those of dataclasses
        return {}
    named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return {each.arg: ast.unparse(each.annotation) for each in named if each.annotation}


def data_parameters(function):
    """Names of the parameters that are data, by their annotations and by ``DATA_NAMES``."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return []
    written = written_annotations(function)
    return [
        each.name
        for each in parameters
        if each.name in DATA_NAMES
        or any(word in written.get(each.name, str(each.annotation)) for word in ("Array", "PairsLike"))
    ]


def classes_of_data():
    """Public classes that are no records and whose instances are made of data, by name."""
    return {
        name: getattr(room, name)
        for room in rooms().values()
        for name in room.__all__
        if inspect.isclass(getattr(room, name))
        and not dataclasses.is_dataclass(getattr(room, name))
        and not hasattr(getattr(room, name), "_fields")
        and data_parameters(getattr(room, name))
    }


def public_functions():
    """Functions of the rooms that take data, by name."""
    found = {}
    for where, room in rooms().items():
        for name in room.__all__:
            function = getattr(room, name)
            if callable(function) and not inspect.isclass(function) and data_parameters(function):
                found[name if found.get(name, function) is function else f"{where}.{name}"] = function
    return found
