"""Evolutionary clustering: pymoo and DEAP behind scikit-learn estimators."""

import lazy_loader as _lazy

__version__ = "0.1.0"

# Names are imported on first use, so that ``--help`` does not load compilers and plotting libraries.
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
__all__ = [*__all__, "__version__"]
