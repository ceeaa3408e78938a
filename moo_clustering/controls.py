"""Controls for evolutionary searches: simpler searches with the same operators and number of evaluations."""

from __future__ import annotations

import copy
import importlib
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.core.algorithm import Algorithm
from pymoo.core.evaluator import Evaluator
from pymoo.core.problem import Problem
from pymoo.operators.selection.rnd import RandomSelection
from sklearn.metrics import adjusted_rand_score

from moo_clustering import stats
from moo_clustering._arrays import (
    choice,
    did_you_mean,
    integer,
    knee,
    name_of,
    non_dominated,
    quoted,
    warn_caller,
)
from moo_clustering._data import checked_array, checked_integers
from moo_clustering._docs import documented
from moo_clustering._targets import marked
from moo_clustering._types import FloatArray
from moo_clustering.algorithms import ChcStep, DeapSearch, PymooSearch
from moo_clustering.algorithms import search as searches
from moo_clustering.algorithms.deap_search import can_take, new_population, of_genes
from moo_clustering.algorithms.pymoo_search import violations_of
from moo_clustering.fronts import Box, front_box, hypervolume
from moo_clustering.operators import RandomSurvival
from moo_clustering.operators.deap.individuals import apply_batch, n_trials
from moo_clustering.operators.generic import variation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CONTROLS", "ControlComparison", "compare", "compare_deap"]

EVOLUTION = "evolution"
_BY_MUTATION = ("climbs", "local search", "annealing")
CONTROLS = ("initial", "random", "drift", *_BY_MUTATION, "construction")
Genes = NDArray[Any]
Control = Callable[..., Any]
# _POINTS is the number of points on each curve. _IDLE limits the generations in a row without evaluations.
_POINTS, _IDLE = 20, 100
# With several objectives, there are up to _INCUMBENTS incumbents, each with at least _LEAST evaluations.
_INCUMBENTS, _LEAST = 20, 50
# Number of failed mutations in a row before a restart, and number of mutations when local search restarts.
_PATIENCE, _KICK = 100, 5
# Initial and final temperatures of annealing, relative to the range of the objectives in the initial sample.
_HOT, _COLD = 0.1, 0.0005


