"""Clustering indices: how good a partition is, by itself or compared with classes.

Internal indices are objects: ``fit`` receives the data, ``evaluate`` scores a population of partitions (see
:class:`ValidityIndex`), and :func:`get_index` returns them by name. External measures are functions
``(labels_true, labels_pred)`` of one partition.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
