"""Result types, against the types of what the primal returns on real values."""

import importlib
import itertools
import math
import operator
import warnings

import numpy as np
import pytest

from adcompile.errors import RuleError, Unsupported
from adcompile.ir.types import (
    BOOL,
    FLOAT,
    INT,
    NEVER,
    UNKNOWN,
    Array,
    Closure,
    Instance,
    Known,
    ListT,
    Maybe,
    Scalar,
    Seq,
    TupleT,
    array_type,
    scalar,
)
from adcompile.rules import registry, vjp
from adcompile.rules.typing import result_type
from adcompile.rules.typing_fold import cannot_raise, fold
from tests.rules.test_bodies import all_samples, call, methods_on_arrays


def arr(dtype, *dims):
    return Array(np.dtype(dtype), dims)


F8 = arr("f8", "many")
ANY2 = arr("f8", "any", "any")
WIDE = arr("f8", "many", "many")


def ask(fn, *args, **kwargs):
    return result_type(fn, registry.lookup(fn), list(args), kwargs)


def type_of(value):
    if isinstance(value, np.ndarray):
        return array_type(value)
    if isinstance(value, (tuple, list)):
        items = tuple(map(type_of, value))
        return TupleT(items, type(value)) if isinstance(value, tuple) else ListT(items)
    return Known(value) if isinstance(value, (str, bool)) or value is None else scalar(type(value))


def holds(t, value):
    """Whether a value is of an abstract type."""
    match t:
        case Known(known):
            return Known(value) == t or known == value
        case Scalar(kinds):
            return type(value) in kinds
        case Array(dtype, dims):
            if type(value) is not np.ndarray or value.dtype != dtype:
                return False
            fits = {"one": lambda n: n == 1, "many": lambda n: n != 1, "any": lambda n: True}
            return dims is None or len(dims) == value.ndim and all(fits[d](n) for d, n in zip(dims, value.shape))
        case TupleT(items, cls):
            return type(value) is cls and len(items) == len(value) and all(map(holds, items, value))
        case ListT(items):
            return type(value) is list and len(items) == len(value) and all(map(holds, items, value))
        case _:
            return False


@pytest.mark.parametrize(("fn", "args", "kwargs"), list(all_samples()))
def test_every_sample_has_the_type_of_its_result(fn, args, kwargs):
    settings = {k: Known(v) if not isinstance(v, np.ndarray) else type_of(v) for k, v in kwargs.items()}
    types = [Known(a) if a is None or isinstance(a, (tuple, str)) and not is_data(a) else type_of(a) for a in args]
    if fn in REDUCTIONS_BY_AXIS and len(args) > 1:
        types[1:] = [type_of(a) if isinstance(a, np.ndarray) else Known(a) for a in args[1:]]
    t = result_type(fn, registry.lookup(fn), types, settings)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        value = call(fn, methods_on_arrays(fn, args), kwargs)
    if np.iscomplexobj(args[0]) and fn is np.real_if_close:
        assert t == UNKNOWN or holds(t, value)
    else:
        assert holds(t, value), t


def is_data(value):
    return any(isinstance(item, float) for item in value)


REDUCTIONS_BY_AXIS = {f for f in (np.sum, np.mean, np.cumsum, np.cumprod, np.prod, np.max, np.average)}
REDUCTIONS_BY_AXIS |= {getattr(np.ndarray, n) for n in ("sum", "mean", "var", "std", "prod", "max", "min")}
REDUCTIONS_BY_AXIS |= {getattr(np.ndarray, n) for n in ("cumsum", "cumprod")}
REDUCTIONS_BY_AXIS |= {np.var, np.std, np.min, np.amax, np.amin, np.ptp, np.median, np.nanmedian, np.trace}
REDUCTIONS_BY_AXIS |= {np.nansum, np.nanmean, np.nanvar, np.nanstd, np.nanprod, np.nanmax, np.nanmin}


VALUES = [True, 2, 1.5, 2j, np.float32(1.5), np.float64(0.5), np.int64(3), np.complex64(1j)]
VALUES += [np.float32([1, 2]), np.ones((2, 1)), np.array(1.5), np.array([1, 2])]


BY_VALUE = (np.ones(1, np.float32) ** np.float64(2)).dtype == np.float32
"""Before NumPy 2.3 the class of a power depends on what the exponent is."""


