"""Numbers such as -999 and 20240131 in every reader of tables."""

import warnings

import numpy as np
import pandas as pd
import pytest

from moo_clustering.datasets import DataError, TablePreparer, prepare_table, read_bags, read_table

N = 30


def frame(code=-999, n_codes=3, **columns):
    ages = np.random.default_rng(0).integers(18, 80, N)
    ages[:n_codes] = code
    return pd.DataFrame({"age": ages, "x": np.arange(N) % 7 / 3, **columns})


def prepared(table, path):
    return list(prepare_table(table).notes)


def of_file(suffix):
    def read(table, path):
        file = path / f"table{suffix}"
        if suffix == ".parquet":
            pytest.importorskip("pyarrow")
            table.to_parquet(file)
        elif suffix == ".npz":
            np.savez(file, X=table.to_numpy(float), feature_names=np.array(table.columns, dtype=str))
        else:
            table.to_csv(file, index=False)
        return warned(read_table, file)

    return read


def bags(table, path):
    table.assign(bag=[f"b{row // 3}" for row in range(N)]).to_csv(path / "bags.csv", index=False)
    return warned(read_bags, path / "bags.csv")


def warned(read, file):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        read(file)
    return [str(each.message) for each in found]


READERS = {
    "prepare_table": prepared,
    "csv": of_file(".csv"),
    "parquet": of_file(".parquet"),
    "npz": of_file(".npz"),
    "bags": bags,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("code", [-9999, -999, -99, 999])
def test_a_code_is_named_with_its_column(reader, code, tmp_path):
    said = "\n".join(READERS[reader](frame(code), tmp_path))
    assert f"column 'age': {code} in 3 cells is far from all other values (" in said
    assert "if it marks missing values, leave these cells empty" in said


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("code", "n_codes"), [(-999, 1), (-998, 3), (99, 3)])
def test_other_numbers_are_no_codes(reader, code, n_codes, tmp_path):
    # A single number, another one, and one that continues the range of ages.
    assert "is far from" not in "\n".join(READERS[reader](frame(code, n_codes), tmp_path))


@pytest.mark.parametrize("reader", READERS)
def test_days_without_separators_are_dates(reader, tmp_path):
    days = pd.date_range("2024-01-20", periods=N).strftime("%Y%m%d").astype(int)
    said = "\n".join(READERS[reader](frame(40, day=days), tmp_path))
    if reader in ("npz", "bags"):
        assert "column 'day': numbers such as 20240120 may be dates, but are used as numbers" in said
    else:
        assert "dates in column 'day' converted to days" in said
    # One number that is no day, and two different days.
    for other in (np.append(days[1:], 20240230), np.arange(N) % 2 + 20240101):
        said = "\n".join(READERS[reader](frame(40, day=other), tmp_path))
        assert "dates in" not in said
        assert "may be dates" not in said


def test_further_days_without_separators():
    days = pd.date_range("2024-01-20", periods=N)
    numbers = days.strftime("%Y%m%d").astype(int)
    preparer = TablePreparer().fit(frame(40, day=numbers))
    for further in (numbers[:2], numbers[:2].astype(float), numbers[:2].astype(str), days[:2]):
        found = preparer.prepare(frame(40)[:2].assign(day=further))
        assert found.columns["day"].tolist() == days[:2].tolist()
        assert not [note for note in found.notes if "day" in note]
    with pytest.raises(DataError, match="column 'day' had dates in the training table, but has '45000'"):
        preparer.prepare(frame(40)[:2].assign(day=45000))
    # Numbers of the fit remain numbers, whatever further ones look like.
    preparer = TablePreparer().fit(frame(40, day=numbers % 7))
    assert preparer.prepare(frame(40).assign(day=numbers)).columns["day"].tolist() == numbers.tolist()
