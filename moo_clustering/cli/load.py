"""Load the data that the options specify, and compute document features."""

import gzip
import importlib
import inspect
import json
import re
import shlex
import sys
import warnings
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import infer_dtype

from moo_clustering import datasets
from moo_clustering._arrays import did_you_mean, optional_package, unit_rows
from moo_clustering._messages import for_command, message_line
from moo_clustering.cli import samples as kinds
from moo_clustering.cli.samples import PreparedSamples, Samples, TextSamples
from moo_clustering.datasets import BUNDLED, BagTable, CategoryTable, DataError, Table, files, tables
from moo_clustering.datasets.bags import CLASS
from moo_clustering.datasets.files import GRAPHS, NotNumericError, holds_documents, suffix_of, with_flags
from moo_clustering.datasets.prepare import PreparedTable, TablePreparer, prepare_table
from moo_clustering.estimators._methods import METHODS, Method, accepting
from moo_clustering.features import PaperTfidfTransformer, binary_unigrams, document_term_counts, word_forms
from moo_clustering.persistence import cell_text, read_arrays

# Messages of the reader functions name parameters, which are replaced by these options of the command.
_BAG_FLAGS = {"bag": "--bag COLUMN", "label": "--labels COLUMN", "drop": "--drop COLUMN"}
_TABLE_FLAGS = {"id_column": "--id-column NAME", "drop": "--drop NAME", "header": "--no-header"}
_LABEL_FLAGS = {"labels_xml": "--label-file FILE", "id_column": "--id-column NAME", "drop": "--drop NAME"}
_MAPS = (".geojson", ".gpkg")
SPARSE = (".svm", ".svmlight", ".libsvm")
# In MEKA's files, the name of the relation contains the number of label attributes after ``-C``.
_MEKA = re.compile(r"^\s*@relation\b.*:.*\s-C\s+[+-]?\d", re.IGNORECASE | re.MULTILINE)
_RELATIONAL = re.compile(r"^\s*@attribute\b.*\brelational\s*$", re.IGNORECASE | re.MULTILINE)
# The value "equal" converts columns to features of equal weight, and "none" keeps the scales of numbers. The
# value "mixed" means "equal" if a column is categorical, else "none". "columns" only fills empty cells.
Preparation = Literal["equal", "none", "mixed", "columns"]
StemmerName = Literal["porter", "english", "none"]


