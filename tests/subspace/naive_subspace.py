"""A sweep as the formulas say it, by loops over clusters and dense arrays; arrays by feature are (m, k)."""

import numpy as np


def chi_table(present, w):
    """Chi-square of one feature and one cluster from the four cells of their table."""
    a, c = w[present].sum(), w[~present].sum()
    b, d = (1 - w)[present].sum(), (1 - w)[~present].sum()
    below = (a + c) * (b + d) * (a + b) * (c + d)
    return len(w) * (a * d - b * c) ** 2 / below if below > 1e-12 else 0.0


def impurity(shares, multilabel):
    """Gini index times entropy of one cluster."""
    gini = entropy = 0.0
    for p in shares:
        for part in (p, 1 - p) if multilabel else (p,):
            gini += part * (1 - part)
            entropy -= part * np.log(part) if part > 0 else 0.0
    return gini * entropy


def sweep(X, Y, labelled, W, multilabel, *, f=1.5, q=5.0, gamma=0.5, floor=1e-6, scale=None):
    """Dictionary of what a sweep finds; impurity relative to the mean, every feature must vary."""
    n, m = X.shape
    k = W.shape[1]
    whole = impurity(Y[labelled].mean(axis=0), multilabel) if labelled.any() else 0.0
    Z, lam, chi, d = (np.empty(shape) for shape in ((m, k), (m, k), (m, k), (n, k)))
    shares, imp = np.zeros((k, Y.shape[1])), np.zeros(k)
    for t in range(k):
        w, wf = W[:, t], W[:, t] ** f
        Z[:, t] = (wf[:, None] * X).sum(axis=0) / wf.sum()
        if labelled.any():
            shares[t] = (w[labelled, None] * Y[labelled]).sum(axis=0) / w[labelled].sum()
            imp[t] = impurity(shares[t], multilabel) / whole if whole > 0 else 0.0
        chi[:, t] = [chi_table(X[:, i] != 0, w) for i in range(m)]
        chi[:, t] *= 1.0 if scale is None else scale / n
        D = (wf[:, None] * (Z[:, t] - X) ** 2).sum(axis=0)
        M = np.maximum(D * (1 + imp[t]) + gamma * chi[:, t], floor)
        powers = (M / M.min()) ** (-1 / (q - 1))
        lam[:, t] = powers / powers.sum()
        d[:, t] = ((m * lam[:, t]) ** q * (Z[:, t] - X) ** 2).sum(axis=1)
    new = memberships(d * (1 + imp), f)
    terms = ((m * lam) ** q * chi).sum(axis=0)
    objective = (new**f * d * (1 + imp)).sum() + gamma * terms.sum()
    return {
        "centers": Z, "weights": lam, "shares": shares, "impurities": imp, "distances": d,
        "memberships": new, "chi_term": terms, "objective": objective, "chi": chi,
    }  # fmt: skip


def memberships(N, f):
    """Memberships of samples at N, one by one."""
    new = np.empty(N.shape)
    for j, row in enumerate(N):
        if (row == 0).any():
            new[j] = (row == 0) / (row == 0).sum()
        else:
            powers = (row / row.min()) ** (-1 / (f - 1))
            new[j] = powers / powers.sum()
    return new


def objective(X, W, Z, lam, imp, chi, *, f, q, gamma):
    """Equation (2) with m lambda for lambda."""
    m, k = Z.shape
    total = 0.0
    for t in range(k):
        g = (m * lam[:, t]) ** q
        squares = (Z[:, t] - X) ** 2
        total += (W[:, t] ** f * (squares @ g)).sum() * (1 + imp[t]) + gamma * (g * chi[:, t]).sum()
    return total
