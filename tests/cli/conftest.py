"""A quick method that does what a test tells it to, and a table to run it on."""

import shutil
import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.base import BaseEstimator, ClusterMixin

from moo_clustering.cli import main
from moo_clustering.estimators import _methods as _registry
from moo_clustering.estimators._methods import Method
from moo_clustering.persistence import Checkpoint, fingerprint, load_checkpoint, save_checkpoint


class Slices(ClusterMixin, BaseEstimator):
    """Equal slices of the first feature.

    Parameters
    ----------
    n_clusters : int
        How many slices.
    mode : {"plain", "warn", "cut", "cut_early", "fail"}, default="plain"
        What happens in ``fit``; see :class:`~some.where.Else`.

        A second paragraph.
    low, high : float, default=0 and 1
        Unused ends.

    Attributes
    ----------
    labels_ : ndarray
    """

    seen = None

    def __init__(
        self, n_clusters, *, mode="plain", low=0.0, high=1.0, random_state=None, n_jobs=None, verbose=False,
        checkpoint=None, checkpoint_every=10, resume=False,
    ):  # fmt: skip
        self.n_clusters = n_clusters
        self.mode = mode
        self.low = low
        self.high = high
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume

    def fit(self, X, y=None, *, must_link=None, cannot_link=None):
        type(self).seen = {
            "X": X,
            "y": y,
            "must_link": must_link,
            "cannot_link": cannot_link,
            "estimator": self,
        }
        if not 1 <= self.n_clusters <= len(X):
            raise ValueError(f"n_clusters={self.n_clusters} must be\n from 1 to {len(X)}.")
        if self.checkpoint is not None:
            identity = {"method": "Slices", "parameters": {"low": self.low}, "data": fingerprint(X)}
            checkpoint = Checkpoint(self.checkpoint, self.checkpoint_every, identity, self.resume)
            load_checkpoint(checkpoint)
            save_checkpoint(checkpoint, {"state": np.ones(3)}, {})
        if self.mode == "fail":
            raise ValueError("it failed")
        if self.mode == "cut_early":
            raise KeyboardInterrupt
        if self.mode == "warn":
            for text in ("first\n  thing", "second thing", "first\n  thing"):
                warnings.warn(text, UserWarning, stacklevel=2)
            warnings.warn("for developers", DeprecationWarning, stacklevel=2)
        rank = np.argsort(np.argsort(X[:, 0], kind="stable"), kind="stable")
        self.labels_ = (rank * self.n_clusters // len(X)).astype(np.int32)
        self.interrupted_ = self.mode == "cut"
        return self


class _Local(Method):
    def load(self):
        return Slices


@pytest.fixture
def slices(monkeypatch):
    method = _Local(
        "slices", "Slices", "none", "slices", "numbers", {"Fine-Slices": {"high": 5.0}}, ("labels", "pairs")
    )
    monkeypatch.setitem(_registry.METHODS, "slices", method)
    monkeypatch.setattr(Slices, "seen", None)
    return Slices


@pytest.fixture
def run(monkeypatch, tmp_path, request):
    """Run the command in an empty folder.

    ``fit`` draws pictures in slow tests and in those with ``pictures``, as they take longer than a small fit.
    """
    monkeypatch.chdir(tmp_path)

    def _run(*arguments):
        if arguments[:1] == ("fit",) and _run.pictures:
            arguments = (*arguments, "--pictures")
        result = CliRunner().invoke(main, [str(argument) for argument in arguments])
        # A picture that fails is only a warning, which no test of something else would notice.
        assert _run.pictures_fail or "could not be drawn" not in result.output, result.output
        return result

    _run.pictures, _run.pictures_fail = request.node.get_closest_marker("slow") is not None, False
    return _run


@pytest.fixture
def pictures(run):
    """Let ``fit`` draw its pictures."""
    run.pictures = True


@pytest.fixture
def fails(run):
    """The one line on stderr of a command that must fail."""

    def _fails(*arguments):
        result = run(*arguments)
        assert result.exit_code == 2, result.output
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") == 1
        assert result.stdout == ""
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result.stderr[len("Error: ") :].strip()

    return _fails


@pytest.fixture
def table(tmp_path):
    """Sixty rows in three blobs, with identifiers, classes and some labels."""
    rng = np.random.default_rng(0)
    kind = np.repeat(["red", "green", "blue"], 20)
    centre = np.repeat([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 20, axis=0)
    frame = pd.DataFrame(centre + rng.normal(size=(60, 2)), columns=["a", "b"])
    frame.insert(0, "id", [f"s{i:02d}" for i in range(60)])
    frame["kind"] = kind
    frame["some"] = np.where(np.arange(60) % 5 == 0, kind, "")
    frame = frame.sample(frac=1, random_state=1)
    frame.to_csv(tmp_path / "table.csv", index=False)
    return frame


@pytest.fixture(scope="session")
def people(tmp_path_factory):
    """The folder of a fit of sixty people in three groups, with a name each, one height unknown."""
    folder = tmp_path_factory.mktemp("asked")
    rng = np.random.default_rng(0)
    group = np.arange(60) % 3
    frame = pd.DataFrame(
        {
            "name": [f"person {row} <b>" for row in range(60)],
            "height": 150 + 20 * group + rng.normal(size=60),
            "town": np.array(["Oslo", "Rome", "Bonn"])[group],
            "born": pd.to_datetime("2000-01-01") + pd.to_timedelta(group * 1000 + np.arange(60), unit="D"),
        }
    )
    frame.loc[7, "height"] = np.nan
    frame.to_csv(folder / "people.csv", index=False)
    arguments = ["fit", folder / "people.csv", "--out", folder / "run", "--quiet", "--no-report"]
    assert CliRunner().invoke(main, list(map(str, arguments)), catch_exceptions=False).exit_code == 0
    return folder / "run"


@pytest.fixture
def asked_run(people, tmp_path):
    """A copy of that folder, which a test may change."""
    return shutil.copytree(people, tmp_path / "people")
