"""Partitioned tables that may exceed memory: sources, passes over the parts, and labels for each part."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