@pytest.mark.parametrize("fn", [operator.add, operator.mul, operator.truediv, operator.pow, np.add, np.maximum])
def test_promotion_is_numpys(fn):
    for a, b in itertools.product(VALUES, VALUES):
        try:
            with np.errstate(all="ignore"):
                expected = fn(a, b)
        except TypeError:
            continue
        t = ask(fn, type_of(a), type_of(b))
        if fn is operator.pow and BY_VALUE and t == UNKNOWN:
            assert isinstance(a, np.ndarray) and np.ndim(b) == 0
        else:
            assert holds(t, expected), (a, b, t)


def test_unions_take_every_member():
    assert ask(operator.mul, scalar(float, np.float64), scalar(int)) == scalar(float, np.float64)
    assert ask(operator.mul, scalar(float, np.float64), arr("f4", "many")) == UNKNOWN
    assert ask(operator.pow, INT, INT) == scalar(int, float)
    assert ask(operator.pow, INT, Known(2)) == INT
    assert ask(operator.pow, INT, Known(-2)) == FLOAT


def test_broadcasting_dims():
    for a, b, both in [("one", "any", "any"), ("many", "any", "many"), ("any", "any", "any"), ("one", "many", "many")]:
        assert ask(np.add, arr("f8", a), arr("f8", b)) == arr("f8", both)
    assert ask(np.add, arr("f8", "one", "any"), arr("f8", "many")) == arr("f8", "one", "many")
    assert ask(np.sin, arr("f8")) == scalar(np.float64)
    assert ask(np.sin, Array(np.dtype("f8"), None)) == UNKNOWN
    assert ask(np.add, Array(np.dtype("f8"), None), F8) == Array(np.dtype("f8"), None)
    assert ask(np.where, BOOL, FLOAT, FLOAT) == arr("f8")


def test_reductions_keep_and_drop_dims():
    assert ask(np.sum, ANY2, axis=Known(0)) == arr("f8", "any")
    assert ask(np.sum, ANY2, axis=Known(0), keepdims=Known(True)) == arr("f8", "one", "any")
    assert ask(np.sum, arr("f4", "one", "many"), axis=Known(0)) == arr("f4", "many")
    assert ask(np.sum, ANY2, axis=INT) == arr("f8", "any")
    assert ask(np.sum, Array(np.dtype("f8"), None)) == scalar(np.float64)


def test_sizes_are_not_guessed():
    assert ask(np.unique, F8) == arr("f8", "any")
    assert ask(np.flatnonzero, F8) == arr("i8", "any")
    assert ask(np.zeros, INT) == arr("f8", "any")
    assert ask(np.zeros, Known((3, 1))) == arr("f8", "many", "one")
    assert ask(np.shape, arr("f8", "many", "one")) == TupleT((INT, Known(1)))


def test_containers():
    one, two = TupleT((FLOAT,)), TupleT((INT, FLOAT))
    assert ask(operator.add, one, two) == TupleT((FLOAT, INT, FLOAT))
    assert ask(operator.add, ListT((FLOAT,)), ListT(())) == ListT((FLOAT,))
    assert ask(operator.add, Seq(FLOAT), ListT((INT,))) == Seq(scalar(float, int))
    assert ask(operator.mul, ListT((FLOAT,)), Known(3)) == ListT((FLOAT,) * 3)
    assert ask(operator.mul, INT, ListT((FLOAT,))) == Seq(FLOAT)
    assert ask(operator.mod, Known("%d"), INT) == Instance(str)
    assert ask(operator.eq, one, two) == BOOL
    assert ask(operator.eq, F8, FLOAT) == arr("?", "many")


def test_questions_about_types_are_answered():
    assert ask(isinstance, F8, Known(np.ndarray)) == Known(True)
    assert ask(isinstance, scalar(int, float), Known((int, float))) == Known(True)
    assert ask(isinstance, scalar(int, float), Known(int)) == BOOL
    assert ask(type, FLOAT) == Known(float)
    assert ask(len, TupleT((FLOAT, FLOAT))) == Known(2)
    assert ask(np.ndim, ANY2) == Known(2)
    assert ask(np.iscomplexobj, arr("c16", "any")) == Known(True)
    assert ask(np.result_type, arr("f4", "any"), FLOAT) == Known(np.dtype("f4"))
    assert ask(callable, Closure(None, (), (), ())) == Known(True)


def test_never_unknown_and_out():
    assert ask(np.sin, NEVER) == NEVER
    assert ask(np.sin, UNKNOWN) == UNKNOWN
    with pytest.raises(Unsupported, match="out="):
        ask(np.add, F8, F8, out=F8)


