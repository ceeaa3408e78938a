"""Tools for DEAP: array individuals, selection operators, and conversion of any pymoo operator."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
