"""The package keeps its shape: rooms import downwards only, few modules, none of them long, few lines."""

import statistics

import pytest

from tests import house


@pytest.fixture(scope="module")
def modules():
    """All modules of the package."""
    return house.modules().values()


def test_rooms_import_downwards():
    assert house.rooms_without_place() == set()
    assert house.imports_against_order() == {}


def test_no_modules_import_each_other():
    assert house.circles() == []


def test_modules_are_few_and_none_is_long(modules):
    lengths = [module.n_lines for module in modules if not module.is_init]
    assert len(lengths) <= 210
    assert 250 <= statistics.median(lengths) <= 600
    assert {module.name: module.n_lines for module in modules if module.n_lines > 1000} == {}


def test_a_module_serves_others_or_is_public():
    assert len(house.imported_once()) <= 15


def test_lines_and_imports(modules):
    assert sum(module.n_lines for module in modules) <= 85_600
    code, _, imports = (
        sum(counts) for counts in zip(*(module.line_counts() for module in modules), strict=True)
    )
    assert imports <= 0.077 * code
    assert code <= 110 * len(house.exports())


def test_records_and_numeric_constants_are_few():
    every, records = house.classes()
    assert len(records) <= 0.25 * len(every)
    assert len(house.numbers()) <= 261


def test_results_are_typed_where_they_are_shown():
    # Signals of the platform, and the wrapper around a lossy stream.
    assert len(house.probes("cli", "visualization")) <= 4


def test_tests_name_few_private_modules():
    assert len(house.private_modules_named_by_tests()) <= 21


def test_estimators_share_the_names_of_their_parameters():
    named = house.parameters()
    assert len(named) <= 187
    assert sum(len(estimators) == 1 for estimators in named.values()) <= 99


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "most"), [("fit table.csv", 60), ("ParetoClustering.fit", 30), ("NSGA2Clus.fit", 27)]
)
def test_a_run_enters_few_files(run, most):
    assert int(house.files_entered(run)) <= most
