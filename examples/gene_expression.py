"""
Cell types from gene expression
===============================

Find groups of cells by their gene expression, and name the groups after their marker genes.

Shows: more genes than cells, an `AnnData` object if anndata is installed and a data frame otherwise, the
marker genes of each cluster, clusters as cell annotations, and a heat map.
"""

import importlib.util

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoClustering

# Counts for 120 cells and 200 genes; each of the three cell types has ten marker genes.
rng = np.random.default_rng(0)
types = rng.permutation(np.repeat(["B cell", "T cell", "monocyte"], [50, 40, 30]))
genes = [f"{marker}{number}" for marker in ("CD19-", "CD3-", "CD14-") for number in range(10)]
genes += [f"GENE{number}" for number in range(170)]
mean = rng.gamma(2.0, 2.0, len(genes)) * np.ones((len(types), 1))
for place, name in enumerate(["B cell", "T cell", "monocyte"]):
    mean[np.ix_(types == name, range(10 * place, 10 * place + 10))] *= 4.0
depth = rng.lognormal(0, 0.3, (len(types), 1))
counts = rng.poisson(mean * depth)
expression = np.log1p(counts / counts.sum(axis=1, keepdims=True) * 1_000)
cells = [f"cell-{number:03d}" for number in range(len(types))]
data = pd.DataFrame(expression, index=cells, columns=genes)
if importlib.util.find_spec("anndata"):
    from anndata import AnnData

    data = AnnData(data)

model = ParetoClustering(random_state=0).fit(data)
print(model.summary())
print(f"agreement with the types: {adjusted_rand_score(types, model.labels_):.2f}")

# %%
# The contrasts of a cluster are the genes in which it differs most from its nearest cluster.

print(model.describe(data, sample_names=cells, n_contrasts=4))
if not isinstance(data, pd.DataFrame):
    data.obs["cluster"] = pd.Categorical(model.labels_)
    print(data.obs["cluster"].value_counts())

# %%
# The heat map shows the cells in the order of their clusters, and the genes that vary most between clusters.

means = np.array([expression[model.labels_ == c].mean(axis=0) for c in range(model.n_clusters_)])
shown = means.var(axis=0).argsort()[::-1][:30]
shown = shown[means[:, shown].argmax(axis=0).argsort(kind="stable")]
figure = Figure(layout="constrained", figsize=(6, 4))
axes = figure.add_subplot(xlabel="cells by cluster", ylabel="genes")
rows = model.labels_.argsort(kind="stable")
image = axes.imshow(expression[np.ix_(rows, shown)].T, aspect="auto", interpolation="nearest")
axes.set_yticks(range(len(shown)), [genes[gene] for gene in shown], fontsize=6)
for border in np.cumsum(np.bincount(model.labels_))[:-1]:
    axes.axvline(border - 0.5, color="white")
figure.colorbar(image, label="log expression")
figure.savefig("gene_expression.png", dpi=120)
