"""A fit requested on the command line: method, data and options, validated before the fit starts."""

from __future__ import annotations

import ast
import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import did_you_mean, quoted, warn_caller
from moo_clustering.cli import load
from moo_clustering.cli.folder import FORMAT, VERSION, RunFolder
from moo_clustering.cli.methods import FLAGS
from moo_clustering.cli.samples import LabelUse, Samples, TextSamples, indicators, labelled_rows
from moo_clustering.cli.terminal import one_line, print_notes
from moo_clustering.constraints import read_pairs
from moo_clustering.datasets import BUNDLED, DataError
from moo_clustering.descriptions import human_number
from moo_clustering.estimators._methods import METHODS, RECOMMENDED, RECOMMENDED_FOR_BAGS, Method, accepting
from moo_clustering.features import InformationGainSelector
from moo_clustering.persistence import environment, to_json
from moo_clustering.results import ClusteringResult, result_of

# The record omits these parameters, which are paths, are recorded elsewhere, or do not affect the result.
_NOT_RECORDED = {"verbose", "checkpoint", "resume", "random_state", "start"}
_OF_DOCUMENTS = ("min_df", "max_df", "svd", "embed", "stemmer")
_NAMED = 5  # maximum number of label names in a message


@dataclass
class Job:
    """A fit with its method, data and options."""

    command: str  # "fit" or "demo"
    method: Method
    estimator: Any
    samples: Samples
    seed: int
    # Methods that predict labels use some labels in the fit and other labels to score the predictions.
    labels: LabelUse | None = None
    supervision: dict[str, Any] = field(default_factory=dict)  # labels and constraints passed to ``fit``
    sources: dict[str, Any] = field(default_factory=dict)  # origin of labels and constraints, for the record
    notices: list[str] = field(default_factory=list)  # warnings issued before the fit
    started: float = field(default_factory=time.perf_counter)
    why: str = ""  # why the method was chosen, or "" if the user specified the method
    options: dict[str, Any] | None = None  # estimator parameters set by the user
    lines: Callable[[Job], list[tuple[str, str]]] = lambda job: []  # titles and code that repeats the fit
    # For partitioned tables, the function ``fit`` runs the fit, replaces ``samples`` by a subset of the rows,
    # and returns whether the fit was interrupted. The array ``sizes`` contains the cluster sizes of all rows.
    fit: Callable[[Job, RunFolder, dict[str, Any]], bool] | None = None
    sizes: NDArray[np.intp] | None = None

    @property
    def result(self) -> ClusteringResult:
        return result_of(self.estimator)

    @property
    def title(self) -> str:
        """Title of pictures: the estimator and the data."""
        return f"{type(self.estimator).__name__}, {self.samples.name}"

    @property
    def of_distances(self) -> bool:
        metric = self.estimator.get_params(deep=False).get("metric")
        return isinstance(metric, str) and metric == "precomputed"

    @property
    def class_names(self) -> list[str]:
        """Names of the classes or labels, in the order in which the fitted estimator predicts them."""
        if self.labels is None or self.labels.y is None:
            return []
        names = self.labels.names
        known = self.labels.columns if self.labels.multilabel else self.estimator.classes_
        return [names[code] for code in known]

    def record(self) -> dict[str, Any]:
        """Return the initial record of a run. It contains no paths, because the folder may be shared."""
        parameters = self.estimator.get_params(deep=False)
        recorded = {name: _plain(parameters[name]) for name in parameters if name not in _NOT_RECORDED}
        return {
            "format": FORMAT,
            "version": VERSION,
            "status": "running",
            "command": self.command,
            "method": self.method.name,
            **({"method_taken": self.why} if self.why else {}),
            "estimator": type(self.estimator).__name__,
            "parameters": recorded,
            "seed": self.seed,
            "data": {"name": self.samples.name, "n_samples": self.samples.n_samples, **self.samples.record()},
            "supervision": self.sources,
            "environment": environment(),
        }


def _plain(value: Any) -> Any:
    try:
        return to_json(value)
    except TypeError:
        return one_line(value)


def choose_method(method: str | None, data: str, bag: str | None) -> tuple[str, str]:
    """Return the method and why it was chosen. The reason is "" if the user specified the method."""
    if method is not None:
        return method, ""
    path = Path(data)
    bags = data not in BUNDLED and path.is_file() and load.holds_bags(path, bag)
    if bags and not load.holds_label_sets(path, METHODS[RECOMMENDED], None):
        return RECOMMENDED_FOR_BAGS, "the default method for bags"
    return RECOMMENDED, "the default method"


