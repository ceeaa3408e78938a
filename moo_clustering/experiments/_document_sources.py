"""Where collections of documents come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Source(NamedTuple):
    """A file of JSON lines with ``title``, ``text``, ``labels`` and, in some, ``mesh``."""

    file: str
    stand_in_for: str
    sizes: tuple[int, int] | None = None
    topic_of: Callable[[str], str] = str
    heading_of: Callable[[str], str] = str


def _question(label: str) -> str:
    return label.split("/")[0]


def _main_heading(heading: str) -> str:
    # "LUNG: ra, pa" is a heading with codes of its qualifiers.
    return heading.split(":")[0]


_GENOMICS = "the relevance judgements of TREC Genomics 2004"
SOURCES = {
    "drug-reviews": Source(
        "drug_reviews.jsonl.gz",
        f"{_GENOMICS}: MEDLINE records with headings that experts included in reviews of drugs",
    ),
    "ebm-questions": Source(
        "ebm_documents.jsonl.gz",
        f"{_GENOMICS}: MEDLINE records with headings that answer clinical questions, 10 to 16 a question",
        topic_of=_question,
    ),
    "cystic-fibrosis": Source(
        "cystic_fibrosis.jsonl.gz",
        f"{_GENOMICS}: MEDLINE records with headings, relevant to one query; topics of one disease",
        heading_of=_main_heading,
    ),
    "ohsumed": Source(
        "ohsumed_single23.jsonl.gz",
        f"{_GENOMICS}: MEDLINE abstracts without headings, by groups of diseases",
        sizes=(250, 250),
    ),
    "20news": Source(
        "20news_bydate.jsonl.gz",
        f"{_GENOMICS}: posts to newsgroups, classes of random size; not biomedical",
        sizes=(20, 250),
    ),
    "reuters": Source(
        "reuters21578.jsonl.gz",
        f"{_GENOMICS}: news by their topics, classes of random size; not biomedical",
        sizes=(20, 250),
    ),
    "asrs": Source(
        "asrs_raw_text.jsonl.gz",
        f"{_GENOMICS}: reports on the safety of flights, by kinds of trouble; not biomedical",
    ),
}
