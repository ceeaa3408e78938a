"""The progress bar of a search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tqdm.auto import tqdm


class Progress:
    """A bar on stderr: generations, rate, time left and the best value of each objective.

    Parameters
    ----------
    n_gen : int
        Generations of the whole run.
    done : int
        Those done before this bar.
    verbose : bool
        Whether anything is shown.
    description : str
        What stands before the bar.
    objective_names : sequence of str, optional
        ``f1``, ``f2``, ... by default.
    signs : array-like of shape (n_objectives,), optional
        -1 for objectives whose natural values are greater where they are better; default all 1.
    """

    def __init__(
        self,
        *,
        n_gen: int,
        done: int,
        verbose: bool,
        description: str,
        objective_names: Sequence[str] | None,
        signs: ArrayLike | None = None,
    ) -> None:
        self._names = objective_names
        self._signs = 1.0 if signs is None else np.asarray(signs, dtype=np.float64)
        self._bar = tqdm(
            total=n_gen, initial=done, desc=description or None, unit="gen", disable=not verbose, leave=True
        )

    def show(self, done: int, F: NDArray[np.float64]) -> None:
        """Move the bar to ``done`` generations with the population's objectives ``F``."""
        if self._bar.disable:
            return
        names = self._names or [f"f{i + 1}" for i in range(F.shape[1])]
        best = F.min(axis=0) * self._signs
        text = ", ".join(f"{name}={value:.4g}" for name, value in zip(names, best, strict=True))
        self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Leave the bar as it stands."""
        self._bar.close()
