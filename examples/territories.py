"""
Territories on a map, now and a year later
==========================================

Divide a map into connected sales territories with balanced workloads, then adapt them to a new year.

Shows: ``Regions`` with a neighbour graph and weights, the trade-off between homogeneous, compact and even
territories, a previous partition as ``start``, and the share of areas that change territory.
"""

import networkx as nx
import numpy as np

from moo_clustering import Regions
from moo_clustering.validity import ChangedShare
from moo_clustering.visualization import plot_front, plot_regions

# The areas are the cells of a grid, except for a lake. Income and age vary smoothly. Customers live in two
# cities.
rng = np.random.default_rng(0)
graph = nx.grid_2d_graph(24, 16)
graph.remove_nodes_from([(i, j) for i, j in graph if (i - 9) ** 2 + (j - 8) ** 2 < 9])
places = np.array(list(graph))
income = np.sin(places[:, 0] / 5) + np.cos(places[:, 1] / 4) + 0.3 * rng.normal(size=len(places))
age = np.cos(places.sum(axis=1) / 9) + 0.3 * rng.normal(size=len(places))
X = np.column_stack([income, age])
cities = np.array([[4, 4], [18, 11]])
distances = np.linalg.norm(places[:, None] - cities, axis=2).min(axis=1)
customers = rng.poisson(4 + 40 * np.exp(-distances / 2.5))

# %%
# Every solution has eight connected territories. The number of customers in each is within 10% of the mean.

model = Regions(8, tolerance=0.1, n_gen=60, random_state=0).fit(X, graph=graph, weight=customers)
print(f"{len(model.pareto_front_)} divisions, customers per territory: {model.loads_.astype(int).tolist()}")
for rule in ("sum_of_squares", "cut_edges", "load_variation", "knee"):
    row = model.choose(rule).pareto_front_[model.chosen_]
    print(f"{rule:15}", dict(zip(model.objective_names_, row.round(3).tolist(), strict=True)))
last_year = model.labels_
plot_regions(places, last_year, title="territories at the knee", path="territories.png")
plot_front(model, path="territories_front.png")

# %%
# A year later, one city has grown, so the old territories are no longer even. With ``start``, the share of
# areas that change is an additional objective. A few changes are enough to restore the balance.

grown = customers + rng.poisson(15 * np.exp(-np.linalg.norm(places - cities[1], axis=1) / 3))
loads = np.bincount(last_year, grown)
print(f"old territories, new customers: {loads.astype(int).tolist()}, mean {loads.mean():.0f}")
model = Regions(8, tolerance=0.1, n_gen=60, random_state=0).fit(X, graph=graph, weight=grown, start=last_year)
model.choose("changed")
print(
    f"changed areas: {model.changed_.sum()} of {len(places)}, new loads: {model.loads_.astype(int).tolist()}"
)
plot_regions(
    places, model.labels_, changed=model.changed_, title="a year later", path="territories_changed.png"
)

# %%
# Without ``start``, a new division moves many more areas.

anew = Regions(8, tolerance=0.1, n_gen=60, random_state=0).fit(X, graph=graph, weight=grown)
share = ChangedShare().fit(last_year).evaluate(anew.labels_)[0]
print(f"changed areas of a new division: {share:.0%}")
