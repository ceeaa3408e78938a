"""Runs that go on wrongly, each in its own way; started as a script, it has them killed.

Prints what the harness found, as JSON.
"""

import still_process  # noqa: F401  isort: skip
import json
import sys
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from kill_harness import campaign
from kill_outcomes import as_bytes

from moo_clustering.persistence import Checkpoint, load_checkpoint, save_checkpoint

STEPS, EVERY = 24, 3


@dataclass
class Walk:
    """A random walk that is saved every few steps."""

    name: str = "sound"
    keeps_random_state: bool = True
    goes_on: bool = True
    fails: bool = False
    in_place: bool = False

    def whole(self, folder):
        """Without a checkpoint."""
        return self._walked(None, folder)

    def run(self, folder):
        """Going on from the checkpoint, if there is one."""
        return self._walked(Checkpoint(folder / "run.npz"), folder)

    def begun(self, folder):
        """Whether there is something to go on from."""
        return (folder / "run.npz").exists()

    @contextmanager
    def _table(self, folder):
        """Half of a file for as long as a step takes."""
        with open(folder / "table.csv", "w") as file:
            file.write("step\n1")
            file.flush()
            yield
            file.write("\n")

    def _walked(self, checkpoint, folder):
        step, total, rng = 0, 0.0, np.random.default_rng(0)
        saved = load_checkpoint(checkpoint) if checkpoint is not None and self.goes_on else None
        if saved is not None:
            if self.fails:
                raise RuntimeError("it cannot go on")
            step, total = saved[1]["step"], float(saved[0]["total"])
            if self.keeps_random_state:
                rng.bit_generator.state = saved[1]["rng"]
        while step < STEPS:
            step, total = step + 1, total + rng.random()
            with self._table(folder) if self.in_place else nullcontext():
                time.sleep(0.004)
                if checkpoint is not None and step % EVERY == 0:
                    state = {"step": step, "rng": rng.bit_generator.state}
                    save_checkpoint(checkpoint, {"total": np.array(total)}, state)
        return {"total": as_bytes(np.array(total))}


WALKS = [
    Walk(),
    Walk("forgets", keeps_random_state=False),
    Walk("starts over", goes_on=False),
    Walk("fails", fails=True),
    Walk("writes in place", in_place=True),
]

if __name__ == "__main__":
    print(json.dumps(campaign(WALKS, kills=24, seed=0, place=Path(sys.argv[1]))))
