"""Results and names of the package at a known point: fingerprints of results, and all public names."""

import sys
from pathlib import Path

# The registries of the other tests are importable from the folder of the tests and from some rooms of it.
_TESTS = Path(__file__).resolve().parents[1]
for _folder in (_TESTS / "any_machine", _TESTS):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))
