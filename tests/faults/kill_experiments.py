"""Small data for the experiments that are killed, and less for them to do."""

import gzip
import json

import numpy as np
from scipy.sparse import csr_matrix, save_npz
from sklearn.datasets import make_blobs

from moo_clustering.datasets import make_bags
from papers import ensemble_nmf as _table2
from papers import flagship as _few_labels
from papers import flagship as flagship_cells
from papers import nsga2_clus as _runs
from papers import pesc as pesc_cells
from papers import sisc_ml as _splits
from papers import sisc_ml_tables as _plan
from papers.multi_instance import EFFORT as BAG_EFFORT
from papers.pesc import EFFORT as PESC_EFFORT
from papers.sisc_ml import OPTIONS

_TOPICS = ("heart valve pressure", "skin rash fungus", "lung asthma breath")


def write_questions(place):
    """Three questions with five or six documents each."""
    rng = np.random.default_rng(0)
    documents, questions = [], []
    for number, sizes in enumerate([(3, 3), (2, 2, 1), (2, 3)]):
        answers = []
        for answer, size in enumerate(sizes):
            names = [f"q{number}a{answer}d{i}" for i in range(size)]
            for name in names:
                words = [*rng.choice(_TOPICS[answer].split(), 6), *rng.choice(list("xyz"), 2)]
                documents.append({"id": name, "title": name, "text": " ".join(words), "labels": []})
            answers.append({"id": str(answer), "docs": names})
        questions.append({"id": str(number), "question": "Which?", "answers": answers})
    (place / "text").mkdir()
    for name, records in (("ebm_documents", documents), ("ebm_questions", questions)):
        with gzip.open(place / "text" / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)


def ease_questions():
    """Short searches."""
    _runs.N_GEN = 3
    _runs.ANNEALING["t_min"] = 50.0


def write_bags(place):
    """A set of a dozen bags."""
    (place / "mil").mkdir()
    made = make_bags(12, 2, bag_size=(1, 4), bag_std=6.0, random_state=0)
    arrays = {"instances": made.bags.instances, "bag_offsets": made.bags.offsets, "bag_labels": made.labels}
    np.savez(place / "mil" / "eastwest.npz", **arrays)


def ease_bags():
    """Short searches."""
    for size in BAG_EFFORT:
        BAG_EFFORT[size] = {"pop_size": 6, "n_gen": 2}


def write_tables(place):
    """A set of three blobs."""
    (place / "uci").mkdir()
    X, y = make_blobs(36, 3, centers=3, cluster_std=2.5, random_state=0)
    np.savez(place / "uci" / "wine.npz", X=X, y=y)


def ease_pesc():
    """Short searches, nothing compiled beforehand."""
    PESC_EFFORT.update({"pop_size": 6, "n_gen": 2, "long": 6, "evaluations": 60})
    pesc_cells.warm_up = lambda *key: None


def write_reviews(place):
    """Thirty reviews on three topics."""
    rng = np.random.default_rng(0)
    (place / "text").mkdir()
    with gzip.open(place / "text" / "drug_reviews.jsonl.gz", "wt") as file:
        for topic in _TOPICS * 10:
            words = {name: " ".join(rng.choice(topic.split(), 4)) for name in ("title", "text")}
            file.write(json.dumps(words | {"labels": [topic]}) + "\n")


def ease_runs():
    """Small ensembles."""
    _table2.N_RUNS = 6


def write_labelled(place):
    """Ninety documents with some of four labels, and words that go with them."""
    rng = np.random.default_rng(0)
    Y = (np.eye(4)[np.arange(90) % 4] + (rng.random((90, 4)) < 0.15) > 0).astype(np.uint8)
    chance = np.where(Y @ (rng.random((4, 40)) < 0.3) > 0, 0.7, 0.15)
    (place / "text").mkdir()
    save_npz(
        place / "text" / "asrs_tmc2007_500_X.npz",
        csr_matrix((rng.random((90, 40)) < chance).astype(np.uint8)),
    )
    np.savez(place / "text" / "asrs_tmc2007_500_Y.npz", Y=Y)


def ease_sisc():
    """Small models."""
    small = {
        "SISC": {"n_clusters": 6, "max_iter": 3},
        "SCAD2": {"n_clusters": 6, "max_iter": 3},
        "EntropyWeightedKMeans": {"n_clusters": 6},
        "SISCEnsemble": {"n_clusters": [4, 6], "n_estimators": 2},
        "SISCStacked": {"cv": 2, "weights": [0.0, 0.5]},
    }
    OPTIONS.update(small)
    _plan.N_FEATURES = _splits.N_FEATURES = 25


def write_plain(place):
    """A table of three blobs."""
    X, y = make_blobs(36, 3, centers=3, cluster_std=1.2, random_state=0)
    np.savez(place / "first.npz", X=X, y=y)


def ease_flagship():
    """Few labels once, nothing compiled beforehand."""
    flagship_cells.warm_up = lambda: None
    name = next(iter(_few_labels.FRACTIONS))
    _few_labels.FRACTIONS = {name: _few_labels.FRACTIONS[name]}
