"""pymoo operators that sample, vary, repair and select populations; for DEAP, see ``operators.deap``.

To write an operator, subclass the pymoo class, override ``_do(self, problem, X, *args, random_state=None,
**kwargs)``, and draw random numbers only from ``random_state``.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
