"""Imported first: one thread, so that a process may be forked, and a clock that stands still.

Seconds are all that may differ between two runs. With ``time.perf_counter`` at 0, which is where all of
the package's seconds come from (``timings`` of ``run.json``, the columns ``seconds`` of ``history.csv``
and of tables, ``seconds`` of results, recorders and logbooks), nothing need be left out of comparisons.
"""

import os
import time

for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{name}_NUM_THREADS"] = "1"
os.environ["MPLBACKEND"] = "Agg"
os.environ.pop("MOO_CLUSTERING_DATA", None)
time.perf_counter = lambda: 0.0

from tqdm import tqdm  # noqa: E402

# Its thread would not survive a fork.
tqdm.monitor_interval = 0
