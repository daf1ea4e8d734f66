import collections
import math

import numpy as np
import pytest

from adcompile.errors import Unsupported
from adcompile.ir.abstract import function_key, key_of, type_of, types_of
from adcompile.ir.types import Array, DictT, Instance, Known, ListT, RangeT, Scalar, Seq, SliceT, TupleT

Point = collections.namedtuple("Point", "x y")


class Model:
    def __init__(self):
        self.w = 1.0

    def loss(self, x):
        return self.w * x


def scale(k):
    def inner(x):
        return k * x

    return inner


def recursive(k):
    def inner(n):
        return k if n == 0 else inner(n - 1)

    return inner


FLOAT, INT = Scalar(frozenset({float})), Scalar(frozenset({int}))


@pytest.mark.parametrize("cls", [float, complex, int, np.float32, np.float64, np.complex64, np.int8, np.bool_])
def test_numbers_are_scalars_of_their_class(cls):
    assert type_of(cls(1)) == Scalar(frozenset({cls}))


@pytest.mark.parametrize(
    "value", [None, True, "s", b"b", math.sin, np.sin, np.add.reduce, np, np.float64, np.dtype("f4"), ..., len, Model]
)
def test_objects_a_program_may_depend_on_are_known(value):
    assert type_of(value) == Known(value)
    assert key_of((value,)) == key_of((value,))


def test_arrays_tell_one_from_many():
    assert type_of(np.zeros((2, 1, 0))) == Array(np.dtype("f8"), ("many", "one", "many"))
    assert type_of(np.zeros((), "f4")) == Array(np.dtype("f4"), ())
    assert type_of(np.ma.zeros(3)) == Instance(np.ma.MaskedArray)


def test_containers():
    assert type_of((1.0, [2, None])) == TupleT((FLOAT, ListT((INT, Known(None)))))
    assert type_of(Point(1.0, 2)) == TupleT((FLOAT, INT), Point)
    assert type_of({"b": 1.0, "a": 2}) == DictT(("b", "a"), (FLOAT, INT))
    assert type_of(range(3)) == RangeT(True)
    assert type_of(range(1, 3)) == RangeT(False)
    assert type_of(slice(1, None)) == SliceT((INT, Known(None), Known(None)))
    assert type_of(collections.OrderedDict()) == Instance(collections.OrderedDict)


def test_long_equal_sequences_lose_their_length():
    assert type_of([1.0] * 17) == Seq(FLOAT, list)
    assert type_of((1.0,) * 17) == Seq(FLOAT, tuple)
    assert type_of([1.0] * 16) == ListT((FLOAT,) * 16)
    assert isinstance(type_of([1.0] * 17 + [1]), ListT)
    assert key_of(([1.0] * 17,)) == key_of(([2.0] * 30,)) != key_of(([1] * 17,))


def test_cycles_are_refused():
    items = [1.0]
    items.append(items)
    for ask in (type_of, lambda v: key_of((v,))):
        with pytest.raises(Unsupported, match="contains itself"):
            ask(items)


def test_the_same_item_twice_is_no_cycle():
    pair = [1.0]
    assert type_of([pair, pair]) == ListT((ListT((FLOAT,)),) * 2)


SAMPLES = [
    1.0,
    2,
    3j,
    True,
    False,
    1 == 1.0,
    None,
    "1",
    b"1",
    np.float64(1),
    np.float32(1),
    np.ones(3),
    np.ones(1),
    np.ones((3, 1)),
    np.ones((1, 3)),
    np.ones(3, "f4"),
    np.ones(3, int),
    np.ones(()),
    (1.0,),
    [1.0],
    (1.0, 2),
    Point(1.0, 2.0),
    (1.0, 2.0),
    {"a": 1.0},
    {"b": 1.0},
    {1: 1.0},
    {True: 1.0},
    range(3),
    range(1, 3),
    slice(1),
    math.sin,
    np.sin,
    np.add.reduce,
    np.multiply.reduce,
    Model(),
    len,
    float,
    np.dtype("f8"),
]


def test_equal_keys_mean_equal_types():
    for a in SAMPLES:
        for b in SAMPLES:
            if key_of((a,)) == key_of((b,)):
                assert type_of(a) == type_of(b), (a, b)
            elif not (isinstance(a, dict) and isinstance(b, dict)):
                assert type_of(a) != type_of(b), (a, b)


def test_keys_of_several_arguments():
    assert key_of((1.0, np.ones(3))) == key_of((2.0, np.ones(5)))
    assert key_of((1.0, np.ones(3))) != key_of((1.0, np.ones(1)))
    assert types_of((1.0, 2)) == (FLOAT, INT)


def test_ints_by_value():
    assert type_of(3, ints=True) == Known(3)
    assert type_of((3, 1.0), ints=True) == TupleT((Known(3), FLOAT))
    assert key_of((1, 2)) == key_of((3, 4))
    assert key_of((1, 2), frozenset({1})) == key_of((3, 2), frozenset({1})) != key_of((1, 4), frozenset({1}))


def test_fresh_closures_share_a_key_where_they_are_differentiated():
    assert function_key(scale(1.0)) == function_key(scale(2.0)) != function_key(scale(1))
    assert function_key(scale(math.sin)) != function_key(scale(math.cos))


def test_functions_among_arguments_are_themselves():
    one, other = scale(1.0), scale(1.0)
    assert key_of((one,)) == key_of((one,)) != key_of((other,))
    assert function_key(scale(one)) == function_key(scale(one)) != function_key(scale(other))


def test_a_rebound_cell_changes_the_key():
    k = 1.0

    def inner(x):
        return k * x

    before = key_of((inner,))
    assert key_of((inner,)) == before
    k = 2
    assert key_of((inner,)) != before


def test_defaults_belong_to_the_key():
    def make(d):
        def inner(x, a=d, *, b=d):
            return x * a

        return inner

    assert function_key(make(1.0)) == function_key(make(1.0)) != function_key(make(2.0))
    assert function_key(make(1)) != function_key(make(1.0))
    one, other = make(1.0), make(1.0)
    assert key_of((one,)) == key_of((one,)) != key_of((other,))


def test_recursive_closures_and_empty_cells():
    assert function_key(recursive(1.0)) == function_key(recursive(2.0)) != function_key(recursive(1))

    def outer():
        def inner():
            return later

        key = function_key(inner)
        later = 1.0
        return key, function_key(inner), later

    empty, full, _ = outer()
    assert empty != full


def test_methods_are_keyed_by_their_object():
    m = Model()
    assert key_of((m.loss,)) == key_of((m.loss,)) != key_of((Model().loss,))
