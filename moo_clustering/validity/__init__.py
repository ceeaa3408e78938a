"""Validity indices, which score partitions with or without known classes.

Internal indices need no classes. ``fit`` accepts the data, and ``evaluate`` scores a population of partitions
(see :class:`ValidityIndex`). :func:`get_index` returns an index by name. External measures are functions
``(labels_true, labels_pred)`` that compare a partition with known classes.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
