"""
Customer segments for colleagues
================================

Find segments of customers, name them, and export a table, rules and a report.

Shows: mixed columns, what distinguishes the segments, names set by a function and by hand, the customers with
their segments, typical and doubtful customers, rules as SQL, and the report.
"""

import numpy as np
import pandas as pd

from moo_clustering import ParetoClustering
from moo_clustering.visualization import plot_partition

# The records of a bookshop contain students, families and collectors.
rng = np.random.default_rng(3)
segment = rng.permutation(np.repeat([0, 1, 2], [120, 90, 60]))
n = len(segment)
channels = np.array([["app", "app", "web"], ["web", "shop", "shop"], ["shop", "post", "web"]])
genres = np.array(
    [["manga", "science", "crime"], ["children", "cooking", "children"], ["art", "history", "art"]]
)
customers = pd.DataFrame(
    {
        "customer": [f"C-{number:05d}" for number in rng.permutation(90_000)[:n]],
        "age": np.where(rng.random(n) < 0.85, rng.normal(np.array([23, 41, 58])[segment], 5).round(), np.nan),
        "orders per year": rng.poisson(np.array([4, 9, 6])[segment]),
        "mean order": [f"€ {value:.2f}" for value in rng.gamma(20, np.array([0.9, 1.8, 6.0])[segment])],
        "channel": channels[segment, rng.integers(3, size=n)],
        "genre": genres[segment, rng.integers(3, size=n)],
        "newsletter": rng.random(n) < np.array([0.2, 0.7, 0.6])[segment],
        "last order": pd.Timestamp("2025-06-30") - pd.to_timedelta(rng.integers(1, 400, n), unit="D"),
    }
)
model = ParetoClustering(random_state=0).fit(customers)
print(model.summary())

# %%
# By default, the segments are named by their contrasts. A function that receives the description of a segment
# can return other names. It could also ask a colleague or a language model.


def channel_and_age(description):
    rows = customers[model.labels_ == description.cluster]
    return f"{rows['channel'].mode()[0]} buyers around {rows['age'].median():.0f}"


print(model.describe(customers, sample_names=customers["customer"]))
print(*(each.name for each in model.describe(customers, namer=channel_and_age)), sep="\n")

# From now on, the model's descriptions, tables, rules and reports use the name that was set by hand.
largest = int(np.bincount(model.labels_).argmax())
model.rename({largest: "the largest segment"})

# %%
# Colleagues receive the customers with their segments. Typical customers illustrate a segment, and doubtful
# customers may belong to another one.

handed = model.table(customers, namer=channel_and_age)
handed.to_csv("segments.csv", index=False)
print(handed.groupby("name")[["age", "orders per year", "newsletter"]].mean().round(1))
print(handed.loc[handed["typical"], ["customer", "name", "channel", "genre"]].head(6).to_string(index=False))
print(f"{handed['doubtful'].sum()} of {n} customers are doubtful")

# %%
# The rules run as SQL in a database, and colleagues open the report in any browser.

print(model.explain(customers).select(0.9).to_sql())
page = model.report("segments.html", X=customers, sample_names=customers["customer"])
print("open", page.path.name, "in a browser")
X = model.preparer_.transform(customers)
plot_partition(X, model.labels_, title="Customers", path="customers.png")