def test_draws_do_not_run():
    before = np.random.get_state()[1].copy()
    assert ask(np.random.standard_normal, Known((3, 1))) == arr("f8", "many", "one")
    of_module = np.random.RandomState.normal, Instance(np.random.RandomState)  # as np.random.normal is called
    assert ask(*of_module, FLOAT, FLOAT, Known((3, 1))) == arr("f8", "many", "one")
    assert ask(np.random.rand, INT) == arr("f8", "any")
    np.testing.assert_array_equal(before, np.random.get_state()[1])


def test_folding():
    assert fold(operator.add, [2, 3], {}) == Known(5)
    assert fold(operator.truediv, [1, 0], {}) is None
    assert fold(math.sqrt, [2.0], {}) == Known(math.sqrt(2.0))
    assert fold(operator.pow, [10, 10**6], {}) is None
    assert fold(operator.mul, ["ab", 10**9], {}) is None
    assert fold(operator.add, [(1,), ("a",)], {}) == Known((1, "a"))
    assert fold(operator.add, [np.ones(2), 1], {}) is None
    assert fold(print, ["x"], {}) is None


def test_what_cannot_raise():
    def safe(fn, *args):
        return cannot_raise(fn, registry.lookup(fn), list(args))

    assert safe(operator.add, FLOAT, FLOAT) and safe(operator.mul, F8, FLOAT) and safe(np.sin, F8)
    assert safe(operator.truediv, scalar(np.float64), FLOAT) and safe(operator.pow, F8, Known(2.0))
    assert not safe(operator.truediv, FLOAT, FLOAT)
    assert not safe(operator.add, F8, F8)
    assert not safe(math.sqrt, FLOAT)


def test_all_of_math_has_a_rule():
    missing = [n for n, f in vars(math).items() if callable(f) and n[0] != "_" and registry.lookup(f) is None]
    assert not missing


def test_every_rule_that_computes_has_samples():
    topics = ("python", "mathematics", "numpy.elementwise", "numpy.reduce", "numpy.order", "numpy.ufuncs")
    modules = {f"adcompile.rules.{topic}" for topic in topics}
    sampled = set()
    for topic in ("python", "mathematics", "elementwise", "reduce", "scalars", "runtime"):
        sampled |= set(importlib.import_module(f"tests.rules.samples.{topic}").SAMPLES)
    missing = [
        fn
        for fn, rule in registry.registered().items()
        if rule.body is not None and rule.body.__module__ in modules and fn not in sampled
    ]
    assert not missing


def test_registration_checks_the_arity():
    with pytest.raises(RuleError, match="does not fit"):
        vjp(np.exp, lambda g, x: g)
    with pytest.raises(RuleError, match="there is no"):
        vjp("numpy.linalg.no_such", lambda g, y, x: g)


def test_the_three_forms_of_vjp():
    def cube(x):
        return x**3

    def body(g, y, x):
        return 3.0 * x * x * g

    assert vjp(cube, body) is body
    assert registry.lookup(cube).body is body
    vjp(cube)(body)
    vjp(cube, lambda g, y, x: (g,))
    assert registry.lookup(cube).kind == "vjp"
    registry.unregister(cube)


@pytest.mark.parametrize("fn", [operator.add, operator.pow, operator.lt, math.exp, np.sin, np.maximum, np.isnan])
def test_where_none_raises_the_result_is_that_of_numbers(fn):
    rule = registry.lookup(fn)
    count = 1 if fn in (math.exp, np.sin, np.isnan) else 2
    numbers = [FLOAT, FLOAT][:count]
    for k in range(count):
        given = [2.0] * count
        given[k] = None
        with pytest.raises(TypeError):
            fn(*given)
        types = [Maybe(t) if i == k else t for i, t in enumerate(numbers)]
        assert result_type(fn, rule, types, {}) == result_type(fn, rule, numbers, {}) != UNKNOWN


@pytest.mark.parametrize("fn", [np.equal, np.logical_not, np.real, np.sum], ids=lambda f: f.__name__)
def test_what_takes_none_gives_what_is_not_known(fn):
    args = [Maybe(FLOAT)] * getattr(fn, "nin", 1)
    fn(*[None] * len(args))  # raises nothing
    assert result_type(fn, registry.lookup(fn), args, {}) == UNKNOWN
