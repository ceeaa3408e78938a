"""Interactive clustering: a few answers about samples find the partition that no criterion can find.

An :class:`AnswerSession` asks which samples belong together and finds the partition again after every answer,
from the pool of a :class:`~moo_clustering.ParetoClustering` fit. Its rivals answer to the same protocol, so
that :func:`simulate` compares them.
"""

from moo_clustering.interactive.partition import QuestionPool
from moo_clustering.interactive.rivals import COBRAS
from moo_clustering.interactive.session import AnswerSession, Question, SessionFileError, simulate

__all__ = [
    "COBRAS",
    "AnswerSession",
    "Question",
    "QuestionPool",
    "SessionFileError",
    "simulate",
]
