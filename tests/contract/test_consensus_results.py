"""What all consensus functions owe: names, gaps, unequal runs, weights."""

import numpy as np
import pytest

from contract.consensus import cases, ensemble, needs_metis, rename
from moo_clustering.consensus import cspa, hbgf, mcla
from moo_clustering.validity import nmi


@pytest.mark.parametrize(("consensus", "options"), cases())
def test_errors_of_runs_cancel_out(consensus, options):
    runs, truth = ensemble()
    labels = consensus(runs, 3, random_state=0, **options)
    assert labels.dtype == np.int32
    assert labels.shape == truth.shape
    assert nmi(truth, labels) > 0.9
    # Numbered by first objects.
    assert np.unique(labels, return_index=True)[1].tolist() == sorted(np.unique(labels, return_index=True)[1])


@pytest.mark.parametrize(("consensus", "options"), cases())
@pytest.mark.parametrize("unseen", [0.0, 0.3])
def test_names_of_clusters_do_not_matter(consensus, options, unseen):
    runs, _ = ensemble(noise=0.5, unseen=unseen)
    labels = consensus(runs, 3, random_state=1, **options)
    for seed in range(2):
        np.testing.assert_array_equal(consensus(rename(runs, seed), 3, random_state=1, **options), labels)


@pytest.mark.parametrize(("consensus", "options"), cases())
def test_objects_may_be_missing_from_runs(consensus, options):
    runs, truth = ensemble(unseen=0.4)
    assert nmi(truth, consensus(runs, 3, random_state=0, **options)) > 0.75


@pytest.mark.parametrize(("consensus", "options"), cases())
def test_runs_may_differ_in_number_and_codes_of_clusters(consensus, options):
    runs, truth = ensemble(noise=0.1)
    runs[0] = 0
    runs[1] = np.where(truth == 2, 1, truth)
    runs[2] = 2 * truth + (np.arange(len(truth)) < 30)
    runs[3] = 9 * truth + 4
    assert nmi(truth, consensus(runs, 3, random_state=0, **options)) > 0.9


@pytest.mark.parametrize(("consensus", "options"), cases())
def test_one_run_and_one_cluster(consensus, options):
    _, truth = ensemble()
    assert nmi(truth, consensus(truth, 3, random_state=0, **options)) == pytest.approx(1.0)
    np.testing.assert_array_equal(consensus([truth], 1, random_state=0, **options), 0)
    runs = np.zeros((4, 40), dtype=int)
    assert len(np.unique(consensus(runs, 2, random_state=0, **options))) <= 2


@pytest.mark.parametrize(("consensus", "options"), cases(exact=True))
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


@pytest.mark.parametrize(("consensus", "options"), cases())
def test_runs_without_weight_do_not_count(consensus, options):
    runs, _ = ensemble(noise=0.4)
    noise = np.random.default_rng(0).integers(0, 3, runs.shape)
    weights = np.repeat([1.0, 0.0], len(runs))
    np.testing.assert_array_equal(
        consensus(np.vstack([runs, noise]), 3, weights=weights, random_state=0, **options),
        consensus(runs, 3, random_state=0, **options),
    )


@pytest.mark.parametrize(("consensus", "options"), cases())
def test_weights_decide_between_two_opinions(consensus, options):
    rows, columns = np.arange(64) // 32, np.arange(64) % 2
    runs = np.array([rows, columns] * 5)
    weights = np.array([9.0, 1.0] * 5)
    assert nmi(rows, consensus(runs, 2, weights=weights, random_state=0, **options)) == pytest.approx(1.0)
    assert nmi(
        columns, consensus(runs, 2, weights=weights[::-1], random_state=0, **options)
    ) == pytest.approx(1.0)
