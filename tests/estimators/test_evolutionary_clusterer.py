"""Estimators of one's own, in ten lines, and as a method of the command."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from moo_clustering.encodings import LabelEncoding, MedoidEncoding
from moo_clustering.estimators.composed import EvolutionaryClusterer, estimator
from moo_clustering.problems import PartitionProblem

X, Y = make_blobs(60, centers=[[0, 0], [9, 0], [0, 9]], random_state=1)


@estimator
class Fronts(EvolutionaryClusterer):
    """Silhouette against connectivity."""

    k_max: int = 6

    def make_problem(self, X, constraints):
        encoding = MedoidEncoding(X, k_max=self.k_max)
        return PartitionProblem(X, encoding, ["silhouette", "connectivity"], constraints=constraints)


SMALL = {"pop_size": 12, "n_gen": 6, "random_state": 0}


def test_ten_lines_have_choose_report_and_supervision(tmp_path):
    model = Fronts(select="silhouette", **SMALL).fit(X)
    assert adjusted_rand_score(Y, model.labels_) == 1.0
    assert model.chosen_ == model.pareto_front_[:, 0].argmax()
    assert len(np.unique(model.pareto_labels_, axis=0)) == len(model.pareto_labels_)
    assert model.choose("connectivity").labels_.shape == (60,)
    assert model.report(tmp_path / "page.html", X).path.exists()
    paired = Fronts(**SMALL).fit(X, cannot_link=[[0, 1]])
    assert paired.objective_names_[-1] == "constraint_violation"
    assert clone(model).get_params()["k_max"] == 6


def test_a_run_resumes_to_the_same_result(tmp_path):
    whole = Fronts(**SMALL).fit(X)
    path = tmp_path / "run.npz"
    Fronts(**{**SMALL, "n_gen": 2}, checkpoint=path).fit(X)
    resumed = Fronts(**SMALL, checkpoint=path, resume=True).fit(X)
    np.testing.assert_array_equal(resumed.pareto_front_, whole.pareto_front_)
    np.testing.assert_array_equal(resumed.labels_, whole.labels_)


class OneObjective(EvolutionaryClusterer):
    def make_problem(self, X, constraints):
        return PartitionProblem(X, LabelEncoding(len(X), 4), "silhouette")


def test_a_single_objective_is_a_front_of_one():
    model = OneObjective(**SMALL).fit(X)
    assert model.pareto_front_.shape == (len(model.pareto_labels_), 1)


PACKAGE = {
    "others.py": """
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.estimators.composed import EvolutionaryClusterer, Method
from moo_clustering.problems import PartitionProblem


class TwoIndices(EvolutionaryClusterer):
    \"\"\"Dunn against connectivity.\"\"\"

    def make_problem(self, X, constraints):
        return PartitionProblem(X, MedoidEncoding(X, k_max=4), ["dunn", "connectivity"])


METHOD = Method(
    name="two-indices",
    class_name="TwoIndices",
    module="others",
    paper="ours",
    summary="Dunn against connectivity",
    needs="numeric features",
)
""",
    "others-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: others\nVersion: 1.0\n",
    "others-1.0.dist-info/entry_points.txt": (
        "[moo_clustering.methods]\ntwo-indices = others:METHOD\nbad = others:no\n"
    ),
}


@pytest.mark.slow
def test_another_package_adds_a_method_to_the_command(tmp_path, monkeypatch):
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    np.savetxt(tmp_path / "data.csv", np.round(X, 3), delimiter=",", header="a,b", comments="")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    options = ["--method", "two-indices", "--set", "n_gen=3", "--out", str(tmp_path / "run")]
    command = [sys.executable, "-m", "moo_clustering", "fit", str(tmp_path / "data.csv"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "skipped method" not in done.stderr  # another method of the package was asked for
    assert (tmp_path / "run" / "labels.csv").exists()
    listed = subprocess.run(
        [sys.executable, "-m", "moo_clustering", "methods"], capture_output=True, text=True, check=True
    )
    assert "two-indices" in listed.stdout
    assert "skipped method 'bad' of package 'others'" in listed.stderr