def load_data(
    data: str,
    method: Method,
    *,
    bag: str | None = None,
    label_file: Path | None = None,
    text_columns: str | None = None,
    labels: str | None = None,
    partial_labels: str | None = None,
    id_column: str | None = None,
    drop: Sequence[str] = (),
    prepares: Preparation | None = None,
    filling: Mapping[str, Any] | None = None,
    header: bool | None = None,
    weight: str | None = None,
    start: str | None = None,
    graph: bool = False,
) -> Samples:
    """Read a bundled data set, file or folder in a form that the method accepts.

    If ``prepares`` is None, columns are not converted to features. ``filling`` contains options for
    ``prepare_table``. ``weight`` and ``start`` are names of columns.
    """
    if graph:
        others = {"--bag": bag, "--label-file": label_file, "--text-columns": text_columns, "--drop": drop}
        others |= {"--partial-labels": partial_labels, "--id-column": id_column, "--weight": weight}
        more = {"--start with a column": start, "--header or --no-header": header is not None}
        return load_graph(Path(data), method, labels, others | more)
    is_table = data not in BUNDLED and not bag and text_columns is None and tables.is_text_table(Path(data))
    if header is not None and not is_table:
        raise DataError(f"--header and --no-header require a text table or an Excel sheet, got {data}")
    named = {"--labels": labels, "--partial-labels": partial_labels, "--id-column": id_column, "--drop": drop}
    path, scales = Path(data), "scale" in inspect.signature(method.load()).parameters
    hint = " (change this with --set scale=...)" if scales else ""
    preparing: dict[str, Any] = {"preparation": prepares or "none", "options": filling or {}, "hint": hint}
    is_map = method.areas or path.suffix.lower() in _MAPS or weight is not None
    if is_map and (path.exists() or data in BUNDLED):
        if not method.areas:
            said, is_table = f"require method regions, got {method.name}", path.suffix.lower() not in _MAPS
            other = "omit --weight" if is_table else "save the attributes of the map as a table (.csv)"
            raise DataError(f"maps and --weight {said}; for other methods, {other}")
        if text_columns is not None or bag is not None or label_file is not None:
            raise DataError("--text-columns, --bag and --label-file cannot be used with maps")
        roles = tables.Roles(labels, partial_labels, id_column, (*drop, *filter(None, (weight, start))))
        return load_areas(path, roles, weight, start, **preparing)
    drop = (*drop, *filter(None, [start]))
    if data in BUNDLED:
        options = {"--bag": bag, "--text-columns": text_columns, **named, "--start": start}
        if given := [flag for flag, value in (options | {"--label-file": label_file}).items() if value]:
            raise DataError(f"{' and '.join(given)} cannot be used with the bundled data set {data}")
        check_method(method, data, None, holds=False)
        return Samples.of(datasets.load_bundled(data))
    if not path.exists() and not path.suffix:
        known = f"{', '.join(BUNDLED)}{did_you_mean(data, BUNDLED)}"
        raise DataError(f"{data} is neither a file nor a bundled data set; bundled data sets are {known}")
    roles = tables.Roles(labels, partial_labels, id_column, tuple(drop), header=header)
    if bag is None and holds_label_sets(path, method, label_file):
        return load_label_sets(path, method, roles, label_file, text_columns)
    if label_file is not None:
        read_as = "is read as a table or bags" if path.suffix.lower() == ".npz" else "is neither"
        raise DataError(f"--label-file requires an .arff or .npz file with labels, but {path.name} {read_as}")
    bags = holds_bags(path, bag)
    if path.exists():
        check_method(method, path.name, bag, holds=bags)
    if bags:
        for flag, value in (("--text-columns", text_columns), ("--id-column", id_column)):
            if value is not None:
                raise DataError(f"{flag} does not apply to bags; specify their identifiers with --bag")
        return load_bags(path, bag=bag, labels=labels, partial_labels=partial_labels, drop=drop)
    if text_columns is not None or holds_documents(path):
        return load_documents(path, method, roles, text_columns)
    if tables.array_names(path) >= {"format", "shape", "data"}:  # written by ``scipy.sparse.save_npz``
        return load_sparse(path, method, named)
    if prepares is not None and tables.holds_columns(path):
        return load_prepared(path, roles, **preparing)
    try:
        table = datasets.read_table(path, **roles._replace(categories=method.categorical)._asdict())
    except NotNumericError as error:
        raise DataError(f"{error.problem}; {_without_text(method, error.columns)}") from error
    except DataError as error:
        raise DataError(with_flags(error, _TABLE_FLAGS)) from error
    return (kinds.CategorySamples if isinstance(table, CategoryTable) else Samples).of(table)


def holds_graph(data: str, method: Method, options: Mapping[str, Any]) -> bool:
    """Return whether the data must be read as a graph, given the file's suffix and the method's options."""
    known = {name: options.get(name, value) for name, value in method.graph_options.items()}
    other = [f"{name}={known[name]}" for name, value in method.graph_options.items() if known[name] != value]
    if data not in BUNDLED and suffix_of(Path(data)) in GRAPHS:
        if other:
            wanted = " and ".join(f"{name}={value}" for name, value in method.graph_options.items())
            raise DataError(f"{data} is a graph, which requires {wanted}, got {', '.join(other)}")
        return True
    return bool(known.keys() & options.keys()) and not other


def load_graph(
    path: Path, method: Method, labels: str | None, others: Mapping[str, Any]
) -> kinds.GraphSamples:
    """Read a graph. Raise a DataError if the method accepts no graph or an option in ``others`` is set."""
    if not method.graph_options:
        said = f"{path.name} is a graph, which method {method.name} does not accept"
        raise DataError(f"{said}; methods that do are {accepting('graph_options')}")
    for flag, value in others.items():
        if value:
            raise DataError(f"{flag} does not apply to {path.name}, which is read as a graph")
    try:
        return kinds.GraphSamples.of(datasets.read_graph(path, labels=labels))
    except DataError as error:
        raise DataError(for_command(error)) from error


