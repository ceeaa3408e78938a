"""Data sets: scikit-learn's bundled tables, generators, and readers of files.

Numbers are read into a :class:`Table`, texts into :class:`Documents`, bags of instances into a
:class:`BagTable`, and multi-label samples into a :class:`MultiLabelTable`. Each contains features or texts,
names, row identifiers, known classes (for scoring) and partial labels (for semi-supervised methods).
:func:`tfidf` and :func:`embed` convert texts to features. Unreadable files raise a :class:`DataError`.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
