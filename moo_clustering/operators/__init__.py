"""pymoo operators that make, vary, repair and select populations; DEAP's are in ``operators.deap``.

An operator of one's own subclasses the pymoo class, overrides ``_do(self, problem, X, *args,
random_state=None, **kwargs)``, and draws from ``random_state`` only.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
