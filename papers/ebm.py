"""The clinical questions of the evidence-based medicine corpus, each a small clustering task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.datasets.documents import Documents, read_documents
from moo_clustering.datasets.files import DataError
from papers.runner import DATA_VARIABLE, folder_of_data

_QUESTIONS, _DOCUMENTS = "ebm_questions.jsonl.gz", "ebm_documents.jsonl.gz"


@dataclass(frozen=True, eq=False)
class EBMQuestion:
    """A question; the classes of its documents are the answers that cite them."""

    id: str
    text: str  # text of the question
    # shape (n_documents,): rows of its documents in the collection: the union of the references of its
    # answers, in the order of their first citation
    rows: NDArray[np.int64]
    # answers that cite each document (the known classes), in their order; often more than one
    answers: list[tuple[str, ...]]

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self.rows)

    @property
    def n_answers(self) -> int:
        """Number of answers that cite a document, which is the target number of clusters."""
        return len({answer for answers in self.answers for answer in answers})


@dataclass(frozen=True, eq=False)
class EBMCorpus:
    """The evidence-based medicine corpus."""

    documents: Documents  # the whole collection (titles and abstracts), to which term weights are fitted
    questions: list[EBMQuestion]

    def usable(self, min_documents: int = 4) -> list[EBMQuestion]:
        """Return the questions with at least this many documents; the protocol skips all others."""
        return [question for question in self.questions if question.n_documents >= min_documents]


def load_ebm(folder: str | PathLike[str] | None = None) -> EBMCorpus:
    """Read the evidence-based medicine corpus from a data folder.

    Raises a DataError if there is no such folder, or the files are invalid. Source: Molla and Santiago-
    Martinez (2011), *Development of a corpus for evidence based medicine summarisation*; NSGA-II-clus.

    Parameters
    ----------
    folder : path-like, optional
        Folder that contains ``ebm_questions.jsonl.gz`` and ``ebm_documents.jsonl.gz``, directly or in its
        subfolder ``text``. Default: the folder in the environment variable ``MOO_CLUSTERING_DATA``.

    Returns
    -------
    EBMCorpus
    """
    # Lazy import: reading JSON lines imports pandas, which `--help` does not need.
    from moo_clustering.datasets.documents import json_objects

    found = _find(folder)
    documents = read_documents(found / _DOCUMENTS, labels="labels")
    row_of = {str(name): row for row, name in enumerate(documents.row_ids)}
    path = found / _QUESTIONS
    try:
        questions = [_question(record, row_of, f"{path}, line {line}") for line, record in json_objects(path)]
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    return EBMCorpus(documents, questions)


def _find(folder: str | PathLike[str] | None) -> Path:
    given = folder_of_data(folder)
    if not given:
        raise DataError(f"load_ebm requires the folder of the corpus: pass it, or set {DATA_VARIABLE}")
    for place in (given, given / "text"):
        if (place / _QUESTIONS).is_file() and (place / _DOCUMENTS).is_file():
            return place
    raise DataError(f"there is no {_QUESTIONS} with {_DOCUMENTS} in {given} or its subfolder text")


def _question(record: Mapping[str, Any], row_of: Mapping[str, int], where: str) -> EBMQuestion:
    gold: dict[str, dict[str, None]] = {}
    try:
        for answer in record["answers"]:
            for document in answer["docs"]:
                gold.setdefault(str(document), {})[str(answer["id"])] = None
        identifier, text = str(record["id"]), str(record["question"])
    except (KeyError, TypeError) as error:
        raise DataError(f"{where} is not a question with answers and their documents") from error
    unknown = [document for document in gold if document not in row_of]
    if unknown:
        raise DataError(f"{where} refers to the document {unknown[0]!r}, which {_DOCUMENTS} does not contain")
    rows = np.array([row_of[document] for document in gold], dtype=np.int64)
    return EBMQuestion(identifier, text, rows, [tuple(answers) for answers in gold.values()])
