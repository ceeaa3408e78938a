"""
Resume after a kill
===================

Kill a long run without warning, and continue it to a bit-identical result.

Shows: an estimator's checkpoints, a process that is killed by SIGKILL, which no process can handle, and a
comparison with an uninterrupted run.
"""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import make_blobs

from moo_clustering import NSGA2Clus
from moo_clustering.visualization import plot_convergence

SCRIPT = """
from sklearn.datasets import make_blobs
from moo_clustering import NSGA2Clus
X, _ = make_blobs(1500, centers=12, random_state=0)
NSGA2Clus(k_max=20, n_gen=100_000, random_state=0,
          checkpoint="killed.npz", checkpoint_every=5, metric="euclidean").fit(X)
"""
checkpoint = Path("killed.npz")
checkpoint.unlink(missing_ok=True)
process = subprocess.Popen([sys.executable, "-c", SCRIPT])
while not checkpoint.exists() and process.poll() is None:
    time.sleep(0.02)
time.sleep(0.1)
process.kill()
process.wait()
print(f"killed; the checkpoint has {checkpoint.stat().st_size} bytes")

X, _ = make_blobs(1500, centers=12, random_state=0)
options = {"k_max": 20, "n_gen": 60, "metric": "euclidean", "random_state": 0}
resumed = NSGA2Clus(**options, checkpoint=checkpoint, checkpoint_every=5, resume=True).fit(X)
whole = NSGA2Clus(**options).fit(X)

print(f"labels are the same: {np.array_equal(resumed.labels_, whole.labels_)}")
print(f"so is the front: {np.array_equal(resumed.pareto_front_, whole.pareto_front_)}")
plot_convergence(whole, path="resume_after_a_kill.png")
checkpoint.unlink()
