"""Controls of searches: equal evaluations, known classes that stay outside, sentences, bad input."""

import signal

import numpy as np
import pandas as pd
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.algorithms.soo.nonconvex.pso import PSO
from pymoo.core.evaluator import Evaluator
from pymoo.core.problem import Problem
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.problems import get_problem
from scipy.stats import wilcoxon

from moo_clustering import MOCK, PESC, AMOSAClus, NSGA2Clus, ParetoClustering
from moo_clustering.algorithms import AMOSA, ExhaustedSearchWarning, InterruptedSearchWarning
from moo_clustering.algorithms.pymoo_search import ArrayGenerations
from moo_clustering.controls import CONTROLS, ControlComparison, compare
from moo_clustering.encodings import LabelEncoding
from moo_clustering.operators import MSTInterestingnessSampling, NeighborBiasedMutation
from moo_clustering.problems import MOCKProblem, PartitionProblem


def blobs(n=40):
    y = np.arange(n) % 2
    return np.random.default_rng(0).normal(size=(n, 2)) + 8 * y[:, None], y


def tree_search():
    """NSGA-II with MOCK's operators."""
    parts = {"crossover": UniformCrossover(), "mutation": NeighborBiasedMutation()}
    return NSGA2(100, MSTInterestingnessSampling(), **parts)


class Counting(Problem):
    """Counts the individuals that it scores, and keeps them."""

    def __init__(self, n_obj=2):
        super().__init__(n_var=4, n_obj=n_obj, xl=0.0, xu=1.0)
        self.seen = []

    def _evaluate(self, X, out, *args, **kwargs):
        self.seen.append(np.array(X))
        out["F"] = np.column_stack([X.sum(axis=1), (1 - X).sum(axis=1)])[:, : self.n_obj]


@pytest.mark.parametrize("n_evals", [100, 137])
def test_every_run_makes_as_many_evaluations(n_evals):
    problem = Counting()
    found = compare(problem, NSGA2(20), n_evals=n_evals, seeds=2)
    made = found.runs.set_index("method")["evaluations"]
    assert set(made.index) == {"evolution", *CONTROLS} - {"construction"}
    assert (made.drop("initial") == n_evals).all()
    assert (made["initial"] == 20).all()
    # Besides, a first population and two generations warm up what is compiled.
    assert sum(map(len, problem.seen)) - made.sum() <= 60


def test_the_archive_is_the_front_of_all_that_was_evaluated():
    problem = get_problem("zdt1", n_var=4)
    kept = []
    evaluate = problem._evaluate
    problem._evaluate = lambda X, out, *args, **kwargs: (evaluate(X, out), kept.append(np.array(out["F"])))[0]
    found = compare(problem, NSGA2(10), n_evals=60, seeds=1, controls="random")
    every = np.concatenate(kept[-6:])
    dominated = [(np.all(every <= f, axis=1) & np.any(every < f, axis=1)).any() for f in every]
    row = found.runs.set_index("method").loc["random"]
    assert row["front"] == len(np.unique(every[~np.array(dominated)], axis=0))
    assert row["best f1"] == every[:, 0].min()


def test_hypervolume_is_a_share_of_one_box_and_never_falls():
    found = compare(get_problem("zdt1", n_var=5), NSGA2(10), n_evals=200, seeds=2)
    assert found.runs["hypervolume"].between(0, 1).all()
    for _, curve in found.curves.groupby(["seed", "method"]):
        assert (np.diff(curve["hypervolume"]) >= -1e-12).all()
        assert (np.diff(curve["evaluations"]) > 0).all()
    assert found.runs.groupby("method")["hypervolume"].mean().idxmax() != "initial"


def test_a_single_objective_is_compared_by_its_best():
    found = compare(get_problem("sphere", n_var=3), GA(10), n_evals=200, seeds=2)
    best = found.runs.groupby("method")["best f1"].mean()
    assert best["climbs"] < best["initial"]
    order = found.runs.sort_values("best f1")["hypervolume"].to_numpy()
    assert (np.diff(order) <= 1e-12).all()


def test_curves_of_a_single_objective_hold_its_best_and_the_agreement_then():
    X, y = blobs()
    problem = PartitionProblem(X, LabelEncoding(len(X), 2), "deviation")
    found = compare(problem, GA(10, **problem.operators()), n_evals=200, seeds=1, y=y, controls="random")
    last = found.curves.groupby("method").last()
    runs = found.runs.set_index("method")
    pd.testing.assert_frame_equal(
        last[["best deviation", "ari"]], runs.loc[last.index, ["best deviation", "ari"]]
    )
    for _, curve in found.curves.groupby("method"):
        assert (np.diff(curve["best deviation"]) <= 0).all()
    assert [ax.get_title(loc="left") for ax in found.plot().axes] == ["hypervolume", "ari"]


