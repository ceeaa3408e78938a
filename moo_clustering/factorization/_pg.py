"""Alternating projected gradients."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from moo_clustering.factorization._loss import loss_of
from moo_clustering.factorization._matrix import Matrix
from moo_clustering.factorization._runs import Floats, NMFRuns
from moo_clustering.factorization._starts import Starts

_SIGMA = 0.01
_BETA = 0.1
_TRIALS = 20
# Iterations of a subproblem, of which ten or so are common.
_STEPS = 1000


class _Subproblem(NamedTuple):
    """f(P) = <P G, P> / 2 - <B, P> over P >= 0."""

    gram: Floats
    products: Floats

    def gradient(self, P: Floats) -> Floats:
        return P @ self.gram - self.products


def projected_gradient(
    matrix: Matrix, starts: Starts, *, tol: float, max_iter: int, n_threads: int = 1
) -> NMFRuns:
    """Minimise over U, then over V, each time along projected gradients.

    A run ends where the norm of the projected gradient of both factors is at most ``tol`` times that of
    the first gradient. ``n_threads`` makes no difference.

    References
    ----------
    C.-J. Lin, "Projected gradient methods for nonnegative matrix factorization", Neural Computation 19
    (2007), sections 3 and 4, algorithm 4.
    """
    results = Starts(np.empty_like(starts.U), np.empty_like(starts.V))
    histories = []
    for run, (U, V) in enumerate(zip(*starts, strict=True)):
        results.U[run], results.V[run], history = _run(matrix, U, V, tol, max_iter)
        histories.append(np.array(history))
    n_iter = np.array([len(history) - 1 for history in histories])
    losses = np.array([history[-1] for history in histories])
    # The first loss is that of the start, the only one of a run without iterations.
    histories = [history[1:] if len(history) > 1 else history for history in histories]
    return NMFRuns(*results, losses, n_iter, histories)


def _run(
    matrix: Matrix, U: Floats, V: Floats, tol: float, max_iter: int
) -> tuple[Floats, Floats, list[float]]:
    """Factors, and the losses before the first and after every iteration."""
    history = [loss_of(matrix, U, V)]
    for_topics = _Subproblem(V.T @ V, matrix.At @ V)
    for_weights = _Subproblem(U.T @ U, matrix.A @ U)
    first = _norm(for_topics.gradient(U), for_weights.gradient(V))
    enough = [max(1e-3, tol) * first] * 2
    for _ in range(max_iter):
        if (
            _norm(_projected(for_topics.gradient(U), U), _projected(for_weights.gradient(V), V))
            <= tol * first
        ):
            break
        U, at_once = _descend(for_topics, U, enough[0])
        enough[0] *= 0.1 if at_once else 1.0
        for_weights = _Subproblem(U.T @ U, matrix.A @ U)
        V, at_once = _descend(for_weights, V, enough[1])
        enough[1] *= 0.1 if at_once else 1.0
        for_topics = _Subproblem(V.T @ V, matrix.At @ V)
        gram, products = for_weights
        loss = matrix.square - 2.0 * np.vdot(V, products) + np.vdot(for_topics.gram, gram)
        history.append(max(0.0, float(loss)))
    return U, V, history


def _descend(problem: _Subproblem, P: Floats, enough: float) -> tuple[Floats, bool]:
    """Solve a subproblem as far as ``enough``; whether there was nothing to do."""
    alpha = 1.0
    for step in range(_STEPS):
        gradient = problem.gradient(P)
        if _norm(_projected(gradient, P)) <= enough:
            return P, step == 0
        moved, alpha = _line_search(problem, P, gradient, alpha)
        if moved is P:
            break
        P = moved
    return P, False


def _line_search(problem: _Subproblem, P: Floats, gradient: Floats, alpha: float) -> tuple[Floats, float]:
    """The longest step among alpha * beta^i that decreases f enough; P itself where none does."""
    best = P
    grow = True
    length = alpha
    for trial in range(_TRIALS):
        moved = np.maximum(P - length * gradient, 0)
        change = moved - P
        decrease = (1 - _SIGMA) * np.vdot(gradient, change) + 0.5 * np.vdot(change @ problem.gram, change)
        accepted = decrease <= 0
        if trial == 0:
            grow = bool(accepted)
        if grow and (not accepted or np.array_equal(moved, best)):
            break
        if accepted:
            best, alpha = moved, length
            if not grow:
                break
        length = length / _BETA if grow else length * _BETA
    return best, alpha


def _projected(gradient: Floats, P: Floats) -> Floats:
    """Where a step along the gradient would be possible."""
    return gradient[(gradient < 0) | (P > 0)]


def _norm(*parts: Floats) -> float:
    return float(np.sqrt(sum(np.vdot(part, part) for part in parts)))
