"""Parameters written once as annotated fields: constructor, constraints and documentation."""

import inspect
import pickle
from dataclasses import KW_ONLY
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions

from moo_clustering.estimators._options import (
    CheckpointOptions,
    Count,
    NonNegativeCount,
    Probability,
    SearchOptions,
    SeedOptions,
    estimator,
)


@estimator
class Base(SeedOptions, BaseEstimator):
    """Something to inherit from.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    pop_size, n_gen : int
        Individuals, and generations.

    Attributes
    ----------
    labels_ : ndarray
        The clusters.
    """

    n_clusters: Count
    _: KW_ONLY
    pop_size: Count = 10
    n_gen: NonNegativeCount = 20

    def fit(self, X=None, y=None):
        """Validate."""
        self._validate_params()
        self.labels_ = np.zeros(3)
        return self


@estimator
class Derived(Base):
    """Something derived.

    Parameters
    ----------
    n_gen : int
        Fewer generations.
    rate, share : float
        Two probabilities.
    how : {"a", "b"}
        Manner.
    limit : int
        Upper limit.

    Notes
    -----
    O(1).
    """

    kind: ClassVar[str] = "no parameter"

    how: Literal["a", "b"] = "a"
    _: KW_ONLY
    n_gen: Count = 5
    rate: Probability = 0.5
    share: Probability = 0.25
    limit: Count | None = None
    flag: bool = False
    weight: float | Literal["auto"] | None = "auto"
    path: str | Path | None = None
    table: Annotated[object, "array-like", None] = None

    def double(self):
        """Twice the clusters."""
        return 2 * self.n_clusters


class Inheriting(Derived):
    """A user's subclass without a constructor of its own."""


class Overriding(Derived):
    """A user's subclass with a constructor of its own."""

    def __init__(self, n_clusters=4, *, extra=1):
        super().__init__(n_clusters, rate=0.75)
        self.extra = extra


def parameters(cls):
    return {p.name: (p.default, p.kind) for p in inspect.signature(cls).parameters.values()}


def test_positional_parameters_come_in_order_and_the_others_are_keyword_only():
    found = parameters(Derived)
    positional = [
        name for name, (_, kind) in found.items() if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    ]
    assert positional == ["n_clusters", "how"]
    assert all(
        kind is inspect.Parameter.KEYWORD_ONLY for name, (_, kind) in found.items() if name not in positional
    )
    assert "kind" not in found
    with pytest.raises(TypeError, match="n_clusters"):
        Derived()
    with pytest.raises(TypeError, match="positional"):
        Derived(3, "a", 5)


def test_defaults_are_inherited_and_overridden():
    assert Derived(3).get_params() == {
        "n_clusters": 3,
        "how": "a",
        "random_state": None,
        "pop_size": 10,
        "n_gen": 5,
        "rate": 0.5,
        "share": 0.25,
        "limit": None,
        "flag": False,
        "weight": "auto",
        "path": None,
        "table": None,
    }
    assert Base(3).n_gen == 20


def test_constraints_follow_from_types():
    found = Derived._parameter_constraints
    assert set(found) == set(parameters(Derived))
    assert found["random_state"] == ["random_state", np.random.Generator]
    assert [(one.left, one.closed) for one in found["n_gen"]] == [(1, "left")]
    assert [(one.left, one.closed) for one in Base._parameter_constraints["n_gen"]] == [(0, "left")]
    assert isinstance(found["how"][0], StrOptions)
    assert found["how"][0].options == {"a", "b"}
    assert isinstance(found["limit"][0], Interval)
    assert found["limit"][1:] == [None]
    assert found["flag"] == ["boolean"]
    assert found["weight"][0] is Real
    assert found["weight"][1].options == {"auto"}
    assert found["weight"][2] is None
    assert found["path"] == [str, Path, None]
    assert found["table"] == ["array-like", None]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_clusters", 0),
        ("how", "c"),
        ("rate", 1.5),
        ("limit", 0),
        ("flag", "x"),
        ("weight", "b"),
        ("path", 3),
    ],
)
def test_constraints_are_checked(name, value):
    model = Derived(3).set_params(**{name: value})
    with pytest.raises(InvalidParameterError, match=f"{name!r} parameter of Derived"):
        model.fit()


