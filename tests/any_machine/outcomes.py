"""Print what every estimator finds, in a process of its own: ``python outcomes.py``."""

import hashlib
import json
import warnings

import numpy as np
from machine_cases import CASES

NOISE = 3.0


def digests():
    """Name of the estimator to a digest of all it has found."""
    found = {}
    for name, case in CASES.items():
        arrays = case.outcome(case.fit(0, NOISE), 0, NOISE)
        found[name] = hashlib.sha256(
            b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
        ).hexdigest()
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(digests()))
