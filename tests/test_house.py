"""The package keeps its shape: rooms import downwards only, few modules, none of them long."""

from tests import house


def test_rooms_import_downwards():
    assert house.rooms_without_place() == set()
    assert house.imports_against_order() == {}


def test_modules_are_few_and_none_is_long():
    modules = house.modules()
    assert len(modules) <= 180
    assert {name: module.n_lines for name, module in modules.items() if module.n_lines > 1300} == {}


def test_tests_name_few_private_modules():
    assert len(house.private_modules_named_by_tests()) <= 20
