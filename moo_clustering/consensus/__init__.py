"""Consensus: one partition from many (MCLA, CSPA, HGPA, HBGF), or a similarity graph from a Pareto front."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