def test_equal_seeds_give_equal_runs():
    X, y = blobs()
    problem = MOCKProblem(X, random_state=0)
    runs = [
        compare(problem, tree_search(), n_evals=150, seeds=[3], y=y).runs.drop(columns="seconds")
        for _ in range(2)
    ]
    pd.testing.assert_frame_equal(*runs)


def test_known_classes_score_and_do_not_search():
    X, y = blobs()
    other = np.random.default_rng(1).permutation(y)
    model = MOCK(2, pop_size=20, n_gen=3, random_state=0)
    told, misled = (model.controls(X, y=classes, seeds=1).runs for classes in (y, other))
    scores = ["ari", "best ari", "seconds"]
    pd.testing.assert_frame_equal(told.drop(columns=scores), misled.drop(columns=scores))
    assert told["ari"].max() == 1.0
    assert (told["n_clusters"] == 2).all()


def test_estimators_have_controls_with_as_many_evaluations_as_their_search():
    X, _ = blobs()
    model = NSGA2Clus(pop_size=8, n_gen=3, search="evolve")
    found = model.controls(X, seeds=1, controls="drift")
    assert found.runs["evaluations"].tolist() == [8 * 4, 8 * 4]
    with pytest.raises(
        ValueError, match=r"'one_minus_diversity' is not finite for .* only on the individual"
    ):
        PESC(2, pop_size=8, n_gen=2).controls(X, seeds=1)
    with pytest.raises(ValueError, match="NSGA2Clus does not run a search that supports controls"):
        NSGA2Clus(engine="deap", search="evolve").controls(X)
    with pytest.raises(ValueError, match="n_evals must be an integer of at least 1"):
        AMOSAClus().controls(X)


@pytest.mark.parametrize("engine", ["pymoo", pytest.param("deap", marks=pytest.mark.slow)])
def test_an_evolution_of_the_pool_has_controls_and_scores_samples_of_landmarks(engine):
    X, y = blobs(60)
    options = {"pop_size": 8, "n_landmarks": 20, "engine": engine, "random_state": 0}
    model = ParetoClustering(n_gen=2, **options)
    found, again = (model.controls(X, y=y, seeds=2, controls=["initial", "drift"]).runs for _ in range(2))
    pd.testing.assert_frame_equal(found.drop(columns="seconds"), again.drop(columns="seconds"))
    assert found["evaluations"].tolist() == 2 * [8 * 3, 8, 8 * 3]
    assert (found["ari"] == 1).all()
    assert f"best {model.fit(X).objective_names_[0]}" in found
    with pytest.raises(ValueError, match=r"ParetoClustering does not run a search .*; set n_gen=20"):
        ParetoClustering(**options).controls(X)


def test_a_fit_stays_as_it_is_and_sets_the_evaluations():
    X, y = blobs()
    model = MOCK(2, pop_size=10, n_gen=4, random_state=0).fit(X)
    labels, result = model.labels_, model.result_
    found = model.set_params(n_gen=9).controls(X, seeds=1, controls="random", partial_y=y, must_link=[[0, 2]])
    assert model.labels_ is labels
    assert model.result_ is result
    assert found.runs["evaluations"].tolist() == [result.algorithm.evaluator.n_eval] * 2


def test_evolution_on_arrays_equals_that_of_individuals(monkeypatch):
    generations, advance = [], ArrayGenerations.advance

    def counted(self):
        advance(self)
        generations.append(len(self.F))

    monkeypatch.setattr(ArrayGenerations, "advance", counted)
    model = MOCK(2, pop_size=10, n_gen=9, random_state=0)
    found = [model.controls(blobs()[0], seeds=2, controls=["initial", "drift"])]
    n_generations = len(generations)
    assert n_generations > 10
    monkeypatch.setattr(ArrayGenerations, "suits", lambda algorithm: False)
    found.append(model.controls(blobs()[0], seeds=2, controls=["initial", "drift"]))
    assert len(generations) == n_generations
    for on_arrays, of_individuals in zip(*found, strict=True):
        pd.testing.assert_frame_equal(
            on_arrays.drop(columns="seconds", errors="ignore"),
            of_individuals.drop(columns="seconds", errors="ignore"),
            check_exact=True,
        )


def test_an_interrupted_comparison_is_over_the_seeds_that_are_done():
    class Interrupted(Counting):
        def _evaluate(self, X, out, *args, **kwargs):
            super()._evaluate(X, out)
            if len(self.seen) == limit:
                signal.raise_signal(signal.SIGINT)

    limit = 30
    with pytest.warns(InterruptedSearchWarning, match="the comparison covers 2 of 9 seeds"):
        found = compare(Interrupted(), NSGA2(20), n_evals=100, seeds=9, controls="random")
    assert found.runs[["seed", "method"]].to_numpy().tolist() == [
        [seed, method] for seed in (0, 1) for method in ("evolution", "random")
    ]
    limit = 4
    with pytest.raises(KeyboardInterrupt):
        compare(Interrupted(), NSGA2(20), n_evals=100, seeds=9, controls="random")


