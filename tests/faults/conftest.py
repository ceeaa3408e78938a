"""The families use a toolbox of the tests of algorithms."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "algorithms"))
