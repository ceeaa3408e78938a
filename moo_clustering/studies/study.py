"""`Study`: run methods on data sets with many seeds, then tabulate and compare their scores."""

from __future__ import annotations

import html
import importlib
import re
import shutil
import tempfile
import tomllib
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import product
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn import config_context, datasets, metrics
from sklearn.base import BaseEstimator

from moo_clustering import _arrays as checks
from moo_clustering import controls as searches
from moo_clustering import stats
from moo_clustering._arrays import FloatArray, did_you_mean, name_of, quoted, warn_caller
from moo_clustering._docs import documented
from moo_clustering.datasets import BUNDLED, DataError, Table, prepare_table, read_table
from moo_clustering.datasets.files import NotNumericError
from moo_clustering.datasets.tables import Roles, read_frame
from moo_clustering.estimators._fronts import ControlsMixin
from moo_clustering.estimators._methods import find_method
from moo_clustering.fronts import attainment_surfaces
from moo_clustering.persistence import csv_cell, fingerprint, replacing
from moo_clustering.studies import cells, tuning
from moo_clustering.studies.tuning import Tuning
from moo_clustering.validity import clustering_accuracy, get_index
from moo_clustering.validity.registry import INDICES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BY_CLASSES: dict[str, Callable[..., float]] = {
    "ari": metrics.adjusted_rand_score,
    "nmi": metrics.normalized_mutual_info_score,
    "ami": metrics.adjusted_mutual_info_score,
    "accuracy": clustering_accuracy,
}
_ARGUMENTS = ("methods", "data", "scores", "seeds", "controls", "n_clusters", "timeout", "path")
_OPTIONS = ("jobs", "compare")
_PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Study</title>
<style>body {{font: 15px/1.5 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em}}
table {{border-collapse: collapse; margin: 1.5em 0}} caption {{text-align: left}}
th, td {{padding: .15em .8em; text-align: right}} tr:hover {{background: #f4f4f4}}</style>
<h1>Study</h1>
{}
</html>
"""


class Study:
    """Run methods on data sets with many seeds, save every result, and compare the scores.

    A cell is one run of a method on a data set with one seed. ``run`` computes only unsaved cells, even if a
    previous call was killed. Failed and timed-out cells are saved with the reason and counted in tables.
    Raises a ValueError or TypeError if a name is repeated, or if a method, data set or score has the wrong
    type.

    Parameters
    ----------
    methods : mapping of str to method, or sequence of methods
        Clusterers, cloned with ``random_state=seed``; functions ``method(X, seed)`` that return labels; or
        tuples ``(problem, algorithm, n_gen)`` for :func:`~moo_clustering.algorithms.evolve`, with functions
        ``problem(X)`` and ``algorithm(problem)``. The result of a tuple is the knee of the front.
    data : mapping of str to data set, or iterable of data sets
        Arrays ``X``, tuples ``(X, y)``, names of bundled data, paths, tuples ``(path, class column)``, or
        functions that return any of these. Those with a parameter ``random_state`` run for every seed.
    scores : sequence of str, index or callable, default=("ari",)
        ``"ari"``, ``"nmi"``, ``"ami"``, ``"accuracy"``, validity indices (see
        :func:`~moo_clustering.validity.get_index`), functions ``score(y, labels)`` or ``score(X, labels)``,
        or tuples ``(name, function, "max" or "min")``. Tables show the first score by default.
    seeds : int or sequence of int, default=10
        Number of repetitions, or a list of seeds.
    controls : bool, default=False
        Whether to run the controls of every search, too; see :mod:`moo_clustering.controls`.
    n_clusters : int or mapping of str to int, optional
        Number of clusters, for all data sets or for each. It is passed to methods with such a parameter.
    timeout : float, optional
        Time limit per cell, in seconds. If there is a limit, every cell runs in a separate process.
    path : path-like, optional
        New folder for the cells, or the folder of an earlier run of this study. Default: a temporary folder.

    Notes
    -----
    Methods receive only the features; classes are used only to score the labels. If a function's second
    parameter has a default, it must be named ``seed`` or ``random_state`` to receive the seed. Each cell uses
    one thread. The number of workers affects only run times. Scores that require classes ignore samples whose
    class is -1 or missing. Data sets on which a score has no value are ignored. Outliers (-1) count as one
    cluster. Functions are identified by name, and partial functions also by their arguments. Cells are
    therefore kept even if the code of a function has changed.

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering, KMeans
    >>> methods = {"k-means": KMeans(3), "Ward": AgglomerativeClustering(3)}
    >>> study = Study(methods, ["iris", "wine"], seeds=2).run()
    >>> study.table().frame.shape
    (3, 2)
    """

    def __init__(
        self,
        methods: Mapping[str, Any] | Sequence[Any],
        data: Any,
        scores: Sequence[Any] = ("ari",),
        *,
        seeds: int | Sequence[int] = 10,
        controls: bool = False,
        n_clusters: int | Mapping[str, int] | None = None,
        timeout: float | None = None,
        path: str | PathLike[str] | None = None,
    ) -> None:
        self.methods: dict[str, Any] = {}
        self._include(methods)
        self.data = _named("data set", data, _data_name)
        self.scores = _scores(scores)
        listed: Any = seeds if np.ndim(seeds) and np.size(seeds) else range(checks.integer("seeds", seeds, 1))
        self.seeds = list(dict.fromkeys(checks.integer("seeds", seed, 0, 2**32 - 1) for seed in listed))
        self.controls, self.n_clusters = checks.choice("controls", controls, (True, False)), n_clusters
        sizes: Any = n_clusters if isinstance(n_clusters, Mapping) else dict.fromkeys(self.data, n_clusters)
        self._sizes = {name: checks.integer("n_clusters", k) for name, k in sizes.items() if k is not None}
        for name in self._sizes:
            checks.choice("every key of n_clusters", name, self.data)
        self.timeout = None if timeout is None else checks.positive("timeout", timeout)
        self.path = Path(tempfile.mkdtemp() if path is None else path)
        if path is None:
            weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        self._loaded: tuple[Any, Any] = (None, None)

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> tuple[Self, dict[str, Any]]:
        """Read a study and its options ``jobs`` and ``compare`` from a ``moo-clustering study`` file.

        Parameters
        ----------
        path : path-like
            TOML file. Relative paths in the file are resolved against its folder.
        """
        place = Path(path)
        try:
            given = tomllib.loads(place.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{place} is not a valid TOML file: {error}") from None
        for key in given:
            if key not in (*_ARGUMENTS, *_OPTIONS):
                hint = did_you_mean(key, (*_ARGUMENTS, *_OPTIONS))
                raise ValueError(f"{place} contains an unknown key, {quoted(key)}{hint}")
        for key, make in (("methods", _method_of_toml), ("data", partial(_data_of_toml, place.parent))):
            if not isinstance(given.get(key), dict) or not given[key]:
                raise ValueError(f"{place} must have a table [{key}] with at least one entry")
            given[key] = {name: make(name, entry) for name, entry in given[key].items()}
        options = {key: given.pop(key) for key in _OPTIONS if key in given}
        return cls(**{**given, "path": place.parent / str(given.get("path", place.stem))}), options

    def run(self, *, n_jobs: int | None = None, verbose: bool = False, retry: bool = False) -> Self:
        """Compute all missing cells; return the study. Ctrl-C stops with a warning; call again to continue.

        Raises a ValueError if a data set cannot be read, if a score requires classes but no data set has any,
        or if the folder contains a different study or is in use by another process.

        Parameters
        ----------
        n_jobs : int or None, default=None
            Number of processes. None means one, unless :func:`joblib.parallel_config` sets a different
            number. If it sets the backend ``"dask"``, the cells run on a Dask cluster.
        verbose : bool, default=False
            Show progress.
        retry : bool, default=False
            Whether to compute failed and timed-out cells again.
        """
        options: dict[str, Any] = {"n_jobs": n_jobs, "verbose": verbose, "description": "study"}
        with self._store(retry) as store:
            if not cells.run_cells(cells.compute_cell, self._keys(), self._job, store, **options):
                said = f"interrupted; finished cells are saved in {self.path}; call run() to continue"
                checks.warn_caller(said, RuntimeWarning)
        return self

    @contextmanager
    def _store(self, retry: bool) -> Iterator[cells.CellStore]:
        """Open the saved cells. If the data sets or methods have changed, raise an error."""
        cells.check_folder(self.path)
        entries, classes = {("method", name): _described(one) for name, one in self.methods.items()}, 0
        for name in self.data:
            # Generated data are identified by their values for seed 0, because the seeds may change later.
            X, y = self._read(name, 0)
            content = np.frombuffer(X.to_csv().encode(), np.uint8) if isinstance(X, pd.DataFrame) else X
            asked = f", {self._sizes[name]} clusters" if name in self._sizes else ""
            entries["data set", name] = fingerprint(content, y)[:16] + asked
            classes = max(classes, y.max() + 1)
        if needy := [name for name, score in self.scores.items() if score.by_classes and not classes]:
            raise ValueError(f"score {needy[0]!r} requires classes, but no data set has any; pass (X, y)")
        with cells.cells_of_folder(self.path, {"scores": list(self.scores)}) as store:
            for (kind, name), entry in entries.items():
                key, shown = {"kind": kind, "name": name}, f"{kind} {name!r}"
                if key not in store:
                    store.add(key, entry)
                cells.check_same(self.path, {shown: store.values([key])[0]}, {shown: entry})
            if retry:
                store.forget(lambda value: isinstance(value, dict) and "error" in value)
            yield store

    def add(self, methods: Mapping[str, Any] | Sequence[Any], **options: Any) -> Self:
        """Add methods, compute the missing cells, and return the study.

        Parameters
        ----------
        methods : mapping of str to method, or sequence of methods
            Methods to add. Their names must be new in the study.
        **options
            Options of :meth:`run`.
        """
        self._include(methods)
        return self.run(**options)

    @documented()
    def tune(
        self,
        method: str,
        space: Mapping[str, Any],
        n_trials: int = 50,
        *,
        on: Any,
        score: str | None = None,
        seeds: int = 3,
        seed: int = 0,
        name: str | None = None,
        **options: Any,
    ) -> Tuning:
        """Tune a method's parameters on some data sets, and add the tuned method for testing on the others.

        Data sets used for tuning are excluded from all tables and tests. Trials are saved like cells. To
        resume an interrupted call, repeat the call. Requires optuna (extra ``tune``). Raises a ValueError if
        the space or a name is invalid, if no data set is left for testing, or if all trials fail.

        Parameters
        ----------
        method : str
            Name of a clusterer or function of the study.
        space : mapping of str to tuple or list
            Parameter values: ``(low, high)`` or ``(low, high, "log")`` for numbers, or lists of choices.
        n_trials : int, default=50
        on : sequence of str or "others"
            Data sets used for tuning. ``"others"`` tunes once for each data set, using all other data sets.
        score : str, optional
            Score whose mean over data sets and seeds is optimised. Default: the first score.
        seeds : int, default=3
            Number of runs per trial and data set. A trial fails if any of its runs fails.
        seed : int, default=0
            Seed of optuna's TPE sampler.
        name : str, optional
            Name of the tuned method. Default: ``"<method> (tuned)"``.
        **options
            Options of :meth:`run`.
        """
        base = self.methods[checks.choice("method", method, self.methods)]
        if isinstance(base, tuple | Tuning):
            raise TypeError(f"{method!r} has no parameters to tune; use a clusterer or a function")
        score = checks.choice("score", score or next(iter(self.scores)), self.scores)
        draws, greater = tuning.drawn_by(space), self.scores[score].greater
        sizes = ("n_clusters", *cells.SIZES.values()) if self._sizes else ()
        tuning.check_parameters(base, [*draws], ("random_state", "seed", *sizes))
        name = name or f"{method} (tuned)"
        self._check_new(name)
        runs = range(checks.integer("seeds", seeds, 1))
        parts = tuning.splits(on, [*self.data])
        if not set(self._compared()) & {test for tests in parts.values() for test in tests}:
            raise ValueError("no data set is left to test, because earlier tunings used the other data sets")
        found, chosen, said = list[dict[str, Any]](), dict[Any, Any](), list[str]()
        with self._store(bool(options.get("retry"))) as store:
            for sets, tests in parts.items():
                run = partial(self._trial, store, base, [*product(sets, runs)], score, options)
                done = tuning.search(draws, run, greater=greater, n_trials=n_trials, seed=seed)
                best = tuning.best_of(done, greater)
                parameters = {key: best[key] for key in draws}
                chosen |= dict.fromkeys(tests, parameters)
                found += [{"chosen_on": ", ".join(sets), **trial} for trial in done]
                shown = {k: f"{v:.6g}" if isinstance(v, float) else repr(v) for k, v in parameters.items()}
                values = ", ".join(f"{key}={value}" for key, value in shown.items())
                said.append(
                    f"{name} has {values} on {', '.join(tests)}: the best of {n_trials} trials by {score} "
                    f"({best['score']:.3f}) on {', '.join(sets)}."
                )
        made = {test: tuning.with_parameters(base, given) for test, given in chosen.items()}
        table = pd.DataFrame.from_dict(chosen, orient="index")
        self.methods[name] = result = Tuning(name, table, pd.DataFrame(found), "\n".join(said), made)
        self.run(**options)
        return result

    def _trial(
        self, store: cells.CellStore, base: Any, runs: Any, score: str, options: Any, parameters: Any
    ) -> Any:
        made = tuning.with_parameters(base, parameters)
        shared = {"tuned": _described(made)}
        keys: list[cells.Key] = [{"data": data, "seed": seed, **shared} for data, seed in runs]
        job = partial(self._job, method=made)
        if not cells.run_cells(cells.compute_cell, keys, job, store, n_jobs=options.get("n_jobs")):
            raise KeyboardInterrupt(f"finished trials are saved in {self.path}; call tune() to continue")
        values = store.values(keys)
        failed = [value["error"] for value in values if "error" in value]
        return failed[0] if failed else float(np.mean([value[score] for value in values]))

    @property
    def complete(self) -> bool:
        """Whether all cells are finished, including failed and timed-out cells."""
        return len(self._finished()) == len(self._keys())

    @property
    def results(self) -> pd.DataFrame:
        """Data frame with one row per finished cell: data set, method, seed, status, scores and error."""
        rows = [{**key, **value} for key, value in self._finished() if "part" not in key]
        if not rows:
            raise ValueError("the study has no finished cells; call run() first")
        columns = ["data", "method", "seed", "status", *self.scores, *cells.MEASURED, "error"]
        return pd.DataFrame(rows).reindex(columns=columns)

    @documented()
    def table(self, score: str | None = None, *, statistic: str = "mean") -> StudyTable:
        """Summarise the seeds of each method (column) on each data set (row). The best values are in bold.

        The last row contains average ranks. A method is ranked last on data sets for which it has no result.

        Parameters
        ----------
        score : str, optional
            A score, ``"n_clusters"``, ``"seconds"`` or ``"evaluations"``. Default: the first score.
        statistic : {"mean", "median"}, default="mean"
            ``"mean"`` shows mean and standard deviation, ``"median"`` median and quartiles.
        """
        checks.choice("statistic", statistic, ("mean", "median"))
        score, greater, values = self._wide(score, statistic)
        text, found = values.astype(object).fillna("—"), self._tabulated()
        for (data, method), runs in found.groupby(["data", "method"]):
            text.loc[data, method] = _cell_text(runs, score, statistic)
        top = (values.max(axis=1) if greater else values.min(axis=1)).to_numpy()
        best = pd.DataFrame(np.isclose(values, top[:, None], rtol=0, atol=1e-12), text.index, text.columns)
        ranks = self._ranks(values, greater).mean()
        text.loc["average rank"] = [f"{rank:.2f}" for rank in ranks]
        best.loc["average rank"] = np.isclose(ranks, ranks.min())
        spread = "mean ± standard deviation" if statistic == "mean" else "median [quartiles]"
        better = "larger" if greater else "smaller"
        seeds = f"{len(self.seeds)} seed{'s' * (len(self.seeds) > 1)}"
        caption = f"{score}: {spread} over {seeds}; {better} is better"
        if excluded := [name for name in self.data if name not in text.index]:
            caption += f"; without the data sets used for tuning ({', '.join(excluded)})"
        wanted = [key for key in self._keys() if "part" not in key and key["data"] in text.index]
        if n_missing := len(wanted) - len(found):
            caption += f"; {n_missing} cell{'s are' if n_missing > 1 else ' is'} missing"
        return StudyTable(text, best, f"{caption}.")

    @documented(table)
    def summary(self, score: str | None = None) -> pd.DataFrame:
        """Summarise each method over all data sets.

        Returns
        -------
        DataFrame
            One row per method: ``mean``, ``median`` and ``std`` of the means on the data sets,
            ``average_rank``, ``wins``, ``ties`` and ``losses`` against all other methods, numbers of
            ``failed`` and ``timed_out`` runs, and mean ``n_clusters``, ``seconds`` and ``evaluations``.
        """
        score, greater, values = self._wide(score)
        ranks, found = self._ranks(values, greater), self._tabulated()
        table = pd.DataFrame({"mean": values.mean(), "median": values.median(), "std": values.std()})
        table["average_rank"] = ranks.mean()
        behind = ranks.to_numpy()[:, :, None] - ranks.to_numpy()[:, None, :]
        table["wins"], table["losses"] = (behind < 0).sum(axis=(0, 2)), (behind > 0).sum(axis=(0, 2))
        table.insert(5, "ties", (behind == 0).sum(axis=(0, 2)) - len(ranks))
        for status in ("failed", "timed out"):
            counts = found.loc[found["status"] == status, "method"].value_counts()
            table[status.replace(" ", "_")] = counts.reindex(table.index, fill_value=0)
        return table.join(found.groupby("method")[list(cells.MEASURED)].mean())

    @documented(table)
    def compare(self, method: str, score: str | None = None, *, alpha: float = 0.05) -> MethodComparison:
        """Compare a method with every other method, using Wilcoxon tests with Holm's correction.

        The tests pair mean scores by data set. With a single data set, the tests pair scores by seed, and the
        stated conclusions hold only for this data set. Wilcoxon tests omit missing scores.

        Parameters
        ----------
        method : str
            Name of a method in the study.
        alpha : float, default=0.05
            Significance level.
        """
        checks.choice("method", method, self.methods)
        score, greater, values = self._wide(score)
        values = values.dropna(how="all")
        alpha, single = stats.checked_alpha(alpha), len(values) == 1
        if len(self.methods) < 2:
            raise ValueError("compare requires at least two methods; add another")
        several = len(values) > 1 and len(self.methods) > 2
        test = stats.friedman(_filled(values, greater), greater_is_better=greater) if several else None
        runs = self.results[self.results["data"].isin(values.index)]
        units = runs.pivot(index="seed", columns="method", values=score) if single else values
        signed = units if greater else -units
        found = {name: _paired(signed[method], signed[name]) for name in self.methods if name != method}
        pairs = pd.DataFrame.from_dict(found, orient="index").sort_values("p", kind="stable")
        pairs["p_holm"] = stats.holm_adjusted(pairs["p"].to_numpy())
        rank = self._ranks(values, greater)[method].mean()
        where = values.index[0] if single else f"{len(values)} data sets"
        seeds = f"averaged over {len(self.seeds)} seeds" if len(self.seeds) > 1 else "with one seed"
        said = [
            f"By {score} on {where}, {seeds}, {method} has a mean of {values[method].mean():.3f} and an "
            f"average rank of {rank:.2f} among {len(self.methods)} methods.",
            *_tested(method, test, pairs, alpha, values.index[0] if single else ""),
            *self._incomplete(),
            *(one.text for one in self.methods.values() if isinstance(one, Tuning)),
        ]
        if self.controls and _has_controls(self.methods[method]):
            said.append(f"{method} and its controls: {self._controls(method).claim(alpha=alpha)}")
        return MethodComparison(method, score, pairs, test, "\n".join(said))

    @documented(table)
    def critical_difference(self, score: str | None = None, **options: Any) -> Figure:
        """Plot average ranks, with bars that join methods whose differences are not significant.

        Parameters
        ----------
        **options
            Options of :func:`~moo_clustering.visualization.plot_critical_difference`, such as ``path``.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from moo_clustering.visualization import plot_critical_difference

        _, greater, values = self._wide(score)
        return plot_critical_difference(_filled(values, greater), greater_is_better=greater, **options)

    @documented(critical_difference)
    def plot_anytime(self, method: str | None = None, **options: Any) -> Figure:
        """Plot hypervolume against evaluations for a search and its controls; requires ``controls=True``.

        Parameters
        ----------
        method : str, optional
            Name of a search. Default: the first one.
        **options
            ``title`` and ``path``.
        """
        return self._controls(method).plot(**options)

    @documented(table)
    def compare_all(
        self, score: str | None = None, *, alpha: float = 0.05, posthoc: str = "shaffer"
    ) -> stats.Comparison:
        """Compare all pairs of methods across data sets; see :func:`moo_clustering.stats.compare`.

        Raises a ValueError for fewer than two data sets.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level.
        posthoc : {"shaffer", "holm", "nemenyi"}, default="shaffer"
            Procedure used for ``pairs`` and ``conclusions``. The result has the tables of all procedures.
        """
        _, greater, values = self._wide(score)
        options: dict[str, Any] = {"greater_is_better": greater, "alpha": alpha, "posthoc": posthoc}
        return stats.compare(_filled(values, greater), **options)

    def attainment(
        self,
        data: str | None = None,
        *,
        methods: Sequence[str] | None = None,
        fractions: Sequence[float] = (0.25, 0.5, 0.75),
    ) -> pd.DataFrame:
        """Tabulate the attainment surfaces of the runs on a data set.

        Raises a ValueError if a method has no fronts with two objectives, or if the objectives differ.

        Parameters
        ----------
        data : str, optional
            Name of the data set. Default: the first one.
        methods : sequence of str, optional
            Methods with fronts. Default: all of them.
        fractions : sequence of float, default=(0.25, 0.5, 0.75)
            Fractions of the runs (one per seed), in (0, 1]. The surface for a fraction bounds the points that
            at least this fraction of the runs attains. A run attains a point if a solution on its front is at
            least as good as the point in both objectives.

        Returns
        -------
        DataFrame
            ``method``, ``fraction``, and the objectives at the corners of the surface, with original signs.
        """
        objectives, fronts = self._fronts(data, methods)
        if len(objectives) != 2:
            raise ValueError(f"attainment surfaces require two objectives, got {len(objectives)}")
        titles, greater = zip(*objectives, strict=True)
        signs, tables = np.where(greater, -1.0, 1.0), []
        for name, found in fronts.items():
            if few := len(self.seeds) - len(found):
                warn_caller(
                    f"no front of {name!r} on {data or next(iter(self.data))!r} for {few} of "
                    f"{len(self.seeds)} seeds; fractions refer to the other seeds (see results)"
                )
            surfaces = attainment_surfaces([np.multiply(signs, front) for front in found], fractions)
            for fraction, corners in surfaces.items():
                table = pd.DataFrame(signs * corners, columns=list(titles))
                tables.append(table.assign(method=name, fraction=fraction))
        return pd.concat(tables, ignore_index=True)[["method", "fraction", *titles]]

    @documented(critical_difference, attainment)
    def plot_attainment(self, data: str | None = None, **options: Any) -> Figure:
        """Plot attainment surfaces; the line for the fraction nearest to 0.5 is the thickest.

        Parameters
        ----------
        **options
            ``methods`` and ``fractions`` of :meth:`attainment`, and ``title``, ``ax`` and ``path``.
        """
        from moo_clustering.visualization.fronts import draw_surfaces

        shown = {key: options.pop(key) for key in ("methods", "fractions") if key in options}
        table, (objectives, _) = self.attainment(data, **shown), self._fronts(data, shown.get("methods"))
        return draw_surfaces(table, [greater for _, greater in objectives], **options)

    def save(self, method: str | None = None) -> list[Path]:
        """Write ``results.csv``, ``study.tex`` and ``study.html`` to the study's folder. Return their paths.

        Parameters
        ----------
        method : str, optional
            Method to compare with the others. Default: the first one.
        """
        frame = self.results.map(lambda cell: csv_cell(cell) if isinstance(cell, str) else cell)
        frame, first = frame.rename(columns=csv_cell), next(iter(self.methods))
        tables, warned = [self.table(score) for score in (*self.scores, "seconds")], self._incomplete()
        shown = [f"<p>{html.escape(line)}</p>" for line in warned]
        for score, table in zip((*self.scores, ""), tables, strict=True):
            if score and len(self.methods) > 1:
                said = self.compare(method or first, score).text.split("\n")
                shown += [f"<p>{html.escape(line)}</p>" for line in said if line not in warned]
            shown.append(table.to_html())
        contents = {
            "results.csv": frame.to_csv(index=False, lineterminator="\n"),
            "study.tex": "\n".join(table.to_latex() for table in tables),
            "study.html": _PAGE.format("\n".join(shown)),
        }
        for name, content in contents.items():
            with replacing(self.path / name) as file:
                file.write(content.encode())
        return [self.path / name for name in contents]

    def _include(self, methods: Any) -> None:
        new = _named("method", methods, lambda method, _: name_of(method))
        for name, method in new.items():
            self._check_new(name)
            if isinstance(method, tuple) and len(method) == 3 and all(map(callable, method[:2])):
                checks.integer(f"n_gen of method {name!r}", method[2])
            elif isinstance(method, type) or not (callable(method) or hasattr(method, "fit_predict")):
                raise TypeError(
                    f"method {name!r} must be a clusterer with fit_predict, a function (X, seed) -> labels, "
                    f"or (problem, algorithm, n_gen) with two functions and an integer, got {quoted(method)}"
                )
        self.methods |= new

    def _check_new(self, name: str) -> None:
        if name in self.methods:
            raise ValueError(f"the study already has a method named {name!r}; choose another name")

    def _compared(self) -> list[str]:
        """Return the data sets for tables and tests. Data sets used to tune a method are excluded."""
        tuned = [one.methods for one in self.methods.values() if isinstance(one, Tuning)]
        return [name for name in self.data if all(name in methods for methods in tuned)]

    def _tabulated(self) -> pd.DataFrame:
        found = self.results
        return found[found["data"].isin(self._compared())]

    def _keys(self) -> list[dict[str, Any]]:
        keys: list[dict[str, Any]] = []
        for data, seed, (name, method) in product(self.data, self.seeds, self.methods.items()):
            if isinstance(method, Tuning) and data not in method.methods:
                continue
            keys.append({"data": data, "method": name, "seed": seed})
            if self.controls and _has_controls(method):
                keys.append({**keys[-1], "part": "controls"})
        return keys

    def _finished(self) -> list[tuple[dict[str, Any], Any]]:
        path = self.path / cells.RESULTS
        if not path.exists():
            return []
        given, values, _ = cells.read_cells(path)
        wanted: dict[str, Any] = {"scores": list(self.scores)}
        for name, method in self.methods.items():
            if entry := values.get(cells.name_of_cell({"kind": "method", "name": name})):
                given[f"the method {name!r}"], wanted[f"the method {name!r}"] = entry, _described(method)
        cells.check_same(path, given, wanted)
        named = [(key, cells.name_of_cell(key)) for key in self._keys()]
        return [(key, values[name]) for key, name in named if name in values]

    def _read(self, name: str, seed: int) -> tuple[Any, Any]:
        """Return the features and classes of a data set, with -1 for unknown classes.

        The last data set is cached.
        """
        mark = (name, seed if cells.takes(self.data[name], "random_state") else None)
        if self._loaded[0] != mark:
            self._loaded = mark, cells.features_and_classes(name, self.data[name], seed)
        return self._loaded[1]

    def _job(self, key: cells.Key, method: Any = None) -> cells.Job:
        name = str(key["data"])
        method = self.methods[str(key["method"])] if method is None else method
        method = method.methods[name] if isinstance(method, Tuning) else method
        X, y = self._read(name, int(key["seed"]))
        return cells.Job(method, X, y, self.scores, self._sizes.get(name), self.timeout)

    def _wide(self, score: str | None, statistic: str = "mean") -> tuple[str, bool, pd.DataFrame]:
        score = checks.choice("score", score or next(iter(self.scores)), (*self.scores, *cells.MEASURED))
        wide = self.results.groupby(["data", "method"])[score].agg(statistic).unstack("method")
        greater = score in self.scores and self.scores[score].greater
        return score, greater, wide.reindex(index=self._compared(), columns=list(self.methods)).astype(float)

    @staticmethod
    def _ranks(values: pd.DataFrame, greater: bool) -> pd.DataFrame:
        filled = _filled(values, greater)
        return stats.rank_matrix(filled, np.full(len(filled), 2.0**-46), greater)

    def _controls(self, method: str | None) -> searches.ControlComparison:
        names = [name for name, one in self.methods.items() if self.controls and _has_controls(one)]
        if not names:
            raise ValueError("the study has no controls; use controls=True and at least one search")
        method = checks.choice("method", method or names[0], names)
        parts = [
            [pd.DataFrame(value[name]).assign(problem=key["data"]) for name in ("runs", "curves")]
            for key, value in self._finished()
            if key["method"] == method and "runs" in value
        ]
        if not parts:
            raise ValueError(f"no controls of {method!r} have finished; call run()")
        return searches.ControlComparison(*(pd.concat(tables) for tables in zip(*parts, strict=True)))

    def _fronts(self, data: str | None, methods: Sequence[str] | None) -> tuple[Any, dict[str, list[Any]]]:
        data = checks.choice("data", data or next(iter(self.data)), self.data)
        found: dict[str, list[Any]] = {name: [] for name in self.methods}
        for key, value in self._finished():
            if key["data"] == data and "front" in value:
                found[key["method"]].append(value)
        listed = [name for name in found if found[name]] if methods is None else [*methods]
        for name in listed:
            if not found[checks.choice("methods", name, self.methods)]:
                raise ValueError(f"{name!r} has no front on {data!r}; methods must be names of searches")
        if not listed:
            raise ValueError(f"no method has a Pareto front for {data!r}; add a search method, or call run()")
        objectives = [one["objectives"] for name in listed for one in found[name]]
        if objectives != objectives[:1] * len(objectives):
            raise ValueError(f"methods must have the same objectives, but those of {listed} differ")
        return objectives[0], {name: [one["front"] for one in found[name]] for name in listed}

    def _incomplete(self) -> list[str]:
        bad = dict[tuple[str, str], list[str]]()
        for key, value in self._finished():
            if "error" in value:
                what = f"{key['method']} with controls" if "part" in key else key["method"]
                bad.setdefault((what, key["data"]), []).append(f"{value['status']}: {value['error']}")
        return [
            f"Warning: no result for {len(errors)} of {len(self.seeds)} runs of {method} on {data}; the "
            f"means cover the other runs ({errors[0]})."
            for (method, data), errors in bad.items()
        ]


@dataclass(frozen=True, eq=False)
class StudyTable:
    """Table of a study's results, with the best values in bold.

    Parameters
    ----------
    frame : DataFrame
        Formatted cells.
    best : DataFrame of bool
        Whether each cell is the best in its row.
    caption : str
    """

    frame: pd.DataFrame
    best: pd.DataFrame
    caption: str

    def to_latex(self) -> str:
        """Return a LaTeX table for the booktabs package."""
        caption, layout = re.sub(r"([&%$#_{}])", r"\\\1", self.caption), "l" + "r" * self.frame.shape[1]
        styled = self._styled("textbf:--rwrap;", "latex")
        return str(styled.to_latex(hrules=True, column_format=layout, caption=caption))

    def to_html(self) -> str:
        """Return an HTML table."""
        return str(self._styled("font-weight: bold", "html").set_caption(html.escape(self.caption)).to_html())

    def to_csv(self) -> str:
        """Return the formatted cells as CSV text."""
        frame = self.frame.rename(index=csv_cell, columns=csv_cell)
        return str(frame.to_csv(index_label="data", lineterminator="\n"))

    def _styled(self, bold: str, escape: str) -> Any:
        marks, plain = np.where(self.best, bold, ""), self.frame.rename_axis(index=None, columns=None)
        # Identifiers are fixed, because random identifiers would make files of identical studies differ.
        style = plain.style.set_uuid(re.sub(r"\W+", "_", self.caption.partition(":")[0]))
        style = style.apply(lambda _: marks, axis=None).format(escape=escape)
        return style.format_index(escape=escape, axis=0).format_index(escape=escape, axis=1)

    def __str__(self) -> str:
        return f"{self.frame.rename_axis(index=None, columns=None).to_string()}\n{self.caption}"


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """Comparison of one method with all other methods of a study.

    Parameters
    ----------
    method, score : str
    pairs : DataFrame
        One row per other method: mean ``difference`` (positive if ``method`` is better), its 95% bootstrap
        interval ``low`` to ``high``, Wilcoxon's ``p``, ``p_holm``, ``wins``, ``ties``, ``losses``, and the
        rank-biserial correlation ``effect`` with the interval ``effect_low`` to ``effect_high``.
    friedman : FriedmanResult or None
        None if there are fewer than three methods or fewer than two data sets.
    text : str
        Conclusions and warnings, in sentences.
    """

    method: str
    score: str
    pairs: pd.DataFrame
    friedman: stats.FriedmanResult | None
    text: str

    def __str__(self) -> str:
        return self.text


def _tested(method: str, test: Any, pairs: Any, alpha: float, single: str) -> list[str]:
    said = []
    if single:
        said.append(f"Warning: the pairs are seeds, not data sets; the tests apply only to {single}.")
    if test is not None:
        verdict = "rejects" if test.p_value <= alpha else "does not reject"
        p = stats.p_text(test.p_value)
        said.append(f"Friedman's test {verdict} that all methods perform equally (p = {p}).")
    fewest, counted = searches.fewest_pairs(len(pairs), alpha), "seeds" if single else "data sets"
    n_pairs = pairs[["wins", "ties", "losses"]].sum(axis=1)
    if (n := n_pairs.max()) < fewest:
        return [*said, f"No conclusion about pairs is possible: {fewest} {counted} are required, got {n}."]
    for name, row in pairs.iterrows():
        if n_pairs[name] < fewest:
            said.append(
                f"{method} and {name} have {n_pairs[name]} common results, but {fewest} are required."
            )
            continue
        verdict = "better than" if row["difference"] > 0 else "worse than"
        verdict = verdict if row["p_holm"] <= alpha else "not significantly different from"
        said.append(
            f"{method} is {verdict} {name}: mean advantage {row['difference']:+.3f} (95% interval "
            f"{row['low']:+.3f} to {row['high']:+.3f}), {row['wins']:.0f} wins, {row['ties']:.0f} ties, "
            f"{row['losses']:.0f} losses, rank-biserial correlation {row['effect']:+.2f} "
            f"({row['effect_low']:+.2f} to {row['effect_high']:+.2f}), p = {stats.p_text(row['p_holm'])}."
        )
    return said


def _filled(values: pd.DataFrame, greater: bool) -> pd.DataFrame:
    """Replace missing results by infinitely bad values, and drop data sets without any result."""
    return values.dropna(how="all").fillna(-np.inf if greater else np.inf)


def _paired(ours: Any, theirs: Any) -> dict[str, float]:
    away = stats.clear_differences(ours, theirs)[0]
    away = away[np.isfinite(away)]
    if not len(away):
        unknown = ("difference", "low", "high", "effect", "effect_low", "effect_high")
        return dict.fromkeys(unknown, np.nan) | {"p": 1.0, "wins": 0, "ties": 0, "losses": 0}
    rows = np.random.default_rng(0).integers(0, len(away), (2000, len(away)))
    low, high = np.quantile(_rank_biserial(away[rows]), (0.025, 0.975)).tolist()
    effect = {"effect": _rank_biserial(away[None]).item(), "effect_low": low, "effect_high": high}
    return searches.paired_difference(ours, theirs) | effect


def _rank_biserial(away: FloatArray) -> FloatArray:
    """Return each row's rank-biserial correlation, (positive - negative rank sum) / total rank sum."""
    ranks = np.where(away == 0, 0.0, rankdata(np.abs(away), axis=1))
    signed: FloatArray = (ranks * np.sign(away)).sum(axis=1) / np.maximum(ranks.sum(axis=1), 1.0)
    return signed


def _named(kind: str, given: Any, name: Callable[[Any, int], str]) -> dict[str, Any]:
    if isinstance(given, Mapping):
        pairs = [(str(key), entry) for key, entry in given.items()]
    elif isinstance(given, str | np.ndarray | pd.DataFrame) or not hasattr(given, "__iter__"):
        raise TypeError(f"{kind}s must be a sequence or a mapping with names as keys, got {quoted(given)}")
    else:
        pairs = [(name(entry, number), entry) for number, entry in enumerate(given, 1)]
    if not (names := [key for key, _ in pairs]):
        raise ValueError(f"a study requires at least one {kind}, got none")
    if twice := [key for key in names if names.count(key) > 1]:
        raise ValueError(f"two {kind}s have the name {twice[0]!r}; pass a mapping with unique names as keys")
    return dict(pairs)


def _data_name(entry: Any, number: int) -> str:
    if isinstance(entry, Table):
        return entry.name
    entry = entry[0] if isinstance(entry, tuple) and isinstance(entry[0], str | PathLike) else entry
    if isinstance(entry, str | PathLike):
        return Path(entry).stem
    return re.sub("^(load|make)_", "", name_of(entry)) if callable(entry) else f"set {number}"


def _described(method: Any) -> str:
    """Return a text that identifies the class and parameters of a method. Memory addresses are omitted."""
    if isinstance(method, Tuning):
        return "tuned: " + "; ".join(dict.fromkeys(map(_described, method.methods.values())))
    if isinstance(method, tuple):
        return f"{_described(method[0])}, {_described(method[1])}, n_gen={method[2]}"
    text = f"{name_of(method)}{getattr(method, 'args', '')}{getattr(method, 'keywords', '')}"
    if isinstance(method, BaseEstimator):
        with config_context(print_changed_only=True):
            text = method.__repr__(N_CHAR_MAX=10**6)
    return " ".join(re.sub(r" at 0x[0-9a-f]+", "", text).split())


def _has_controls(method: Any) -> bool:
    method = next(iter(method.methods.values())) if isinstance(method, Tuning) else method
    return isinstance(method, tuple | ControlsMixin)


def _scores(given: Sequence[Any]) -> dict[str, cells.Score]:
    if isinstance(given, str) or not given:
        raise ValueError(f"scores must be a non-empty sequence such as ['ari'], got {quoted(given)}")
    found: dict[str, cells.Score] = {}
    for one in given:
        name, score = _score(one)
        if name in (*found, *cells.MEASURED, "data", "method", "seed", "status", "error"):
            advice = 'pass (another name, function, "max" or "min")'
            raise ValueError(f"score name {name!r} is already used; {advice}")
        found[name] = score
    return found


def _score(given: Any) -> tuple[str, cells.Score]:
    if isinstance(given, str) and given not in INDICES:
        if given not in _BY_CLASSES:
            hint, known = did_you_mean(given, (*_BY_CLASSES, *INDICES)), ", ".join(_BY_CLASSES)
            advice = f"use {known}, a validity index or a function"
            raise ValueError(f"unknown score {quoted(given)}{hint}; {advice}")
        return given, cells.Score(_BY_CLASSES[given], True, True)
    if isinstance(given, tuple) and len(given) == 3 and callable(given[1]):
        name, function, direction = given
        checks.choice(f"direction of score {name!r}", direction, ("max", "min"))
        return str(name), cells.Score(function, direction == "max", not cells.takes(function, "X"))
    if callable(given) and not isinstance(given, type):
        return name_of(given), cells.Score(given, True, not cells.takes(given, "X"))
    index = get_index(given)
    return index.name, cells.Score(partial(_index_value, index), index.greater_is_better, False)


def _index_value(index: Any, X: Any, labels: Any) -> float:
    return float(index.fit(X).evaluate(labels)[0])


def _cell_text(runs: pd.DataFrame, score: str, statistic: str) -> str:
    values = runs[score].dropna()
    statuses = runs["status"].value_counts().drop("ok", errors="ignore")
    counts = "".join(f" ({count} {status})" for status, count in statuses.items())
    if not len(values):
        return f"—{counts}"
    low, middle, high = values.quantile([0.25, 0.5, 0.75])
    text, spread = f"{middle:.3f}", f" [{low:.3f}, {high:.3f}]"
    if statistic == "mean":
        text, spread = f"{values.mean():.3f}", f" ± {values.std():.3f}"
    return f"{text}{spread * (len(values) > 1)}{counts}"


def _method_of_toml(name: str, entry: Any) -> Any:
    """Create a method from ``{method = "mock", ...}`` or ``{class = "sklearn.cluster.KMeans", ...}``."""
    options = dict(entry) if isinstance(entry, Mapping) else {"method": entry}
    try:
        if "class" in options:
            module, _, attribute = str(options.pop("class")).rpartition(".")
            return getattr(importlib.import_module(module), attribute)(**options)
        method, preset = find_method(str(options.pop("method", name)))
        return method.load()(**{**preset, **options})
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"method {name!r} cannot be created: {error}") from error


def _table_of_toml(path: Path, *, prepare: bool = False, **options: Any) -> Any:
    """Read a table. With ``prepare``, its columns are converted as by ``moo-clustering fit``."""
    if prepare:
        frame, roles, _ = read_frame(path, Roles(**{**options, "drop": tuple(options.get("drop", ()))}))
        classes = None if roles.labels is None else frame[roles.labels].replace("", -1)
        return prepare_table(frame.drop(columns=list(roles.by_column()))).X, classes
    try:
        return read_table(path, **options)
    except NotNumericError as error:
        raise DataError(f"{error.problem}; set prepare = true to convert them, or drop = [...]") from error


def _data_of_toml(folder: Path, name: str, entry: Any) -> Any:
    """Create a data set from ``"iris"``, a path, ``{file = ..., labels = ...}`` or ``{generator = ...}``."""
    if isinstance(entry, str):
        return entry if entry in BUNDLED else folder / entry
    options = dict(entry) if isinstance(entry, Mapping) else {}
    if "file" in options:
        return partial(_table_of_toml, folder / options.pop("file"), **options)
    if hasattr(datasets, make := str(options.pop("generator", None))):
        return partial(getattr(datasets, make), **options)
    raise ValueError(
        f"data set {name!r} must be the name of a bundled data set, a path, or a table with the key file "
        f"or generator (a function of sklearn.datasets), got {quoted(entry)}"
    )
