"""Stems of documents."""

import copy
import pickle
import sys
from collections import Counter

import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

from moo_clustering.features import StemmingAnalyzer

snowballstemmer = pytest.importorskip("snowballstemmer")


def with_ancestors(headings):
    return [*headings, *(["Organs"] if "Heart" in headings else [])]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Heart-failure", ["heart", "failure"]),
        ("B12 p53 IL-2, il2x", ["il", "il"]),
        ("don't naïve", ["don", "na", "ve"]),
        ("", []),
        ("a b 1 22", []),
    ],
)
def test_words_are_runs_of_letters(text, words):
    assert StemmingAnalyzer(stemmer=None, stop_words=None)(text) == words


def test_stems():
    # From the paper that describes the stemmer.
    examples = {
        "caresses": "caress",
        "ponies": "poni",
        "relational": "relat",
        "hopping": "hop",
        "happy": "happi",
    }
    assert StemmingAnalyzer()(" ".join(examples)) == list(examples.values())
    assert StemmingAnalyzer()("generously skies") == ["gener", "ski"]
    assert StemmingAnalyzer(stemmer="english")("generously skies") == ["generous", "sky"]
    assert StemmingAnalyzer(stemmer=None)("Ponies hopping") == ["ponies", "hopping"]


def test_stop_words_are_dropped_before_stemming():
    # "be" is a stop word and "beings" is not; "very" is one and its stem "veri" is not.
    assert StemmingAnalyzer()("The beings are very") == ["be"]
    assert StemmingAnalyzer(stop_words=None)("the beings") == ["the", "be"]
    assert StemmingAnalyzer(stop_words=["Heart", "BEINGS"])("the heart beings") == ["the"]
    assert StemmingAnalyzer(stop_words=(word for word in ["the"]))("the the end") == ["end"]


def test_each_word_is_stemmed_once(monkeypatch):
    seen = Counter()

    class Counting:
        def stemWord(self, word):
            seen[word] += 1
            return word[:3]

    monkeypatch.setattr(snowballstemmer, "stemmer", lambda name: Counting())
    analyzer = StemmingAnalyzer()
    for _ in range(3):
        assert analyzer("hearts the hearts fail") == ["hea", "hea", "fai"]
    assert seen == {"hearts": 1, "fail": 1}


def test_fields_are_joined_by_blanks():
    analyzer = StemmingAnalyzer(stemmer=None)
    document = {"headings": ["Heart", "Heart Failure"], "abstract": "of lung", "title": "kidney", "id": 3}
    assert analyzer(document) == ["kidney", "lung", "heart", "heart", "failure"]
    assert analyzer({"title": None, "text": "liver", "headings": None}) == ["liver"]
    assert analyzer({"headings": ()}) == []


def test_headings_are_expanded():
    calls = []

    def expand(headings):
        calls.append(headings)
        return (heading for heading in with_ancestors(headings))

    analyzer = StemmingAnalyzer(stemmer=None, expand_terms=expand)
    assert analyzer({"title": "x-ray", "headings": ("Heart",)}) == ["ray", "heart", "organs"]
    assert analyzer({"title": "Heart"}) == analyzer("Heart") == ["heart"]
    assert calls == [["Heart"]]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda analyzer: pickle.loads(pickle.dumps(analyzer))])
def test_copies(copied):
    analyzer = StemmingAnalyzer(stemmer="english", stop_words=["the"], expand_terms=with_ancestors)
    document = {"title": "the skies is", "headings": ["Heart"]}
    expected = analyzer(document)
    twin = copied(analyzer)
    assert twin(document) == expected == ["sky", "is", "heart", "organ"]
    assert (twin.stemmer, twin.stop_words) == ("english", frozenset({"the"}))


def test_pickles_without_the_words_it_knows():
    analyzer = StemmingAnalyzer()
    size = len(pickle.dumps(analyzer))
    analyzer("pneumonoultramicroscopicsilicovolcanoconiosis")
    assert len(pickle.dumps(analyzer)) == size


def test_in_a_count_vectorizer():
    vectorizer = clone(CountVectorizer(analyzer=StemmingAnalyzer()))
    counts = vectorizer.fit_transform(["Failing hearts", {"title": "hearts", "text": "the heart"}])
    assert vectorizer.get_feature_names_out().tolist() == ["fail", "heart"]
    assert counts.toarray().tolist() == [[1, 1], [0, 2]]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"stemmer": "lancaster"},
            ValueError,
            "stemmer must be one of 'porter', 'english', None, got 'lancaster'",
        ),
        ({"stop_words": "german"}, ValueError, "stop_words must be 'english', a list"),
        ({"stop_words": ["the", 3]}, TypeError, "stop_words must be"),
        ({"expand_terms": ["Heart"]}, TypeError, "expand_terms must be callable"),
    ],
)
def test_refuses_options(options, error, message):
    with pytest.raises(error, match=message):
        StemmingAnalyzer(**options)


@pytest.mark.parametrize(
    ("document", "error", "message"),
    [
        (3.5, TypeError, "a document must be a string or a mapping of fields, got 3.5"),
        ({"Title": "x"}, ValueError, "a document must have at least one field title, .* got 'Title'"),
        ({}, ValueError, "got no fields"),
        ({"title": 3}, TypeError, "field title of a document must be a string, got 3"),
        ({"headings": "Heart"}, TypeError, "field headings of a document must be a sequence of strings"),
        ({"headings": [3]}, TypeError, "field headings of a document must be a sequence of strings"),
        (
            {"headings": float("nan")},
            TypeError,
            "field headings of a document must be a sequence of strings",
        ),
    ],
)
def test_refuses_documents(document, error, message):
    with pytest.raises(error, match=message):
        StemmingAnalyzer()(document)


def test_refuses_a_bad_expansion():
    analyzer = StemmingAnalyzer(expand_terms=lambda headings: headings[0])
    with pytest.raises(
        TypeError, match="the result of expand_terms must be a sequence of strings, got 'Heart'"
    ):
        analyzer({"headings": ["Heart"]})


def test_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(
        ImportError, match=r"stemmer='porter' requires snowballstemmer.*pip install 'moo_clustering\[text\]'"
    ):
        StemmingAnalyzer()
    assert StemmingAnalyzer(stemmer=None)("failing hearts") == ["failing", "hearts"]
