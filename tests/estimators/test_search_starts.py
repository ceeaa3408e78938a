"""Every estimator with a search starts from known partitions, or raises an error with the reason."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone

from moo_clustering import estimators as public
from moo_clustering.encodings import relabel_by_first_appearance as numbered
from moo_clustering.estimators._options import SearchOptions

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], 10, axis=0)
BAGS = [x + 0.3 * RNG.normal(size=(3, 2)) for x in X]
TRUTH = np.repeat([0, 1, 2], 10)
FEW = {"pop_size": 8, "n_gen": 0, "random_state": 0}
MEDOIDS = {"metric": "euclidean", "k_max": 5}
MODELS = {
    "AMOSAClus": (public.AMOSAClus(**MEDOIDS, random_state=0), X),
    "NSGA2Clus": (public.NSGA2Clus(search="evolve", **MEDOIDS, **FEW), X),
    "NSGA2Clus deap": (public.NSGA2Clus(search="evolve", engine="deap", **MEDOIDS, **FEW), X),
    "MOCK": (public.MOCK(pop_size=8, n_gen=1, random_state=0), X),
    "FuzzyModesMOGA": (public.FuzzyModesMOGA(4, metric="euclidean", **FEW), X),
    "NSGA2SISC": (public.NSGA2SISC(3, **FEW), np.abs(X)),
    "CHCMIC": (public.CHCMIC(3, **FEW), BAGS),
    "MemeticCHCMIC": (public.MemeticCHCMIC(3, **FEW), BAGS),
    "MIFGKA": (public.MIFGKA(3, **FEW), BAGS),
    "MIGCUK": (public.MIGCUK(3, **FEW), BAGS),
    "MIGKA": (public.MIGKA(3, **FEW), BAGS),
    "MemeticKMeans": (
        public.MemeticKMeans(3, max_distance_evaluations=1, strategy="multistart", random_state=0),
        X,
    ),
    "ParetoBagClustering": (public.ParetoBagClustering(n_gen=1, pop_size=8, random_state=0), BAGS),
    "ParetoClustering": (public.ParetoClustering(n_gen=1, pop_size=8, random_state=0), X),
    "ParetoClustering deap": (
        public.ParetoClustering(n_gen=1, pop_size=8, engine="deap", random_state=0),
        X,
    ),
}
MODELS["ICLClustering"] = public.ICLClustering(pop_size=1, n_gen=0, random_state=0), X
GRAPHS = {
    "PESC": public.PESC(3, pop_size=8, n_gen=2, random_state=0),
    "PESC deap": public.PESC(3, pop_size=8, n_gen=2, engine="deap", random_state=0),
    "SRMOSC": public.SRMOSC(3, search="nsga2", pop_size=8, n_gen=2, random_state=0),
}


def first_population(model, data):
    """Partitions of generation 0."""
    if not hasattr(model, "search_for"):
        return model.fit(data).labels_[None]
    search = model.search_for(data)
    search.start()
    if hasattr(search, "algorithm"):
        genes, decode = search.algorithm.pop.get("X"), search.algorithm.problem.decode
    else:
        genes, decode = np.stack([np.asarray(one) for one in search.population]), None
    if decode is None and genes.shape[1] < len(data):
        centers = [np.linalg.norm(X[:, None] - X[row[row >= 0].astype(int)], axis=2) for row in genes]
        return numbered(np.stack([distances.argmin(axis=1) for distances in centers]))
    return numbered(genes.astype(int) if decode is None else decode(genes))


def test_every_search_is_covered():
    kinds = {
        name
        for name, one in inspect.getmembers(public, inspect.isclass)
        if issubclass(one, SearchOptions) or "n_gen" in inspect.signature(one).parameters
    }
    covered = {name.removesuffix(" deap") for name in (*MODELS, *GRAPHS)}
    assert kinds == covered | {"Regions"}
    # Regions accepts an earlier division in ``fit``, like other data, so it has no parameter ``start``.
    assert "start" not in public.Regions(3).get_params()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_the_first_population_contains_the_start(name):
    model, data = MODELS[name]
    # Odd labels in another order, which no method numbers like this.
    started = clone(model).set_params(start=(7 - 2 * TRUTH).tolist())
    assert (first_population(started, data) == TRUTH).all(axis=1).any()
    with pytest.raises(ValueError, match=r"start must contain partitions of 30 samples, got shape \(1, 29\)"):
        clone(model).set_params(start=TRUTH[:-1]).fit(data)
    if hasattr(model, "k_max") or (hasattr(model, "n_gen") and model.n_gen == 0):
        with pytest.raises(ValueError, match="start has 30 clusters, but the encoding supports at most"):
            clone(model).set_params(start=np.arange(30)).fit(data)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", GRAPHS)
def test_searches_for_graphs_start_from_partitions_or_continue_earlier_populations(name):
    model = GRAPHS[name]
    other = public.MOCK(3, pop_size=8, n_gen=1, random_state=0).fit(X)
    for start in (7 - 2 * TRUTH, other):
        search = clone(model).set_params(start=start).search_for(X)
        search.start()
        given = search.algorithm.pop.get("X") if hasattr(search, "algorithm") else search.population
        plain = search if hasattr(search, "problem") else clone(GRAPHS["PESC"]).search_for(X)
        labels = plain.problem.decode(np.stack([np.asarray(one) for one in given]))
        assert (numbered(labels) == TRUTH).all(axis=1).any()
    earlier = clone(model).fit(X)
    again = clone(model).set_params(start=earlier).search_for(X)
    again.start()
    first = again.algorithm.pop.get("X") if hasattr(again, "algorithm") else np.stack(again.population)
    pop, front = earlier.result_.pop, earlier.result_.X
    genes = front if pop is None else pop.get("X")
    assert (genes[:, None] == first).all(axis=2).any(axis=1).all()
    with pytest.raises(ValueError, match="start must contain partitions of 20 samples"):
        clone(model).set_params(start=earlier).fit(X[:20])


def test_fitted_weights_beyond_the_bounds_continue():
    data = np.random.default_rng(0).normal(size=(180, 8))[-30:]
    model = clone(GRAPHS["SRMOSC"]).set_params(scale="standard").fit(data)
    model.result_.pop[0].X = model.result_.pop[0].X + 2 * model.result_.problem.xu.max()
    assert clone(model).set_params(start=model).fit(data).n_clusters_ == 3


def test_a_front_without_a_search_cannot_start():
    with pytest.raises(ValueError, match='start, checkpoint and resume require search="nsga2"'):
        public.SRMOSC(3, start=TRUTH).fit(X)


def test_a_likelihood_search_begins_from_the_start():
    model, two = MODELS["ICLClustering"][0], np.minimum(TRUTH, 1)
    assert model.fit(X).n_clusters_ == 3
    # Merges and moves do not divide a cluster.
    np.testing.assert_array_equal(clone(model).set_params(start=two).fit(X).labels_, two)
    with pytest.raises(ValueError, match="start has 2 clusters, fewer than n_clusters=3"):
        clone(model).set_params(start=two, n_clusters=3).fit(X)


def test_genes_outside_the_bounds_are_refused():
    earlier = clone(GRAPHS["PESC"]).fit(X).result_
    earlier.pop.set("X", earlier.pop.get("X") + 30)
    with pytest.raises(ValueError, match="start has genes outside the bounds of the problem"):
        clone(GRAPHS["PESC"]).set_params(start=earlier).fit(X)


def test_a_fitted_estimator_is_a_start_also_in_clones():
    earlier = public.MOCK(pop_size=8, n_gen=1, random_state=0).fit(X)
    model = clone(public.NSGA2Clus(search="evolve", metric="euclidean", k_max=20, start=earlier, **FEW))
    assert model.start is earlier
    assert not [name for name in model.get_params() if name.startswith("start__")]
    with pytest.warns(UserWarning, match="can only approximate . of 10 partitions in start"):
        model.fit(X)
    with pytest.raises(ValueError, match="start must be fitted, but MOCK is not"):
        clone(model).set_params(start=public.MOCK()).fit(X)


def test_a_start_without_effect_is_refused():
    with pytest.raises(ValueError, match="start requires evolution; set n_gen"):
        public.ParetoClustering(start=TRUTH).fit(X)
    with pytest.raises(ValueError, match="start has 3 clusters, but n_clusters=4"):
        public.ParetoClustering(4, n_gen=1, start=TRUTH).fit(X)


def test_an_exhaustive_search_checks_its_start():
    with pytest.raises(ValueError, match="start has 3 clusters, but the encoding supports at most 2"):
        public.NSGA2Clus(metric="euclidean", k_max=2, start=TRUTH).fit(X)


def test_another_start_cannot_be_resumed(tmp_path):
    model = clone(MODELS["MOCK"][0]).set_params(checkpoint=tmp_path / "run", start=TRUTH)
    model.fit(X)
    clone(model).set_params(resume=True).fit(X)
    with pytest.raises(ValueError, match="data"):
        clone(model).set_params(resume=True, start=np.repeat([0, 1], 15)).fit(X)