def holds_bags(path: Path, bag: str | None) -> bool:
    """Return whether a file contains bags: ARFF, KEEL, npz with bag offsets, or a table with ``--bag``."""
    name = path.name.lower().removesuffix(".gz")
    is_bags = bag is not None or name.endswith((".arff", ".dat"))
    return is_bags or "bag_offsets" in tables.array_names(path)


def check_method(method: Method, data: str, bag: str | None, *, holds: bool) -> None:
    """Raise a DataError if the data are bags but the method requires single samples, or vice versa."""
    if holds and not method.bags:
        how = f"--bag {bag} groups the rows of {data} into bags"
        how = how if bag else f"{data} contains bags of instances"
        said = f"{how}, but method {method.name} accepts only single samples"
        raise DataError(f"{said}; methods that accept bags are {accepting('bags')}")
    if method.bags and not holds:
        raise DataError(
            f"method {method.name} requires bags of instances, but {data} contains single samples; specify "
            "a column of bag identifiers with --bag COLUMN, or use an .arff, .dat or .npz file of bags"
        )


def load_bags(
    path: Path,
    *,
    bag: str | None = None,
    labels: str | None = None,
    partial_labels: str | None = None,
    drop: Sequence[str] = (),
) -> kinds.BagSamples:
    if partial_labels is not None and partial_labels == labels:
        raise DataError(f"column {labels!r} cannot be both --labels and --partial-labels")
    # In archives, classes are separate arrays, so that no column must be excluded from the features.
    is_archive = path.suffix.lower() == ".npz"
    given = known = partial_y = None
    if partial_labels is not None:
        others = drop if is_archive or labels is None else [*drop, labels]
        given = _read(path, bag, partial_labels, others)
    if labels is not None or given is None:
        others = drop if is_archive or partial_labels is None else [*drop, partial_labels]
        known = _read(path, bag, labels, others)
    else:
        for name in given.bags.feature_names or ():
            if CLASS.fullmatch(column := name.partition("=")[0]):
                said = f"column {column!r} would be a feature, but appears to contain the known classes"
                raise DataError(f"{said}; use it with --labels {column}, or exclude it with --drop {column}")
    if given is not None and given.labels is not None:
        names = (*given.label_names, None)  # the code -1 of unlabelled bags selects None
        partial_y = tables.encode_classes([names[k] for k in given.labels], minus_one_is_missing=True)[0]
    table: Any = given if known is None else known
    ids = table.bags.bag_ids
    return kinds.BagSamples(
        table.name,
        table.bags,
        (),
        np.arange(table.n_bags) if ids is None else np.array(ids, dtype=str),
        y=None if known is None else known.labels,
        target_names=() if known is None else known.label_names,
        partial_y=partial_y,
    )


def _read(path: Path, bag: str | None, label: str | None, drop: Sequence[str]) -> BagTable:
    try:
        return datasets.read_bags(path, bag=bag, label=label, drop=tuple(drop))
    except DataError as error:
        raise DataError(with_flags(error, _BAG_FLAGS)) from error


def holds_label_sets(path: Path, method: Method, label_file: Path | None) -> bool:
    """Return whether a file is read as samples with label sets.

    This holds for svmlight files, and for ARFF files with a label file or with a label count in the header.
    If the method accepts label sets, it also holds for other ARFF files (except bags) and for npz files with
    label indicators.
    """
    name = path.name.lower().removesuffix(".gz")
    if name.endswith(SPARSE):
        return True
    if name.endswith(".npz"):
        names = tables.array_names(path)
        pair = path.name.endswith("_X.npz") and path.with_name(f"{path.name[:-5]}Y.npz").is_file()
        return takes_label_sets(method) and (label_file is not None or "Y" in names or bool(names and pair))
    if not name.endswith(".arff") or not path.is_file():
        return False
    header = _header(path)
    if _RELATIONAL.search(header):
        return False
    stem = path.name[: path.name.lower().rindex(".arff")]
    beside = label_file is not None or path.with_name(f"{stem}.xml").exists()
    return beside or bool(_MEKA.search(header)) or takes_label_sets(method)


