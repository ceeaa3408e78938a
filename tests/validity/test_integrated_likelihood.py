"""The integrated classification likelihood: worked numbers, naive re-derivations, moves, all partitions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import betaln, gammaln, multigammaln

from moo_clustering import validity
from moo_clustering.validity import IntegratedClassificationLikelihood as ICL
from moo_clustering.validity.likelihood import kernels

N = 12
LABELS = np.array([0, 1, 2, 0, 1, 1, 2, 0, 0, 1, 2, 2])


def draw(kind, n=N, seed=0):
    """Data for a model by name."""
    rng = np.random.default_rng(seed)
    if kind in ("gaussian", "diagonal"):
        return rng.normal(size=(n, 3)) * [1.0, 10.0, 0.1] + [5.0, -3.0, 0.0]
    if kind == "categories":
        return rng.integers(0, [2, 3, 4], (n, 3)).astype(float)
    if kind == "counts":
        return rng.poisson(2.0, (n, 4)).astype(float)
    if kind == "auto":
        return np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 2, (n, 2)) * 0.7])
    S = (rng.random((n, n)) < 0.4).astype(float)
    np.fill_diagonal(S, 0.0)
    return S if kind == "directed" else np.triu(S, 1) + np.triu(S, 1).T


KINDS = ("gaussian", "diagonal", "categories", "counts", "auto", "sbm", "directed")
every_kind = pytest.mark.parametrize("kind", KINDS)


def fitted(kind, **options):
    return ICL("sbm" if kind == "directed" else kind).fit(draw(kind, **options))


def predicted_gaussian(X, members, diagonal):
    """Log marginal likelihood by the chain rule: Student t densities of one sample after another."""
    d, tau, mean, variances = X.shape[1], 0.01, X.mean(axis=0), X.var(axis=0, ddof=1)
    total = 0.0
    for place, i in enumerate(members):
        seen = X[members[:place]]
        kappa = tau + place
        center = (tau * mean + seen.sum(axis=0)) / kappa
        off = seen - (seen.mean(axis=0) if place else 0.0)
        shift = (seen.mean(axis=0) - mean) if place else np.zeros(d)
        spread = off.T @ off + tau * place / kappa * np.outer(shift, shift)
        if diagonal:
            shape = 1.0 + place / 2
            rate = 0.1 * variances + np.diag(spread) / 2
            scale = np.sqrt(rate * (kappa + 1) / (shape * kappa))
            total += stats.t.logpdf(X[i], 2 * shape, center, scale).sum()
        else:
            dof = d + place - d + 1
            matrix = (np.diag(0.1 * variances) + spread) * (kappa + 1) / (kappa * dof)
            total += stats.multivariate_t.logpdf(X[i], center, matrix, dof)
    return total


def predicted_categories(X, members):
    total = 0.0
    for j in range(X.shape[1]):
        m = len(np.unique(X[:, j]))
        for place, i in enumerate(members):
            total += math.log((1 + (X[members[:place], j] == X[i, j]).sum()) / (m + place))
    return total


def predicted_counts(X, members):
    total = 0.0
    for place, i in enumerate(members):
        alpha = 1 + X[members[:place]].sum(axis=0)
        total += stats.dirichlet_multinomial.logpmf(X[i].astype(int), alpha, int(X[i].sum()))
    return total


def naive(kind, X, labels):
    """Compute the index without any function of the package."""
    labels = np.asarray(labels)
    k, n = labels.max() + 1, len(labels)
    # Samples join one after another: proportional to one plus the size, over the number so far plus k.
    total = sum(math.log((1 + (labels[:i] == labels[i]).sum()) / (k + i)) for i in range(n))
    if kind in ("sbm", "directed"):
        for g in range(k):
            for h in range(k):
                pairs = [
                    (i, j)
                    for i in range(n)
                    for j in range(n)
                    if labels[i] == g
                    and labels[j] == h
                    and (i != j if kind == "directed" else i < j or g != h)
                ]
                if kind == "sbm" and h < g:
                    continue
                ones = sum(X[i, j] for i, j in pairs)
                total += betaln(1 + ones, 1 + len(pairs) - ones)
        return total
    for c in range(k):
        members = np.flatnonzero(labels == c)
        if kind in ("gaussian", "diagonal"):
            total += predicted_gaussian(X, members, kind == "diagonal")
        elif kind == "categories":
            total += predicted_categories(X, members)
        elif kind == "counts":
            total += predicted_counts(X, members)
        else:
            total += predicted_gaussian(X[:, :2], members, False) + predicted_categories(X[:, 2:], members)
    return total


def partitions(n):
    """All partitions of n samples, numbered by first sample."""
    rows = [[0]]
    for _ in range(n - 1):
        rows = [[*row, c] for row in rows for c in range(max(row) + 2)]
    return np.array(rows)


@every_kind
def test_equals_the_chain_rule(kind):
    X, population = draw(kind), np.array([LABELS, np.arange(N) % 2, np.zeros(N, int), np.arange(N)])
    expected = [naive(kind, X, row) for row in population]
    np.testing.assert_allclose(fitted(kind).evaluate(population), expected, rtol=0, atol=1e-9)


def in_closed_form(model, X, labels, alpha):
    """The index by the closed forms of the marginal likelihoods, with the priors of the model."""
    sizes = np.bincount(labels)
    k, n = len(sizes), len(labels)
    total = gammaln(k * alpha) - gammaln(n + k * alpha) + (gammaln(sizes + alpha) - gammaln(alpha)).sum()
    for c, size in enumerate(sizes):
        some = X[labels == c]
        if isinstance(model, validity.LatentClassModel):
            for column, values in zip(some.T, X.T, strict=True):
                each, b = [(column == value).sum() for value in np.unique(values)], model.beta
                total += gammaln(b * len(each)) - gammaln(b * len(each) + size)
                total += sum(gammaln(b + count) - gammaln(b) for count in each)
        elif isinstance(model, validity.MultinomialModel):
            sums, b, d = some.sum(axis=0), model.beta, X.shape[1]
            total += gammaln(b * d) - gammaln(b * d + sums.sum()) + (gammaln(b + sums) - gammaln(b)).sum()
            total += gammaln(some.sum(axis=1) + 1).sum() - gammaln(some + 1).sum()
        else:
            d, tau, mean = X.shape[1], model.tau, X.mean(axis=0)
            prior = np.diag(model.scale * X.var(axis=0, ddof=1))
            off, shift = some - some.mean(axis=0), some.mean(axis=0) - mean
            spread = off.T @ off + tau * size / (tau + size) * np.outer(shift, shift)
            total += d / 2 * math.log(tau / (tau + size))
            if model.covariance == "full":
                dof, after = model.dof, model.dof + size
                total += (
                    multigammaln(after / 2, d) - multigammaln(dof / 2, d) - size * d / 2 * math.log(math.pi)
                )
                total += (
                    dof / 2 * np.linalg.slogdet(prior)[1] - after / 2 * np.linalg.slogdet(prior + spread)[1]
                )
            else:
                shape, rates = model.dof, np.diag(prior)
                total += d * (gammaln(shape + size / 2) - gammaln(shape)) - size * d / 2 * math.log(
                    2 * math.pi
                )
                ends = rates + np.diag(spread) / 2
                total += (shape * np.log(rates) - (shape + size / 2) * np.log(ends)).sum()
    return total


@pytest.mark.parametrize(
    ("kind", "model"),
    [
        ("gaussian", validity.GaussianModel(tau=0.3, dof=4.5, scale=2.0)),
        ("diagonal", validity.GaussianModel("diagonal", tau=2.0, dof=3.0, scale=0.7)),
        ("categories", validity.LatentClassModel(beta=0.4)),
        ("counts", validity.MultinomialModel(beta=2.5)),
    ],
)
@pytest.mark.parametrize("alpha", [1.0, 0.2])
def test_priors(kind, model, alpha):
    X, population = draw(kind), np.array([LABELS, np.arange(N) % 2, np.zeros(N, int)])
    expected = [in_closed_form(model, X, row, alpha) for row in population]
    index = ICL(model, alpha=alpha).fit(X)
    np.testing.assert_allclose(index.evaluate(population), expected, rtol=0, atol=1e-9)
    # Moves use the same priors.
    moved = index.swap(LABELS, random_state=0)
    assert index.evaluate(moved[None])[0] >= expected[0] - 1e-9


def test_worked_numbers():
    # Categories 0, 0, 1. One cluster: categories 1/2 * 2/3 * 1/4 = 1/12, proportions 1. Two clusters {0, 0},
    # {1}: proportions 1/2 * 2/3 * 1/4, categories 1/2 * 2/3 * 1/2.
    index = ICL("categories").fit([[0], [0], [1]])
    expected = np.log([1 / 12, 1 / 12 / 6])
    np.testing.assert_allclose(index.evaluate([[0, 0, 0], [0, 0, 1]]), expected, rtol=1e-14)
    # Counts (2, 0) and (0, 2): 1/3 each alone; together 1/3, then (0, 2) given (3, 1): 1 * 2 / (4 * 5).
    index = ICL("counts").fit([[2, 0], [0, 2]])
    expected = np.log([1 / 30, 1 / 9 * 1 / 2 * 1 / 3])
    np.testing.assert_allclose(index.evaluate([[0, 0], [0, 1]]), expected, rtol=1e-14)
    # A path of three nodes: 2 of 3 pairs linked, B(3, 2); ends and middle: 0 of 1, 2 of 2.
    index = ICL("sbm").fit([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    expected = np.log([1 / 12, 1 / 6 * 1 / 2 * 1 / 3 * 2 / 4])
    np.testing.assert_allclose(index.evaluate([[0, 0, 0], [0, 1, 0]]), expected, rtol=1e-14)
    # One Gaussian column -1, 1: variance 2, prior mean 0, gamma(1, 0.2), tau 1: together rate 0.2 + 1.
    index = ICL(validity.GaussianModel("diagonal", tau=1.0)).fit([[-1.0], [1.0]])
    together = -math.log(2 * math.pi) + 0.5 * math.log(1 / 3) + math.log(0.2) - 2 * math.log(1.2)
    alone = -0.5 * math.log(2 * math.pi) + 0.5 * math.log(1 / 2) + math.log(0.2) - 1.5 * math.log(0.45)
    alone += gammaln(1.5)
    expected = [together, 2 * alone + math.log(1 / 6)]
    np.testing.assert_allclose(index.evaluate([[0, 0], [0, 1]]), expected, rtol=1e-13)


@every_kind
def test_deltas_are_differences_of_values(kind):
    index, rng = fitted(kind), np.random.default_rng(1)
    levels, icl = index.merge(LABELS)
    assert [row.max() + 1 for row in levels] == [3, 2, 1]
    np.testing.assert_allclose(icl, index.evaluate(levels), rtol=0, atol=1e-9)
    merged = [
        np.unique(np.where(h == LABELS, g, LABELS), return_inverse=True)[1]
        for h in range(3)
        for g in range(h)
    ]
    assert icl[1] == pytest.approx(index.evaluate(merged).max(), abs=1e-9)
    for keep in (False, True):
        for start in (LABELS, np.arange(N), rng.integers(0, 2, N)):
            labels = np.unique(start, return_inverse=True)[1].astype(np.int32)
            before = index.evaluate(labels)[0]
            times = np.full(N, -1), np.zeros(labels.max() + 1, dtype=np.int64)
            gain = index._terms.sweep(labels, rng.permutation(N), 1.0, keep, times)
            after = np.unique(labels, return_inverse=True)[1]
            assert gain == pytest.approx(index.evaluate(after)[0] - before, abs=1e-9)


@every_kind
def test_no_move_improves_the_result_of_swaps(kind):
    index = fitted(kind)
    labels = index.swap(np.arange(N) % 4, random_state=0)
    best, k = index.evaluate(labels)[0], labels.max() + 1
    for i in range(N):
        for c in range(k):
            moved = labels.copy()
            moved[i] = c
            assert index.evaluate(np.unique(moved, return_inverse=True)[1])[0] <= best + 1e-8
    assert index.swap(np.arange(N) % 4, keep=True, random_state=0).max() == 3


@every_kind
def test_siblings_only(kind):
    index = fitted(kind)
    labels = np.arange(N) % 4
    levels, _ = index.merge(labels, siblings=[[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    np.testing.assert_array_equal(levels[-1], labels // 2)
    with pytest.raises(
        ValueError, match=r"siblings must have shape \(4, 4\) for 4 clusters, got shape \(2, 2\)"
    ):
        index.merge(labels, siblings=np.ones((2, 2)))


@every_kind
def test_best_of_all_partitions(kind):
    index, every = fitted(kind, n=7), partitions(7)
    assert len(every) == 877
    values = index.evaluate(every)
    expected = [naive(kind, draw(kind, n=7), row) for row in every[::9]]
    np.testing.assert_allclose(values[::9], expected, rtol=0, atol=1e-9)
    best = every[values.argmax()]
    # Greedy moves do not leave the best partition, and reach it from some other partition.
    np.testing.assert_array_equal(index.swap(best, random_state=0), best)
    found = [index.swap(start, random_state=0) for start in every[:: 877 // 30]]
    assert index.evaluate(found).max() == pytest.approx(values.max(), abs=1e-9)


@every_kind
@given(st.randoms(use_true_random=False), st.permutations(range(N)), st.permutations(range(3)))
@settings(max_examples=15, deadline=None)
def test_order_and_names_do_not_matter(kind, random, order, names):
    labels = np.array([0, 1, 2] + [random.randrange(3) for _ in range(N - 3)])
    X = draw(kind, seed=random.randrange(100))
    moved = X[np.ix_(order, order)] if kind in ("sbm", "directed") else X[order]
    model = "sbm" if kind == "directed" else kind
    value = ICL(model).fit(X).evaluate(labels)
    np.testing.assert_allclose(
        ICL(model).fit(moved).evaluate(np.array(names)[labels][order]), value, rtol=1e-10
    )


def test_kernels_equal_their_python_functions():
    for kind in KINDS:
        index = fitted(kind)
        names = (
            ("move_nodes", "merge_nodes") if kind in ("sbm", "directed") else ("sum_clusters", "move_samples")
        )
        terms = index._terms
        state = terms._state(LABELS.astype(np.int32))
        labels = [LABELS.astype(np.int32) for _ in range(2)]
        states = [[part.copy() for part in state] for _ in range(2)]
        for function, own, parts in zip((lambda f: f, lambda f: f.py_func), labels, states, strict=True):
            kernel = function(getattr(kernels, "move_nodes" if "move_nodes" in names else "move_samples"))
            if "move_nodes" in names:
                kernel(*terms._links, np.arange(N), own, *parts, 1.0, False, *terms._prior)
            else:
                times = np.full(N, -1), np.zeros(3, dtype=np.int64)
                kernel(terms._X, np.arange(N), own, *parts, 1.0, False, times, *terms._model)
        np.testing.assert_array_equal(*labels)
        for one, other in zip(*states, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"categorical": [True, False, True]}, TypeError, "categorical must be integers, got True"),
        ({"categorical": 1}, ValueError, "categorical must have 1 dimension, got an"),
        ({"categorical": [0, 7]}, ValueError, "categorical must contain indices from 0 to 2, got 7"),
        ({"numbers": validity.LatentClassModel()}, TypeError, "numbers must be a GaussianModel, got Latent"),
        ({"categories": "counts"}, TypeError, "categories must be a LatentClassModel, got 'counts'"),
    ],
    ids=["mask", "one", "beyond", "numbers", "categories"],
)
def test_wrong_parts_of_a_mixed_model(options, error, message):
    with pytest.raises(error, match=message):
        ICL(validity.MixedModel(**options)).fit(draw("categories"))


def test_new_samples_have_the_columns_of_the_fit():
    for kind in ("gaussian", "categories", "counts", "auto"):
        X, index = draw(kind), fitted(kind)
        for wrong in (X[:, 1:], np.column_stack([X, X])):
            with pytest.raises(ValueError, match=f"columns, but the index was fitted to {X.shape[1]}"):
                index.log_predictive(LABELS, wrong)
    with pytest.raises(ValueError, match="directed must be one of None, True, False, got 'yes'"):
        ICL(validity.StochasticBlockModel(directed="yes")).fit(draw("sbm"))