def made_runs(differences, measure="hypervolume"):
    rows = []
    for seed, away in enumerate(differences):
        rows += [
            {"problem": "", "seed": seed, "method": "evolution", measure: 1.0 + away},
            {"problem": "", "seed": seed, "method": "random", measure: 1.0},
        ]
    return ControlComparison(pd.DataFrame(rows), pd.DataFrame())


def test_claims_follow_from_the_pairs():
    better = made_runs([0.1, 0.2, 0.3, 0.1, 0.2, 0.3])
    assert better.differences().loc["random", ["wins", "ties", "losses"]].tolist() == [6, 0, 0]
    assert better.differences().loc["random", "difference"] == pytest.approx(0.2)
    assert "on 6 seeds, the evolution is better than random (+0.200, p = 0.0312)" in better.claim()
    assert "worse than random" in made_runs([-0.1, -0.2, -0.3, -0.1, -0.2, -0.3]).claim()
    assert "not significantly different from random" in made_runs([0.1, -0.2, 0.3, -0.1, 0.2, -0.3]).claim()
    assert "at least 6 seeds are required, got 5." in made_runs([0.1] * 5).claim()
    runs = pd.concat([better.runs, better.runs.query("method == 'random'").assign(method="drift")])
    assert "at least 7 seeds are required, got 6" in ControlComparison(runs, pd.DataFrame()).claim()
    assert "random (+0.200, p = 0.0625) and drift" in ControlComparison(runs, pd.DataFrame()).claim(
        alpha=0.07
    )
    # Less of an objective is better.
    assert "worse than random" in made_runs([0.1, 0.2, 0.3, 0.1, 0.2, 0.3], "best f1").claim("best f1")
    with pytest.raises(ValueError, match=r"measure must be one of .*hypervolume.*, got 'hypervolum'"):
        better.claim("hypervolum")


def test_problems_are_what_repeats_when_comparisons_are_joined():
    joined = ControlComparison.joined({f"set {i}": made_runs([0.1 * i, 0.3 * i]) for i in range(1, 8)})
    assert joined.differences().loc["random", "difference"] == pytest.approx(0.8)
    assert "on 7 problems" in joined.claim()


