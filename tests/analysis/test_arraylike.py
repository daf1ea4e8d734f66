"""Lists where NumPy makes arrays of them: converted as NumPy does, and nowhere else."""

import copy

import numpy as np
import pytest
from scipy.special import comb

import adcompile as ad
from adcompile.analysis.arraylike import LEADING, array_places, leading_names
from adcompile.frontend.source import synthesise
from adcompile.rules.registry import lookup
from adcompile.testing import check_grads
from tests.checks import bits
from tests.programs import some
from tests.rules.test_registry import SAMPLES, name_of

X = np.array([0.3, 0.7])
CONVERTING = {fn: lookup(fn) for fn in SAMPLES if lookup(fn).kind in LEADING and array_places(fn, lookup(fn))}
pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of NumPy, for forms that still work
]


def outcome(fn, args, settings):
    try:
        return bits(fn(*args, **settings))
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("fn", CONVERTING, ids=name_of)
def test_numpy_makes_the_same_of_a_list_and_of_its_array(fn):
    places = array_places(fn, CONVERTING[fn])
    for args, settings in SAMPLES[fn]:
        for listed in (np.ndarray.tolist, tuple):

            def taken(key, value, listed=listed):
                return listed(value) if places.takes(key) and isinstance(value, np.ndarray) and value.ndim and value.size else value  # noqa: E501

            given = [taken(k, a) for k, a in enumerate(args)]
            named = {k: taken(k, a) for k, a in settings.items()}
            if fn is np.diff and args[1:] == (0,) or not any(isinstance(a, (list, tuple)) for a in given):
                continue  # np.diff gives the list itself
            made = [np.array(g) if type(g) is not type(a) else copy.deepcopy(a) for g, a in zip(given, args)]
            arrays = {k: np.array(g) if type(g) is not type(settings[k]) else g for k, g in named.items()}
            plain = outcome(fn, given, named)
            if fn is comb and settings and plain[0] is TypeError:
                continue  # SciPy before 1.17 adds to the list itself, which is the only thing it cannot do
            assert plain == outcome(fn, made, arrays)


def display(name, shape, index=()):
    """`[[x[0, 0], x[0, 1]], …]`."""
    if len(index) == len(shape):
        return f"{name}[{', '.join(map(str, index))}]"
    return f"[{', '.join(display(name, shape, (*index, k)) for k in range(shape[len(index)]))}]"


@pytest.mark.parametrize("fn", some([fn for fn in CONVERTING if fn is not np.real_if_close], 5), ids=name_of)
def test_derivatives_by_lists(fn):
    places = array_places(fn, CONVERTING[fn])
    for args, settings in SAMPLES[fn]:  # noqa: B007
        listed = [
            k for k, a in enumerate(args)
            if places.takes(k) and isinstance(a, np.ndarray) and a.dtype.kind in "fc" and 0 < a.size <= 12 and a.ndim
        ]  # fmt: skip
        if listed:
            break
    else:
        return
    params = [f"x{k}" for k in range(len(args))]
    passed = [display(p, args[k].shape) if k in listed else p for k, p in enumerate(params)]
    call = f"fn({', '.join([*passed, *(f'{k}=set_{k}' for k in settings)])})"
    names = {"fn": fn, **{f"set_{k}": v for k, v in settings.items()}}
    f = synthesise("of_lists", ", ".join(params), [f"return {call}"], names)
    with np.errstate(all="ignore"):
        check_grads(f, args, order=1)


def source(f, *args):
    return ad.source(ad.grad(f), *args)


def test_the_list_is_made_an_array_in_sight():
    assert "np.dot(np.array([" in source(lambda x: np.dot([x[0], 1.0], x), X)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.concatenate(([x[0]], x))),
        lambda x: np.sum(np.reshape(x, [2, 1])),
        lambda x: np.sum(x, axis=(0,)),
        lambda x: np.max([1.0, 2.0]) * x[0],
        lambda x: sum([x[0], x[1]]),
        lambda x: np.sum(np.tile(x, [2, 2])),
        lambda x: np.sum(np.moveaxis(np.outer(x, x), (0, 1), (1, 0))),
    ],
)
def test_other_lists_stay(f):
    assert "np.array(" not in source(f, X)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum([[x[0], x[1]], [x[0]]]),
        lambda x: np.dot([x, [x[0]]], x),
        lambda x: np.max([x, x[:1]]),
        lambda x: np.max([y for y in x if y > 5.0]),
        lambda x: np.dot([x[0]], x),
        lambda x: x + [x[0], x[0], x[1]],
        lambda x: x[0] * [x[0], x[1]],
        lambda x: np.linalg.solve([[x[0], x[1]]], x),
        lambda x: np.add([x[0], "a"], x),
        lambda x: np.split([x[0], x[1]], 2),
    ],
)
def test_errors_are_numpys(f):
    with pytest.raises(Exception) as expected:
        f(X)
    for call in (lambda: ad.vjp(f, X), lambda: ad.jvp(f, (X,), (X,))):
        with pytest.raises(type(expected.value)) as found:
            call()
        assert str(found.value) == str(expected.value)