def test_literals_of_several_types_and_plain_types():
    @estimator
    class Mixed(BaseEstimator):
        choice: Literal["a", None, False] = "a"
        count: int = 1
        text: str = "x"

    found = Mixed._parameter_constraints
    assert found["choice"][0].options == {"a"}
    assert set(found["choice"][1:]) == {None, "boolean"}
    assert found["count"] == [Integral]
    assert found["text"] == [str]


def test_documentation_has_defaults_and_what_bases_document():
    text = Derived.__doc__
    assert text.startswith("Something derived.\n\nParameters\n----------\n")
    assert "n_clusters : int\n    Number of clusters.\n" in text
    assert "pop_size : int, default=10\n    Individuals, and generations.\n" in text
    assert "n_gen : int, default=5\n    Fewer generations.\n" in text
    assert text.count("n_gen") == 1
    assert "rate, share : float, default=0.5, 0.25\n" in text
    assert 'how : {"a", "b"}, default="a"\n' in text
    assert "limit : int, optional\n" in text
    assert "random_state : int, Generator or RandomState, optional\n" in text
    assert "labels_ : ndarray\n    The clusters.\n" in text
    order = [
        text.index(part) for part in ("n_clusters :", "n_gen :", "pop_size :", "Attributes\n", "Notes\n")
    ]
    assert order == sorted(order)
    assert text.rstrip().endswith("Notes\n-----\nO(1).")


def test_own_words_on_a_default_are_left():
    @estimator
    class Stated(BaseEstimator):
        """Something.

        Parameters
        ----------
        memory : int, default=4 GiB
            Bytes.
        """

        memory: Count = 2**32

    assert "memory : int, default=4 GiB\n" in Stated.__doc__


def test_a_class_without_documentation_has_none():
    @estimator
    class Bare(BaseEstimator):
        one: Count = 1

    assert not Bare.__doc__
    assert Bare().get_params() == {"one": 1}


def test_attributes_of_plain_mixins_are_documented():
    @estimator
    class Searching(SearchOptions, BaseEstimator):
        """Something that searches."""

        _: KW_ONLY
        checkpoint_every: Count = 100

    assert "interrupted_ : bool\n" in Searching.__doc__
    assert "checkpoint_every : int, default=100\n    Generations between checkpoints.\n" in Searching.__doc__
    assert "interrupted_" not in CheckpointOptions.__doc__


@pytest.mark.parametrize("cls", [Derived, Inheriting])
def test_copies_are_alike(cls):
    model = cls(3, "b", rate=0.125).fit()
    assert clone(model).get_params() == model.get_params()
    back = pickle.loads(pickle.dumps(model))
    assert type(back) is cls
    assert back.get_params() == model.get_params()
    assert back.labels_.shape == (3,)
    assert model.double() == 6
    assert model != clone(model)
    assert hash(model) != hash(clone(model))
    assert repr(model) == f"{cls.__name__}(how='b', n_clusters=3, rate=0.125)"


def test_a_subclass_may_have_its_own_constructor():
    model = Overriding(extra=2)
    assert set(model.get_params()) == {"n_clusters", "extra"}
    assert (model.n_clusters, model.rate, model.pop_size) == (4, 0.75, 10)
    assert clone(model).extra == 2
    model.fit()

    @estimator
    class Decorated(Derived):
        extra: Count = 1

        def __init__(self, extra=3):
            super().__init__(2)
            self.extra = extra

    assert Decorated().extra == 3
    assert list(parameters(Decorated)) == ["extra"]


def test_types_without_constraint_are_refused():
    with pytest.raises(TypeError, match=r"Wrong\.where: .*dict.*Annotated\[type, constraint"):

        @estimator
        class Wrong(BaseEstimator):
            where: dict | None = None

    with pytest.raises(TypeError, match=r"Unknown\.what: name 'Nowhere' is not defined"):

        @estimator
        class Unknown(BaseEstimator):
            what: "Nowhere" = None  # noqa: F821
