"""Data sets: scikit-learn's bundled tables, generators, and files of one's own.

Numbers arrive as a :class:`Table`, texts as :class:`Documents`: features or texts apart from names, row
identifiers, known classes (for scoring) and partial labels (for semi-supervised methods);
tables with several labels a row as a :class:`MultiLabelTable`;
:func:`tfidf` turns texts into features. What cannot be read is a :class:`DataError` saying which
column and row.
"""

from moo_clustering.datasets.bags import BagTable, read_bags, write_bag_arff
from moo_clustering.datasets.documents import Documents, read_documents, tfidf
from moo_clustering.datasets.multilabel import (
    MultiLabelTable,
    label_indicators,
    read_multilabel,
    write_multilabel_arff,
)
from moo_clustering.datasets.prepare import PreparedTable, prepare_table
from moo_clustering.datasets.sources import (
    BUNDLED,
    load_breast_cancer,
    load_bundled,
    load_digits,
    load_iris,
    load_wine,
    make_bags,
    make_balance,
    make_waveform,
)
from moo_clustering.datasets.tables import CategoryTable, DataError, Table, read_table

__all__ = [
    "BUNDLED",
    "BagTable",
    "CategoryTable",
    "DataError",
    "Documents",
    "MultiLabelTable",
    "PreparedTable",
    "Table",
    "label_indicators",
    "load_breast_cancer",
    "load_bundled",
    "load_digits",
    "load_iris",
    "load_wine",
    "make_bags",
    "make_balance",
    "make_waveform",
    "prepare_table",
    "read_bags",
    "read_documents",
    "read_multilabel",
    "read_table",
    "tfidf",
    "write_bag_arff",
    "write_multilabel_arff",
]