def test_numbers_of_numpy_repeat_a_list():
    f = lambda x: np.sum(np.int64(2) * [x[0], x[1]])
    np.testing.assert_array_equal(ad.grad(f)(X), [2.0, 2.0])


def test_arrays_by_name():
    assert leading_names(np.tensordot, lookup(np.tensordot)) == ("a", "b")
    assert leading_names(np.average, lookup(np.average)) == ("a",)
    assert leading_names(np.add, lookup(np.add)) == ()
    check_grads(lambda a, b: np.tensordot(b=a, a=b, axes=1), (X, X + 1.0))
    with pytest.raises(TypeError):
        ad.grad(lambda x: np.tensordot(x, a=x, b=x))(X)


def test_lists_of_ints_and_floats():
    def greatest(x):
        items = [0]
        for i in range(len(x)):
            items.append(x[i] * x[0])
        return np.max(items)

    check_grads(greatest, (X,))
    value, bar = ad.value_and_grad(greatest)(X[:0])
    assert type(value) is np.int64 and bar.shape == (0,)


class Unit:
    def __init__(self, a):
        self.a = a

    def __array__(self, dtype=None, copy=None):
        return self.a

    def __array_ufunc__(self, ufunc, method, *args, **kwargs):
        return ufunc(*[a.a * 2 if isinstance(a, Unit) else a for a in args], **kwargs)


def test_objects_that_say_what_functions_of_numpy_do():
    with pytest.raises(ad.Unsupported, match="asks its __array_ufunc__"):
        ad.grad(lambda x: np.sum(np.multiply(Unit(x), x)))(np.ones(3))


def put_at_a_tuple(x):
    y = x * 1.0
    np.put(y, (0, 2), x[:2] * 3)
    y.put((3,), x[0])
    return y @ y


def added_at_a_tuple(x):
    y = x * 1.0
    np.add.at(y, ((0, 1, 1),), x[2])
    np.multiply.at(y, (0,), x[1])
    return y @ y


def masked_by_a_tuple(x):
    y, z = x * 2.0, x * 3.0
    np.putmask(y, (True, False, True, False), x * x)
    np.place(z, (True, False, True, False), x * x)
    return y @ z


POSITIONS = {
    "take": lambda x: np.sum(np.take(x, (0, 0, 2)) ** 2),
    "rows": lambda x: np.sum(np.outer(x, x).take((0, 0), axis=0) ** 2),
    "columns": lambda x: np.sum(np.outer(x, x).take((0, 0), axis=1) ** 2),
    "table": lambda x: np.sum(np.outer(x, x).take(((0, 0), (1, 2))) ** 2),
    "wrap": lambda x: np.sum(np.take(x, (0, 9), mode="wrap") ** 2),
    "bincount": lambda x: np.sum(np.bincount((0, 1, 1, 0), weights=x) ** 2),
    "repeat": lambda x: np.sum(np.repeat(x, (1, 2, 0, 3)) ** 2),
    "delete": lambda x: np.sum(np.delete(x, (1, 2)) ** 2),
    "insert": lambda x: np.sum(np.insert(x, (1, 2), (x[0], x[3])) ** 2),
    "choose": lambda x: np.sum(np.choose((0, 1, 0, 1), (x, x * x)) ** 2),
    "compress": lambda x: np.sum(np.compress((True, False, True), x) ** 2),
    "reduceat": lambda x: np.sum(np.add.reduceat(x, (0, 2)) ** 2),
    "put": put_at_a_tuple,
    "at": added_at_a_tuple,
    "masks": masked_by_a_tuple,
}


@pytest.mark.parametrize("name", POSITIONS)
def test_positions_given_as_a_tuple(name):
    ad.check_grads(POSITIONS[name], (np.array([1.0, 2.0, 3.0, 0.5]),), order=1 if name == "put" else 2)
