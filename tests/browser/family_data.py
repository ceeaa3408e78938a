"""Small data of every kind, as files that the command reads."""

import json

import numpy as np
import pandas as pd

from moo_clustering.datasets import make_bags

WORDS = {
    "heart": ["heart", "cardiac", "artery", "valve", "beat", "rhythm", "vessel", "pressure"],
    "skin": ["skin", "rash", "eczema", "itch", "cream", "fungus", "nail", "lesion"],
    "sleep": ["sleep", "insomnia", "dream", "snore", "apnea", "night", "pillow", "nap"],
}
SCRIPT = "<script>window.hit=1</script><img src=x onerror='window.hit=1'>"


def write_table(folder, n=45):
    """Rows around three centres: identifiers, classes, and the classes of every fifth row."""
    rng = np.random.default_rng(0)
    kind = np.arange(n) % 3
    X = np.array([[0, 0, 0, 0], [5, 0, 2, 0], [0, 5, 0, 2.0]])[kind] + rng.normal(size=(n, 4))
    frame = pd.DataFrame(np.round(X, 3), columns=["length", "width", "height", "weight"])
    frame.insert(0, "id", [f"s{row:02d}" for row in range(n)])
    frame["kind"] = np.array(["red", "green", "blue"])[kind]
    frame["some"] = np.where(np.arange(n) % 5 == 0, frame["kind"], "")
    frame.to_csv(folder / "table.csv", index=False)
    write_pairs(folder, frame["id"].to_numpy(), kind)


def write_documents(folder, n=36):
    """Documents of three topics with one or two topics each; the title of the first holds a script."""
    rng = np.random.default_rng(1)
    names, rows = list(WORDS), []
    for row in range(n):
        topics = [names[row % 3]] + ([names[(row + 1) % 3]] if row % 4 == 0 else [])
        words = [word for topic in topics for word in rng.choice(WORDS[topic], 6)]
        title = f"{SCRIPT} note" if row == 0 else f"Note {row} on the {topics[0]}"
        text = " ".join([*words, *rng.choice(["study", "trial", "review"], 2)])
        rows.append({"id": f"d{row:02d}", "title": title, "text": text, "topics": topics})
        rows[-1]["some"] = topics if row % 3 else []
    (folder / "documents.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    write_pairs(folder, np.array([row["id"] for row in rows]), np.arange(n) % 3)


def write_bags(folder, n=24):
    """A table with an instance a row."""
    bags = make_bags(n, 3, bag_size=(2, 4), random_state=0).bags
    frame = pd.DataFrame(bags.instances, columns=["u", "v"])
    frame.insert(0, "molecule", [f"bag {row}" for row in bags.bag_of_instance])
    frame.to_csv(folder / "bags.csv", index=False)


def write_categories(folder, n=40):
    """Columns of text only."""
    rng = np.random.default_rng(2)
    kind = np.arange(n) % 2
    columns = {
        name: np.where(rng.random(n) < 0.9, np.array(values)[kind], rng.choice(values, n))
        for name, values in (
            ("cover", ["hair", "feathers"]),
            ("legs", ["four", "two"]),
            ("food", ["grass", "seeds"]),
            ("home", ["field", "tree"]),
        )
    }
    pd.DataFrame(columns).to_csv(folder / "categories.csv", index=False)


def write_pairs(folder, ids, kinds, n=40):
    """Pairs of rows of the same kind and of others, and one that contradicts the kinds."""
    rng = np.random.default_rng(3)
    pairs = np.array([rng.choice(len(ids), 2, replace=False) for _ in range(n)])
    same = kinds[pairs[:, 0]] == kinds[pairs[:, 1]]
    same[0] = not same[0]
    for name, chosen in (("must.csv", pairs[same]), ("cannot.csv", pairs[~same])):
        pd.DataFrame(ids[chosen]).to_csv(folder / name, index=False, header=["one", "two"])
