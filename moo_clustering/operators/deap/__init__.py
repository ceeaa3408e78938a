"""Operators for DEAP toolboxes: array individuals, selection, and any pymoo operator as a function."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
