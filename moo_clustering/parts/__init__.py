"""Tables that may exceed memory: reading in parts, computing in passes over all parts, writing labels."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
