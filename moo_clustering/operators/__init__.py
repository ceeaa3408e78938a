"""pymoo operators that sample, vary, repair and select populations; see ``operators.deap`` for DEAP.

To write an operator, subclass the pymoo class, override ``_do(self, problem, X, *args, random_state=None,
**kwargs)``, and use only ``random_state`` to draw random numbers.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
