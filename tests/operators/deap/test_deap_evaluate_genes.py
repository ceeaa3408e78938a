"""One chromosome is scored as in a population."""

import numpy as np

from moo_clustering.operators.deap import EvaluateGenes


def test_one_and_all():
    evaluate = EvaluateGenes(lambda genes: genes.sum(axis=1) / 4)
    population = [[1, 2, -1], [0, 5, 3]]
    assert [evaluate(row) for row in population] == [(0.5,), (2.0,)]
    np.testing.assert_array_equal(evaluate.batch(np.array(population)), [0.5, 2.0])