def compare(
    problem: Problem,
    algorithm: Any,
    *,
    n_evals: int,
    seeds: int | Sequence[int] = 10,
    y: ArrayLike | None = None,
    controls: str | Sequence[str | Control] = "auto",
    n_clusters: int | None = None,
) -> ControlComparison:
    """Run an algorithm and its controls with the same number of evaluations, and compare the results.

    Raises a TypeError or ValueError if ``n_evals`` is below the population size, if a control is unknown or
    not applicable, if ``y`` has the wrong length or cannot be scored, or if an objective is not finite.
    Issues an ExhaustedSearchWarning if a search ends before ``n_evals``, and an InterruptedSearchWarning if
    Ctrl-C stops the comparison; the result then contains only the completed seeds.

    Parameters
    ----------
    problem : Problem
        The objectives of an individual must not depend on the other individuals.
    algorithm : pymoo Algorithm
        Algorithm that has not been run. Only copies of it are run.
    n_evals : int
        Exact number of evaluations in each run, except for ``"initial"`` and ``"construction"``.
    seeds : int or sequence of int, default=10
        Number of repetitions, or one seed for each repetition.
    y : array-like of shape (n_samples,), optional
        Classes of the samples, or -1 where unknown. They are used only to score partitions, not to search.
    controls : "auto" or sequence of str or callables, default="auto"
        Names listed in the notes of :func:`~moo_clustering.controls.compare`, or functions
        ``control(evaluate, sample, vary, rng)``. ``"auto"``: all controls that problem and algorithm support.
    n_clusters : int, optional
        Score the partition whose number of clusters is closest to ``n_clusters``. Among equally close
        partitions, prefer fewer clusters, then a lower first objective. Default: score the knee of the front.

    Returns
    -------
    ControlComparison

    Notes
    -----
    The controls are:

    - ``"initial"`` evaluates one initial population, and ``"random"`` as many as the evaluations allow.
    - ``"drift"`` uses the operators of the algorithm, but selects parents and survivors at random.
    - ``"climbs"`` mutates several solutions (incumbents). A mutant replaces its incumbent if its weighted sum
      of objectives is not worse. After at most 100 mutations without improvement, an incumbent restarts with
      random weights. With one objective, there is one incumbent, and this limit is max(100, n_var).
    - ``"local search"`` is like ``"climbs"``, but an incumbent restarts from its best solution, after this
      has been mutated 5 times.
    - ``"annealing"`` also accepts mutants that are worse than their incumbents, but less and less often.
    - ``"construction"`` evaluates the partitions of ``problem.greedy_front()``.

    In user-defined controls, ``evaluate(X)`` returns the objectives of individuals (rows of genes) and ends
    the control once ``n_evals`` is reached, ``sample()`` draws individuals, and ``vary(X)`` mutates them.
    Fronts contain only feasible solutions, and only one for each vector of objectives. Updating a front takes
    O(n_evals log n_evals) time for two objectives, and O(n_evals n_front n_obj) time otherwise.

    Examples
    --------
    >>> from pymoo.algorithms.moo.nsga2 import NSGA2
    >>> from pymoo.problems import get_problem
    >>> found = compare(get_problem("zdt1", n_var=5), NSGA2(20), n_evals=500, seeds=2)
    >>> int(found.runs.groupby("method")["evaluations"].max()["drift"])
    500
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"problem must be a pymoo Problem, got {type(problem).__name__}")
    return _compared(partial(_PymooRun, problem, algorithm), n_evals, seeds, y, controls, n_clusters)


@documented(compare)
def compare_deap(
    toolbox: Any,
    step: Any,
    *,
    pop_size: int,
    n_evals: int,
    seeds: int | Sequence[int] = 10,
    y: ArrayLike | None = None,
    controls: str | Sequence[str] = "auto",
    n_clusters: int | None = None,
) -> ControlComparison:
    """Run a DEAP toolbox and its controls with the same number of evaluations, and compare the results.

    The control ``"drift"`` replaces ``select`` and ``select_parents`` with random selection, and sets the
    step's ``elitism`` to 0. It requires ``select``, is unavailable for CHC, and has no effect on steps that
    perform their own selection. If the evolution applies a k-means step after mutation, as in
    :func:`~moo_clustering.algorithms.gka` and ``chc``, the controls apply it with the same probability.

    Parameters
    ----------
    toolbox : deap.base.Toolbox, or callable
        See :class:`~moo_clustering.algorithms.DeapSearch`. Requires ``evaluate``. If ``y`` is given and genes
        are not labels, also requires ``decode(genes)``. A callable ``toolbox(rng)`` must return a toolbox.
    step : callable
        See :class:`~moo_clustering.algorithms.DeapSearch`. Only copies of it are run.
    pop_size : int
    """
    if not (hasattr(toolbox, "register") or callable(toolbox)):
        allowed = "a DEAP toolbox, or a function toolbox(rng) that returns one"
        raise TypeError(f"toolbox must be {allowed}, got {type(toolbox).__name__}")

    def parts(rng: np.random.Generator) -> tuple[Any, Any]:
        return toolbox if hasattr(toolbox, "register") else toolbox(rng), copy.deepcopy(step)

    make = partial(_DeapRun, parts, integer("pop_size", pop_size, 1))
    return _compared(make, n_evals, seeds, y, controls, n_clusters)


def compare_planned(
    plan: Callable[..., searches.Plan], first: searches.Plan, **given: Any
) -> ControlComparison:
    """Compare the search of a plan with its controls. ``given`` contains options of :func:`compare`."""
    # If landmarks are clustered, ``given`` also contains ``landmark_of``, the landmark of each sample. For
    # each DEAP run, ``plan`` is called again to create a new toolbox and step.
    search = first.search
    if isinstance(search, PymooSearch):
        # Detach the algorithm from the problem, so that it can be set up again for each run.
        search.algorithm.problem = None
        return _compared(partial(_PymooRun, search.problem, search.algorithm), **given)

    def parts(rng: np.random.Generator) -> tuple[Any, Any]:
        again = plan().search
        # Some toolboxes draw from the generator of the search, so seed this generator too.
        again.rng.bit_generator.state = rng.spawn(1)[0].bit_generator.state
        return again.toolbox, again.step

    make = partial(_DeapRun, parts, search.pop_size, names=first.objective_names or ())
    return _compared(make, **given)


def _compared(
    make: Any, n_evals: int, seeds: Any, y: Any, controls: Any, n_clusters: Any, landmark_of: Any = None
) -> ControlComparison:
    n_evals = integer("n_evals", n_evals, 1)
    listed = list(range(integer("seeds", seeds, 1))) if isinstance(seeds, int | np.integer) else list(seeds)
    trial = make(Meter(n_evals, ()), seed=0)
    own = {} if isinstance(controls, str) else {_named(one): one for one in controls if callable(one)}
    others = controls if isinstance(controls, str) else [one for one in controls if not callable(one)]
    methods = [EVOLUTION, *_wanted(others, trial.lacking()), *own]
    if n_evals < trial.size:
        size = f"the initial population size, {trial.size}"
        raise ValueError(f"n_evals must be at least {size}, got {n_evals}; increase it or decrease pop_size")
    if y is not None and trial.decode is None:
        raise ValueError(f"y requires partitions to score, but {trial.title} has no decode(X); omit y")

    def decode(X: Genes) -> NDArray[Any]:
        labels = np.asarray(trial.decode(X))
        return labels if landmark_of is None else labels[:, landmark_of]

    if y is not None:
        y, n_samples = checked_array(y, "y"), decode(trial.sample()[:1]).shape[1]
        if y.shape != (n_samples,):
            raise ValueError(f"y must contain one class per sample ({n_samples}), got shape {y.shape}")
        y = checked_integers(marked(y), "y", "; number the classes 0, 1, ...")
        if y.max() < 0:
            raise ValueError("y must contain at least one known class (0, 1, ...); -1 means unknown")
    # Compile kernels in a short run, so that run times do not include compilation.
    _run(partial(make, seed=0), EVOLUTION, Meter(min(n_evals, 2 * trial.size), trial.names))
    runs: dict[tuple[int, str], Meter] = {}
    try:
        for seed in listed:
            new = partial(make, seed=seed)
            runs |= {
                (seed, method): _run(new, method, Meter(n_evals, trial.names), own.get(method))
                for method in methods
            }
    except KeyboardInterrupt:
        if not runs:
            raise
        said = f"interrupted; the comparison covers {len(runs) // len(methods)} of {len(listed)} seeds."
        warn_caller(said, searches.InterruptedSearchWarning)
    box = front_box([meter.front for meter in runs.values()])
    rows, points = [], []
    for (seed, method), meter in runs.items():
        key = {"problem": "", "seed": seed, "method": method}
        rows.append(key | _scored(decode, meter, meter.front, meter.genes, box, y, n_clusters))
        for n, F, X in meter.course:
            point = {"evaluations": n, "hypervolume": hypervolume(F, box)}
            # Score curves only for a single objective, because scoring fronts would take as long as the run.
            if len(meter.names) == 1:
                scored = _scored(decode, meter, F, X, box, y, n_clusters)
                point |= {name: scored[name] for name in (f"best {meter.names[0]}", "ari") if name in scored}
            points.append(key | point)
    return ControlComparison(pd.DataFrame(rows), pd.DataFrame(points))


def _wanted(controls: Any, lacking: Mapping[str, str]) -> list[str]:
    named = [controls] if isinstance(controls, str) else list(controls)
    if controls == "auto":
        named = [name for name in CONTROLS if name not in lacking or name in _BY_MUTATION]
    for name in named:
        if name not in CONTROLS:
            near = did_you_mean(str(name), CONTROLS)
            raise ValueError(f"controls must be 'auto' or names from {CONTROLS}, got {quoted(name)}{near}")
        if name in lacking:
            possible = tuple(one for one in CONTROLS if one not in lacking)
            raise ValueError(f"control {name!r} requires {lacking[name]}; add it, or use {possible}")
    return named


class ControlComparison(NamedTuple):
    """Results of an evolutionary search and its controls.

    Hypervolumes are fractions of a box around all fronts. In each objective, the box ends 10% of the range
    beyond the worst value.

    Attributes
    ----------
    runs : DataFrame
        One row per ``problem``, ``seed`` and ``method``, with ``hypervolume``, ``best <objective>`` (lowest),
        ``front`` (number of solutions), ``evaluations`` and ``seconds``. If classes are known, there are also
        ``n_clusters`` and ``ari`` of the scored partition, and the ``best ari`` on the front.
    curves : DataFrame
        ``hypervolume`` after about 20 different numbers of ``evaluations``. With one objective, there is also
        its best value and, if classes are known, ``ari``.
    """

    runs: pd.DataFrame
    curves: pd.DataFrame

    @classmethod
    def joined(cls, found: Mapping[str, ControlComparison]) -> ControlComparison:
        """Join comparisons on several problems; ``found`` maps problem names to comparisons."""
        runs = pd.concat([one.runs.assign(problem=name) for name, one in found.items()])
        return cls(runs, pd.concat([one.curves.assign(problem=name) for name, one in found.items()]))

    def table(self) -> pd.DataFrame:
        """Return one row per method, with means over problems and seeds."""
        means: pd.DataFrame = self.runs.groupby("method", sort=False).mean(numeric_only=True)
        return means.drop(columns="seed")

    def differences(self, measure: str = "hypervolume") -> pd.DataFrame:
        """Compare the evolution with each control in a column of ``runs``, paired by seed.

        Returns one row per control: the mean ``difference`` (positive if the evolution is better), its 95%
        bootstrap interval from ``low`` to ``high``, the ``p`` of Wilcoxon's signed-rank test, and the numbers
        of ``wins``, ``ties`` and ``losses``. With several problems, values are averaged over seeds and paired
        by problem.
        """
        known = [str(name) for name in self.runs.columns if name not in ("problem", "seed", "method")]
        choice("measure", measure, known)
        unit = "seed" if self.runs["problem"].nunique() == 1 else "problem"
        values = self.runs.pivot_table(measure, unit, "method", sort=False, dropna=False)
        less = (measure.startswith("best ") and measure != "best ari") or measure == "seconds"
        values = -values if less else values
        # Omit controls that found no feasible solution.
        ours, others = values.pop(EVOLUTION), values.dropna(axis=1, how="all")
        found = {str(name): paired_difference(ours, theirs) for name, theirs in others.items()}
        return pd.DataFrame.from_dict(found, orient="index")

    def claim(self, measure: str = "hypervolume", *, alpha: float = 0.05) -> str:
        """Describe the differences in a column of ``runs``, using Wilcoxon's test with Holm's correction."""
        pairs = self.differences(measure).sort_values("p")
        counted = "problems" if self.runs["problem"].nunique() > 1 else "seeds"
        n = self.runs[counted[:-1]].nunique()
        fewest = fewest_pairs(len(pairs), alpha)
        if n < fewest:
            needed = f"at least {fewest} {counted} are required, got {n}."
            return f"No conclusion about {measure} is possible: {needed}"
        adjusted = stats.holm_adjusted(pairs["p"].to_numpy())
        verdicts = "better than", "worse than", "not significantly different from"
        said: dict[str, list[str]] = {verdict: [] for verdict in verdicts}
        for (name, row), p in zip(pairs.iterrows(), adjusted, strict=True):
            verdict = verdicts[2 if p > alpha else int(row["difference"] < 0)]
            said[verdict].append(f"{name} ({row['difference']:+.3f}, p = {stats.p_text(p)})")
        parts = "; ".join(f"{verdict} {stats.and_list(names)}" for verdict, names in said.items() if names)
        return f"By {measure} on {n} {counted}, the evolution is {parts}."

    def plot(self, *, title: str = "", path: str | PathLike[str] | None = None) -> Figure:
        """Plot the median and quartiles of each method's curves, and save the figure to ``path``."""
        shown = [name for name in ("hypervolume", "ari") if name in self.curves]
        grid = np.unique(self.curves.loc[self.curves["method"] == EVOLUTION, "evaluations"])
        runs: dict[str, list[pd.DataFrame]] = {}
        for (method, _, _), run in self.curves.groupby(["method", "problem", "seed"], sort=False):
            # Extend the curves of runs that ended early with their last value.
            held = run.set_index("evaluations")[shown].reindex(grid, method="ffill").bfill()
            runs.setdefault(str(method), []).append(held.reset_index())
        # Import here, because visualization imports controls, and an import at the top would be circular.
        plots = importlib.import_module("moo_clustering.visualization")
        figure: Figure = plots.plot_convergence(runs, title=title, path=path)
        return figure

    def __str__(self) -> str:
        said = [self.claim(one) for one in ("hypervolume", "ari") if one in self.runs]
        return "\n".join([self.table().round(4).to_string(), *said])


