"""
Documents: from raw text to named topics
========================================

Find the topics of raw texts, name them, and write a report.

Shows: embeddings or tf-idf weights, `ParetoClustering` with the cosine distance, topic names, `EnsembleNMF`,
the agreement between its runs on each document, single runs, and spherical k-means.
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import normalized_mutual_info_score

from moo_clustering import EnsembleNMF, ParetoClustering, SphericalKMeans
from moo_clustering.datasets import DataError, embed, tfidf
from moo_clustering.descriptions import describe_terms
from moo_clustering.features import PaperTfidfTransformer
from moo_clustering.visualization import plot_partition, plot_terms

rng = np.random.default_rng(0)
themes = {
    "medicine": "heart valve blood surgery patient artery dose therapy nurse fever",
    "weather": "rain storm wind cloud snow frost humidity front pressure hail",
    "aviation": "runway aircraft pilot altitude tower landing engine flap turbulence fuel",
    "cooking": "butter flour oven sugar onion simmer spice dough broth salt",
}
common = ["report", "found", "morning", "small", "large", "time", "people", "place", "said", "new", "first"]
topic = rng.integers(len(themes), size=240)
texts = []
for theme in topic:
    own, other = (list(themes.values())[i].split() for i in (theme, rng.integers(len(themes))))
    words = rng.permutation([*rng.choice(own, 4), *rng.choice(other, 3), *rng.choice(common, 14)])
    texts.append(" ".join(words).capitalize() + ".")
print(texts[0])

# %%
# Embed the texts with a model or function, here with an installed model, if any. Nothing is downloaded.

words, vocabulary = tfidf(texts, min_df=2)
X, features = words, "tf-idf"
for name in ("sentence-transformers:all-MiniLM-L6-v2", "fastembed:BAAI/bge-small-en-v1.5"):
    try:
        X, features = embed(texts, name), name
        break
    except DataError as error:
        print(error)
found = ParetoClustering(metric="cosine", random_state=0).fit(X)
print(f"{found.n_clusters_} clusters of documents by {features}: {found.verdict_}")
for cluster in describe_terms(found.labels_, words, vocabulary):
    print(f"{cluster.size:3d} documents: {cluster.name}")
print(f"NMI with the themes: {normalized_mutual_info_score(topic, found.labels_):.3f}")

# %%
# If the number of topics is known, a consensus of factorisations shows how certain each assignment is.

vectorizer = CountVectorizer(stop_words="english", min_df=2)
counts = vectorizer.fit_transform(texts)
terms = vectorizer.get_feature_names_out()
model = EnsembleNMF(4, n_runs=30, input="counts", random_state=0).fit(counts, feature_names=terms)
names = [" ".join(leading[:3]) for leading in model.topics_]
for name, size in zip(names, np.bincount(model.labels_), strict=True):
    print(f"{size:3d} documents: {name}")
unsure = model.confidence_.argmin()
print(f"least agreed on ({model.confidence_[unsure]:.2f}): {texts[unsure]}")

# %%
# The themes from which the texts were generated are known here, but no fit used them.

weights = PaperTfidfTransformer().fit_transform(counts)
rival = normalized_mutual_info_score(topic, SphericalKMeans(4, random_state=0).fit_predict(weights))
runs = [normalized_mutual_info_score(topic, run) for run in model.run_labels_]
print(f"consensus: NMI {normalized_mutual_info_score(topic, model.labels_):.3f}")
print(f"single runs: {np.mean(runs):.3f} ± {np.std(runs):.3f}; spherical k-means: {rival:.3f}")

page = model.report("topics.html", X=weights, feature_names=terms, title="Topics")
print(f"{page.path.name}: {page.path.stat().st_size // 1024} KiB, opens in any browser, without a network")
plot_terms(model.cluster_weights_, terms, n_terms=6, title="Leading terms", path="documents.png")
plot_partition(weights, model.labels_, cluster_names=names, title="Documents", path="documents_map.png")