def takes_label_sets(method: Method) -> bool:
    return "label_sets" in method.supervision


def methods_of_label_sets() -> str:
    return ", ".join(known.name for known in METHODS.values() if takes_label_sets(known))


def load_label_sets(
    path: Path, method: Method, roles: tables.Roles, label_file: Path | None, text_columns: str | None
) -> kinds.LabelSetSamples:
    # The label attributes of an ARFF file are named by MULAN's XML file, which is ``label_file`` or lies next
    # to the ARFF file. If there is no XML file, the label attributes are named by ``partial_labels``.
    if not takes_label_sets(method):
        said = f"{path.name} contains samples with several labels, which method {method.name} does not accept"
        raise DataError(f"{said}; methods that accept label sets are {methods_of_label_sets()}")
    for flag, value in (("--labels", roles.labels), ("--text-columns", text_columns)):
        if value:
            said = f"{flag} does not apply to {path.name}, whose label sets are used by the fit"
            raise DataError(f"{said}; to score the predictions, withhold some with --hold-out")
    names = None if roles.partial_labels is None else [n.strip() for n in roles.partial_labels.split(",")]
    is_archive = path.suffix.lower() == ".npz"
    if is_archive and names is not None:
        raise DataError(f"--partial-labels requires attributes of an ARFF file; use --label-file for {path}")
    named: Any = {"labels": label_file} if is_archive else {"labels_xml": label_file, "labels": names}
    try:
        table = datasets.read_multilabel(path, **named, id_column=roles.id_column, drop=roles.drop)
    except DataError as error:
        flag = "--label-file FILE" if is_archive else "--partial-labels NAME,NAME,..."
        raise DataError(with_flags(error, _LABEL_FLAGS | {"labels": flag})) from error
    return kinds.LabelSetSamples.of(table)


def _header(path: Path) -> str:
    """Return the header of an ARFF file, or the beginning of the header if the rest is unreadable."""
    lines: list[bytes] = []
    opened = gzip.open if path.name.lower().endswith(".gz") else open
    with suppress(OSError, EOFError, zlib.error), opened(path, "rb") as file:
        lines.extend(takewhile(lambda line: not line.strip().lower().startswith(b"@data"), file))
    return b"".join(lines).decode("utf-8", "replace")


def load_documents(path: Path, method: Method, roles: tables.Roles, text_columns: str | None) -> TextSamples:
    """Read documents. If the method accepts label sets, a document can have several partial labels."""
    labels, partial_labels, id_column, drop, *_ = roles
    names = None
    if text_columns is not None:
        names = [name.strip() for name in text_columns.split(",") if name.strip()]
    read = partial(datasets.read_documents, path, text_columns=names, id_column=id_column)
    # Only JSON files can contain lists of labels.
    may_be_sets = partial_labels is not None and holds_documents(path) and path.is_file()
    if may_be_sets and takes_label_sets(method) and partial_labels != labels:
        # The reader accepts several labels per document only in ``labels``.
        unknown = [] if labels is None else [labels]
        given = read(labels=partial_labels, drop=(*drop, *unknown))
        if given.label_sets is not None:
            known = read(labels=labels, drop=(*drop, str(partial_labels)))
            sets = [() if names == ("-1",) else names for names in given.label_sets]
            return TextSamples.of(known, partial_label_sets=sets)
    try:
        return TextSamples.of(read(labels=labels, partial_labels=partial_labels, drop=drop))
    except DataError as error:
        if "can have only one" not in str(error):
            raise
        said = f"methods that accept label sets are {methods_of_label_sets()}"
        raise DataError(f"{error} with method {method.name}; {said}") from error


