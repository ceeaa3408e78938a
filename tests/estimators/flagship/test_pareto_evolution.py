"""Evolution as an option, and what it is compared with."""

import signal

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pareto_cases import CLASSES, QUICK, X, ari, partly, true_pairs

from moo_clustering import ParetoClustering
from moo_clustering.algorithms import InterruptedSearchWarning, Recorder
from moo_clustering.persistence import CheckpointMismatchError
from moo_clustering.validity import boundary_cut

SHORT = {**QUICK, "n_gen": 4, "pop_size": 10}
MUST, CANNOT = true_pairs(CLASSES, 40)
Y = partly(CLASSES, 3)
KNOWN = {
    "nothing": ({}, {}),
    "number": ({"n_clusters": 4}, {}),
    "labels": ({}, {"y": Y}),
    "new classes": ({"novel": "allow"}, {"y": np.where(Y == 2, -1, Y)}),
    "pairs": ({}, {"must_link": MUST, "cannot_link": CANNOT}),
    "pairs and number": ({"n_clusters": 3}, {"must_link": MUST, "cannot_link": CANNOT}),
}


# DEAP does the rest alike: both are stored by the same lines.
@pytest.mark.parametrize(
    ("engine", "known"),
    [
        pytest.param(engine, known, marks=[pytest.mark.slow] * (engine == "deap" and known != "pairs"))
        for engine in ("pymoo", "deap")
        for known in KNOWN
    ],
)
def test_the_controls_are_stored(engine, known):
    options, given = KNOWN[known]
    alone = ParetoClustering(**QUICK, **options).fit(X, **given)
    model = ParetoClustering(**SHORT, **options, engine=engine).fit(X, **given)
    assert_array_equal(model.control_labels_, alone.labels_)
    assert model.random_control_labels_.shape == model.labels_.shape
    score = model.control_score_
    assert set(score) == {"result", "control", "random_control"}
    # The best of the pool always stays.
    assert min(score["result"], score["random_control"]) >= score["control"] - 1e-9
    if known not in ("pairs", "pairs and number"):
        column = "total" if "total" in alone.scores_ else "score"
        assert score["control"] == pytest.approx(alone.scores_[column].max())
        assert score["result"] == pytest.approx(model.scores_[column].max())
    assert ari(model.labels_, CLASSES) > 0.7
    assert_array_equal(model.choose("control").labels_, alone.labels_)
    assert_array_equal(model.choose("random-control").labels_, model.random_control_labels_)


def test_boundaries_have_a_price_in_a_search_with_pairs():
    model = ParetoClustering(**SHORT).fit(X, must_link=MUST, cannot_link=CANNOT)
    scores = model.scores_[: model.pool_.n_partitions]
    cut = boundary_cut(model.pool_.labels, model.graph_)
    assert_allclose(scores.total, 20 * scores.score + scores.pair_evidence - 0.3 * cut, rtol=1e-9)


def test_the_pool_stays_and_what_evolved_comes_after_it():
    alone = ParetoClustering(**QUICK).fit(X)
    model = ParetoClustering(**SHORT).fit(X)
    n = alone.pool_.n_partitions
    assert_array_equal(model.pool_.labels, alone.pool_.labels)
    assert model.scores_[:n].equals(alone.scores_)
    assert set(model.scores_.family[n:]) == {"evolved"}
    # Evolved partitions are judged by the pool, and are not asked how far to trust it.
    assert model.confidence_ == alone.confidence_
    assert model.history_.generations == list(range(5))
    assert not model.interrupted_
    assert model.result_.problem.n_obj == 2
    # Nothing beside the score is to be added up.
    assert "total" not in model.scores_


def test_a_copy_of_a_member_is_worth_as_much():
    model = ParetoClustering(**SHORT).fit(X)
    n = model.pool_.n_partitions
    seen = 0
    for row, values in zip(model.pareto_labels_, model.pareto_front_, strict=True):
        for other, agreement in zip(model.pool_.labels, model.scores_.agreement[:n], strict=True):
            if ari(row, other) == 1:
                assert values[0] == pytest.approx(agreement)
                seen += 1
    assert seen


