"""
Tables of categories
====================

Find the modes of a categorical table with a multi-objective genetic algorithm, and merge its front.

Shows: `FuzzyModesMOGA` on a table of words, some of which are random, its two objectives, the cluster modes,
and the membership of each row in its cluster.
"""

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from moo_clustering import FuzzyModesMOGA
from moo_clustering.visualization import plot_front

rng = np.random.default_rng(0)
words = {
    "habitat": ["forest", "river", "desert"],
    "food": ["seeds", "fish", "insects", "leaves"],
    "active": ["day", "night"],
    "size": ["small", "middle", "large"],
    "coat": ["fur", "feathers", "scales"],
    "young": ["eggs", "born alive"],
}
kinds = 4
typical = {name: rng.integers(len(values), size=kinds) for name, values in words.items()}
kind = rng.integers(kinds, size=300)
columns = {}
for name, values in words.items():
    # One answer in five is random.
    chance = rng.random(len(kind)) < 0.2
    codes = np.where(chance, rng.integers(len(values), size=len(kind)), typical[name][kind])
    columns[name] = np.array(values)[codes]
table = pd.DataFrame(columns)

model = FuzzyModesMOGA(kinds, pop_size=40, n_gen=30, random_state=0).fit(table)
print(f"{len(model.pareto_front_)} solutions of {' and '.join(model.objective_names_)}")
print(f"agreement of the vote with the kinds: {adjusted_rand_score(kind, model.labels_):.2f}")
print(pd.DataFrame(model.modes_, columns=table.columns))
sure = model.memberships_.max(axis=1)
print(f"memberships: {sure.min():.2f} to {sure.max():.2f}; least certain row: {sure.argmin()}")

numbers = table.apply(lambda column: pd.factorize(column)[0]).astype(float)
first = FuzzyModesMOGA(kinds, metric="euclidean", pop_size=40, n_gen=30, random_state=0).fit(numbers)
score = adjusted_rand_score(kind, first.labels_)
print(f"codes treated as numbers: {score:.2f}")
plot_front(first.pareto_front_, first.objective_names_, path="categories_front.png")
