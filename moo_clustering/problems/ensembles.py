"""Selection of ensemble runs that agree with the ensemble as a whole, but differ from each other."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from moo_clustering._arrays import FloatArray, integer
from moo_clustering._data import checked_array
from moo_clustering.problems.partition import SignedProblem
from moo_clustering.validity.ensembles import hyperedges, mean_agreement, nmi_table


class EnsembleSelectionProblem(SignedProblem):
    """Select ensemble runs that agree with the ensemble as a whole, but differ from each other.

    Genes are booleans, one per run, that indicate whether the run is selected. An inequality constraint
    requires at least ``min_runs`` selected runs. The objectives are minimised:

    - minus the NMI between a run and all other runs in the ensemble, averaged over the selected runs;
    - the mean NMI over pairs of selected runs (1 if there are no pairs);
    - with ``losses``, the mean loss of the selected runs, on a scale from 0 (best run) to 1 (worst run).

    Computing NMI (once) takes O(n_samples n_runs^2) time. Evaluating P individuals takes O(P n_runs^2) time.
    Use pymoo's ``BinaryRandomSampling``, ``UniformCrossover`` and ``BitflipMutation``. A good subset need not
    yield a better consensus than
    :func:`~moo_clustering.consensus.best_half`, which requires no search. Raises a ValueError if evaluated
    genes are not 0 or 1.

    Parameters
    ----------
    labels : array-like of shape (n_runs, n_samples)
        Labels of at least two runs; -1 for samples that a run does not include.
    losses : array-like of shape (n_runs,), optional
        Each run's final loss, such as the error of a factorisation.
    min_runs : int, default=5
        Minimum number of runs to select, from 1 to n_runs.

    Attributes
    ----------
    agreement : ndarray of shape (n_runs, n_runs)
        NMI between each pair of runs.
    quality : ndarray of shape (n_runs,)
        Mean NMI between each run and all other runs.

    Examples
    --------
    >>> runs = [[0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 2, 2]]
    >>> problem = EnsembleSelectionProblem(runs, min_runs=2)
    >>> F, G = problem.evaluate([[True, True, False], [False, True, True]])
    >>> F.round(4), G.ravel()
    (array([[-0.7648,  1.    ],
           [-0.6472,  0.5295]]), array([0., 0.]))
    """

    def __init__(self, labels: ArrayLike, *, losses: ArrayLike | None = None, min_runs: int = 5) -> None:
        edges = hyperedges(labels)
        n_runs = edges.n_runs
        if n_runs < 2:
            raise ValueError("labels must contain at least two runs, got one")
        self.min_runs = integer("min_runs", min_runs, 1, n_runs, ", the number of runs")
        self.agreement = nmi_table(edges, edges)
        self.quality = mean_agreement(self.agreement)
        self.losses = None if losses is None else _unit_range(losses, n_runs)
        self._pairs = self.agreement - np.diag(np.diag(self.agreement))
        n_obj = 2 + (losses is not None)
        self.objective_names = ("agreement", "likeness", "loss")[:n_obj]
        self._signs = np.array([-1.0, 1.0, 1.0])[:n_obj]
        super().__init__(n_var=n_runs, n_obj=n_obj, n_ieq_constr=1, xl=0, xu=1, vtype=bool)

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        genes = np.atleast_2d(np.asarray(X))
        if not np.isin(genes, (0, 1)).all():
            raise ValueError("X must contain booleans, or 0 and 1, that mark the selected runs")
        selected = genes.astype(np.float64)
        count = selected.sum(axis=1)
        some, pairs = np.maximum(count, 1.0), count * (count - 1.0)
        likeness = np.einsum("pt,pt->p", selected @ self._pairs, selected)
        columns = [
            -(selected @ self.quality) / some,
            np.divide(likeness, pairs, out=np.ones_like(count), where=pairs > 0),
        ]
        if self.losses is not None:
            columns.append(np.where(count > 0, selected @ self.losses / some, 1.0))
        out["F"] = np.column_stack(columns)
        out["G"] = (self.min_runs - count)[:, np.newaxis]


def _unit_range(losses: ArrayLike, n_runs: int) -> FloatArray:
    given = checked_array(losses, "losses", np.float64)
    if given.shape != (n_runs,):
        raise ValueError(f"losses must have one value per run ({n_runs}), got shape {given.shape}")
    spread = np.ptp(given)
    return (given - given.min()) / spread if spread > 0 else np.zeros(n_runs)
