"""Mutation that costs too much to be made in vain."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.variable import get


class ChosenMutation(Mutation):
    """Mutation that first draws who is mutated, by ``prob``, and then mutates nobody else.

    pymoo mutates everybody and throws away what was not to be; subclasses override ``_do`` as ever.
    """

    def do(
        self,
        problem: Any,
        pop: Population,
        inplace: bool = True,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        rng = np.random.default_rng(random_state)
        if not inplace:
            pop = deepcopy(pop)
        chosen = pop[rng.random(len(pop)) < get(self.prob, size=len(pop))]
        if len(chosen):
            chosen.set("X", self._do(problem, chosen.get("X"), *args, random_state=rng, **kwargs))
        return pop
