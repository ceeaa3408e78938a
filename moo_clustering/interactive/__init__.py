"""Interactive clustering: improve a partition by answering a few questions about samples.

An :class:`AnswerSession` asks which samples belong together, and updates the partition of a
:class:`~moo_clustering.ParetoClustering` fit after each answer. :func:`simulate` answers from known classes.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
