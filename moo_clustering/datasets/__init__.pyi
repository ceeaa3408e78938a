from .bags import BagTable, read_bags
from .documents import Documents, read_documents, tfidf
from .files import DataError
from .multilabel import MultiLabelTable, label_indicators, read_multilabel
from .prepare import PreparedTable, prepare_table
from .sources import (
    BUNDLED,
    load_breast_cancer,
    load_bundled,
    load_digits,
    load_iris,
    load_wine,
    make_bags,
)
from .tables import CategoryTable, Table, read_table

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
    "prepare_table",
    "read_bags",
    "read_documents",
    "read_multilabel",
    "read_table",
    "tfidf",
]
