"""Each operation on one element is, in value and dtype, NumPy's on arrays."""

import operator

import numpy as np
import pytest

from adcompile.ir.nodes import Call, Const, Var
from adcompile.ir.types import FLOAT, FLOAT64, UNKNOWN, Array
from adcompile.nests.elementwise import ARITHMETIC, COMPARISONS, FUNCTIONS, LOGIC, SELECTIONS, operation

RNG = np.random.default_rng(3)
DTYPES = [np.float64, np.float32, np.int64, np.bool_]


def values(dtype, n=20):
    x = RNG.random(n) + 0.1
    return x.astype(dtype) if dtype in (np.float64, np.float32) else (x * 7).astype(dtype)


def typed(value):
    return Array(value.dtype, ("many",)) if isinstance(value, np.ndarray) else FLOAT


def one_by_one(found, args, n):
    """The operation applied to elements, converted as it says."""
    out = []
    for k in range(n):
        given = [t.type(a[k] if isinstance(a, np.ndarray) else a) for a, t in zip(args, found.takes)]
        if found.fn is None:
            out.append(given[0])
        elif found.fn is np.where:
            out.append(given[1] if given[0] else given[2])
        else:
            out.append(found.fn(*given))
    return np.array(out)


def arity(fn):
    return fn.nin if isinstance(fn, np.ufunc) else 1 if fn in (operator.neg, operator.abs, abs, operator.invert) else 2


def name_of(fn):
    return f"{fn.__module__ or 'numpy'}.{fn.__name__}"


FOUND = [*ARITHMETIC, *COMPARISONS, *LOGIC, *SELECTIONS, *FUNCTIONS, np.square, np.reciprocal, operator.pow]
CALLABLES = sorted(FOUND, key=name_of)  # in one order in each process that runs tests


@pytest.mark.parametrize("fn", CALLABLES, ids=name_of)
@pytest.mark.filterwarnings("ignore")
def test_as_on_arrays(fn):
    judged = 0
    for left in DTYPES:
        for right in [*DTYPES, float] if arity(fn) == 2 else [None]:
            args = (values(left),) if right is None else (values(left), 2.5 if right is float else values(right))
            try:
                whole = fn(*args)
            except (TypeError, ValueError):
                continue
            atoms = tuple(Var(f"v{k}") if isinstance(a, np.ndarray) else Const(a) for k, a in enumerate(args))
            result = Var("r")
            types = {v: typed(a) for v, a in zip(atoms, args) if isinstance(v, Var)}
            found = operation(Call(result, Const(fn), atoms), {**types, result: typed(whole)})
            if found is None:
                continue
            got = one_by_one(
                found, tuple(args[atoms.index(a)] if isinstance(a, Var) else a.value for a in found.operands), 20
            )
            assert got.dtype == whole.dtype == found.gives
            rough = {np.float64: 4e-15, np.float32: 2e-6}.get(whole.dtype.type, 0)
            np.testing.assert_allclose(got, whole, rtol=0 if fn in ARITHMETIC else rough, atol=0)
            judged += 1
    assert judged


def test_choices_and_conversions():
    c, x, r = Var("c"), Var("x"), Var("r")
    types = {c: Array(np.dtype(bool), ("many",)), x: Array(np.dtype(np.float32), ("many",))}
    single, double = Array(np.dtype(np.float32), ("many",)), Array(np.dtype(float), ("many",))
    found = operation(Call(r, Const(np.where), (c, x, Const(0.0))), {**types, r: single})
    assert [t.type for t in found.takes] == [np.bool_, np.float32, np.float32]
    cast = operation(Call(r, Const(np.ndarray.astype), (c, Const(np.dtype(float)))), {**types, r: double})
    assert cast.fn is None and cast.gives == np.float64
    copied = operation(Call(r, Const(np.copy), (x,)), {**types, r: single})
    assert copied.fn is None and copied.gives == np.float32


def test_short_ways_of_powers():
    x, r = Var("x"), Var("r")
    types = {x: Array(np.dtype(float), ("many",)), r: Array(np.dtype(float), ("many",))}
    ways = {2: operator.mul, 0.5: np.sqrt, -1: operator.truediv, 1: None, 3: np.power}
    for exponent, fn in ways.items():
        assert operation(Call(r, Const(operator.pow), (x, Const(exponent))), types).fn is fn


def test_what_is_left_alone():
    x, r, s = Var("x"), Var("r"), Var("s")
    plain = Array(np.dtype(float), ("many",))
    types = {x: plain, r: plain, s: FLOAT64}
    assert operation(Call(r, Const(np.add), (x, x), (("out", x),)), types) is None
    assert operation(Call(r, Const(np.add), (x, x, x)), types) is None, "a buffer by position"
    assert operation(Call(s, Const(operator.add), (s, s)), types) is None, "scalars"
    for dtype in (complex, np.float16, ">f8", object):
        odd = {x: Array(np.dtype(dtype), ("many",)), r: Array(np.dtype(dtype), ("many",))}
        assert operation(Call(r, Const(operator.add), (x, x)), odd) is None, dtype
    unknown = {x: Array(np.dtype(float), None), r: UNKNOWN}
    assert operation(Call(r, Const(operator.add), (x, x)), unknown) is None
