"""An index whose copies share what it was fitted to."""

from __future__ import annotations

import copy
from typing import Any, Self

from moo_clustering.validity._base import ValidityIndex


class SharedDataIndex(ValidityIndex):
    """Fitted arrays are never changed in place, so deep copies need none of their own.

    pymoo copies problems and operators with the history of an algorithm.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return copy.copy(self)
