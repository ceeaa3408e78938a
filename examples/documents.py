"""
Documents
=========

Find topics of documents by the consensus of many factorisations, with several consensus functions.

Shows: `EnsembleNMF` on counts of words, the leading terms of its clusters, how far its runs agree about
each document, and the consensus functions on its runs.
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import normalized_mutual_info_score

from moo_clustering import EnsembleNMF, SphericalKMeans
from moo_clustering.consensus import cspa, hbgf, mcla
from moo_clustering.features import PaperTfidfTransformer
from moo_clustering.visualization import plot_terms

rng = np.random.default_rng(0)
themes = {
    "medicine": "heart valve blood surgery patient artery dose therapy nurse fever",
    "weather": "rain storm wind cloud snow frost humidity front pressure hail",
    "aviation": "runway aircraft pilot altitude tower landing engine flap turbulence fuel",
    "cooking": "butter flour oven sugar onion simmer spice dough broth salt",
}
common = "the report found morning small large time people place said new first"
topic = rng.integers(len(themes), size=240)
texts = []
for theme in topic:
    own = list(themes.values())[theme].split()
    other = list(themes.values())[rng.integers(len(themes))].split()
    words = [*rng.choice(own, 4), *rng.choice(other, 3), *rng.choice(common.split(), 14)]
    texts.append(" ".join(words))

vectorizer = CountVectorizer(stop_words="english")
counts = vectorizer.fit_transform(texts)
terms = vectorizer.get_feature_names_out()
model = EnsembleNMF(4, n_runs=30, input="counts", random_state=0).fit(counts, feature_names=terms)

print(f"consensus of 30 runs: NMI {normalized_mutual_info_score(topic, model.labels_):.3f}")
runs = [normalized_mutual_info_score(topic, run) for run in model.run_labels_]
print(f"single runs: {np.mean(runs):.3f} ± {np.std(runs):.3f}")
for leading, size in zip(model.topics_, np.bincount(model.labels_), strict=True):
    print(f"  {size} documents:", *leading[:6])

weights = PaperTfidfTransformer().fit_transform(counts)
rival = SphericalKMeans(4, random_state=0).fit(weights).labels_
print(f"spherical k-means: {normalized_mutual_info_score(topic, rival):.3f}")

for merge in (mcla, cspa, hbgf):
    labels = merge(model.run_labels_, 4, random_state=0)
    print(f"{merge.__name__}: {normalized_mutual_info_score(topic, labels):.3f}")

unsure = model.confidence_.argmin()
print(f"least agreed on ({model.confidence_[unsure]:.2f}): {texts[unsure]}")
plot_terms(model.cluster_weights_, terms, n_terms=6, title="Leading terms", path="documents.png")
