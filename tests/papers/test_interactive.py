"""The experiment on questions: cells, tables and what is compared."""

import numpy as np
import pytest

from papers.interactive import METHODS, NPU, POINTS, silhouette_number
from papers.runner import Settings, find_experiment

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(c, 0.6, (12, 2)) for c in ((0, 0), (4, 0), (0, 4))])
Y = np.repeat([0, 1, 2], 12)


def test_npu_finds_classes_and_asks_no_pair_twice():
    few, y = X[::3], Y[::3]
    assert silhouette_number(few, 0) == 3
    rival, asked = NPU(few, n_clusters=2), []
    while rival.question is not None:
        i, j = rival.question.samples
        asked.append((min(i, j), max(i, j)))
        rival.answer("together" if y[i] == y[j] else "apart")
    assert len(set(asked)) == len(asked) == rival.n_answers
    # A question at least for every sample but the first, and fewer than three.
    assert 11 <= len(asked) < 33
    assert len(set(zip(y.tolist(), rival.labels_.tolist(), strict=True))) == 3


@pytest.mark.slow
def test_blocks_are_methods(tmp_path):
    np.savez(tmp_path / "three.npz", X=X, y=Y)
    experiment = find_experiment("interactive")
    plan = experiment.plan(Settings(data=tmp_path, sets=("three",), blocks=("pairs", "COBRAS")))
    values = [plan.compute(key, plan.data(key)) for key in plan.cells]
    tables = {table.name: table for table in plan.tables(values)}
    assert [key["method"] for key in plan.cells] == ["pairs", "COBRAS"]
    assert len(tables["courses"].rows) == 6
    # All sets and those of the kind, for three shares of wrong answers.
    assert [row[1:4] for row in tables["differences"].rows[:2]] == [
        ["all", "pairs", "COBRAS"],
        ["others", "pairs", "COBRAS"],
    ]
    for row in tables["losses"].rows if "losses" in tables else ():
        assert row[-1] > row[-2]
    of_answers = {(row[0], row[2]): row[3:] for row in tables["errors"].rows}
    assert of_answers[0.0, 200][1] == 0.0
    (figure,) = plan.figures(values)
    figure.draw(tmp_path / "courses.png")
    assert (tmp_path / "courses.png").stat().st_size > 1000
    with pytest.raises(ValueError, match="blocks must be among pairs"):
        experiment.plan(Settings(data=tmp_path, blocks=("COBRA",)))


@pytest.mark.slow
def test_courses_of_all_methods(tmp_path):
    np.savez(tmp_path / "three.npz", X=X, y=Y)
    plan = find_experiment("interactive").plan(Settings(data=tmp_path, sets=("three",)))
    values = [plan.compute(key, plan.data(key)) for key in plan.cells]
    tables = {table.name: table for table in plan.tables(values)}
    assert len(tables["courses"].rows) == 3 * len(METHODS)
    of = {tuple(row[:3]): row[3:] for row in tables["means"].rows}
    # At no question the sessions have the result of the fit, the others one cluster.
    start = [of["all", 0.0, method][0] for method in METHODS]
    assert start[0] == start[1] == start[4] > 0.5
    assert start[2] == start[5] == 0.0
    assert of["all", 0.0, "pairs"][len(POINTS) - 1] == of["all", 0.0, "names"][len(POINTS) - 1] == 1.0
    assert all(np.isfinite(row[4]) for row in tables["differences"].rows)
