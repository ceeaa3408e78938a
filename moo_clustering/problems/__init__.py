"""pymoo problems with partitions or sample graphs as individuals.

:class:`PartitionProblem` combines any encoding, validity indices and constraints; subclass it to define a new
problem. The others come from papers or require special evaluation. All problems score whole populations.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
