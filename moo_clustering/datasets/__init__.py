"""Data sets: scikit-learn's bundled tables, generators, and files of one's own.

Numbers arrive as a :class:`Table`, texts as :class:`Documents`: features or texts apart from names, row
identifiers, known classes (for scoring) and partial labels (for semi-supervised methods);
tables with several labels a row as a :class:`MultiLabelTable`;
:func:`tfidf` turns texts into features. What cannot be read is a :class:`DataError` saying which
column and row.
"""

from moo_clustering.datasets._bag_table import BagTable
from moo_clustering.datasets._bundled import (
    BUNDLED,
    load_breast_cancer,
    load_bundled,
    load_digits,
    load_iris,
    load_wine,
)
from moo_clustering.datasets._documents import Documents
from moo_clustering.datasets._ebm import EBMCorpus, EBMQuestion, load_ebm
from moo_clustering.datasets._generated import make_balance, make_waveform
from moo_clustering.datasets._generated_bags import make_bags
from moo_clustering.datasets._multilabel_documents import label_indicators
from moo_clustering.datasets._multilabel_table import MultiLabelTable
from moo_clustering.datasets._multilabel_write import write_multilabel_arff
from moo_clustering.datasets._prepare_table import PreparedTable, prepare_table
from moo_clustering.datasets._read import read_table
from moo_clustering.datasets._read_bags import read_bags
from moo_clustering.datasets._read_documents import read_documents
from moo_clustering.datasets._read_multilabel import read_multilabel
from moo_clustering.datasets._table import CategoryTable, DataError, Table
from moo_clustering.datasets._tfidf import tfidf
from moo_clustering.datasets._write_bags import write_bag_arff

__all__ = [
    "BUNDLED",
    "BagTable",
    "CategoryTable",
    "DataError",
    "Documents",
    "EBMCorpus",
    "EBMQuestion",
    "MultiLabelTable",
    "PreparedTable",
    "Table",
    "label_indicators",
    "load_breast_cancer",
    "load_bundled",
    "load_digits",
    "load_ebm",
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