def fewest_pairs(n_tests: int, alpha: float) -> int:
    """Return how many pairs Wilcoxon's test requires to be significant after Holm's correction."""
    # If all n differences have the same sign, the p-value has its lowest possible value, 2 / 2^n.
    return 1 + int(np.ceil(np.log2(n_tests / alpha)))


def paired_difference(ours: ArrayLike, theirs: ArrayLike) -> dict[str, float]:
    """Return the mean of paired differences, its bootstrap interval, and the p-value of Wilcoxon's test."""
    # Pairs with a missing value are omitted. Differences within rounding error are set to 0. Absolute
    # differences that are equal up to rounding error are ties in Wilcoxon's test.
    away, noise = stats.clear_differences(ours, theirs)
    there = ~np.isnan(away)
    away, noise = away[there], noise[there]
    places = stats.tie_groups(np.append(0.0, np.abs(away)), np.append(0.0, noise))
    signed = np.sign(away) * (places[1:] - places[0])
    rows = np.random.default_rng(0).integers(0, len(away), (2000, len(away)))
    low, high = np.quantile(away[rows].mean(axis=1), (0.025, 0.975)).tolist()
    p = stats.signed_rank_p(signed)
    counts = {"wins": int((signed > 0).sum()), "ties": int((signed == 0).sum())}
    counts["losses"] = len(signed) - sum(counts.values())
    return {"difference": float(away.mean()), "low": low, "high": high, "p": p, **counts}


