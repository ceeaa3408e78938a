"""
pymoo's plots of a front
========================

Plot the front in ``result_`` with pymoo's Scatter, PCP, Heatmap, Petal and Radar.

Shows: the values of ``result_`` and ``pareto_front_``, the bounds that petals and radars require, and how to
preserve matplotlib's settings.
"""

import matplotlib as mpl
import numpy as np
from pymoo.visualization.heatmap import Heatmap
from pymoo.visualization.pcp import PCP
from pymoo.visualization.petal import Petal
from pymoo.visualization.radar import Radar
from pymoo.visualization.scatter import Scatter
from sklearn.datasets import make_blobs

from moo_clustering import NSGA2Clus
from moo_clustering.visualization import front_bounds, plot_front, pymoo_plots

X, y = make_blobs(200, centers=6, cluster_std=2.0, random_state=1)
partial = np.where(np.arange(len(y)) % 8 == 0, y, -1)
model = NSGA2Clus(pop_size=40, n_gen=30, random_state=0).fit(X, partial)

# Distinct objective vectors, as minimised by the search. In pareto_front_, they have their original signs.
F = np.unique(model.result_.F, axis=0)
labels = [name.replace("_", " ") for name in model.objective_names_]
few = F[np.linspace(0, len(F) - 1, 4).astype(int)]
bounds = front_bounds(F)
font = mpl.rcParams["font.family"]

with pymoo_plots():
    plots = {
        "scatter": Scatter(labels=labels, title="Front, minimised").add(F),
        "parallel": PCP(labels=labels).set_axis_style(color="0.5").add(F, color="#4477aa", alpha=0.6),
        "heatmap": Heatmap(labels=labels, order_by_objectives=0).set_axis_style(aspect="auto").add(F),
        # With reverse, large petals and stars mean good objective values.
        "petals": Petal(bounds=bounds, reverse=True, labels=labels, figsize=(16, 3.5)).add(few),
        "radars": Radar(bounds=bounds, reverse=True, labels=labels, figsize=(16, 3.5)).add(few),
    }
    for name, plot in plots.items():
        plot.save(f"blobs_{name}.png", dpi=100)

assert mpl.rcParams["font.family"] == font
plot_front(model.pareto_front_, model.objective_names_, model.chosen_, path="blobs_front.png")
print(f"{len(F)} solutions of {F.shape[1]} objectives, from {bounds[0].round(3)} to {bounds[1].round(3)}")
print(f"drawn: {', '.join(plots)}")
