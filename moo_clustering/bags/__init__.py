"""Multi-instance data: bags of instances, distances between bags, and what can be left out of them."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
