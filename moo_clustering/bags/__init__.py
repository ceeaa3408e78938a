"""Bags of instances (multi-instance data), distances between bags, and pruning of instances."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