def test_seeds():
    one, two = (ParetoClustering(**{**SHORT, "random_state": 3}).fit(X) for _ in range(2))
    assert one.scores_.equals(two.scores_)
    assert_array_equal(one.labels_, two.labels_)


def test_no_evolution_no_controls():
    model = ParetoClustering(**SHORT).fit(X)
    model.set_params(n_gen=0).fit(X)
    for name in ("control_labels_", "random_control_labels_", "control_score_", "history_"):
        assert not hasattr(model, name)


@pytest.mark.parametrize("engine", ["pymoo", "deap"])
def test_resuming_is_never_having_stopped(tmp_path, engine):
    options = {**SHORT, "engine": engine}
    whole = ParetoClustering(**options).fit(X, Y)
    path = tmp_path / "run.npz"
    ParetoClustering(**{**options, "n_gen": 2}, checkpoint=path, checkpoint_every=1).fit(X, Y)
    assert path.exists()
    resumed = ParetoClustering(**options, checkpoint=path, resume=True).fit(X, Y)
    assert_array_equal(resumed.labels_, whole.labels_)
    assert resumed.scores_.equals(whole.scores_)
    assert resumed.control_score_ == whole.control_score_
    with pytest.raises(CheckpointMismatchError):
        ParetoClustering(**options, checkpoint=path, resume=True).fit(X[::-1], Y)
    with pytest.raises(CheckpointMismatchError):
        ParetoClustering(**options, checkpoint=path, resume=True).fit(X, CLASSES)


def test_checkpoints_need_a_seed_and_a_file(tmp_path):
    with pytest.raises(ValueError, match="resume=True requires checkpoint"):
        ParetoClustering(**SHORT, resume=True).fit(X)
    with pytest.raises(ValueError, match="integer random_state"):
        ParetoClustering(**{**SHORT, "random_state": None}, checkpoint=tmp_path / "a.npz").fit(X)


@pytest.mark.parametrize("engine", ["pymoo", "deap"])
def test_ctrl_c_keeps_what_was_found(tmp_path, engine, monkeypatch):
    options = {**SHORT, "engine": engine}
    whole = ParetoClustering(**options).fit(X, Y)
    record, path = Recorder.record, tmp_path / "run.npz"

    def press(self, generation, F):
        if generation == 2:
            signal.raise_signal(signal.SIGINT)
        return record(self, generation, F)

    monkeypatch.setattr(Recorder, "record", press)
    with pytest.warns(InterruptedSearchWarning, match="generations"):
        part = ParetoClustering(checkpoint=path, **options).fit(X, Y)
    monkeypatch.undo()
    assert part.interrupted_
    assert 2 <= part.history_.generations[-1] < 4
    assert_array_equal(part.control_labels_, whole.control_labels_)
    assert part.predict_proba_.shape == (len(X), 3)
    # Nobody waits for the control of what was stopped.
    assert not hasattr(part, "random_control_labels_")
    assert set(part.control_score_) == {"result", "control"}
    with pytest.raises(ValueError, match="unknown rule 'random-control'"):
        part.choose("random-control")
    resumed = ParetoClustering(checkpoint=path, resume=True, **options).fit(X, Y)
    assert not resumed.interrupted_
    assert resumed.scores_.equals(whole.scores_)
    assert_array_equal(resumed.random_control_labels_, whole.random_control_labels_)


@pytest.mark.slow
def test_data_without_structure_to_search():
    with pytest.warns(UserWarning, match="no new individuals"):
        model = ParetoClustering(n_gen=2, random_state=0).fit(np.ones((20, 2)))
    assert model.n_clusters_ == 1
    assert np.isnan(model.confidence_)
    assert_array_equal(model.control_labels_, 0)