def load_sparse(path: Path, method: Method, options: Mapping[str, Any]) -> kinds.UntabledSamples:
    from moo_clustering.datasets.multilabel import default_names, require_finite_csr, sparse_matrix, tidy_csr

    if given := [flag for flag, value in options.items() if value]:
        flags = " and ".join(given)
        raise DataError(f"{flags} cannot be used: {path} is a sparse matrix without column names")
    if not method.sparse:
        said = f"{path} is a sparse matrix, but method {method.name} accepts only dense features"
        raise DataError(f"{said}; methods that accept sparse features are {accepting('sparse')}")
    X = tidy_csr(sparse_matrix(read_arrays(path, DataError), str(path)))
    require_finite_csr(X, str(path))
    names = default_names("x", X.shape[1], str(path), X.nnz)
    return kinds.UntabledSamples(path.name, X, names, np.arange(X.shape[0]))


def prepares(method: Method, options: Mapping[str, Any]) -> Preparation | None:
    """Return how table columns are converted, or None if the method requires numeric features."""
    if method.bags or options.get("metric") == "precomputed":
        return None
    if method.categorical and options.get("metric", "hamming") == "hamming":
        return "columns"
    # Columns are not scaled if the user set ``scale``, or if the method counts words or adapts to units.
    if "scale" in options or method.stems or method.presence or method.equal_columns is None:
        return "none"
    return "equal" if method.equal_columns else "mixed"


def load_prepared(
    path: Path,
    roles: tables.Roles,
    *,
    preparation: Preparation = "equal",
    options: Mapping[str, Any] = MappingProxyType({}),
    frame: pd.DataFrame | None = None,
    hint: str = "",
) -> PreparedSamples | kinds.CategorySamples:
    """Read a table and convert its columns to features. ``preparation="columns"`` only fills empty cells."""
    # ``options`` are passed to ``prepare_table``. If the cells have been read, ``frame`` contains them.
    notes: list[str] = []
    try:
        if frame is None:
            frame, roles, notes = tables.read_frame(path, roles)
        taken = roles.by_column()
        files.check_names(taken, list(frame.columns), path)
    except DataError as error:
        raise DataError(with_flags(error, _TABLE_FLAGS)) from error
    features = [column for column in frame.columns if column not in taken]
    if not features:
        raise DataError(f"{path} has no feature columns besides {', '.join(map(repr, taken))}")
    is_equal = preparation == "equal" or (preparation == "mixed" and "weights" in options)
    try:
        prepared = prepare_table(frame[features], scale="equal" if is_equal else "none", **options)
        if preparation == "mixed" and prepared.category_names and not is_equal:
            # Numbers are scaled, too, because their influence would otherwise depend on their units.
            is_equal, prepared = True, prepare_table(frame[features], scale="equal", **options)
            notes.append(f"columns have equal weights, because the table contains categories{hint}")
    except DataError as error:
        raise DataError(f"{path}: {for_command(error)}") from error
    found = prepared_samples(path, frame, roles, prepared, notes)
    if preparation == "columns" and prepared.category_names:
        columns, days = prepared.columns.copy(), np.timedelta64(86400, "s")
        for name, column in prepared.columns.items():
            if column.dtype.kind == "M":
                columns[name] = (column - column.min()) / days
        known: dict[str, Any] = {"y": found.y, "target_names": found.target_names}
        names, categories = tuple(map(str, columns)), prepared.category_names
        mixed = CategoryTable(path.name, columns, names, found.row_ids, category_names=categories, **known)
        unused = [name for name, role in taken.items() if role in ("labels", "drop")]
        kept = tuple(note for note in found.notes if "indicator feature" not in note)
        return kinds.CategorySamples.of(mixed, notes=kept, unused=frame[unused])
    return replace(found, has_equal_columns=is_equal)


def labels_of(path: Path, samples: Samples) -> pd.Series:
    """Read labels from a run folder or a table, and return them in sample order."""
    file = path / "labels.csv" if path.is_dir() else path
    if not file.is_file():
        raise DataError(f"--start {path} is not a run folder with a result: it has no {file.name}")
    frame = tables.read_frame(file, tables.Roles())[0]
    if len(frame.columns) < 2 or "label" not in frame.columns[1:]:
        raise DataError(f"{file} must have the columns row and label, got {', '.join(frame.columns)}")
    rows, wanted = frame.iloc[:, 0].map(cell_text), [str(name) for name in samples.row_ids]
    found = frame["label"].set_axis(rows)
    if not found.index.is_unique:
        raise DataError(f"{file} contains row {rows[rows.duplicated()].iloc[0]!r} more than once")
    if missing := [name for name in wanted if name not in found.index]:
        raise DataError(f"{file} has no label for row {missing[0]!r} of {samples.name}")
    if not samples.has_row_ids and len(found) > len(wanted):
        said = f"{file} has {len(found)} rows, but {samples.name} has {len(wanted)} and no identifiers"
        raise DataError(f"{said}; specify an identifier column with --id-column in both runs")
    return found[wanted]


