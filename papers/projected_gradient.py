"""Projected gradients (Lin 2007), a further solver of non-negative matrix factorisation, named ``"pg"``.

After ``factorization.SOLVERS["pg"] = PROJECTED_GRADIENT``, ``factorization.nmf(A, k, solver="pg")`` uses it.
"""

from typing import NamedTuple

import numpy as np

from moo_clustering._arrays import AnyFloatArray
from moo_clustering.factorization import Matrix, NMFRuns, Solver, Starts, loss_of

# Constants of Lin's paper: sufficient decrease, and the factor by which a step grows or shrinks.
_SIGMA = 0.01
_BETA = 0.1


def projected_gradient(
    matrix: Matrix, starts: Starts, *, tol: float, max_iter: int, n_threads: int = 1
) -> NMFRuns:
    """Minimise over U and V in turn by projected gradients; ``n_threads`` is ignored."""
    # A run ends when the norm of the projected gradient of both factors is at most ``tol`` times the initial
    # norm. Source: C.-J. Lin, Neural Computation 19 (2007), sections 3 and 4, algorithm 4.
    U, V = map(np.empty_like, starts)
    histories = []
    for run, first in enumerate(zip(*starts, strict=True)):
        U[run], V[run], history = _run(matrix, *first, tol, max_iter)
        histories.append(np.array(history))
    n_iter = np.array([len(history) - 1 for history in histories])
    losses = np.array([history[-1] for history in histories])
    # Drop the loss of the start, unless the run has no iterations.
    histories = [history[1:] if len(history) > 1 else history for history in histories]
    return NMFRuns(U, V, losses, n_iter, histories)


def _run(
    matrix: Matrix, U: AnyFloatArray, V: AnyFloatArray, tol: float, max_iter: int
) -> tuple[AnyFloatArray, AnyFloatArray, list[float]]:
    """Return the factors, and the losses before the first and after every iteration."""
    history = [loss_of(matrix, U, V)]
    for_topics = _Subproblem(V.T @ V, matrix.At @ V)
    for_weights = _Subproblem(U.T @ U, matrix.A @ U)
    first = _norm(for_topics.gradient(U), for_weights.gradient(V))
    # As in Lin's paper, a tolerance becomes ten times smaller whenever a factor already satisfies it.
    enough = [max(1e-3, tol) * first] * 2
    for _ in range(max_iter):
        slopes = _projected(for_topics.gradient(U), U), _projected(for_weights.gradient(V), V)
        if _norm(*slopes) <= tol * first:
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


class _Subproblem(NamedTuple):
    """Minimisation of f(P) = <P G, P> / 2 - <B, P> over P >= 0."""

    gram: AnyFloatArray
    products: AnyFloatArray

    def gradient(self, P: AnyFloatArray) -> AnyFloatArray:
        return P @ self.gram - self.products


def _descend(problem: _Subproblem, P: AnyFloatArray, enough: float) -> tuple[AnyFloatArray, bool]:
    """Solve a subproblem to tolerance ``enough``; return P and whether no step was needed."""
    alpha = 1.0
    for step in range(1000):  # about ten are typical
        gradient = problem.gradient(P)
        if _norm(_projected(gradient, P)) <= enough:
            return P, step == 0
        moved, alpha = _line_search(problem, P, gradient, alpha)
        if moved is P:
            break
        P = moved
    return P, False


def _line_search(
    problem: _Subproblem, P: AnyFloatArray, gradient: AnyFloatArray, alpha: float
) -> tuple[AnyFloatArray, float]:
    """Take the longest step alpha * beta^i that decreases f enough, if any; return P and the length."""
    best = P
    grow = True
    length = alpha
    for trial in range(20):
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


def _projected(gradient: AnyFloatArray, P: AnyFloatArray) -> AnyFloatArray:
    """Return the gradient at the entries of P that a descent step can change."""
    return gradient[(gradient < 0) | (P > 0)]


def _norm(*parts: AnyFloatArray) -> float:
    return float(np.sqrt(sum(np.vdot(part, part) for part in parts)))


PROJECTED_GRADIENT = Solver(projected_gradient, 1e-4, 200, 1, "processes")
