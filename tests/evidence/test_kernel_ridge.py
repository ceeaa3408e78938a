"""Class scores from kernels and few labels."""

import numpy as np
import pytest

from moo_clustering.evidence import coassociation, kernel_ridge, linear_kernel

POOL = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2]])


def unmerged(K, labelled, Y, noise=0.1):
    """A row of the system for every labelled sample; K between all."""
    K = K / K[labelled, labelled].mean()
    shares = 1.0 / Y.shape[1]
    system = K[np.ix_(labelled, labelled)] + noise * np.eye(len(labelled))
    return shares + K[:, labelled] @ np.linalg.inv(system) @ (Y - shares)


def test_worked_example():
    kernel = coassociation(POOL, np.ones(3), columns=[0, 5])
    F = kernel_ridge(kernel, [0, 5], np.eye(2), np.ones(2))
    np.testing.assert_allclose(F[:, 0], [21 / 22, 21 / 22, 0.5, 13 / 66, 1 / 22, 1 / 22], atol=1e-14)
    np.testing.assert_allclose(F.sum(axis=1), 1.0, atol=1e-14)


def test_two_labels_on_a_landmark_are_two_rows():
    K = coassociation(POOL, np.ones(3))
    Y = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    merged = kernel_ridge(K[:, [0, 5]], [0, 5], np.eye(2), [2, 1])
    np.testing.assert_allclose(merged, unmerged(K, [0, 0, 5], Y), atol=1e-10)
    assert not np.allclose(merged, kernel_ridge(K[:, [0, 5]], [0, 5], np.eye(2)))


def test_repeats_of_many_classes_and_a_kernel_of_uneven_diagonal(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(20, 5))
    K = linear_kernel(X) + np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    labelled = rng.integers(20, size=30)
    Y = np.eye(3)[rng.integers(3, size=30)]
    columns, which, counts = np.unique(labelled, return_inverse=True, return_counts=True)
    targets = np.zeros((len(columns), 3))
    np.add.at(targets, which, Y)
    merged = kernel_ridge(K[:, columns], columns, targets / counts[:, None], counts)
    np.testing.assert_allclose(merged, unmerged(K, labelled, Y), atol=1e-10)


def test_units_of_the_kernel_don_t_matter_and_nothing_known_means_equal_shares():
    kernel = coassociation(POOL, np.ones(3), columns=[0, 5])
    F = kernel_ridge(kernel, [0, 5], np.eye(2))
    np.testing.assert_allclose(kernel_ridge(50.0 * kernel, [0, 5], np.eye(2)), F, atol=1e-12)
    np.testing.assert_array_equal(
        kernel_ridge(np.zeros((6, 2)), [0, 5], np.eye(4)[:2]), np.full((6, 4), 0.25)
    )


def test_order_of_labels_doesn_t_matter():
    kernel = coassociation(POOL, np.ones(3), columns=[0, 5, 2])
    order = [2, 0, 1]
    Y = np.eye(3)
    F = kernel_ridge(kernel, [0, 5, 2], Y)
    np.testing.assert_allclose(kernel_ridge(kernel[:, order], [2, 0, 5], Y[order]), F, atol=1e-12)


def test_inputs_are_left_alone():
    kernel = coassociation(POOL, np.ones(3), columns=[0, 5])
    given, targets = kernel.copy(), np.eye(2)
    kernel_ridge(kernel, [0, 5], targets)
    np.testing.assert_array_equal(kernel, given)
    np.testing.assert_array_equal(targets, np.eye(2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": [0]}, "columns must name"),
        ({"columns": [3, 3]}, "3 2 times"),
        ({"columns": [0, 6]}, "columns must be from 0"),
        ({"targets": np.eye(3)}, "targets must have shape"),
        ({"counts": [1.0, 0.0]}, "counts must be"),
        ({"noise": 0.0}, "noise must be above 0"),
    ],
)
def test_refusals(arguments, message):
    kernel = coassociation(POOL, np.ones(3), columns=[0, 5])
    given = {"columns": [0, 5], "targets": np.eye(2)} | arguments
    with pytest.raises(ValueError, match=message):
        kernel_ridge(kernel, **given)
