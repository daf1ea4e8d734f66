"""Native types of abstract types."""

import numpy as np
import pytest

from adcompile.backend.native.values import ArrayOf, ListOf, Number, TupleOf, held, native_of
from adcompile.ir.types import Array, Known, ListT, Maybe, Scalar, TupleT, scalar


@pytest.mark.parametrize(
    ("t", "native"),
    [
        (scalar(float), Number("f8")),
        (scalar(float, np.float64), Number("f8")),
        (scalar(int, np.float64), Number("f8")),
        (scalar(float, np.float32), None),
        (scalar(int), Number("i8")),
        (scalar(bool, np.bool_), Number("b1")),
        (scalar(np.float16), None),
        (Known(2.0), Number("f8")),
        (Known(None), None),
        (Array(np.dtype(float), ("many", "any")), ArrayOf("f8", 2)),
        (Array(np.dtype(float), ()), None),
        (Array(np.dtype(float), None), None),
        (Array(np.dtype(">f8"), ("many",)), None),
        (TupleT((scalar(float), scalar(int))), TupleOf((Number("f8"), Number("i8")))),
        (ListT((scalar(float),)), ListOf(Number("f8"))),
        (Scalar(frozenset()), None),
    ],
)
def test_native_types(t, native):
    assert native_of(t) == native


def test_what_values_that_come_by_several_ways_are_held_as():
    assert held(scalar(float, np.float32)) == Number("f8")
    assert held(Maybe(scalar(np.float32))) == Number("f4")
    assert held(Maybe(Array(np.dtype(float), ("many",)))) == ArrayOf("f8", 1)
    assert held(scalar(float, complex)) is None