def test_the_figure_has_a_curve_per_method(tmp_path):
    found = compare(
        get_problem("zdt1", n_var=4), NSGA2(10), n_evals=60, seeds=2, controls=["random", "drift"]
    )
    figure = found.plot(path=tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 0
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == [
        "evolution",
        "random",
        "drift",
    ]
    assert "evaluations" in figure.axes[0].get_xlabel()


def test_bad_input_is_refused_in_a_sentence():
    problem, algorithm = Counting(), NSGA2(20)
    X, y = blobs()
    mock = MOCKProblem(X, random_state=0)
    cases = [
        (
            problem,
            algorithm,
            {"n_evals": 19},
            "n_evals must be at least the initial population size, 20, got 19.* decrease pop_size",
        ),
        (problem, algorithm, {"n_evals": 0}, "n_evals must be a positive integer|n_evals .* 1"),
        (problem, algorithm, {"controls": "drifting"}, "got 'drifting'; did you mean 'drift'"),
        (
            problem,
            algorithm,
            {"controls": "construction"},
            "requires a method greedy_front, which Counting",
        ),
        (problem, algorithm, {"y": [0] * 40}, "Counting has no decode"),
        (mock, tree_search(), {"y": y[1:]}, r"one class per sample \(40\), got shape .39"),
        (mock, tree_search(), {"y": y / 2}, "y must be integers, got 0.5 at .1.; number the classes 0, 1"),
        (mock, tree_search(), {"y": -np.ones(40, dtype=int)}, "at least one known class"),
        (Counting(1), PSO(20), {}, "control .climbs. requires a mutation, which PSO does not have"),
    ]
    for one, method, options, message in cases:
        with pytest.raises(ValueError, match=message):
            compare(one, method, **{"n_evals": 100, "seeds": 1} | options)
    with pytest.raises(TypeError, match="must be a pymoo Problem"):
        compare("iris", algorithm, n_evals=100)
    with pytest.raises(TypeError, match="must be a pymoo Algorithm"):
        compare(problem, "nsga2", n_evals=100)


class Infinite(Counting):
    def _evaluate(self, X, out, *args, **kwargs):
        super()._evaluate(X, out)
        out["F"][0, 1] = np.inf


class Blind(NSGA2):
    """Scores offspring by itself."""

    def _infill(self):
        off = super()._infill()
        off.set("F", np.zeros((len(off), 2)), "CV", np.zeros((len(off), 1)))
        off.apply(lambda individual: individual.evaluated.update("FGH"))
        return off


class Cheating(Evaluator):
    """Counts evaluations that the problem does not see."""

    def _eval(self, problem, pop, evaluate_values_of, **kwargs):
        pop.set("F", np.zeros((len(pop), 2)))
        pop.apply(lambda individual: individual.evaluated.update("FGH"))


def test_objectives_and_algorithms_that_cannot_be_counted_are_refused():
    with pytest.raises(ValueError, match="'f2' is not finite for 1 of 20 individuals"):
        compare(Infinite(), NSGA2(20), n_evals=100, seeds=1)
    with pytest.raises(
        ValueError, match="does not evaluate through the problem: Counting counted 20 evaluations"
    ):
        compare(Counting(), Blind(20), n_evals=100, seeds=1)
    # An evaluator that does not ask the problem is replaced by one that does.
    found = compare(Counting(), NSGA2(20, evaluator=Cheating()), n_evals=100, seeds=1, controls="initial")
    assert found.runs["best f1"].min() > 0


def test_a_search_that_ends_early_is_said():
    algorithm = AMOSA(soft_limit=10, hard_limit=5, n_climb=1, n_moves=10, t_max=1.0, t_min=0.5)
    with pytest.warns(ExhaustedSearchWarning, match="stopped on its own after .* of n_evals=2000"):
        found = compare(Counting(), algorithm, n_evals=2000, seeds=1, controls="initial")
    assert found.runs["evaluations"].iloc[0] < 2000


def test_infeasible_individuals_are_counted_and_not_archived():
    class Bound(Counting):
        def __init__(self):
            super().__init__()
            self.n_ieq_constr = 1

        def _evaluate(self, X, out, *args, **kwargs):
            super()._evaluate(X, out)
            out["G"] = 2.0 - X.sum(axis=1)

    found = compare(Bound(), NSGA2(20), n_evals=200, seeds=1)
    assert found.runs["best f1"].min() >= 2.0
    assert (found.runs["evaluations"].iloc[1:] <= 200).all()


def test_paired_differences():
    rows = [
        {"problem": "", "seed": seed, "method": method, "ari": value}
        for method, values in {
            "evolution": [3.0, 2.0, 1.0, 5.0, np.nan], "random": [1.0, 2.0, 2.0, 1.0, 1.0],
            "drift": [3.0, 2.0, 1.0, 5.0, 4.0],
        }.items()
        for seed, value in enumerate(values)
    ]  # fmt: skip
    found = ControlComparison(pd.DataFrame(rows), pd.DataFrame()).differences("ari")
    assert found.loc["random", ["difference", "wins", "ties", "losses"]].tolist() == [1.25, 2, 1, 1]
    assert found.loc["random", "low"] <= 1.25 <= found.loc["random", "high"]
    assert found.loc["random", "p"] == wilcoxon([2.0, 0.0, -1.0, 4.0]).pvalue
    assert found.loc["drift", ["difference", "low", "high", "p"]].tolist() == [0.0, 0.0, 0.0, 1.0]


def test_a_control_of_ones_own_gets_as_many_evaluations():
    def best_of_neighbours(evaluate, sample, vary, rng):
        X = sample()[:5]
        while True:
            trial = vary(X)
            better = evaluate(trial)[:, 0] < evaluate(X)[:, 0]
            X[better] = trial[better]

    def lone_draw(evaluate, sample, vary, rng):
        assert evaluate(rng.random((1, 4))).shape == (1, 1)

    problem = Counting(1)
    found = compare(problem, GA(10), n_evals=73, seeds=2, controls=["drift", best_of_neighbours, lone_draw])
    made = found.runs.groupby("method", sort=False)["evaluations"].agg(["min", "max"])
    assert made.index.tolist() == ["evolution", "drift", "best of neighbours", "lone draw"]
    assert made["min"].tolist() == made["max"].tolist() == [73, 73, 73, 1]
    assert len(found.differences("best f1")) == 3

    def drift(*arguments):
        """Named as one of the package."""

    with pytest.raises(ValueError, match="has the name 'drift' of a built-in control"):
        compare(problem, GA(10), n_evals=73, controls=[drift])


def test_a_single_objective_is_climbed_by_one_incumbent():
    problem = Counting(1)
    compare(problem, GA(10), n_evals=60, seeds=1, controls=["climbs"])
    sizes = [len(rows) for rows in problem.seen]
    # The first population of the climb, and then a mutant at a time.
    assert sizes[-50:] == [1] * 50
