"""Valid samples at the edge have finite results, or are refused in a sentence; nothing warns from inside."""

import re

import numpy as np
import pytest

from contract.metamorphic import estimators, every_estimator, fitted, mapped, samples_of

# Messages of libraries, which name no cause that users could mend.
OF_LIBRARIES = re.compile(
    r"zero-size|operands|^index |cannot reshape|attempt to|arrays? must|need at least|SVD|invalid value|"
    r"^Input (data )?contains|Buffer dtype|could not broadcast|The least populated|NaN"
)
TINY_ROWS = np.where(np.arange(24) % 5 == 0, 1e-20, 1.0)[:, None]
UNITS = 10.0 ** np.linspace(-12, 6, 40)


def _with(X, column):
    return np.column_stack([X, np.full(len(X), column)])


TABLES = {
    "a constant column": lambda X: _with(X, 7.0),
    "a constant column of another size": lambda X: _with(X, 1e15),
    "equal samples": lambda X: np.ones_like(X),
    "zeros": np.zeros_like,
    "subnormal": lambda X: X * 5e-322,
    "tiny": lambda X: X * 1e-300,
    "the largest": lambda X: X / np.abs(X).max() * np.finfo(float).max,
    "huge": lambda X: X / np.abs(X).max() * 1e300,
    "units of columns": lambda X: X * UNITS[: X.shape[1]],
    "far units of columns": lambda X: X * np.where(np.arange(X.shape[1]) % 2, 1e-200, 1e150),
    "tiny rows": lambda X: X * TINY_ROWS[: len(X)],
    "an outlier": lambda X: np.vstack([X[:-1], np.full((1, X.shape[1]), 1e15)]),
    "a huge outlier": lambda X: np.vstack([X[:-1], np.full((1, X.shape[1]), 1e300)]),
    "an offset": lambda X: X + 1e9,
    "a large offset": lambda X: X + 1e12,
    "negative zeros": lambda X: np.where(np.median(X) < X, X, -0.0),
}
SOME = {
    "a constant column",
    "equal samples",
    "zeros",
    "tiny",
    "huge",
    "far units of columns",
    "a huge outlier",
}


@pytest.mark.parametrize(
    "tables",
    [pytest.param(SOME, id="some"), pytest.param(TABLES.keys() - SOME, id="others", marks=pytest.mark.slow)],
)
@every_estimator(())
def test_estimators(name, tables):
    case, X, faults = estimators()[name], samples_of(estimators()[name]), []
    for table, change in TABLES.items():
        if table not in tables:
            continue
        try:
            model, found = fitted(case, mapped(X, change))
        except (ValueError, TypeError) as error:
            if OF_LIBRARIES.search(str(error)):
                faults.append(f"{table}: {error}")
            continue
        except RuntimeWarning as warning:
            faults.append(f"{table} warns: {warning}")
            continue
        labels = found.get("labels_")
        if labels is not None and not (len(labels) == 24 and labels.min() >= -1):
            faults.append(f"{table}: labels {labels}")
        faults += [
            f"{table}: {attribute} is not finite"
            for attribute, value in vars(model).items()
            if attribute.endswith("_") and isinstance(value, np.ndarray) and value.dtype.kind == "f"
            if not np.isfinite(value).all() and attribute != "pareto_centers_"  # padded with NaN
            # Nothing is expected of the only candidate.
            if attribute != "confidence_interval_" or np.isfinite(model.confidence_)
        ]
    assert not faults, "\n".join(faults)