def load_areas(
    path: Path, roles: tables.Roles, weight: str | None, start: str | None, **preparing: Any
) -> kinds.AreaSamples:
    """Read a map and compute the borders of the areas. :func:`load_prepared` receives ``preparing``."""
    from moo_clustering.estimators.regions import rook_neighbors

    document = read_map_file(path)
    features = document["features"]
    try:
        shapely = optional_package("shapely", "spatial", f"the map {path.name}")
        geometry = polygons(document)
        areas, perimeters, borders = rook_neighbors(geometry)
    except Exception as error:  # shapely raises many types of errors
        raise DataError(f"{path}: {message_line(error)}") from error
    frame = pd.DataFrame([each["properties"] or {} for each in features])
    named = {key: name for key, name in (("weight", weight), ("start", start)) if name is not None}
    for key, name in named.items():
        if name not in frame:
            near = did_you_mean(name, [*map(str, frame)])
            raise DataError(f"{path} has no column {name!r} (--{key}){near}")
    taken, note = roles.by_column(), list[str]()
    if all(name in taken for name in frame):
        frame[["centre x", "centre y"]] = shapely.get_coordinates(shapely.centroid(geometry))
        note = ["no attributes are left as features, so the centres of the areas are used"]
    samples = load_prepared(path, roles, frame=frame, **preparing)
    arguments = {"graph": borders, "shapes": (areas, perimeters, borders)}
    arguments |= {key: frame[name].to_numpy() for key, name in named.items()}
    shared = vars(samples) | {"notes": (*note, *samples.notes), "arguments": arguments}
    if samples.unused is not None:  # the fit uses the weight and start columns
        shared["unused"] = samples.unused.drop(columns=[*named.values()])
    return kinds.AreaSamples(**shared, document=document, geometry=geometry, roles_of_map=named)


def polygons(document: Mapping[str, Any]) -> NDArray[Any]:
    """Return the polygons of a GeoJSON object. Degrees are scaled to equal length in both directions."""
    shapely = importlib.import_module("shapely")
    geometry = np.array([shapely.from_geojson(json.dumps(each["geometry"])) for each in document["features"]])
    west, south, east, north = shapely.total_bounds(geometry)
    if "crs" not in document and max(-west, east) <= 180 and max(-south, north) <= 90:
        # Except at the equator, a degree of longitude is shorter than a degree of latitude.
        scale = [np.cos(np.radians((south + north) / 2)), 1.0]
        geometry = shapely.transform(geometry, lambda points: points * scale)
    return geometry


def read_map_file(path: Path) -> dict[str, Any]:
    """Read a map as a GeoJSON object with features. Other formats require geopandas."""
    suffix = path.suffix.lower()
    if suffix in (".geojson", ".json"):
        try:
            document = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise DataError(f"{path} cannot be read as GeoJSON: {error}") from error
    elif suffix in (".gpkg", ".parquet"):
        try:
            geopandas = importlib.import_module("geopandas")
            table = geopandas.read_parquet(path) if suffix == ".parquet" else geopandas.read_file(path)
            table = table if table.crs is None else table.to_crs(4326)
            document = json.loads(table.to_json(default=str, drop_id=True))
        except Exception as error:  # geopandas drivers raise many types of errors
            remedy = "; run pip install geopandas pyarrow, or convert the map to GeoJSON (.geojson)"
            remedy *= isinstance(error, ImportError)
            raise DataError(f"{path} cannot be read as a map: {message_line(error)}{remedy}") from error
    else:
        raise DataError(
            f"method regions requires a map (.geojson, .json, .gpkg or .parquet), got {path.name}"
        )
    features = document.get("features") if isinstance(document, dict) else None
    if not isinstance(features, list) or not features:
        raise DataError(f"{path} must be a GeoJSON FeatureCollection with at least one feature")
    for number, each in enumerate(features):
        if not isinstance(each, dict) or not isinstance(each.get("geometry"), dict):
            raise DataError(f"{path}: feature {number} has no geometry; remove the feature, or add a polygon")
        if not isinstance(each.setdefault("properties", {}), dict | None):
            raise DataError(f"{path}: the properties of feature {number} must be a JSON object")
    return document


