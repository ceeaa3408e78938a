"""The command ``demo``, which compares PESC with three controls, and the command ``warm-up``."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import minmax_scale

from moo_clustering._kernels.caching import saves
from moo_clustering._messages import progress_bar
from moo_clustering.cli.fit import run_job
from moo_clustering.cli.folder import REPORT, open_folder
from moo_clustering.cli.job import Job
from moo_clustering.cli.samples import Samples
from moo_clustering.cli.terminal import INTERRUPTED, aligned, compiling_told
from moo_clustering.datasets import load_wine
from moo_clustering.estimators import PESC
from moo_clustering.estimators._methods import get_method

# Options of the warm-up runs, which together compile the kernels of most methods.
_COMMON = (
    (), ("--partial-labels", "class"), ("--method", "pesc", "-k", "3", "--set", "n_gen=2"),
    ("--method", "mock", "--set", "n_gen=2"), ("--method", "nsga2-clus", "--set", "n_gen=2"),
)  # fmt: skip


def run_warm_up(fit: click.Command) -> None:
    """Run ``fit`` with common methods on a small data set, so that numba compiles and caches the kernels."""
    started, table = time.perf_counter(), load_wine().shuffled(0)
    assert table.y is not None
    classes = np.where(np.arange(len(table.y)) % 6, "", table.y.astype(str))
    names = [f"x{column}" for column in range(table.X.shape[1])]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "table.csv"
        rows = np.column_stack([table.X.astype(str), classes])
        file.write_text("\n".join(",".join(row) for row in [[*names, "class"], *rows]))
        for number, options in enumerate(progress_bar(_COMMON, desc="Compiling", unit="run", leave=False)):
            out = str(Path(folder) / str(number))
            fit.main([str(file), "--out", out, "--quiet", *options], standalone_mode=False)
    seconds = time.perf_counter() - started
    later = "this user's runs reuse them until the next update" if saves() else "they are not saved"
    click.echo(f"Compiled the kernels ({seconds:.0f} s); {later}.")


def run_demo(out: Path, seed: int) -> None:
    folder = click.get_current_context().with_resource(open_folder(out, replaces="demo"))
    # The bundled rows are sorted by class. Shuffle them, because their order must not help a method.
    table = load_wine().shuffled(seed)
    click.echo("PESC on the wine data: 178 samples in random order, 13 features, 3 clusters")
    samples = Samples.of(table)
    controls = _controls(samples, table.n_classes, seed)
    estimator = PESC(table.n_classes, random_state=seed, verbose=True)
    job = Job("demo", get_method("pesc"), estimator, samples, seed)
    record, interrupted, _ = run_job(job, folder, {"controls": controls})
    if interrupted:
        click.echo("Interrupted.", err=True)
        click.get_current_context().exit(INTERRUPTED)
    click.echo(_table(record["scores"], controls))
    shown = f"open {out / REPORT}" if REPORT in record["files"] else f"see {out / 'labels.csv'}"
    click.echo(f"Saved in {out}; {shown}.")


def _controls(samples: Samples, k: int, seed: int) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(seed)
    with compiling_told():
        unevolved = PESC(k, n_gen=0, random_state=seed).fit(samples.X)
    kmeans = KMeans(k, n_init=10, random_state=seed).fit(minmax_scale(samples.X))
    random = [samples.scores(rng.integers(k, size=samples.n_samples)) for _ in range(100)]
    return {
        "PESC, generation 0": samples.scores(unevolved.labels_),
        "k-means": samples.scores(kmeans.labels_),
        "random labels, mean of 100": {
            name: float(np.mean([draw[name] for draw in random])) for name in random[0]
        },
    }


def _table(found: dict[str, float], controls: dict[str, dict[str, float]]) -> str:
    names = list(found)
    rows: list[list[str]] = [["", *(name.replace("_", " ") for name in names)]]
    for title, values in {"PESC": found, **controls}.items():
        rows.append([title, *(f"{values[name]:.3f}" for name in names)])
    return aligned(rows, right=range(1, len(names) + 1))
