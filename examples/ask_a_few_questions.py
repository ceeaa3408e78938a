"""
Ask a few questions
===================

Find the intended partition from answers to the question "do these two samples belong together?".

Shows: a question session on a fitted model, the effect of each answer, undo, questions about class names, how
the session's result becomes that of the model, and simulated sessions with correct and with some wrong
answers.
"""

from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoClustering

X, classes = load_wine(return_X_y=True)
model = ParetoClustering(random_state=0).fit(X)
print(f"without answers: {model.n_clusters_} clusters, ARI {adjusted_rand_score(classes, model.labels_):.3f}")

# In practice, a person compares the two samples. Here, the known classes provide the answers.
session = model.ask()
for _ in range(10):
    i, j = session.question.samples
    session.answer("together" if classes[i] == classes[j] else "apart")
print(session)
print(session.history_[["i", "j", "answer", "kind", "probability", "moved", "n_clusters"]].round(2))
session.undo()
session.redo()

# Known pairs can be added without a question, and clusters can be named.
session.answer("apart", samples=(0, 177)).name(0, "first cultivar")
print(session.groups_)
model.take(session)
print(f"after {len(session.history_)} answers: ARI {adjusted_rand_score(classes, model.labels_):.3f}")

courses = {
    "questions on pairs": model.ask().simulate(classes, 60),
    "questions on names": model.ask("names").simulate(classes, 60),
    "pairs, 5% wrong answers": model.ask().simulate(classes, 60, error_rate=0.05),
}
figure = Figure(layout="constrained", figsize=(6, 4))
axes = figure.add_subplot(xlabel="answers", ylabel="ARI with the classes")
for name, course in courses.items():
    axes.plot(course["ari"], label=name)
axes.legend()
figure.savefig("ask_a_few_questions.png")
