"""
A messy table
=============

Cluster an unedited spreadsheet table, answer ten questions, and find the clusters of new rows.

Shows: the conversion of units, decimal commas, dates, categories and empty cells, the verdict, cluster names,
other good partitions, ten questions, the result before and after them, and predictions.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoClustering
from moo_clustering.visualization import plot_partition

# A park has three kinds of trees, two of which have the same leaves and nearly the same size.
rng = np.random.default_rng(2)
kind = rng.permutation(np.repeat([0, 1, 2], [90, 60, 50]))
height = rng.normal(np.array([20.0, 17.0, 12.0])[kind], 2.5)
girth = rng.normal(np.array([200.0, 140.0, 110.0])[kind], 30.0)
leaves = np.where(rng.random(200) < 0.9, np.array(["needles", "broad", "broad"])[kind], "?")
planted = pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.normal(0, 900, 200) + 1500 * (kind == 2), unit="D")
table = pd.DataFrame(
    {
        "tree": [f"T-{number:03d}" for number in range(200)],
        "height": [f"{value:.1f} m".replace(".", ",") for value in height],
        "girth (cm)": [f"{value:.0f}" if rng.random() < 0.85 else "n/a" for value in girth],
        "leaves": leaves,
        "planted": planted.strftime("%d.%m.%Y"),
        "city": "Springfield",
    }
)
print(table.head(4).to_string(index=False))
model = ParetoClustering(random_state=0).fit(table)
print(*model.preparer_.notes_, sep="\n")
X = model.preparer_.transform(table)

# %%
# The verdict states how reliable the result is.

print(model.summary())
print(f"agreement with the kinds: {adjusted_rand_score(kind, model.labels_):.2f}")
plot_partition(X, model.labels_, title="Without an answer", path="messy_table_before.png")

# %%
# Cluster names and contrasts are in the units of the table.

print(model.describe(table, sample_names=table["tree"]))
print(model.table(table)[["tree", "cluster", "name", "support", "doubtful"]].head().to_string(index=False))

# %%
# A gardener would answer; here, the known kinds are used. Each question depends on the previous answers.

session = model.ask()
course = [adjusted_rand_score(kind, session.labels_)]
for number in range(1, 11):
    i, j = session.question.samples
    session.answer("together" if kind[i] == kind[j] else "apart")
    course.append(adjusted_rand_score(kind, session.labels_))
    print(f"{number:2d}. {table.tree[i]} and {table.tree[j]}: {session.history_.answer.iloc[-1]}")
model.take(session)
print(f"{model.n_clusters_} clusters, agreement {course[-1]:.2f}")
page = model.report("trees.html", X=table)
print("open", page.path.name, "in a browser to compare the solutions")

figure = Figure(layout="constrained", figsize=(6, 3))
axes = figure.add_subplot(xlabel="answers", ylabel="ARI with the kinds", ylim=(0, 1.02))
axes.plot(course, "o-")
figure.savefig("messy_table_course.png")
plot_partition(X, model.labels_, title="After ten answers", path="messy_table_after.png")

# %%
# New rows are read in the notation of the fit. Their columns may be in a different order.

new = table.drop(columns="tree").iloc[:5, ::-1]
print(new.assign(cluster=model.predict(new)).to_string(index=False))
