"""Which runs of an ensemble to keep: those that agree, yet differ."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.problem import Problem

from moo_clustering.validity._agreement import mean_agreement, nmi_table
from moo_clustering.validity._hyperedges import hyperedges

FloatArray = NDArray[np.float64]


class EnsembleSelectionProblem(Problem):
    """Choose runs of good quality, judged by agreement with the others, that are little alike.

    Genes are booleans, one per run: whether it is kept. The objectives, in pymoo's sense:

    - minus the mean, over the runs kept, of their mean NMI with all other runs of the ensemble;
    - mean NMI of the pairs of runs kept, 1 where there is no pair;
    - with ``losses``, the mean loss of the runs kept, brought to 0 to 1 over the ensemble.

    At least ``min_runs`` are kept, as an inequality constraint.

    Parameters
    ----------
    labels : array-like of shape (n_runs, n_samples)
        At least two runs; -1 for objects a run has not seen.
    losses : array-like of shape (n_runs,), optional
        What every run has minimised, for instance the error of a factorisation.
    min_runs : int, default=5
        From 1 to n_runs.

    Attributes
    ----------
    agreement : ndarray of shape (n_runs, n_runs)
        NMI of every run with every other.
    quality : ndarray of shape (n_runs,)
        Mean NMI of every run with the others.
    objective_names : tuple of str
        A name for every column of ``F``.

    Raises
    ------
    ValueError, TypeError
        Labels, losses or ``min_runs`` out of range. Evaluation refuses genes other than 0 and 1.

    Notes
    -----
    NMI is computed once, in O(n_samples n_runs^2); a population of P takes O(P n_runs^2), in one matrix
    product. A good subset is no promise of a better consensus: compare with
    :func:`~moo_clustering.consensus.best_half`, which costs nothing.

    pymoo's ``BinaryRandomSampling``, ``UniformCrossover`` and ``BitflipMutation`` fit.

    Examples
    --------
    >>> from moo_clustering.problems import EnsembleSelectionProblem
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
            raise ValueError("labels must hold at least two runs to choose from, got one")
        if isinstance(min_runs, bool) or not isinstance(min_runs, int | np.integer):
            raise TypeError(f"min_runs must be an integer, got {min_runs!r}")
        if not 1 <= min_runs <= n_runs:
            raise ValueError(f"min_runs must be from 1 to the number of runs, {n_runs}; got {min_runs}")
        self.min_runs = int(min_runs)
        self.agreement = nmi_table(edges, edges)
        self.quality = mean_agreement(self.agreement)
        self.losses = None if losses is None else _unit_range(losses, n_runs)
        self._pairs = self.agreement - np.diag(np.diag(self.agreement))
        names = ("agreement", "likeness") if losses is None else ("agreement", "likeness", "loss")
        self.objective_names = names
        super().__init__(n_var=n_runs, n_obj=len(names), n_ieq_constr=1, xl=0, xu=1, vtype=bool)

    def natural(self, F: ArrayLike) -> FloatArray:
        """Objectives of which the first is to be maximised, of those as pymoo minimises them."""
        values = np.asarray(F, dtype=np.float64)
        if values.ndim == 0 or values.shape[-1] != self.n_obj:
            raise ValueError(f"F must have {self.n_obj} columns, one per objective; got shape {values.shape}")
        return values * np.array([-1.0, 1.0, 1.0])[: self.n_obj]

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        genes = np.atleast_2d(np.asarray(X))
        if not np.isin(genes, (0, 1)).all():
            raise ValueError("X must hold 0 and 1, or booleans: whether a run is kept")
        kept = genes.astype(np.float64)
        count = kept.sum(axis=1)
        some, pairs = np.maximum(count, 1.0), count * (count - 1.0)
        # All of the population at once: x N x^T for every x.
        likeness = np.einsum("pt,pt->p", kept @ self._pairs, kept)
        columns = [
            -(kept @ self.quality) / some,
            np.divide(likeness, pairs, out=np.ones_like(count), where=pairs > 0),
        ]
        if self.losses is not None:
            columns.append(np.where(count > 0, kept @ self.losses / some, 1.0))
        out["F"] = np.column_stack(columns)
        out["G"] = (self.min_runs - count)[:, np.newaxis]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Nothing here changes after construction; pymoo copies problems with the algorithm's history.
        return copy.copy(self)


def _unit_range(losses: ArrayLike, n_runs: int) -> FloatArray:
    try:
        given = np.asarray(losses, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"losses must be numbers, one per run, got {losses!r}") from None
    if given.shape != (n_runs,) or not np.isfinite(given).all():
        raise ValueError(f"losses must be finite, one per run, shape ({n_runs},); got shape {given.shape}")
    spread = np.ptp(given)
    return (given - given.min()) / spread if spread > 0 else np.zeros(n_runs)