def mark_decimals(frame: pd.DataFrame, preparer: TablePreparer) -> None:
    """Set ``attrs["csv"]["decimal"]`` if a text table has decimal commas and is not separated by commas."""
    style = frame.attrs.get("csv", {"sep": ","})
    if style["sep"] != "," and any(scale.column.convention == "comma" for scale in preparer._scales):
        style["decimal"] = ","


def prepared_samples(
    path: Path,
    frame: pd.DataFrame,
    roles: tables.Roles,
    prepared: PreparedTable,
    notes: Sequence[str] = (),
    n_labelled: int | None = None,
) -> PreparedSamples:
    """Create samples from a table and its features. Only the first ``n_labelled`` have partial labels."""
    taken = roles.by_column()
    mark_decimals(frame, prepared.preparer)
    row_ids: NDArray[Any] = np.arange(len(frame))
    if roles.id_column is not None:
        row_ids = tables.identifiers(frame[roles.id_column], roles.id_column, str(path))
    known = None if roles.labels is None else frame[roles.labels]
    partial = None if roles.partial_labels is None else frame[roles.partial_labels][:n_labelled]
    table = tables.labelled(Table(path.name, prepared.X, prepared.feature_names, row_ids), known, partial)
    if table.partial_y is not None:
        missing = (0, len(frame) - len(table.partial_y))
        table = replace(table, partial_y=np.pad(table.partial_y, missing, constant_values=-1))
    features = [column for column in frame.columns if column not in taken]
    unused = [name for name, role in taken.items() if role in ("labels", "drop")]
    others = frame[[name for name in features if name not in prepared.columns]]
    # Columns of bytes, lists or records are excluded, because they do not help to identify a row.
    shown = [name for name in others if infer_dtype(others[name]) not in ("bytes", "mixed")]
    left = others[[name for name in shown if others[name].nunique() > 1]]
    return PreparedSamples.of(
        table,
        category_names=prepared.category_names,
        notes=tuple(for_command(note) for note in (*notes, *prepared.notes)),
        given=frame,
        prepared=prepared,
        notes_of_rows=left,
        unused=pd.concat([frame[unused], left], axis=1),
        roles=roles,
    )


def _without_text(method: Method, columns: Sequence[str]) -> str:
    """Return advice for a table with text columns that the method does not accept."""
    out = " ".join(f"--drop {shlex.quote(column)}" for column in columns[:3])
    more = " and so on" if len(columns) > 3 else ""
    return (
        f"method {method.name} accepts only numbers; omit --no-prepare to convert such columns to features, "
        f"exclude them with {out}{more}, declare their role with --labels, --partial-labels or --id-column, "
        f"read them as texts with --text-columns, or use a method for categories ({accepting('categorical')})"
    )


