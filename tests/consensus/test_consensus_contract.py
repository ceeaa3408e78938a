"""What all consensus functions owe: names, seeds, gaps, unequal runs, errors."""

import importlib.util
import logging
import sys

import numpy as np
import pytest

from moo_clustering.consensus import _metis as metis_module
from moo_clustering.consensus import cspa, hbgf, hgpa, mcla
from moo_clustering.validity import nmi

needs_metis = pytest.mark.skipif(importlib.util.find_spec("pymetis") is None, reason="needs pymetis")

FREE = {
    "mcla-matching": (mcla, {"partitioner": "matching"}),
    "cspa-average": (cspa, {}),
    "cspa-spectral": (cspa, {"partitioner": "spectral"}),
    "cspa-svd": (cspa, {"partitioner": "svd"}),
    "hbgf-spectral": (hbgf, {"partitioner": "spectral"}),
    "hgpa-spectral": (hgpa, {"approximation": "spectral"}),
}
EITHER = {"mcla": (mcla, {}), "hbgf": (hbgf, {}), "hgpa": (hgpa, {})}
METIS = {
    "mcla-unit": (mcla, {"partitioner": "metis", "vertex_weight": "unit"}),
    "cspa-metis": (cspa, {"partitioner": "metis"}),
    "cspa-metis-neighbors": (cspa, {"partitioner": "metis", "n_neighbors": 12}),
}
SPARSE = {"cspa-spectral-neighbors": (cspa, {"partitioner": "spectral", "n_neighbors": 12})}

ALL = [pytest.param(*case, id=name) for name, case in (FREE | EITHER | SPARSE).items()]
ALL += [pytest.param(*case, id=name, marks=needs_metis) for name, case in METIS.items()]
EXACT = [pytest.param(*case, id=name) for name, case in FREE.items()]
EXACT.append(pytest.param(*METIS["mcla-unit"], id="mcla-unit", marks=needs_metis))


