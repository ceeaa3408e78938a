"""Parts that no registry lists: pools, constraints, graphs, factorisations, bags, evidence, statistics."""

import tempfile
from pathlib import Path

import numpy as np
from contract.estimators import CLASSES, PARTLY, bags, label_sets, rows, words
from contract.indices import graph, pool
from contract.problems import problem_of

from moo_clustering import bags as bag_room
from moo_clustering import (
    constraints,
    datasets,
    diversity,
    encodings,
    evidence,
    factorization,
    features,
    fronts,
    graphs,
    persistence,
    stats,
    subspace,
    validity,
    visualization,
)
from moo_clustering import pool as pool_room
from tests import registry

_CASES = {}


def _case(function):
    room, _, name = function.__name__.lstrip("_").partition("__")
    _CASES[f"{room}/{name.replace('_', ' ')}"] = function
    return function


def cases():
    """Name to function of every case."""
    return dict(_CASES)


def _rng(seed=0):
    return np.random.default_rng(seed)


def _blobs():
    return registry.blobs(0, 2.0)


def _pairs(fraction=0.05, seed=0):
    return constraints.PairwiseConstraints.from_labels(_blobs()[1], fraction, random_state=seed)


def _bags():
    return bag_room.Bags.from_list(bags())


# ------------------------------------------------------------------------------------- constraints


@_case
def _constraints__drawn_from_labels():
    classes = _blobs()[1]
    draw = constraints.PairwiseConstraints.from_labels
    found = {}
    for scheme in ("stratified", "pooled", "docs"):
        for seed in (0, 1):
            found[f"{scheme} {seed}"] = draw(classes, 0.1, scheme=scheme, random_state=seed)
    found["indicators"] = draw(np.abs(label_sets()), 0.1, random_state=2)
    found["sets"] = draw([{int(c), 7} if c else {int(c)} for c in CLASSES], 0.1, random_state=3)
    found["partial"] = constraints.PairwiseConstraints.from_partial_labels(PARTLY)
    return found


@_case
def _constraints__of_partitions():
    pairs, (_, classes, partly) = _pairs(), _blobs()
    partitions = np.array([classes, _rng().integers(0, 3, 48), np.zeros(48, dtype=int)], dtype=np.int32)
    groups = pairs.groups()
    return {
        "closure": pairs.closure(),
        "components": pairs.components(),
        "satisfied": pairs.satisfied(partitions),
        "violation": pairs.violation(partitions),
        "bonus": pairs.bonus(partitions),
        "groups": groups.groups,
        "conflicts": groups.conflicts,
        "members": groups.members(),
        "of labels": constraints.constraint_groups(48, y=partly).groups,
        "of both": constraints.constraint_groups(48, y=partly, constraints=pairs).conflicts,
        "fisher": constraints.fisher_weights(_blobs()[0], pairs),
        "from labels": constraints.satisfied_from_labels(partitions, partly),
    }


@_case
def _constraints__written_and_read():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.csv"
        _pairs().to_csv(path)
        text = path.read_text(encoding="utf-8").split()
        return {"text": text, "read": constraints.PairwiseConstraints.from_csv(path, 48)}


@_case
def _constraints__contradiction():
    try:
        constraints.constraint_groups(
            4, constraints=constraints.PairwiseConstraints([(0, 1), (1, 2)], [(0, 2)], n_samples=4)
        )
    except constraints.InconsistentConstraintsError as error:
        return {"conflicts": error.conflicts}
    return {"conflicts": None}


# ------------------------------------------------------------------------------------------ graphs


def _lists(k=8, seed=0, **options):
    return graphs.neighbor_lists(_blobs()[0], k, rng=_rng(seed), **options)


@_case
def _graphs__neighbor_lists():
    ties = np.round(_blobs()[0])
    return {
        "euclidean": _lists(),
        "cosine": _lists(metric="cosine"),
        "all": _lists(47),
        "ties": graphs.neighbor_lists(ties, 8, rng=_rng(3)),
        "ties by index": graphs.neighbor_lists(ties, 8, ties="index", rng=_rng(3)),
        "groups": graphs.neighbor_lists(
            ties, 8, rng=_rng(3), groups=constraints.constraint_groups(48, y=_blobs()[2])
        ),
        "distances": graphs.pair_distances(ties, metric="cosine"),
    }


