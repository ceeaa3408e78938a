"""Code is counted as the documentation says, and the programs side by side do their tasks."""

import runpy
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from benchmarks.code_size import LIBRARIES, PROGRAMS, TASKS, code_size, outcome, program, table
from moo_clustering.validity import get_index

EXTEND = Path(__file__).parents[1] / "docs" / "extend.md"
COUNTED = '''"""Two lines

of a docstring."""

import numpy as np
from os import (
    path,
)


def double(x):
    """Twice."""
    # A comment.
    return (
        2
        * x  # Another.
    )


text = """a

b"""
plot_front(
    text
)
'''
WRITTEN = sorted(
    (task, library) for task in TASKS for library in LIBRARIES if program(task, library).exists()
)


def test_code_is_what_has_to_be_written():
    # def double, return, 2, * x, ), three lines of a string, three of a call.
    assert code_size(COUNTED) == (11, 6 + 6 + 3 + 4)
    assert code_size(COUNTED, without="plot_") == (8, 6 + 6 + 3)
    assert code_size("") == (0, 0)


def test_every_program_is_counted_and_ours_are_the_shortest():
    assert {path.name for path in PROGRAMS.glob("*.py")} == {program(*one).name for one in WRITTEN}
    sizes = {one: code_size(program(*one).read_text(encoding="utf-8")) for one in WRITTEN}
    for (task, library), size in sizes.items():
        if library != "moo_clustering":
            assert np.less(sizes[task, "moo_clustering"], size).all(), (task, library)


def test_page_has_the_counts():
    counted = [row.split("|")[1:-1] for row in table().splitlines()[2:]]
    page = [line.split("|")[1:-1] for line in EXTEND.read_text(encoding="utf-8").splitlines()]
    assert all(row in page for row in counted)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_our_programs_run(task, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(program(task, "moo_clustering")))
    name, *values = capsys.readouterr().out.split()
    assert name == "ARI"
    assert np.isfinite([float(value) for value in values]).all()
    assert float(values[0]) == (1.0 if task != "resume" else pytest.approx(0.6, abs=0.2))


@pytest.mark.slow
def test_a_kill_does_not_change_the_result():
    assert outcome("resume", "moo_clustering").startswith("ARI ")


@pytest.mark.nightly
@pytest.mark.parametrize(("task", "library"), [one for one in WRITTEN if one[1] != "moo_clustering"])
def test_programs_of_other_libraries_do_the_task(task, library):
    if not find_spec(LIBRARIES[library]):
        pytest.skip(f"{library} is not installed")
    ari, *values = (float(value) for value in outcome(task, library).split()[1:])
    if task != "resume":
        assert ari > 0.9
        assert len(values) == {"own_index": 2, "pairs": 4}[task]


@pytest.mark.slow
def test_the_plain_program_scores_partitions_as_our_indices_do(monkeypatch):
    # The functions of the program are compared; a nightly test runs its search.
    found = SimpleNamespace(F=np.zeros((1, 4)), X=np.zeros((1, 12)))
    monkeypatch.setattr("pymoo.optimize.minimize", lambda *args, **options: found)
    plain = runpy.run_path(str(program("pairs", "pymoo")))
    X, _ = make_blobs(150, centers=4, random_state=3)
    genes = np.random.default_rng(0).uniform(plain["low"], plain["high"], size=(5, 12))
    labels = [np.unique(plain["decode"](row), return_inverse=True)[1] for row in genes]
    for plainly, sign, name in zip(
        plain["indices"],
        (-1, 1, -1, 1),
        ("silhouette", "davies_bouldin", "calinski_harabasz", "connectivity"),
        strict=True,
    ):
        index = get_index(name).fit(X)
        ours = [index.evaluate(row)[0] for row in labels]
        np.testing.assert_allclose([sign * plainly(row) for row in genes], ours, err_msg=name)
