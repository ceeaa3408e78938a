"""Parameters documented once: docstrings that base classes and other functions complete."""

import inspect

from moo_clustering._docs import Documented, documented


class Base(Documented):
    """A base.

    Parameters
    ----------
    prob, rate : float, default=0.5
        Probabilities.
    **kwargs
        Further options.

    Attributes
    ----------
    used_ : int
        Uses so far.
    """

    def __init__(self, prob=0.5, *, rate=0.5, **kwargs):
        self.prob, self.rate, self.kwargs = prob, rate, kwargs


class Child(Base):
    """A child.

    Parameters
    ----------
    kind : str
        Which.

    Notes
    -----
    O(1).
    """

    def __init__(self, kind="a", prob=0.25, **kwargs):
        super().__init__(prob, **kwargs)
        self.kind = kind


def move(a, b, rng):
    """Move.

    Parameters
    ----------
    a, b : individuals
        Changed.
    rng : numpy.random.Generator

    Returns
    -------
    tuple
        Both.
    """
    return a, b


def test_a_class_inherits_entries_of_parameters_that_it_takes():
    assert (
        Child.__doc__
        == inspect.cleandoc("""
        A child.

        Parameters
        ----------
        kind : str, default="a"
            Which.
        prob : float, default=0.25
            Probabilities.
        **kwargs
            Further options.

        Attributes
        ----------
        used_ : int
            Uses so far.

        Notes
        -----
        O(1).""")
        + "\n"
    )


def test_a_function_takes_entries_and_results_from_its_sources():
    @documented(move, "Parameters\n----------\nmemory : int\n    Bytes.\nb : int\n    Not this one.")
    def other(b, rng, *, how=None, memory=2**31):
        """Move otherwise.

        Parameters
        ----------
        how : str
            Manner.

        Raises
        ------
        ValueError
            Never.
        """

    assert (
        other.__doc__
        == inspect.cleandoc("""
        Move otherwise.

        Parameters
        ----------
        b : individuals
            Changed.
        rng : numpy.random.Generator
        how : str, optional
            Manner.
        memory : int, default=2 GiB
            Bytes.

        Returns
        -------
        tuple
            Both.

        Raises
        ------
        ValueError
            Never.""")
        + "\n"
    )


def test_what_has_no_documentation_gets_none():
    class Bare(Base):
        pass

    def bare(a):
        return a

    assert Bare.__doc__ is None
    assert documented(move)(bare).__doc__ is None


def test_a_function_that_returns_nothing_takes_no_results():
    @documented(move)
    def inplace(a) -> None:
        """Move in place."""

    assert inplace.__doc__ == "Move in place.\n\nParameters\n----------\na : individuals\n    Changed.\n"
