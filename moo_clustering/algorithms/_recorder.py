"""History of a search without copies of anything but objective values."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pymoo.core.callback import Callback
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering.algorithms._rng_state import seed_to_json
from moo_clustering.algorithms._search import State


class Recorder(Callback):
    """Objective values of every generation, for :func:`drive`, :func:`evolve` and pymoo's ``minimize``.

    In place of pymoo's ``save_history=True``, which deep-copies algorithm and problem every
    generation. Given to ``minimize`` as ``callback=Recorder()``, it counts generations as this
    package does: 0 is the initial population. One recorder holds one run; a new run starts it afresh.

    Parameters
    ----------
    signs : array-like of shape (n_objectives,), optional
        -1 for objectives that are maximised and negated in the search, for :meth:`to_frame`; default
        all 1.

    Attributes
    ----------
    F : list of ndarray of shape (n_individuals, n_objectives)
        Minimised objective values of the population, feasible or not.
    generations : list of int
    seconds : list of float
        Since the start of the run; a resumed run goes on from the time it had used.
    seed : int, dict or None
        Of the run, as far as it is known.

    Notes
    -----
    Memory O(n_generations * n_individuals * n_objectives).
    """

    def __init__(self, signs: ArrayLike | None = None) -> None:
        super().__init__()
        self.signs = signs
        self.begin()

    def begin(self, seed: object = None) -> None:
        """Forget the previous run and start the clock.

        Parameters
        ----------
        seed : int, SeedSequence or None, default=None
        """
        self.F: list[NDArray[np.float64]] = []
        self.generations: list[int] = []
        self.seconds: list[float] = []
        self.seed = seed_to_json(seed)
        self._origin = time.perf_counter()

    def record(self, generation: int, F: NDArray[np.float64]) -> None:
        """Keep a copy of one generation's objective values, unless it was recorded before.

        Parameters
        ----------
        generation : int
        F : ndarray of shape (n_individuals, n_objectives)
        """
        if self.generations and generation <= self.generations[-1]:
            return
        self.F.append(np.array(F, dtype=np.float64))
        self.generations.append(int(generation))
        self.seconds.append(time.perf_counter() - self._origin)

    def _update(self, algorithm: Any) -> None:
        generation = algorithm.n_gen - 1
        if generation == 0:
            self.begin(algorithm.seed)
            self._origin -= time.time() - algorithm.start_time
        self.record(generation, algorithm.pop.get("F"))

    def to_frame(self, objective_names: Sequence[str] | None = None) -> pd.DataFrame:
        """One row for each generation.

        Parameters
        ----------
        objective_names : sequence of str, optional
            ``f1``, ``f2``, ... by default.

        Returns
        -------
        DataFrame
            Columns ``generation``, ``seconds``, ``front_size`` (individuals that no other dominates) and
            ``best_<objective>`` (natural value: the smallest, or the greatest where the sign is -1).

        Raises
        ------
        ValueError
            When there are more or fewer names than objectives.
        """
        n_objectives = self.F[0].shape[1] if self.F else len(objective_names or ())
        names = list(objective_names or (f"f{i + 1}" for i in range(n_objectives)))
        if len(names) != n_objectives:
            raise ValueError(f"objective_names has {len(names)} names for {n_objectives} objectives")
        columns: dict[str, Any] = {
            "generation": np.array(self.generations, dtype=np.int64),
            "seconds": np.array(self.seconds, dtype=np.float64),
            "front_size": np.array([_front_size(F) for F in self.F], dtype=np.int64),
        }
        best = np.array([F.min(axis=0) for F in self.F]).reshape(len(self.F), n_objectives)
        if self.signs is not None:
            best = best * np.asarray(self.signs, dtype=np.float64)
        return pd.DataFrame(columns | {f"best_{name}": best[:, i] for i, name in enumerate(names)})

    def state(self) -> State:
        """Arrays and JSON-able metadata from which :meth:`restore` goes on."""
        arrays = {
            "F": np.concatenate(self.F) if self.F else np.empty((0, 0)),
            "sizes": np.array([len(F) for F in self.F], dtype=np.int64),
            "generations": np.array(self.generations, dtype=np.int64),
            "seconds": np.array(self.seconds, dtype=np.float64),
        }
        return arrays, {"seed": self.seed}

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Take over a state; the clock goes on from the last recorded time."""
        self.begin()
        self.seed = meta["seed"]
        ends = np.cumsum(arrays["sizes"])
        self.F = [F.copy() for F in np.split(arrays["F"], ends[:-1])] if len(ends) else []
        self.generations = arrays["generations"].tolist()
        self.seconds = arrays["seconds"].tolist()
        self._origin -= self.seconds[-1] if self.seconds else 0.0


def _front_size(F: NDArray[np.float64]) -> int:
    return len(NonDominatedSorting().do(F, only_non_dominated_front=True)) if len(F) else 0
