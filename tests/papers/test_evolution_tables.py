"""The experiment on controls: cells, tables, and the figure."""

import numpy as np
import pytest

from moo_clustering.controls import CONTROLS
from papers import evolution
from papers.runner import Settings, find_experiment


@pytest.mark.slow
def test_tables_of_both_starts(tmp_path, monkeypatch):
    monkeypatch.setattr(evolution, "N_EVALS", 300)
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.6, (12, 2)) for c in ((0, 0), (4, 0), (0, 4))])
    np.savez(tmp_path / "three.npz", X=X, y=np.repeat([0, 1, 2], 12))
    plan = find_experiment("evolution").plan(Settings(data=tmp_path, sets=("three",)))
    values = [plan.compute(key, plan.data(key)) for key in plan.cells]
    tables = {table.name: table for table in plan.tables(values)}
    assert [row[0] for row in tables["means-greedy"].rows] == ["evolution", *CONTROLS]
    made = {row[0]: row[5] for row in tables["means-delta"].rows}
    assert made["evolution"] == made["drift"] == made["climbs"] == 300
    assert "it takes at least 8 seeds, not 1" in tables["means-delta"].notes[0]
    # The front of the fit holds the constructed one.
    starts = {(row[0], row[2]): row for row in tables["starts"].rows}
    assert starts["hypervolume", "greedy front alone"][4] >= 0
    (figure, _) = plan.figures(values)
    figure.draw(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 0