@_case
def _graphs__similarity():
    X, lists = _blobs()[0], _lists()
    return {
        "knn": graphs.knn_graph(lists),
        "mutual": graphs.mutual_knn_graph(lists),
        "waterfill": graphs.waterfill_graph(lists),
        "waterfill lambda": graphs.waterfill_lambda(lists),
        "waterfill weights": graphs.waterfill_weights(lists.distances, 2.0),
        "epsilon": graphs.epsilon_graph(X, 2.0),
        "full": graphs.full_graph(X),
        "self tuning": graphs.self_tuning_graph(X),
        "sigma": graphs.resolve_sigma(lists.distances, "mean"),
        "gaussian": graphs.gaussian_similarity(lists.distances, 1.5),
        "symmetrised": graphs.symmetrize(graphs.knn_graph(lists)),
    }


@_case
def _graphs__constraints_written():
    groups = constraints.constraint_groups(48, y=_blobs()[2])
    S = graphs.knn_graph(_lists())
    return {"clique": graphs.write_constraints(S, groups, X=_blobs()[0])}


@_case
def _graphs__spectral():
    X, lists = _blobs()[0], _lists()
    S = graphs.knn_graph(lists)
    W = np.abs(_rng().normal(size=(12, 12)))
    found = {f"laplacian {kind}": graphs.laplacian(S, kind) for kind in ("unnormalized", "sym")}
    return found | {
        "embedding": np.abs(graphs.spectral_embedding(S, 3, rng=_rng())[0]),
        "partition": graphs.spectral_partition(S, 3, X=X, lists=lists, rng=_rng()),
        "partition without bridges": graphs.spectral_partition(S, 3, bridge=False, rng=_rng()).labels,
        "bridged": graphs.bridge_components(graphs.mutual_knn_graph(_lists(2)), X, rng=_rng()),
        "cuts": graphs.spectral_cuts(S, (2, 3, 4), rng=_rng()),
        "eigengap": graphs.eigengap(S, 3, rng=_rng()),
        "ratio cut": graphs.ratio_cut(W + W.T, np.array([np.arange(12) % 2, np.arange(12) // 6])),
    }


@_case
def _graphs__trees():
    X = _blobs()[0]
    found = {}
    for seed, data in ((0, X), (1, np.round(X))):
        tree = graphs.euclidean_mst(data, rng=_rng(seed))
        found[f"tree {seed}"] = tree
        found[f"interest {seed}"] = graphs.mst_interestingness(tree, data)
        found[f"minimax {seed}"] = graphs.minimax_distances(tree)
        child = np.flatnonzero(np.arange(48) != tree.root)
        links = np.column_stack([child, tree.parent[child]])
        found[f"genie {seed}"] = graphs.genie_merges(links, tree.lengths[child])
        found[f"genie cuts {seed}"] = graphs.genie_cuts(links, tree.lengths[child], (2, 3, 5))
        found[f"reachability {seed}"] = graphs.mutual_reachability_mst(data)
    locus = graphs.locus_graph(X, n_neighbors=5, rng=_rng(2))
    return found | {"locus": [locus.neighbors, locus.keys, locus.tree, locus.interest]}


# ------------------------------------------------------------------------------------------- pools


@_case
def _pool__candidates():
    X, _, _ = _blobs()
    extra = [("mine", np.arange(48) % 4)]
    return {
        "auto": pool_room.candidate_pool(X, random_state=0),
        "every family": pool_room.candidate_pool(
            X, families=pool_room.FAMILIES, k_range=(2, 3, 4), random_state=1
        ),
        "some k": pool_room.candidate_pool(X, n_clusters=3, k_range=(2, 5), random_state=2),
        "grid": [pool_room.k_grid(n) for n in (5, 48, 1000)],
        "extra": pool_room.extra_partitions(extra, X, n_samples=48, rng=_rng()),
        "with extra": pool_room.candidate_pool(
            X, families=("km",), k_range=(2, 3), extra_candidates=extra, random_state=4
        ),
    }


@_case
def _pool__given_distances():
    X = _blobs()[0]
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    return {
        "distances": pool_room.candidate_pool(
            distances, metric="precomputed", k_range=(2, 3, 4), random_state=0
        ),
        "graph": pool_room.candidate_pool(
            X, graph=graphs.self_tuning_graph(X), k_range=(2, 3, 4), random_state=0
        ),
    }


@_case
def _pool__bags():
    return {"pool": pool_room.bag_candidate_pool(_bags(), k_range=(2, 3), random_state=0)}


@_case
def _pool__operations():
    made = pool_room.candidate_pool(_blobs()[0], families=("km", "ward"), k_range=(2, 3), random_state=0)
    return {
        "of": pool_room.PartitionPool.of([("a", [0, 0, 1]), ("b", [5, 5, 2]), ("c", [0, 1, 2])]),
        "codes": made.family_codes,
        "k": made.n_clusters,
        "subset": made.subset([1, 0]),
        "joined": made.joined(made.tagged("x")),
        "lifted": made.lifted(np.repeat(np.arange(48), 2)),
    }


# ---------------------------------------------------------------------- factorisations and features


@_case
def _nmf__solvers():
    A = registry.counts(0)[0]
    found = {}
    for solver in sorted(factorization.SOLVERS):
        runs = factorization.nmf(A, 3, solver=solver, n_runs=2, seeds=[1, 2], max_iter=20)
        found[solver] = [runs.U, runs.V, runs.losses, runs.n_iter, runs.histories]
        found[f"{solver} labels"] = factorization.labels_from_factors(runs.U[0], runs.V[0])
        found[f"{solver} loss"] = factorization.factorization_loss(A, runs.U[0], runs.V[0])
        found[f"{solver} lengths"] = factorization.topic_lengths(runs.U[0])
    return found | {"float32": factorization.nmf(A, 3, n_runs=2, seeds=[1, 2], max_iter=5, dtype="float32").V}


@_case
def _nmf__document_weights():
    A = registry.counts(0)[0]
    topics = factorization.nmf(A, 3, n_runs=1, seeds=[1], max_iter=10).U[0]
    return {"weights": factorization.document_weights(A, topics)}


TEXTS = [
    "The failing heart: cardiac failure, arteries and hearts.",
    "Skin lesions are itching; creams for the skin!",
    "A heart valve and two valves fail",
    "sleep apnea, sleeping badly; the night's sleep",
    "itchy skin in the night (eczema), 2 lesions",
]


@_case
def _features__terms():
    found = {}
    for stemmer in ("porter", "english", None):
        counts, terms = features.document_term_counts(TEXTS, min_df=1, stemmer=stemmer)
        found[f"counts {stemmer}"] = [counts, [str(term) for term in terms]]
        analyze = features.StemmingAnalyzer(stemmer=stemmer)
        found[f"stems {stemmer}"] = [analyze(text) for text in TEXTS]
    counts, terms = features.document_term_counts(TEXTS, min_df=1)
    return found | {
        "pruned": list(features.prune_terms(counts, terms)),
        "unigrams": list(features.binary_unigrams(TEXTS)),
        "gain": features.information_gain(words(), CLASSES),
        "gain of label sets": features.information_gain(words(), np.abs(label_sets())),
        "tfidf": list(datasets.tfidf(TEXTS)),
    }


@_case
def _features__transformers():
    A = registry.counts(1)[0]
    found = {}
    for name in ("NCWTransformer", "PaperTfidfTransformer"):
        model = getattr(features, name)().fit(A)
        found[name] = [model.transform(A), model.transform(A[:5])]
    return found


# -------------------------------------------------------------------------------------------- bags


@_case
def _bags__distances():
    some = _bags()
    found = {
        kind: bag_room.bag_distances(some, kind=kind)
        for kind in ("directed", "symmetric", "mean_min", "min_min", "mean")
    }
    return found | {
        "kinds": bag_room.bag_distance_kinds(some, rng=_rng()),
        "of two": bag_room.bag_distances(some, bag_room.Bags.from_list(bags(3)[:5])),
        "energy": bag_room.energy_distance(some),
        "sliced": bag_room.sliced_quantile_embedding(some, rng=_rng()),
        "kernel": bag_room.gaussian_bag_kernel(found["symmetric"]),
        "statistics": bag_room.bag_statistics(some),
        **{
            f"embedding {kind}": bag_room.bag_embedding(some, kind, symmetric=found["symmetric"])
            for kind in ("mean", "stats", "stats_pca", "prototypes")
        },
    }


@_case
def _bags__objective():
    found, rng = {}, _rng(1)
    labels = np.array([rng.permutation(CLASSES) for _ in range(6)], dtype=np.int32)
    tasks = [("db", "between"), ("twcv", "between"), ("ftwcv", "between"), ("ftwcv", "printed")]
    for name, reading in [*tasks, ("ftwcv", "printed_meansq")]:
        of = f"{name} {reading}"
        geometry = bag_room.BagGeometry(_bags())
        objective = bag_room.BagObjective(geometry, 3, name, reading=reading, min_cluster_size=2)
        found[of] = objective.evaluate(labels)
        found[f"{of} improved"] = objective.improve(labels.copy(), _rng(2), p_gene=0.5)
        found[f"{of} descended"] = objective.descend(labels.copy(), _rng(3))
        found[f"{of} reassigned"] = objective.reassign(labels.copy())
        found[f"{of} repaired"] = objective.repair(np.minimum(labels, 1))
        found[f"{of} random"] = objective.random(5, _rng(4))
        found[f"{of} distances"] = objective.distances(labels)
    pairs = constraints.PairwiseConstraints([(0, 3), (6, 9)], [(0, 1), (1, 2)], n_samples=24)
    for handling in ("penalty", "repair"):
        objective = bag_room.BagObjective(
            bag_room.BagGeometry(_bags()), 3, constraints=pairs, handling=handling
        )
        found[f"{handling} values"] = objective.values(labels)
        found[f"{handling} repaired"] = objective.repair(labels.copy())
    geometry = bag_room.BagGeometry(_bags())
    return found | {
        "radii": geometry.radii(labels),
        "centroids": geometry.centroids(labels, 3),
        "geometry": geometry.distances(labels, 3),
    }


# ---------------------------------------------------------------------------------------- evidence


@_case
def _evidence__of_pools():
    made = pool_room.candidate_pool(_blobs()[0], k_range=(2, 3, 4), random_state=0)
    agreed = validity.agreement(made.labels, (made.labels, made.families))
    modular = validity.graph_modularity(made.labels, graphs.self_tuning_graph(_blobs()[0]))
    score = evidence.selection_score(agreed, modular)
    weights = evidence.consensus_weights(score, made.n_clusters, 3)
    return {
        "score": score,
        "best": [evidence.best_member(score, made.n_clusters, k=k) for k in (None, 2, 3)],
        "weights": weights,
        "evidence weights": [evidence.evidence_weights(np.log(agreed + 0.01), drop=drop) for drop in (0, 1)],
        "coassociation": evidence.coassociation(made.labels, weights),
        "affinity": evidence.consensus_affinity(made.labels, weights),
        "partition": evidence.consensus_partition(made.labels, weights, 3, rng=_rng()),
    }


@_case
def _evidence__of_labels_and_pairs():
    X, classes, partly = _blobs()
    S, pairs = graphs.self_tuning_graph(X), _pairs(0.03)
    W = S.toarray() + 0.01 * (1 - np.eye(48))
    known = np.flatnonzero(partly >= 0)
    targets = np.eye(3)[partly[known]]
    kernel = evidence.linear_kernel(X, known)
    F = evidence.kernel_ridge(kernel, known, targets)
    propagated = evidence.propagate_pairs(W, pairs, alpha=0.7)
    return {
        "linear": kernel,
        "graph": evidence.graph_kernel(S, known),
        "ridge": F,
        "probabilities": evidence.class_probabilities(np.abs(F) + 0.1, [0.3, 0.3, 0.4]),
        "factors": evidence.class_factors(np.abs(F) + 0.1, [0.3, 0.3, 0.4]),
        "pairs": evidence.pair_matrix(pairs),
        "propagated": propagated,
        "repaired": evidence.repair_pairs((classes + (np.arange(48) % 5 == 0)) % 3, S, pairs),
        "repaired softly": evidence.repair_pairs(np.arange(48) % 3, S, pairs, hard=False),
        "held out": evidence.held_out_partition([(W, 0.5), (propagated, 0.6)], 3, pairs, rng=_rng()),
    }


# --------------------------------------------------------------------------------- smaller rooms


@_case
def _fronts__scores():
    front = [(10, 0), (4, 1), (3, 4), (1, 16)]
    control = ([(10, 0), (9, 2), (6, 6), (2, 14), (0, 30)], [1, 2, 3, 4, 5])
    scores = fronts.attainment_scores(front, [1, 2, 3, 4], [control])
    hull = fronts.srmosc_hull_front(problem_of("SRMOSCProblem"))
    return {
        "scores": scores,
        "best": [scores.best(), scores.best(3)],
        "promising": scores.promising(),
        "hull": hull.F,
        "hull weights": [hull.weights(place) for place in range(min(4, len(hull.F)))],
        **{
            f"control {kind}": fronts.control_data(rows(), kind=kind, rng=_rng())
            for kind in ("box", "eigenvalue")
        },
    }


@_case
def _diversity__counts():
    ranks = _rng(1).integers(0, 8, (6, 24)).astype(np.uint8)
    counts = diversity.locus_counts(ranks, 8)
    less = counts.copy()
    diversity.remove_counts(less, ranks[:2])
    return {
        "counts": counts,
        "less": less,
        "shared": diversity.shared_choices(ranks, counts),
        "equal": diversity.equal_loci(ranks, ranks[0]),
        "diversity": diversity.diversity(ranks),
        "to a reference": diversity.diversity(ranks[:3], ranks[3:]),
    }


@_case
def _encodings__alignment():
    rng = _rng(2)
    a, b = rng.integers(0, 4, (5, 24)), rng.integers(0, 4, (5, 24))
    return {
        "aligned": [encodings.align_labels(one, two) for one, two in zip(a, b, strict=True)],
        "distance": encodings.aligned_distance(a, b),
        "hamming": encodings.hamming_distance(a, b),
        "renumbered": encodings.relabel_by_first_appearance(a),
    }


@_case
def _stats__comparison():
    scores = np.round(_rng(3).random((9, 4)) + 0.1 * np.arange(4), 2)
    found = {}
    for procedure in ("shaffer", "holm", "nemenyi"):
        outcome = stats.compare(scores, greater_is_better=True, posthoc=procedure)
        found[procedure] = outcome
        found[f"{procedure} pairs"] = outcome.pairs
        found[f"{procedure} groups"] = outcome.groups
        table = outcome.pairs
        found[f"{procedure} matrix"] = stats.pair_matrix(table)
    ranks = {"C4.5": 2.100, "1-NN": 3.250, "NB": 2.200, "Kernel": 4.333, "CN2": 3.117}
    return found | {
        "ranks": stats.average_ranks(scores, greater_is_better=False),
        "friedman": stats.friedman(scores, greater_is_better=True, tie_correction=True),
        "of ranks": stats.shaffer_static(ranks, n_datasets=30),
        "difference": stats.critical_difference(4, 14),
        "cliques": stats.cliques(stats.shaffer_static(ranks, n_datasets=30)),
        "diagram": stats.critical_difference_data(scores, greater_is_better=True),
    }


@_case
def _subspace__sweeps():
    problem = problem_of("SubspaceClusteringProblem")
    targets, X = problem.targets, words()
    found = {}
    for name, options in {
        "usual": subspace.SubspaceOptions(),
        "other": subspace.SubspaceOptions(fuzziness=2.0, weight_exponent=3.0, chi_weight=0.2),
    }.items():
        data = subspace.SubspaceData.of(X)
        memberships = subspace.memberships_from_seeds(data, np.array([0, 1, 2, 4]), options)
        done = subspace.sweep(data, targets, memberships, options)
        ended = subspace.iterate(data, targets, memberships, options, max_iter=4)
        found[f"memberships {name}"] = memberships
        found[f"sweep {name}"] = done
        found[f"iterated {name}"] = ended
        found[f"distances {name}"] = subspace.distances(
            data, done.centers, done.log_weights, options.weight_exponent
        )
        found[f"votes {name}"] = subspace.votes(done.distances, done.shares, done.impurities)
        found[f"shares {name}"] = subspace.class_shares(memberships, targets)
    found["overall"] = subspace.overall_shares(targets)
    found["k-means"] = subspace.entropy_weighted_kmeans(subspace.SubspaceData.of(X), 3, rng=_rng())
    data = subspace.SubspaceData.of(X)
    for init in ("labels", "seeds", "kmeans", "dirichlet"):
        found[f"start {init}"] = subspace.start(init, data, targets, 4, subspace.SubspaceOptions(), _rng())
    return found


@_case
def _persistence__archives():
    arrays = {"labels": np.arange(5), "F": np.linspace(0, 1, 6).reshape(2, 3)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.npz"
        persistence.write_archive(path, arrays, {"n_clusters": 3, "names": ["a", "b"]})
        found = {"read": list(persistence.read_archive(path))}
    return found | {
        "fingerprint": persistence.fingerprint(np.arange(6.0), words(), np.arange(3)),
        "json": persistence.to_json({"a": np.float64(0.5), "b": [np.int64(1), None], "c": np.arange(3)}),
    }


@_case
def _validity__finding():
    scores, Y = _rng(4).random((24, 3)), np.eye(3, dtype=int)[CLASSES]
    return {
        "bags": {index.name: index.evaluate(CLASSES[None]) for index in _fitted_bag_indices()},
        "named": validity.get_index("silhouette").fit(rows()).evaluate(CLASSES[None].astype(np.int32)),
        "roc": validity.mean_roc_curve(Y, scores),
        "graph": validity.graph_modularity(pool()[0], graph()),
    }


def _fitted_bag_indices():
    names = ("bag_davies_bouldin", "bag_silhouette", "bag_sdbw", "twcv", "ftwcv")
    return [validity.get_index(name).fit(bags()) for name in names]


@_case
def _visualization__data():
    X, classes, _ = _blobs()
    pairs = _pairs(0.02)
    F = _rng(5).random((8, 2))
    distances = bag_room.bag_distances(_bags(), kind="symmetric")
    scores = fronts.attainment_scores(
        [(10, 0), (4, 1), (3, 4), (1, 16)], [1, 2, 3, 4], [([(10, 0), (6, 6), (0, 30)], [1, 3, 5])]
    )
    return {
        "partition": visualization.partition_data(X, classes),
        "constraints": visualization.constraints_data(X, classes, pairs),
        "front": visualization.front_data(F, chosen=2),
        "bounds": visualization.front_bounds(F),
        "attainment": visualization.attainment_plot_data(scores),
        "convergence": visualization.convergence_data([[4.0, 2.0, 1.0], [6.0, 4.0]]),
        "bag distances": visualization.bag_distance_data(distances, CLASSES),
        "bag embedding": _without_signs(visualization.bag_embedding_data(distances, CLASSES)),
        "similarity": visualization.similarity_data(graphs.knn_graph(_lists()), classes),
        "terms": visualization.term_data(registry.counts(0)[0][:3]),
    }


def _without_signs(embedding):
    return [np.abs(embedding.positions), embedding.clusters, embedding.sizes]


@_case
def _datasets__prepared():
    import pandas as pd

    frame = pd.DataFrame(
        {
            "id": [f"r{i:02d}" for i in range(24)],
            "height": [f"{value:.2f}".replace(".", ",") for value in rows()[:, 0]],
            "share": [f"{value:.0f} %" for value in 50 + 3 * rows()[:, 1]],
            "soil": np.array(["sand", "clay", "peat"])[CLASSES],
            "day": pd.Timestamp("2021-01-20") + pd.to_timedelta(CLASSES * 100 + np.arange(24), unit="D"),
            "constant": 1,
        }
    )
    frame.loc[3, "height"] = ""
    found = datasets.prepare_table(frame)
    return {
        "X": found.X,
        "columns": [str(name) for name in found.feature_names],
        "made": datasets.make_bags(12, 2, random_state=3).bags,
    }