class _Spent(Exception):
    """Raised to end a run when all its evaluations are used."""


class Meter:
    """Count evaluations, record the front found so far, and end a run by raising _Spent."""

    def __init__(self, n_evals: int, names: Sequence[str]) -> None:
        self.n_evals, self.names = n_evals, names
        self.count, self.seconds = 0, 0.0
        self.front: FloatArray = np.empty((0, len(names)))
        self.genes: Genes = np.empty((0, 0))
        self.course: list[tuple[int, FloatArray, Genes]] = []
        self._new: list[tuple[Genes, FloatArray]] = []
        self._next = n_evals / _POINTS

    def admit(self, n: int) -> int:
        """Return how many of n requested evaluations are allowed; end the run if none are left."""
        if self.count >= self.n_evals:
            raise _Spent
        return min(n, self.n_evals - self.count)

    def take(self, X: Genes, F: FloatArray, violation: FloatArray, asked: int) -> None:
        """Record evaluated individuals; end the run if the number ``asked`` exceeded the evaluations left."""
        if not np.isfinite(F).all():
            bad = ~np.isfinite(F)
            raise ValueError(
                f"objective {self.names[int(bad.any(axis=0).argmax())]!r} is not finite for "
                f"{bad.any(axis=1).sum()} of {len(F)} individuals; controls require finite "
                "objectives that depend only on the individual"
            )
        feasible = violation <= 0
        self._new.append((X[feasible], F[feasible]))
        self.count += len(F)
        if self.count >= self._next:
            self.settle()
            self._next = self.count + self.n_evals / _POINTS
        if len(F) < asked:
            raise _Spent

    def settle(self) -> None:
        """Update the front with individuals evaluated since the last call; append the front to ``course``."""
        if self._new:
            genes, F = (np.concatenate(parts) for parts in zip(*self._new, strict=True))
            if len(self.front):
                genes, F = np.concatenate([self.genes, genes]), np.concatenate([self.front, F])
            rows = non_dominated(F)
            # Equal rows are adjacent, because the rows are in lexicographic order.
            rows = rows[np.append(True, (np.diff(F[rows], axis=0) != 0).any(axis=1))[: len(rows)]]
            self.genes, self.front, self._new = genes[rows], F[rows], []
        if not self.course or self.course[-1][0] < self.count:
            self.course.append((self.count, self.front, self.genes))