def parse_settings(settings: Sequence[str], method: str, estimator_class: type[Any]) -> dict[str, Any]:
    """Parse texts of the form ``name=value``. A value that is not a Python literal is taken as text."""
    parameters = parameters_of(estimator_class)
    allowed = [name for name in parameters if name not in FLAGS]
    options: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ValueError(f"--set must have the form name=value, got {quoted(setting)}")
        if name in FLAGS and name in parameters:
            raise ValueError(f"{name} must be set with {FLAGS[name]}, not --set")
        if name not in parameters:
            hint = did_you_mean(name, allowed) or f"; `moo-clustering methods {method}` lists its options"
            raise ValueError(f"method {method} has no option {name!r}{hint}")
        if name in options:
            raise ValueError(f"{name} is set more than once with --set")
        options[name] = _value(text.strip())
    return options


def _value(text: str) -> Any:
    try:
        tree = ast.parse(text, mode="eval")
        value = ast.literal_eval(tree)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    numbers = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    if any(isinstance(number, int) and number >= 2**63 for number in numbers):
        raise ValueError(f"--set accepts integers of at most 18 digits, got {quoted(text)}")
    return value


def parameters_of(estimator_class: type[Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(estimator_class).parameters


def build_estimator(
    method: Method,
    estimator_class: type[Any],
    parameters: Mapping[str, Any],
    options: Mapping[str, Any],
    checkpoint: Path | None = None,
) -> Any:
    known, n_clusters = parameters_of(estimator_class), options["n_clusters"]
    if n_clusters == "auto" and "n_regions" not in known:
        raise ValueError(f"-k auto requires method regions; specify a number for method {method.name}")
    if n_clusters == "auto" and parameters.get("min_cluster_weight") is None:
        raise ValueError("-k auto requires a minimum load per region; use --set min_cluster_weight=...")
    if isinstance(n_clusters, tuple) and "granularity" not in known:
        asked = "{}-{}".format(*n_clusters)
        raise ValueError(f"method {method.name} requires a single number of clusters, got -k {asked}")
    size = "n_regions" if "n_regions" in known else "n_clusters"
    flags = {size: n_clusters} | {name: options[name] for name in ("granularity", "tolerance")}
    flags["n_jobs"] = options["jobs"]
    unsupported = "so it does not accept --checkpoint-every or --resume"
    if checkpoint is not None:
        every = options["checkpoint_every"]
        flags |= {"checkpoint": str(checkpoint), "resume": True, "checkpoint_every": every}
        if "checkpoint" not in known:
            raise ValueError(f"method {method.name} writes no checkpoints, {unsupported}")
    given: dict[str, Any] = {"random_state": options["seed"], "verbose": not options["quiet"]}
    given |= {name: value for name, value in flags.items() if value is not None}
    flag = "--checkpoint-every or --resume" if checkpoint is not None else ""
    flag = "--set n_gen=..." if "n_gen" in parameters else flag
    for name, value in method.evolves_with.items():
        if flag and (found := parameters.get(name, known[name].default)) != value:
            said = f"method {method.name} has no generations with {name}={found}"
            raise ValueError(f"{said}, so it does not accept {flag}; use --set {name}={value}")
    if checkpoint is not None and "n_gen" in known and parameters.get("n_gen", known["n_gen"].default) == 0:
        raise ValueError(f"method {method.name} has no generations without --set n_gen=..., {unsupported}")
    for name in given:
        if name == "n_clusters" and name not in known and "k_max" in known:
            said = f"method {method.name} determines the number of clusters and does not accept -k"
            raise ValueError(f"{said}; limit it with --set k_max=...")
        if name not in known and name not in {"random_state", "verbose"}:
            raise ValueError(f"method {method.name} does not accept {FLAGS[name]}")
    required = {name for name, parameter in known.items() if parameter.default is parameter.empty}
    for name in sorted(required - given.keys() - parameters.keys()):
        what, how = f"option {name}", f"--set {name}=..."
        if name in ("n_clusters", "n_regions"):
            what, how = f"number of {name[2:]}", "-k"
        raise ValueError(f"method {method.name} requires the {what}; set it with {how}")
    return estimator_class(**parameters, **{name: value for name, value in given.items() if name in known})


def writes_checkpoints(method: Method, values: Mapping[str, Any]) -> bool:
    """Return whether a fit with these parameter values runs in generations and can write checkpoints."""
    return (
        "checkpoint" in values
        and values.get("n_gen", 1) != 0
        and all(values[name] == value for name, value in method.evolves_with.items())
    )


def estimator_input(
    method: Method, estimator: Any, samples: Samples, options: Mapping[str, Any]
) -> tuple[Samples, LabelUse | None]:
    """Return samples with the required features and, if the method predicts labels, the labels to use."""
    predicts, n_features = load.takes_label_sets(method), options["n_features"]
    for flag, value in (("--hold-out", options["hold_out"]), ("--features", n_features)):
        if value is not None and not predicts:
            names = load.methods_of_label_sets()
            raise ValueError(f"method {method.name} does not accept {flag}; methods that do are {names}")
    labels = label_use(samples, options["hold_out"], options["seed"]) if predicts else None
    given = {name: options[name] for name in _OF_DOCUMENTS if options[name] is not None}
    if isinstance(samples, TextSamples):
        samples = _document_features(method, estimator, samples, options["seed"], options["quiet"], given)
    elif given:
        flags = " and ".join(f"--{name.replace('_', '-')}" for name in given)
        said = f"{samples.name} is read as {samples.read_as}"
        raise ValueError(f"{flags} can be used only for documents, but {said}")
    return (samples if n_features is None else most_telling(samples, labels, n_features)), labels


def _document_features(
    method: Method, estimator: Any, samples: TextSamples, seed: int, quiet: bool, options: dict[str, Any]
) -> TextSamples:
    if estimator.get_params(deep=False).get("input") == "counts":
        raise ValueError("input=counts requires a table of counts; documents become tf-idf weights")
    for flag in [flag for flag in ("svd", "embed") if flag in options]:
        if method.stems or method.presence:
            uses = "term weights directly" if method.stems else "the presence of words"
            raise ValueError(f"method {method.name} uses {uses} and does not accept --{flag}")
    if method.stems:
        return load.stem_features(samples, **options)
    if "stemmer" in options:
        raise ValueError(f"method {method.name} does not stem words; those that do are {accepting('stems')}")
    if method.presence:
        return load.presence_features(samples, **options)
    text = load.text_features(samples, sparse=method.sparse, seed=seed, **options)
    if not (method.sparse or quiet or {"svd", "embed"} & options.keys()):
        reduced = f"{len(text.feature_names)} terms are reduced to {text.X.shape[1]} components"
        said = f"method {method.name} does not accept sparse data, so {reduced} (or to N with --svd N)."
        print_notes([said])
    return text


def units_note(method: Method, estimator: Any, samples: Samples) -> str | None:
    """Return a note if unscaled features have very different standard deviations, and None otherwise."""
    parameters = estimator.get_params(deep=False)
    counts_words = method.stems or method.presence
    if counts_words or method.equal_columns is None or not samples.has_units or samples.has_equal_columns:
        return None
    if parameters.get("scale", "none") != "none" or parameters.get("metric") == "precomputed":
        return None
    spreads = samples.X.std(axis=0)
    spreads = spreads[spreads > 0]
    # A large ratio of standard deviations suggests that the features have different units.
    if len(spreads) < 2 or (ratio := spreads.max() / spreads.min()) < 20:
        return None
    remedy = "use --set scale=standard to scale them, or --set scale=none to silence this note"
    remedy = remedy if "scale" in parameters else "use --weights equal to scale them"
    times = human_number(ratio)
    return f"one feature varies {times} times as much as another, but features are not scaled; {remedy}"


def supervise(job: Job, partial_labels: str | None, must_link: str | None, cannot_link: str | None) -> None:
    samples, takes, use = job.samples, job.method.supervision, job.labels
    if partial_labels is not None:
        if "labels" not in takes:
            raise ValueError(f"method {job.method.name} does not accept --partial-labels")
        if use is None:
            is_labelled = np.zeros(1) if samples.partial_y is None else samples.partial_y >= 0
            job.supervision["y"] = samples.partial_y
            job.sources["partial_labels"] = {"column": partial_labels, "n_labelled": int(is_labelled.sum())}
        else:
            is_labelled = use.is_given | use.is_held_out
        if not is_labelled.any():
            raise ValueError(f"column {partial_labels!r} (--partial-labels) contains no labels")
    if use is not None:
        source: dict[str, Any] = {} if partial_labels is None else {"column": partial_labels}
        source |= {"n_labels": len(use.names), "n_labelled": int(use.is_given.sum())}
        job.sources["partial_labels"] = source | {"n_held_out": int(use.is_held_out.sum())}
        if use.y is not None:
            job.supervision["y"] = use.y
    for name, file in (("must_link", must_link), ("cannot_link", cannot_link)):
        if file is None:
            continue
        if "pairs" not in takes:
            raise ValueError(f"method {job.method.name} does not accept --{name.replace('_', '-')}")
        row_ids = samples.row_ids if samples.has_row_ids else None
        pairs = read_pairs(file, row_ids=row_ids, n_samples=samples.n_samples)
        job.supervision[name] = pairs
        job.sources[name] = {"file": Path(file).name, "n_pairs": len(pairs)}


def begin_from(job: Job, start: str | None) -> None:
    """Start the search from the labels in a run folder, in a table, or in a column of the data."""
    if start is None or "start" in job.samples.arguments:
        return
    samples, path = job.samples, Path(start)
    if path.exists():
        labels = load.labels_of(path, samples)
    else:
        frame = samples.unused if samples.given is None else samples.given
        if frame is None or start not in frame:
            raise ValueError(f"--start {start} is not a file, a folder, or a column read by the fit")
        labels = frame[start]
    labels = labels.replace({"": None, "-1": None})
    if job.method.areas:
        job.samples = replace(samples, arguments={**samples.arguments, "start": labels.to_numpy()})
    else:
        codes, names = labels.factorize()
        if (codes < 0).any():
            raise ValueError(f"--start {start} must contain a label for every {samples.kind}")
        if job.estimator.get_params(deep=False).get("n_gen", 1) == 0:
            raise ValueError("--start requires generations; add, for example, --set n_gen=20")
        job.estimator.set_params(start=codes)
        job.sources["start"] = {"file" if path.exists() else "column": path.name, "n_clusters": len(names)}


def label_use(samples: Samples, hold_out: float | None, seed: int) -> LabelUse | None:
    """Split the labels into labels for the fit and held-out labels. If there are none, return None."""
    use = None
    if (found := samples.partial_sets()) is not None:
        names, given, several = found
        use = LabelUse(names, given, np.full_like(given, -1), several)
    if use is None or not use.is_given.any():
        if hold_out is not None:
            remedy = "; specify a label column with --partial-labels" if use is None else ""
            said = f"--hold-out requires labels to withhold, but {samples.name} contains none"
            raise DataError(said + remedy)
        return use
    if hold_out:
        rows = np.flatnonzero(use.is_given)
        drawn = np.random.default_rng([seed, 1]).permutation(rows)[: round(hold_out * len(rows))]
        given, held = use.given.copy(), use.held_out.copy()
        held[drawn], given[drawn] = given[drawn], -1
        use = replace(use, given=given, held_out=held)
    use = _with_known(use, samples)
    if use.y is None:
        return use
    has_sample = np.any(use.given > 0, axis=0).tolist()
    if unseen := [name for name, has in zip(use.names, has_sample, strict=True) if not has]:
        warn_caller(f"the fit cannot predict {_listed(unseen)}, which no sample in the fit has")
    return use


def _with_known(use: LabelUse, samples: Samples) -> LabelUse:
    """Score the predictions of samples without a label in the fit by their known classes, too."""
    if (known := samples.known_sets()) is None:
        return use
    # A class without partial labels cannot be predicted, so its samples count as errors.
    unknown = tuple(sorted({name for names in known for name in names} - set(use.names)))
    given = np.pad(use.given, ((0, 0), (0, len(unknown))))
    given[~use.is_given] = -1
    held = np.pad(use.held_out, ((0, 0), (0, len(unknown))))
    held[~use.is_held_out] = -1
    found = indicators(known, use.names + unknown)
    free = labelled_rows(found) & ~use.is_given
    held = np.where(free[:, np.newaxis], found, held)
    return replace(use, names=use.names + unknown, given=given, held_out=held)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:_NAMED])) + (", ..." if len(names) > _NAMED else "")
    return f"the label {shown}" if len(names) == 1 else f"the {len(names)} labels {shown}"


def most_telling(samples: Samples, labels: LabelUse | None, n_features: int) -> Samples:
    """Select the features with the highest information gain for the labels used in the fit."""
    if not samples.has_terms:
        said = "--features requires documents or multi-label files"
        raise DataError(f"{said}, but {samples.name} is a table of numbers")
    if labels is None or labels.y is None:
        why = "" if labels is None else ", because --hold-out withholds all labels"
        raise DataError(f"--features requires labels in the fit, but there are none{why}")
    selector = InformationGainSelector(n_features).fit(samples.X, labels.y)
    if not selector.support_.any():
        raise DataError(f"--features removed all features of {samples.name}; fit without --features")
    return samples.selected(selector.get_support(indices=True))
