import numpy as np
import pytest

from adcompile.ir.abstract import type_of
from adcompile.ir.signature import SignatureError, parse, spell
from adcompile.ir.types import FLOAT, UNKNOWN, Array, Instance, Known, Scalar, Seq


@pytest.mark.parametrize(
    "text",
    [
        "float64[:,:], float64[1], float64[()]",
        "float, int, bool, complex, float32, complex128",
        "None, True, -3, 'sum'",
        "(float, int32), (float,), [float, [int]], {'a': float64[:,1]}",
        "[float, ...], ((int, int), ...)",
        "",
    ],
)
def test_there_and_back(text):
    assert ", ".join(map(spell, parse(text))) == text


def test_types():
    assert parse("float64[:,1]") == (Array(np.dtype("float64"), ("many", "one")),)
    assert parse("float") == (FLOAT,) and parse("float32") == (Scalar(frozenset({np.float32})),)
    assert parse("[float, ...]") == (Seq(FLOAT, list),)
    assert parse("None") == (Known(None),)


@pytest.mark.parametrize("value", [1.0, np.float32(1), np.ones((2, 1)), (1, [2.0]), {"a": None}, "s", True, [1.0] * 20])
def test_of_values(value):
    assert parse(spell(type_of(value))) == (type_of(value),)


@pytest.mark.parametrize(
    "text", ["float64[3]", "float64[::2]", "foo", "float64[:", "np.x", "f(x)", "{**a}", "1.5"]
)
def test_unreadable(text):
    with pytest.raises(SignatureError, match="write"):
        parse(text)


@pytest.mark.parametrize("t", [Known(np.sin), Instance(object), UNKNOWN, Array(np.dtype("float64"), None)])
def test_types_without_text(t):
    with pytest.raises(SignatureError):
        spell(t)
