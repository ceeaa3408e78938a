"""
A study in one call
===================

Shows: five methods on five data sets with three seeds, tables, tests, and conclusions.
"""

from sklearn import cluster, datasets
from sklearn.preprocessing import scale

from moo_clustering import ParetoClustering
from moo_clustering.datasets import BUNDLED, load_bundled
from moo_clustering.studies import Study

tables = [load_bundled(name) for name in BUNDLED if name != "digits"]
data = {table.name: (scale(table.X), table.y) for table in tables}
data["moons"] = datasets.make_moons(200, noise=0.08, random_state=0)
data["circles"] = datasets.make_circles(200, noise=0.05, factor=0.5, random_state=0)
methods = [ParetoClustering(), cluster.KMeans(), cluster.AgglomerativeClustering(), cluster.BisectingKMeans()]
methods.append(cluster.HDBSCAN(copy=True))  # the only method that is not given the number of classes
numbers = {name: len(set(y)) for name, (_, y) in data.items()}
study = Study(methods, data, ["ari", "nmi"], seeds=3, n_clusters=numbers).run()
print(study.table(), study.summary().round(2).to_string(), study.compare("ParetoClustering"), sep="\n\n")
study.critical_difference(path="study.png")
