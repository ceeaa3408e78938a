from .partition import QuestionPool as QuestionPool
from .session import AnswerSession as AnswerSession
from .session import SessionFileError as SessionFileError
from .simulation import Question as Question
from .simulation import simulate as simulate
