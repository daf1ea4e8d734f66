"""The operations mean as plain Python what the emitter prints for them."""

import pytest

from adcompile.ir import ops
from adcompile.ir.nodes import GlobalRef


def raised(fn, *args):
    with pytest.raises(Exception) as caught:  # the type is compared below
        fn(*args)
    return type(caught.value), str(caught.value)


def unpack_two(value):
    a, b = value
    return a, b


def unpack_around(value):
    a, *b, c = value
    return a, b, c


@pytest.mark.parametrize("value", [(1, 2), "ab", {1: 2, 3: 4}, iter([1, 2])])
def test_unpack(value):
    assert ops.unpack(value, 2) in [(1, 2), ("a", "b"), (1, 3)]


@pytest.mark.parametrize("value", [(), (1,), "a"])
def test_unpack_raises_what_python_raises(value):
    assert raised(ops.unpack, value, 2) == raised(unpack_two, value)
    assert raised(ops.unpack_star, value, 1, 1) == raised(unpack_around, value)


def test_unpack_star():
    for value in ("ab", [1, 2, 3], range(5)):
        assert ops.unpack_star(value, 1, 1) == unpack_around(value)


def test_displays():
    assert ops.build_dict("a", 1, "b", 2) == {"a": 1, "b": 2}
    assert ops.dict_merge({"a": 1}, {"a": 2, "b": 3}) == {"a": 2, "b": 3}
    assert ops.tuple_concat([1], (2, 3), "x") == (1, 2, 3, "x")
    assert ops.list_concat([1], (2, 3)) == [1, 2, 3]
    assert ops.build_set(1, 1) == {1}
    assert ops.kwargs_merge({"a": 1}, {"b": 2}) == {"a": 1, "b": 2}
    assert raised(ops.kwargs_merge, {"a": 1}, {"a": 2})[0] is TypeError


@pytest.mark.parametrize("conversion, spec", [("", ""), ("r", ">8"), ("s", ""), ("a", "")])
def test_format_value(conversion, spec):
    mark = f"!{conversion}" if conversion else ""
    assert ops.format_value("né", conversion, spec) == ("{" + mark + ":" + spec + "}").format("né")


def test_lists_are_used_once():
    items = [1]
    assert ops.push(items, 2) is items
    assert ops.pop(items) == ([1], 2)
    assert ops.list_set(items, 0, 5) == [5] and items == [1]


def test_globals():
    assert ops.load_global(GlobalRef({"len": 3}, "len")) == 3
    assert ops.load_global(GlobalRef({}, "len")) is len


def test_import_from():
    import math  # noqa: PLC0415

    assert ops.import_from(math, "pi") is math.pi
    assert raised(ops.import_from, math, "nothing")[0] is ImportError