def _named(control: Any) -> str:
    name = name_of(control).strip("_").replace("_", " ")
    if not can_take(control, None, None, None, None):
        raise TypeError(f"control {name_of(control)} must accept the arguments (evaluate, sample, vary, rng)")
    if name in (EVOLUTION, *CONTROLS):
        raise ValueError(f"a user-defined control has the name {name!r} of a built-in control; rename it")
    return name


def _run(make: Callable[[Meter], Any], method: str, meter: Meter, own: Control | None = None) -> Meter:
    run = make(meter)
    start = time.perf_counter()
    with suppress(_Spent):
        if own is not None:
            own(lambda X: run.evaluate(X)[0], run.sample, run.varied, run.rng)
        elif method in (EVOLUTION, "drift"):
            _advance(run.search(drift=method == "drift"), meter, run.title)
        elif method in _BY_MUTATION:
            _incumbents(run, meter, method)
        elif method == "construction":
            X = run.problem.greedy_front()
            n = min(len(X), meter.n_evals)
            run.evaluate(X[np.linspace(0, len(X) - 1, n).round().astype(int)])
        else:
            run.evaluate(run.sample())
            while method == "random":
                run.evaluate(run.sample())
    meter.settle()
    meter.seconds = time.perf_counter() - start
    return meter


def _advance(search: Any, meter: Meter, title: str) -> None:
    search.start()
    idle = 0
    while not (search.exhausted or getattr(search, "finished", False)):
        before = meter.count
        search.advance()
        idle = 0 if meter.count > before else idle + 1
        if idle > _IDLE or getattr(search, "n_evaluated", 0) > meter.count:
            fault = f"{title} counted {meter.count} evaluations; call problem.evaluate in the algorithm"
            raise ValueError(f"the algorithm does not evaluate through the problem: {fault}")
    if meter.count < meter.n_evals:
        said = f"the search stopped on its own after {meter.count} of n_evals={meter.n_evals} evaluations."
        warn_caller(said, searches.ExhaustedSearchWarning)


