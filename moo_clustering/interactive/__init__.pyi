from .partition import QuestionPool as QuestionPool
from .rivals import COBRAS as COBRAS
from .session import AnswerSession as AnswerSession
from .session import Question as Question
from .session import SessionFileError as SessionFileError
from .session import simulate as simulate
