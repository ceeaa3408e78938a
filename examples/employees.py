"""
From a CSV file to usable groups
================================

Cluster the employees of a company, understand the groups, and assign new employees to them.

Shows: a CSV file with dates, currency, percentages, ratings and missing cells; how the fit converts the
columns; the verdict; what distinguishes the groups; the rules that assign employees to groups; the groups of
new employees; and how new employees differ from the fitted ones.
"""

import numpy as np
import pandas as pd

from moo_clustering import ParetoClustering
from moo_clustering.visualization import plot_partition

# There are three groups of employees: sales staff, engineers, and long-serving plant staff.
rng = np.random.default_rng(5)
group = rng.permutation(np.repeat([0, 1, 2], [80, 70, 60]))
n = len(group)
years = rng.gamma(6, np.array([0.5, 0.8, 3.0])[group])
ratings = np.clip(rng.normal(np.array([2.5, 4.0, 3.0])[group], 0.8).round(), 1, 5)
common = np.array(["sales", "engineering", "plant"])[group]
pd.DataFrame(
    {
        "employee": [f"E{number:04d}" for number in range(n)],
        "department": np.where(rng.random(n) < 0.95, common, rng.permutation(common)),
        "hired": (pd.Timestamp("2025-01-01") - pd.to_timedelta(365 * years, unit="D")).strftime("%Y-%m-%d"),
        "salary": [f"${pay:,.0f}" for pay in rng.normal(np.array([4200, 7000, 4500])[group], 500)],
        "at home": [
            f"{share:.0f}%" for share in rng.beta([2, 6, 1], [3, 3, 9], (n, 3))[range(n), group] * 100
        ],
        "satisfaction": np.where(rng.random(n) < 0.9, ratings, np.nan),
        "overtime": rng.random(n) < np.array([0.9, 0.05, 0.1])[group],
        "company": "ACME",
    }
).to_csv("employees.csv", index=False)

table = pd.read_csv("employees.csv")
model = ParetoClustering(random_state=0).fit(table)
print(*model.preparer_.notes_, sep="\n")

# %%
# The verdict states how reliable the groups are. The description names each group after the columns in which
# it differs from its nearest group, in the units of the table, and lists its most typical employees.

print(model.summary())
print(model.describe(table, sample_names=table["employee"]))

# %%
# Rules with few conditions assign nearly all employees to their groups. Exported as Python or SQL, the rules
# work without this package.

rules = model.explain(table)
print(rules)
print(rules.select(0.95).to_sql())
model.table(table).to_csv("employees-clustered.csv", index=False)

# %%
# The model reads new employees in the notation of the fit. The order of the columns does not matter, columns
# that the fit dropped may be absent, and missing cells are filled from the nearest fitted employees. On the
# command line, `moo-clustering fit employees.csv` and `moo-clustering predict` do the same.

new = pd.DataFrame(
    {
        "salary": ["$4,050", "$7,350", "$4,610"],
        "overtime": [True, False, False],
        "hired": ["2023-03-01", "2021-09-15", "2002-05-01"],
        "at home": ["40%", "75%", ""],
        "department": ["sales", "engineering", "plant"],
        "satisfaction": [2, 4, None],
    }
)
rows = model.predict_table(new, table)
print(rows[["department", "cluster", "name", "support", "unlike"]].to_string(index=False))
print(model.drift(new, table))
X = model.preparer_.transform(table)
plot_partition(X, model.labels_, title="Employees", path="employees.png")
