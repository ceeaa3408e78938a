"""Data sets: scikit-learn's bundled tables, generators, and files of one's own.

Numbers are read into a :class:`Table`, texts into :class:`Documents`, bags of instances into a
:class:`BagTable`, and samples with any number of labels into a :class:`MultiLabelTable`: features or texts,
with names, row identifiers, known classes (for scoring) and partial labels (for semi-supervised methods).
:func:`tfidf` turns texts into features. Files that cannot be read raise a :class:`DataError`, which names
column and row.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
