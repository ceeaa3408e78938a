"""What was done, in a few words."""

from __future__ import annotations

import math
from typing import Any

from moo_clustering.visualization.report._content import Pairs
from moo_clustering.visualization.report._samples import Samples

_LONGEST = 60
# Where results go, and how they are made, but not what they are.
_APART = frozenset({"verbose", "checkpoint", "checkpoint_every", "resume", "n_jobs", "random_state"})


def run_facts(
    estimator: Any, samples: Samples | None, n_samples: int, must_link: Pairs, cannot_link: Pairs
) -> list[tuple[str, str]]:
    """Method, options that are not the usual ones, numbers of samples and features, and the like."""
    facts = [("method", type(estimator).__name__)]
    options = changed_options(estimator)
    if options:
        facts.append(("options", ", ".join(f"{name}={value}" for name, value in options.items())))
    if hasattr(estimator, "random_state"):
        facts.append(("random state", shortened(estimator.random_state)))
    facts.append(("samples", str(n_samples)))
    if samples is not None and samples.bags is not None:
        facts.append(("instances", str(samples.bags.n_instances)))
    if samples is not None and samples.table is not None:
        facts.append(("features", str(samples.table.shape[1])))
    for name, pairs in (("must-links", must_link), ("cannot-links", cannot_link)):
        if len(pairs):
            facts.append((name, str(len(pairs))))
    confidence = getattr(estimator, "confidence_", None)
    if isinstance(confidence, float) and math.isfinite(confidence):
        facts.append(("agreement of the families", f"{confidence:.2f}"))
    if getattr(estimator, "interrupted_", False):
        facts.append(("interrupted", "the search was ended early"))
    return facts


def changed_options(estimator: Any) -> dict[str, str]:
    """Parameters that differ from those of the class, and do not only say how it runs."""
    import inspect

    signature = inspect.signature(type(estimator).__init__).parameters
    found = {}
    for name, value in estimator.get_params(deep=False).items():
        usual = signature[name].default if name in signature else None
        if name not in _APART and shortened(value) != shortened(usual):
            found[name] = shortened(value)
    return found


def shortened(value: Any) -> str:
    """A value on a line of moderate length."""
    line = " ".join(repr(value).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