def ensemble(n=60, k=3, n_runs=20, noise=0.3, unseen=0.0, seed=0):
    """Runs that err on some objects and name their clusters as they like, and the truth."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    runs = np.array(
        [
            np.where(rng.random(n) < noise, rng.integers(0, k, n), rng.permutation(k)[truth])
            for _ in range(n_runs)
        ]
    )
    return np.where(rng.random(runs.shape) < unseen, -1, runs), truth


def rename(runs, seed):
    """Other names in every run; -1 stays."""
    rng = np.random.default_rng(seed)
    names = [np.append(rng.permutation(runs.max() + 5), -1) for _ in runs]
    return np.array([name[run] for name, run in zip(names, runs, strict=True)])


@pytest.mark.parametrize(("consensus", "options"), ALL)
def test_errors_of_runs_cancel_out(consensus, options):
    runs, truth = ensemble()
    labels = consensus(runs, 3, random_state=0, **options)
    assert labels.dtype == np.int32
    assert labels.shape == truth.shape
    assert nmi(truth, labels) > 0.9
    # Numbered by first objects.
    assert np.unique(labels, return_index=True)[1].tolist() == sorted(np.unique(labels, return_index=True)[1])


@pytest.mark.parametrize(("consensus", "options"), ALL)
@pytest.mark.parametrize("unseen", [0.0, 0.3])
def test_names_of_clusters_do_not_matter(consensus, options, unseen):
    runs, _ = ensemble(noise=0.5, unseen=unseen)
    labels = consensus(runs, 3, random_state=1, **options)
    for seed in range(2):
        np.testing.assert_array_equal(consensus(rename(runs, seed), 3, random_state=1, **options), labels)


@pytest.mark.parametrize(("consensus", "options"), ALL)
def test_a_seed_fixes_the_result_and_the_global_state_stays(consensus, options):
    runs, _ = ensemble(noise=0.6)
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    one, two = (consensus(runs, 4, random_state=7, **options) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    generators = [np.random.default_rng(3) for _ in range(2)]
    one, two = (consensus(runs, 4, random_state=rng, **options) for rng in generators)
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(("consensus", "options"), ALL)
def test_objects_may_be_missing_from_runs(consensus, options):
    runs, truth = ensemble(unseen=0.4)
    assert nmi(truth, consensus(runs, 3, random_state=0, **options)) > 0.75


@pytest.mark.parametrize(("consensus", "options"), ALL)
def test_runs_may_differ_in_number_and_codes_of_clusters(consensus, options):
    runs, truth = ensemble(noise=0.1)
    runs[0] = 0
    runs[1] = np.where(truth == 2, 1, truth)
    runs[2] = 2 * truth + (np.arange(len(truth)) < 30)
    runs[3] = 9 * truth + 4
    assert nmi(truth, consensus(runs, 3, random_state=0, **options)) > 0.9


@pytest.mark.parametrize(("consensus", "options"), ALL)
def test_one_run_and_one_cluster(consensus, options):
    _, truth = ensemble()
    assert nmi(truth, consensus(truth, 3, random_state=0, **options)) == pytest.approx(1.0)
    np.testing.assert_array_equal(consensus([truth], 1, random_state=0, **options), 0)
    runs = np.zeros((4, 40), dtype=int)
    assert len(np.unique(consensus(runs, 2, random_state=0, **options))) <= 2


@pytest.mark.parametrize(("consensus", "options"), EXACT)
@pytest.mark.parametrize("sizes", [(90, 5, 5), (60, 25, 15), (50, 50, 2)], ids=str)
def test_identical_runs_come_back_unchanged(consensus, options, sizes):
    truth = np.repeat([0, 1, 2], sizes)
    runs = rename(np.tile(truth, (20, 1)), 5)
    np.testing.assert_array_equal(consensus(runs, 3, random_state=0, **options), truth)


@needs_metis
@pytest.mark.parametrize(
    ("sizes", "size_weighted", "pairs", "bipartite"),
    [((90, 5, 5), 0.908, 0.192, 0.5), ((60, 25, 15), 1.0, 0.528, 0.930), ((50, 50, 2), 1.0, 0.532, 0.799)],
    ids=str,
)
def test_balance_against_identical_runs_of_unequal_classes(sizes, size_weighted, pairs, bipartite):
    """METIS may do a little better or worse from version to version, not lose the classes."""
    truth = np.repeat([0, 1, 2], sizes)
    runs = np.tile(truth, (20, 1))
    found = [
        nmi(truth, mcla(runs, 3, partitioner="metis", random_state=0)),
        nmi(truth, cspa(runs, 3, partitioner="metis", random_state=0)),
        nmi(truth, hbgf(runs, 3, partitioner="metis", random_state=0)),
    ]
    expected = np.array([size_weighted, pairs, bipartite])
    assert (np.array(found) > expected - 0.12).all()


@pytest.mark.parametrize(("consensus", "options"), ALL)
def test_runs_without_weight_do_not_count(consensus, options):
    runs, _ = ensemble(noise=0.4)
    noise = np.random.default_rng(0).integers(0, 3, runs.shape)
    weights = np.repeat([1.0, 0.0], len(runs))
    np.testing.assert_array_equal(
        consensus(np.vstack([runs, noise]), 3, weights=weights, random_state=0, **options),
        consensus(runs, 3, random_state=0, **options),
    )


@pytest.mark.parametrize(("consensus", "options"), ALL)
def test_weights_decide_between_two_opinions(consensus, options):
    rows, columns = np.arange(64) // 32, np.arange(64) % 2
    runs = np.array([rows, columns] * 5)
    weights = np.array([9.0, 1.0] * 5)
    assert nmi(rows, consensus(runs, 2, weights=weights, random_state=0, **options)) == pytest.approx(1.0)
    assert nmi(
        columns, consensus(runs, 2, weights=weights[::-1], random_state=0, **options)
    ) == pytest.approx(1.0)


@pytest.mark.parametrize("consensus", [mcla, cspa, hbgf, hgpa])
@pytest.mark.parametrize(
    ("labels", "n_clusters", "options", "error", "message"),
    [
        (
            [[0, 1, -1, -1], [1, 0, 0, -1]],
            2,
            {},
            ValueError,
            r"every object in at least one run .* 1 of 4 are -1 .*: 3\. Leave these columns out",
        ),
        ([[0, 1, 1], [-1, 1, 0]], 2, {"weights": [0, 1]}, ValueError, "every object"),
        ([[0, 1, 1]], 0, {}, ValueError, "n_clusters must be from 1 to the number of objects, 3; got 0"),
        ([[0, 1, 1]], 4, {}, ValueError, "n_clusters must be from 1"),
        ([[0, 1, 1]], 2.0, {}, TypeError, "n_clusters must be an integer"),
        ([[0, 1, 1]], 2, {"weights": [1, 1]}, ValueError, "one entry per run"),
        ([[0, 1, 1]], 2, {"weights": [-1]}, ValueError, "at least 0"),
        ([[0, 1, 1]], 2, {"weights": [0]}, ValueError, "above 0 for some run"),
        ([[0, 1, 1]], 2, {"weights": ["a"]}, TypeError, "weights must be numbers"),
        ([[0.5, 1, 1]], 2, {}, ValueError, "must be integers"),
        ([["a", "b"]], 2, {}, TypeError, "must be integers"),
        ([[0, 1], [0]], 2, {}, ValueError, "same length"),
    ],
)
def test_bad_input_is_named(consensus, labels, n_clusters, options, error, message):
    with pytest.raises(error, match=message):
        consensus(labels, n_clusters, **options)


@pytest.mark.parametrize(
    ("consensus", "options"),
    [
        (mcla, {"partitioner": "kmetis"}),
        (mcla, {"vertex_weight": "one"}),
        (mcla, {"ties": "last"}),
        (cspa, {"partitioner": "auto"}),
        (hbgf, {"partitioner": "matching"}),
        (hgpa, {"approximation": "hmetis"}),
    ],
)
def test_unknown_options_are_named(consensus, options):
    with pytest.raises(ValueError, match=rf"{next(iter(options))} must be one of"):
        consensus([[0, 1]], 2, **options)


@pytest.fixture
def without_metis(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    metis_module._say_once.cache_clear()
    yield
    metis_module._say_once.cache_clear()


@pytest.mark.parametrize(
    ("consensus", "other"), [(mcla, "matching"), (hbgf, "spectral"), (cspa, "average")], ids=str
)
def test_metis_by_name_needs_pymetis(consensus, other, without_metis):
    with pytest.raises(ImportError, match=rf"moo_clustering\[metis\].*'{other}'"):
        consensus([[0, 1]], 2, partitioner="metis")


@pytest.mark.parametrize(
    ("consensus", "other"),
    [(mcla, {"partitioner": "matching"}), (hbgf, {"partitioner": "spectral"}), (hgpa, None)],
    ids=str,
)
def test_auto_does_without_metis_and_says_so_once(consensus, other, without_metis, caplog):
    runs, _ = ensemble(noise=0.5)
    with caplog.at_level(logging.INFO, logger="moo_clustering.consensus"):
        labels = [consensus(runs, 3, random_state=0) for _ in range(2)]
    (record,) = caplog.records
    assert "since pymetis is not installed" in record.getMessage()
    expected = hbgf(runs, 3, partitioner="spectral", random_state=0)
    if other is not None:
        expected = consensus(runs, 3, random_state=0, **other)
    np.testing.assert_array_equal(labels, [expected, expected])


@needs_metis
def test_auto_is_metis_where_it_is_there(caplog):
    metis_module._say_once.cache_clear()
    runs, _ = ensemble(noise=0.5)
    with caplog.at_level(logging.INFO, logger="moo_clustering.consensus"):
        labels = mcla(runs, 3, random_state=0)
    assert caplog.records[0].getMessage() == "mcla(partitioner='auto') uses METIS."
    np.testing.assert_array_equal(labels, mcla(runs, 3, partitioner="metis", random_state=0))