def text_features(
    samples: TextSamples,
    *,
    sparse: bool,
    seed: int,
    min_df: float = 1,
    max_df: float = 1.0,
    svd: int | None = None,
    embed: str | None = None,
) -> TextSamples:
    """Compute tf-idf weights. Reduce them by truncated SVD if ``svd`` is set or ``sparse`` is False."""
    # If ``embed`` is set, the embeddings are clustered, and the term weights only name the clusters.
    weights, vocabulary = datasets.tfidf(samples.source.texts, min_df=min_df, max_df=max_df)
    record: dict[str, Any] = {"features": "tf-idf", "min_df": min_df, "max_df": max_df, "svd": None}
    if embed is not None:
        if svd is not None:
            raise DataError("--svd and --embed are mutually exclusive")
        record |= {"features": "embeddings", "model": embed}
        folder = str(Path.cwd())
        sys.path.insert(0, folder)  # ``embed`` may name a module in the current folder
        try:
            X = datasets.embed(samples.source.texts, embed)
        finally:
            sys.path.remove(folder)
        return samples.with_terms(weights, vocabulary, record, unit_rows(X))
    if sparse and svd is None:
        return samples.with_terms(weights, vocabulary, record)
    most = min(weights.shape)
    if svd is not None and svd > most:
        size = f"{weights.shape[0]} documents with {weights.shape[1]} terms"
        raise DataError(f"--svd must be at most {most} for {size}, got {svd}")
    components = min(100, most) if svd is None else svd
    X, share = _reduced(weights, components, seed)
    record |= {"svd": components, "svd_explained_variance": share}
    return samples.with_terms(weights, vocabulary, record, X)


def _reduced(weights: Any, n_components: int, seed: int) -> tuple[NDArray[np.float64], float]:
    """Return the leading components, scaled to rows of unit length, and their share of the variance."""
    from sklearn.decomposition import TruncatedSVD

    if weights.shape[1] == 1:  # TruncatedSVD raises an error for one column
        return weights.toarray(), 1.0
    svd = TruncatedSVD(n_components, random_state=seed)
    with np.errstate(invalid="ignore"):  # the total variance is zero if all documents are identical
        X = svd.fit_transform(weights)
        share = float(svd.explained_variance_ratio_.sum())
    # Rows are scaled to unit length, because documents with small components would otherwise look empty.
    return unit_rows(X), share if np.isfinite(share) else 1.0


def stem_features(
    samples: TextSamples, *, stemmer: StemmerName | None = None, min_df: float = 2, max_df: float = 1.0
) -> TextSamples:
    """Compute tf-idf weights (rows of unit length) of stems found in ``min_df`` to ``max_df`` documents."""
    # If no stemmer was requested and snowballstemmer is not installed, words are not stemmed.
    texts, chosen = samples.source.texts, stemmer or "porter"
    if stemmer is None and find_spec("snowballstemmer") is None:
        chosen, said = "none", "words are not stemmed, because snowballstemmer is not installed"
        warnings.warn(f"{said} (pip install moo_clustering[text])", stacklevel=3)
    own = None if chosen == "none" else chosen
    try:
        counts, terms = document_term_counts(texts, min_df=min_df, stemmer=own)
    except ImportError as error:
        said = f"--stemmer {chosen} requires snowballstemmer, which is not installed"
        remedy = "run pip install moo_clustering[text], or use --stemmer none"
        raise DataError(f"{said}; {remedy}") from error
    except ValueError as error:
        raise DataError(for_command(error)) from error
    most = max_df * len(texts) if isinstance(max_df, float) else max_df
    kept = np.flatnonzero(counts.getnnz(axis=0) <= most)
    if not len(kept):
        limits = f"--min-df {min_df} and --max-df {max_df}"
        raise DataError(f"{limits} leave no terms in the {len(texts)} documents")
    with warnings.catch_warnings():
        # Ignore the warning about documents without terms, because the estimators issue the same warning.
        warnings.simplefilter("ignore", UserWarning)
        weights = PaperTfidfTransformer().fit_transform(counts[:, kept])
    how: dict[str, Any] = {"features": "tf-idf of stems", "stemmer": chosen}
    record = how | {"min_df": min_df, "max_df": max_df, "svd": None}
    # Cluster names and reports show words rather than stems such as "engin".
    return samples.with_terms(weights, word_forms(texts, terms[kept], own), record)


def presence_features(samples: TextSamples, *, min_df: float = 1, max_df: float = 1.0) -> TextSamples:
    """Compute word-presence indicators, excluding English stop words."""
    present, vocabulary = binary_unigrams(samples.source.texts, min_df=min_df, max_df=max_df)
    record = {"features": "presence of words", "min_df": min_df, "max_df": max_df, "svd": None}
    return samples.with_terms(present, vocabulary, record)
