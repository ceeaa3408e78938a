"""Interactive clustering: a few answers about samples find the partition that no criterion can find.

An :class:`AnswerSession` asks which samples belong together and finds the partition again after every answer,
from the pool of a :class:`~moo_clustering.ParetoClustering` fit. Its rivals answer to the same protocol, so
that :func:`simulate` compares them.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
