"""Data sets: scikit-learn's bundled tables, generators, and files of one's own.

Everything arrives as a :class:`Table`: features apart from names, row identifiers, known classes
(for scoring) and partial labels (for semi-supervised methods). What cannot be read is a
:class:`DataError` saying which column and row.
"""

from moo_clustering.datasets._bundled import (
    BUNDLED,
    load_breast_cancer,
    load_bundled,
    load_digits,
    load_iris,
    load_wine,
)
from moo_clustering.datasets._generated import make_balance, make_waveform
from moo_clustering.datasets._read import read_table
from moo_clustering.datasets._table import DataError, Table

__all__ = [
    "BUNDLED",
    "DataError",
    "Table",
    "load_breast_cancer",
    "load_bundled",
    "load_digits",
    "load_iris",
    "load_wine",
    "make_balance",
    "make_waveform",
    "read_table",
]