def _incumbents(run: Any, meter: Meter, method: str) -> None:
    """Run climbs, local search or annealing with parallel incumbents until all evaluations are used."""
    rng: np.random.Generator = run.rng
    starts = run.sample()
    F, violation = run.evaluate(starts)
    low, span = F.min(axis=0), np.ptp(F, axis=0)
    span[span == 0] = 1.0
    left = meter.n_evals - meter.count
    single = F.shape[1] == 1
    # With one objective, all weight vectors are equal, so a single incumbent gets all evaluations.
    n = 1 if single else int(np.clip(left // _LEAST, 1, _INCUMBENTS))
    patience = max(10, min(max(_PATIENCE, starts.shape[1]) if single else _PATIENCE, left // n // 5))

    def values(F: FloatArray, violation: FloatArray, weights: FloatArray) -> Any:
        # The large factor gives constraint violations precedence over the objectives.
        return ((F - low) / span * weights).sum(axis=-1) + 1e6 * violation

    used = np.zeros(len(starts))

    def begun(weights: FloatArray) -> tuple[Genes, FloatArray]:
        """Return the best initial individual for each weight vector, and its score."""
        # With one objective, an individual is selected again only after all others have been selected.
        scores = values(F, violation, weights[:, None])
        rows = (scores + 1e9 * used).argmin(axis=1)
        used[rows] += single
        return starts[rows], scores[np.arange(len(rows)), rows]

    weights = rng.dirichlet(np.ones(F.shape[1]), n)
    X, current = begun(weights)
    best, least, stalled, kicked = X.copy(), current.copy(), np.zeros(n, dtype=int), np.zeros(n, dtype=bool)
    while True:
        trial = run.varied(X)
        for _ in range(_KICK - 1 if kicked.any() else 0):
            trial[kicked] = run.varied(trial[kicked])
        F_trial, violation_trial = run.evaluate(trial)
        scores = values(F_trial, violation_trial, weights)
        accept = (scores <= current) | kicked
        if method == "annealing":
            heat = _HOT * (_COLD / _HOT) ** (meter.count / meter.n_evals)
            accept |= rng.random(n) < np.exp(-np.maximum(scores - current, 0.0) / heat)
        stalled = np.where(scores < current, 0, stalled + 1)
        X[accept], current[accept] = trial[accept], scores[accept]
        kicked = stalled >= (np.inf if method == "annealing" else patience)
        if not kicked.any():
            continue
        stalled[kicked] = 0
        if method == "climbs":
            weights[kicked] = rng.dirichlet(np.ones(F.shape[1]), kicked.sum())
            X[kicked], current[kicked] = begun(weights[kicked])
            kicked[:] = False
        else:
            better = kicked & (current <= least)
            best[better], least[better] = X[better], current[better]
            X[kicked], current[kicked] = best[kicked], least[kicked]


class RandomDraws(NamedTuple):
    """Non-dominated random individuals. Row ``best`` has the lowest value of the selected objective."""

    X: Genes
    F: FloatArray
    best: int
    n_draws: int


def random_draws(search: PymooSearch, n_evals: int, seed: int, objective: int, verbose: bool) -> RandomDraws:
    """Run the control ``"random"`` for a search that has not started. Ctrl-C ends the run early."""
    names, algorithm = search.problem.objective_names, search.algorithm
    algorithm.problem = None
    meter = Meter(n_evals, names)
    run = _PymooRun(search.problem, algorithm, meter, seed)
    about: Any = {"description": "random", "objective_names": names}
    bar = searches.Progress(n_gen=n_evals, done=0, verbose=verbose, **about)
    with searches.InterruptGuard() as guard, closing(bar), suppress(_Spent):
        while not guard.requested:
            bar.show(meter.count, run.evaluate(run.sample())[0])
    meter.settle()
    return RandomDraws(meter.genes, meter.front, int(meter.front[:, objective].argmin()), meter.count)


class _PymooRun:
    """Run of a pymoo algorithm or of a control, on a copy of the problem that counts evaluations."""

    def __init__(self, problem: Problem, algorithm: Any, meter: Meter, seed: int) -> None:
        self.given, self.seed, self.rng = algorithm, seed, np.random.default_rng(seed)
        self.title = type(problem).__name__
        self.names = getattr(problem, "objective_names", tuple(f"f{i + 1}" for i in range(problem.n_obj)))
        self.decode = getattr(problem, "decode", None)

        def evaluate(X: Genes, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
            rows = np.atleast_2d(X)
            n = meter.admit(len(rows))
            problem._evaluate(X if n == len(rows) else rows[:n], out, *args, **kwargs)
            F = np.column_stack(out["F"]) if isinstance(out["F"], list | tuple) else np.asarray(out["F"])
            limits = {name: np.reshape(out[name], (n, -1)) for name in "GH" if out.get(name) is not None}
            violation = violations_of({"X": rows[:n], **limits}, problem)
            written = rows[:n] if out.get("X") is None else np.atleast_2d(out["X"])
            meter.take(written, F.astype(np.float64).reshape(n, -1), violation, len(rows))

        # Use a copy with a new method instead of a wrapper, because operators check the problem's class.
        self.problem: Any = copy.copy(problem)
        self.problem._evaluate = evaluate
        self.fresh = self._search(algorithm).algorithm
        parts = vars(algorithm) | getattr(getattr(algorithm, "mating", None), "__dict__", {})
        self._crossover = parts.get("crossover")
        self._mutation = parts.get("mutation") or parts.get("perturb")
        sizes = [getattr(algorithm, name, None) for name in ("n_init", "n_samples", "pop_size")]
        self.size = next((int(size) for size in sizes if size), 1)

    def lacking(self) -> dict[str, str]:
        """Return the controls that are not applicable, each with a text that says what is missing."""
        kind, found = type(self.given).__name__, {}
        if self._mutation is None:
            found = dict.fromkeys(_BY_MUTATION, f"a mutation, which {kind} does not have")
        if self._mutation is None or self._crossover is None:
            found["drift"] = f"crossover and mutation, which {kind} does not have"
        if not hasattr(self.problem, "greedy_front"):
            found["construction"] = f"a method greedy_front, which {self.title} does not have"
        return found

    def sample(self) -> Genes:
        options = {"algorithm": self.fresh, "random_state": self.rng}
        return np.asarray(self.fresh.initialization.do(self.problem, self.size, **options).get("X"))

    def evaluate(self, X: Genes) -> tuple[FloatArray, FloatArray]:
        out = self.problem.evaluate(X, return_values_of=["F", "G", "H"], return_as_dictionary=True)
        return out["F"], violations_of({**out, "X": X}, self.problem)

    def varied(self, X: Genes) -> Genes:
        vary = variation(self.problem, self._mutation, getattr(self.given, "repair", None))
        return _changed(X, lambda rows: vary(rows, self.rng))

    def search(self, drift: bool) -> PymooSearch:
        if not drift:
            return self._search(self.given)
        mating = copy.copy(getattr(self.given, "mating", None))
        if mating is not None:
            mating.selection = RandomSelection()
        drifting = GeneticAlgorithm(
            pop_size=self.size, n_offsprings=getattr(self.given, "n_offsprings", None) or self.given.pop_size,
            selection=RandomSelection(), crossover=self._crossover, mutation=self._mutation, mating=mating,
            repair=self.given.repair, eliminate_duplicates=False, survival=RandomSurvival(), output=None,
        )  # fmt: skip
        drifting.initialization = self.fresh.initialization
        return self._search(drifting)

    def _search(self, algorithm: Any) -> PymooSearch:
        if isinstance(algorithm, Algorithm):
            # Replace user-defined evaluators, which might bypass the problem that counts evaluations.
            algorithm = copy.copy(algorithm)
            algorithm.evaluator = Evaluator()
        return PymooSearch(self.problem, algorithm, seed=self.seed)


class _DeapRun:
    """Run of a DEAP toolbox or of a control, which counts all evaluations, even those during mutation."""

    def __init__(
        self, parts: Callable[..., Any], size: int, meter: Meter, seed: int, names: Sequence[str] = ()
    ) -> None:
        self.rng, self.size, self.meter = np.random.default_rng(seed), size, meter
        self.given, self.step = parts(self.rng)
        self.toolbox = copy.copy(self.given)
        self.title, self.decode = "the toolbox", getattr(self.given, "decode", np.asarray)
        self.signs = -np.sign(new_population(self.given, 1, self.rng)[0].fitness.weights)
        self.names = tuple(names or (f"f{i + 1}" for i in range(len(self.signs))))
        self._tried = n_trials(getattr(self.given, "mutate", len)) or 0
        self.toolbox.map = self._map
        self.toolbox.evaluate = lambda one: self._map(self.toolbox.evaluate, [one])[0]

    def lacking(self) -> dict[str, str]:
        found = {"construction": "a problem with greedy_front"}
        if not hasattr(self.given, "mutate"):
            found |= dict.fromkeys(_BY_MUTATION, "a mutation, but the toolbox has no 'mutate'")
        if not hasattr(self.given, "select"):
            found["drift"] = "a selection to replace, but the toolbox has no 'select'"
        elif isinstance(self.step, ChcStep):
            found["drift"] = "a selection to replace, but CHC selects survivors by itself"
        return found

    def sample(self) -> Genes:
        return _stacked(new_population(self.toolbox, self.size, self.rng))

    def evaluate(self, X: Genes) -> tuple[FloatArray, FloatArray]:
        values = self._map(self.toolbox.evaluate, self._applied("repair", X))
        return self.signs * np.asarray(values, dtype=np.float64), np.zeros(len(X))

    def varied(self, X: Genes) -> Genes:
        def vary(rows: Genes) -> Genes:
            moved = _stacked(self._applied("mutate", rows))
            improved = self.rng.random(len(moved)) < getattr(self.step, "kmpb", 0.0)
            if improved.any():
                moved[improved] = _stacked(self._applied("km", moved[improved]))
            return _stacked(self._applied("repair", moved))

        # A mutation that evaluates trials is a local search. Repeating it would not change an individual that
        # is already a local optimum.
        return vary(X) if n_trials(self.given.mutate) is not None else _changed(X, vary)

    def search(self, drift: bool) -> DeapSearch:
        toolbox, step = copy.copy(self.toolbox), self.step
        if drift:
            for name in {"select", "select_parents"} & vars(toolbox).keys():
                setattr(toolbox, name, self._by_chance)
            if hasattr(step, "elitism"):
                step.elitism = 0
        if hasattr(step, "max_evals"):
            step.max_evals = self.meter.n_evals
        return DeapSearch(toolbox, step, rng=self.rng, pop_size=self.size)

    def _by_chance(self, individuals: list[Any], k: int, *rest: Any, **options: Any) -> list[Any]:
        return [individuals[i] for i in self.rng.choice(len(individuals), k, replace=k > len(individuals))]

    def _applied(self, name: str, X: Genes) -> list[Any]:
        individuals = [of_genes(row, self.given) for row in X]
        function = getattr(self.given, name, None)
        if function is None:
            return individuals
        function = partial(function, rng=self.rng) if can_take(function, None, rng=self.rng) else function
        # Reserve one evaluation for the result of each individual. Trials in the mutation may use all others.
        changed = apply_batch(function, individuals, max(self.meter.n_evals - self.meter.count - len(X), 0))
        self._count_trials()
        return changed

    def _map(self, func: Any, *sequences: Any) -> list[Any]:
        if func is not self.toolbox.evaluate:
            return list(self.given.map(func, *sequences))
        self._count_trials()
        individuals = list(sequences[0])
        if not individuals:
            return []
        admitted = individuals[: self.meter.admit(len(individuals))]
        values = list(self.given.map(self.given.evaluate, admitted))
        F = self.signs * np.asarray(values, dtype=np.float64).reshape(len(admitted), -1)
        self.meter.take(_stacked(admitted), F, np.zeros(len(F)), len(individuals))
        return values

    def _count_trials(self) -> None:
        tried = n_trials(getattr(self.given, "mutate", len)) or 0
        self.meter.count, self._tried = self.meter.count + tried - self._tried, tried


def _stacked(individuals: Sequence[Any]) -> Genes:
    return np.stack([np.array(one) for one in individuals])


def _changed(X: Genes, vary: Callable[[Genes], Genes]) -> Genes:
    """Mutate individuals. The mutation of unchanged individuals is repeated up to ten times."""
    out = vary(X)
    for _ in range(10):
        same = (out == X).all(axis=1)
        if not same.any():
            break
        out[same] = vary(X[same])
    return out


def _scored(
    decode: Any, meter: Meter, F: FloatArray, X: Genes, box: Box, y: Any, n_clusters: int | None
) -> dict[str, Any]:
    row: dict[str, Any] = {"hypervolume": hypervolume(F, box)}
    row |= {f"best {name}": F[:, i].min() if len(F) else np.nan for i, name in enumerate(meter.names)}
    row |= {"front": len(F), "evaluations": meter.count, "seconds": meter.seconds}
    if y is None or not len(F):
        return row
    labels = decode(X)
    numbers = np.array([len(np.unique(one)) for one in labels])
    chosen = knee(F)
    if n_clusters is not None:
        chosen = int(np.lexsort([F[:, 0], numbers, np.abs(numbers - n_clusters)])[0])
    scores = [float(adjusted_rand_score(y[y >= 0], one[y >= 0])) for one in labels]
    return row | {"n_clusters": int(numbers[chosen]), "ari": scores[chosen], "best ari": max(scores)}
