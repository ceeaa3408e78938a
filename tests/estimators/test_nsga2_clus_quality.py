"""What constraints as an objective are worth, on samples that occur in none of them."""

import gzip
import json

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from moo_clustering import NSGA2Clus
from moo_clustering.datasets import read_documents, tfidf
from moo_clustering.problems import MedoidProblem

SEEDS = range(8)


def partial(y, fraction, rng):
    known = np.full(len(y), -1)
    drawn = rng.choice(len(y), max(2, round(fraction * len(y))), replace=False)
    known[drawn] = y[drawn]
    return known


def margins(X, y, metric):
    """Adjusted Rand index of objective + repair minus that of External, on unlabelled samples."""
    found = []
    for seed in SEEDS:
        known = partial(y, 0.1, np.random.default_rng(seed))
        free = known < 0
        models = (
            NSGA2Clus(metric=metric, random_state=seed),
            NSGA2Clus(metric=metric, random_state=seed, supervision="external", post_repair=False),
        )
        scores = [adjusted_rand_score(y[free], model.fit_predict(X, known)[free]) for model in models]
        found.append(scores[0] - scores[1])
    return np.array(found)


@pytest.mark.slow
def test_digits():
    X, y = load_digits(return_X_y=True)
    rows = np.random.default_rng(0).permutation(np.flatnonzero(y < 5))[:300]
    assert margins(X[rows], y[rows], "euclidean").mean() >= 0.03


def newsgroups(folder, n_groups=3, size=100):
    texts = {}
    with gzip.open(folder / "text" / "20news_bydate.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            texts.setdefault(record["id"].split("/")[0], []).append(record["title"] + "\n" + record["text"])
    groups = sorted(texts)[::7][:n_groups]
    y = np.repeat(np.arange(n_groups), size)
    return [text for group in groups for text in texts[group][:size]], y


@pytest.mark.slow
def test_newsgroups(data_folder):
    texts, y = newsgroups(data_folder)
    order = np.random.default_rng(0).permutation(len(y))
    X = tfidf([texts[i] for i in order], min_df=3, max_df=0.5)[0]
    assert margins(X, y[order], "cosine").mean() >= 0.10


@pytest.mark.filterwarnings("ignore:.*no terms")
def test_vector_and_matrix_medoids_agree_on_real_documents(data_folder):
    documents = read_documents(data_folder / "text" / "ebm_documents.jsonl.gz")
    empty = [i for i, text in enumerate(documents.texts) if not text.strip()][:5]
    rows = [*range(300), *range(40), *empty]
    X = tfidf([documents.texts[i] for i in rows])[0]
    assert (np.diff(X.indptr) == 0).any()
    matrix, vector = (MedoidProblem(X, k_max=12, form=form) for form in ("matrix", "vector"))
    population = matrix.encoding.random(60, np.random.default_rng(0))
    here, there = (problem.evaluate(population, return_as_dictionary=True) for problem in (matrix, vector))
    np.testing.assert_array_equal(here["X"], there["X"])
    np.testing.assert_array_equal(matrix.decode(here["X"]), vector.decode(there["X"]))
    np.testing.assert_allclose(here["F"], there["F"], rtol=1e-6)
