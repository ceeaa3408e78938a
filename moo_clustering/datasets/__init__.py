"""Data sets: file readers, bundled scikit-learn data sets, and generators.

Numbers are read into a :class:`Table`, texts into :class:`Documents`, bags of instances into a
:class:`BagTable`, and multi-label samples into a :class:`MultiLabelTable`, together with names, identifiers
and labels. :func:`tfidf` and :func:`embed` convert texts to features. Readers raise a :class:`DataError` if
a file is unreadable.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
