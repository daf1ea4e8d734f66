"""Jacobians as code; that they nest is tested in tests/test_nesting.py."""

from typing import Any

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.3, -0.8, 1.1])
JACOBIANS = [ad.jacfwd, ad.jacrev, ad.jacobian]


def difference(f, x, h=1e-4):
    steps = [h * e for e in np.eye(x.size)]
    return np.stack([(8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h) for e in steps], axis=-1)


def test_the_function_runs_once_in_front_of_the_loop():
    text = ad.source(ad.jacrev(lambda x: np.exp(x) * np.sum(x)), X)
    head, loop = text.split("    for ")
    assert "np.exp(x)" in head and "np.exp" not in loop


def while_loop(x):
    y, total = x, np.sum(x * x)
    while total < 40.0:
        y = np.sin(y) * x + y
        total = total + np.sum(y * y) + 1.0
    return y * total


def lists(x):
    items = []
    for _ in range(len(x)):
        items.append(1.0)
    for k in range(len(x)):
        items.append(x[k] * x[0])
    total = x * 0.0
    for item in reversed(items):
        total = total * x + item
    return total


def iterators(x):
    total = x * 0.0
    for k, (a, b) in enumerate(zip(x, x[::-1])):
        total = total + a * a * b * k
    return total


def branches(x):
    if x[0] > 0.0:
        y, kept = np.cos(x), x * x
    else:
        y, kept = x, None
    return y if kept is None else y * kept


@pytest.mark.parametrize("jac", JACOBIANS)
@pytest.mark.parametrize("f", [while_loop, lists, iterators, branches])
def test_what_a_pass_uses_up_is_made_again(f, jac):
    for x in (X, -X):
        matrix = jac(f)
        assert np.allclose(matrix(x), difference(f, x), rtol=1e-7, atol=1e-8)
        assert np.allclose(matrix(x), matrix(x))
        assert np.allclose(jac(matrix)(x), difference(matrix, x), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("jac", JACOBIANS)
def test_several_leaves_of_results_and_arguments(jac):
    def f(x, s):
        y = x
        for k in range(len(x)):
            y = np.sin(y) * s + x[k]
        return {"y": y, "both": (np.sum(y), s * x)}

    at = jac(f, (0, 1))(X, 0.5)
    assert np.allclose(at["y"][0], difference(lambda x: f(x, 0.5)["y"], X), atol=1e-8)
    assert np.allclose(at["both"][1][0], 0.5 * np.eye(3)) and np.allclose(at["both"][1][1], X)
    assert np.allclose(at["both"][0][1], difference(lambda s: f(X, s[0])["both"][0], np.array([0.5]))[0], atol=1e-8)


def logged(x):
    calls.append(len(x))
    return x * x


calls = []


def filled(x):
    out = np.zeros(len(x))
    for k in range(1, len(x)):
        out[k] = out[k - 1] * x[k] + x[0] * x[0]
    out[0] = np.sum(out)
    return out


@pytest.mark.parametrize("jac", JACOBIANS)
def test_functions_that_write_in_place(jac):
    matrix = jac(filled)
    assert np.allclose(matrix(X), difference(filled, X), atol=1e-8)

    assert np.allclose(jac(logged)(X), np.diag(2.0 * X)) and set(calls) == {3}
    both = jac(lambda x: (filled(x), np.sum(x) * filled(x)))(X)
    assert np.allclose(both[0], matrix(X))


def out_in_a_tuple(x):
    y = np.zeros(len(x))
    r = np.exp(x, out=(y,))
    return np.sum(r * y)


@pytest.mark.parametrize("jac", JACOBIANS)
def test_copies_of_what_is_written_stand_behind_the_write(jac):
    assert np.allclose(jac(out_in_a_tuple)(X), difference(out_in_a_tuple, X))


def overwrites(x):
    x[0] = x[1] * x[2]
    x[1:] *= x[:-1]
    return x


OUTER = np.zeros(3)
KEPT = {"work": np.zeros(3)}


def through_memory_from_outside(x):
    OUTER[:] = x * x
    KEPT["work"][1:] = OUTER[:-1] * x[0]
    OUTER[0] += KEPT["work"][2]
    return OUTER * KEPT["work"]


def swaps_and_sorts(x):
    x[0], x[2] = x[2] * x[1], x[0]
    x.sort()
    return np.cumsum(x) * x[0]


@pytest.mark.parametrize("jac", JACOBIANS)
@pytest.mark.parametrize("f", [overwrites, through_memory_from_outside, swaps_and_sorts])
def test_arguments_and_memory_from_outside_are_put_back(f, jac):
    def pure(x):
        memory = OUTER.copy(), KEPT["work"].copy()
        y = f(x.copy()).copy()
        OUTER[:], KEPT["work"][:] = memory
        return y

    x, matrix = X.copy(), jac(f)
    assert np.allclose(matrix(x), difference(pure, X), atol=1e-8)
    assert np.array_equal(x, X) and not OUTER.any() and not KEPT["work"].any()
    assert np.allclose(jac(matrix)(x), difference(lambda x: matrix(x.copy()), X), atol=1e-7)
    again = jac(pure_of(f))
    assert np.allclose(ad.grad(lambda x: np.sum(matrix(x) ** 2))(x), ad.grad(lambda x: np.sum(again(x) ** 2))(x))
    assert np.array_equal(x, X) and not OUTER.any() and not KEPT["work"].any()


def pure_of(f):
    return f if f is through_memory_from_outside else lambda x: f(x.copy())


@pytest.mark.parametrize("jac", JACOBIANS)
def test_writes_into_one_array_under_two_names(jac):
    def f(a, b):
        a[0] = b[1] ** 2
        return a * b

    x = X.copy()
    whole = np.diag(2.0 * X)
    whole[0] = [0.0, 4.0 * X[1] ** 3, 0.0]
    for part in jac(f, (0, 1))(x, x):
        assert np.allclose(part, whole)
    assert np.array_equal(x, X)


@pytest.mark.parametrize("jac", JACOBIANS)
def test_state_beside_the_result(jac):
    def f(x, work, log):
        work[:] = x * x
        log.append(np.sum(work))
        work *= log[-1]
        return work * 1.0, work

    x, work, log = X.copy(), np.ones(3), [0.5]
    matrix, aux = jac(f, has_aux=True)(x, work, log)
    assert np.allclose(matrix, difference(lambda x: np.sum(x * x) * x * x, X), atol=1e-8)
    assert np.allclose(aux, np.sum(X * X) * X * X) and not np.shares_memory(aux, work)
    assert np.array_equal(work, np.ones(3)) and log == [0.5]


def test_constant_results():
    for jac in JACOBIANS:
        assert not jac(lambda x: np.ones(2))(X).any() and jac(lambda x: np.ones(2))(X).shape == (2, 3)
        assert jac(lambda x: (x, 2.0))(1.0) == (1.0, 0.0)
        assert jac(lambda x: (x, None, 3))(1.0) == (1.0, None, None)


def test_precision_of_the_entries():
    for jac in JACOBIANS:
        for x in (X.astype("f4"), X[:0].astype("f4")):
            assert jac(lambda x: x * x)(x).dtype == np.float32


def test_lists_of_unknown_length_are_refused():
    with pytest.raises(ad.Unsupported, match=r"pass or return an array"):
        ad.jacfwd(lambda xs: sum(xs))([float(k) for k in range(40)])


class Layer:
    def __init__(self, w, b):
        self.w, self.b, self.name = w, b, "layer"


def scaled_layer(m):
    return m.w * m.w * m.b


def layer_written(m):
    m.w[0] *= 2.0
    m.b *= 3.0
    return m.w * m.b


def layer_of_a_layer(m):
    return Layer(m.w * m.b, m.w.sum())


def layer_in_a_dict(m):
    return {"y": m.w * m.b, "z": [Layer(m.w[1:], m.b**2)]}


def numbers_of(value):
    if isinstance(value, Layer):
        return [*numbers_of(value.w), *numbers_of(value.b)]
    if isinstance(value, dict):
        return [n for item in value.values() for n in numbers_of(item)]
    return [n for item in value for n in numbers_of(item)] if isinstance(value, list) else list(np.ravel(value))


def rows_of(jacobian):
    """A Jacobian by a Layer as a matrix: the result's structure with a Layer at each leaf."""
    if isinstance(jacobian, Layer) and not isinstance(jacobian.w, Layer):
        count = np.size(jacobian.b)
        return [np.column_stack([np.reshape(jacobian.w, (count, -1)), np.reshape(jacobian.b, (count, 1))])]
    if isinstance(jacobian, Layer):
        return [*rows_of(jacobian.w), *rows_of(jacobian.b)]
    items = jacobian.values() if isinstance(jacobian, dict) else jacobian
    return [row for item in items for row in rows_of(item)]


@pytest.mark.parametrize("transform", [ad.jacfwd, ad.jacrev, ad.jacobian])
@pytest.mark.parametrize("function", [scaled_layer, layer_written, layer_of_a_layer, layer_in_a_dict])
def test_objects_as_arguments_and_results(function, transform):
    w, b, h = np.array([1.1, 2.3, 0.7]), 1.5, 1e-6

    def at(v):
        return np.array(numbers_of(function(Layer(v[:3].copy(), float(v[3])))))

    point = np.array([*w, b])
    expected = np.column_stack([(at(point + e) - at(point - e)) / (2 * h) for e in np.eye(4) * h])
    given = Layer(w.copy(), b)
    np.testing.assert_allclose(np.vstack(rows_of(transform(function)(given))), expected, rtol=1e-6, atol=1e-6)
    assert np.array_equal(given.w, w) and given.b == b


def test_hessian_by_an_object():
    w = np.array([1.0, 2.0])
    found = ad.hessian(lambda m: np.sum(m.w**2) * m.b)(Layer(w, 3.0))
    assert found.w.w.tolist() == [[6.0, 0.0], [0.0, 6.0]] and found.w.name is None
    assert found.b.w.tolist() == found.w.b.tolist() == [2.0, 4.0] and found.b.b == 0.0


class Log:
    def __init__(self) -> None:
        self.last = 0.0


def written_and_raised(s: Any, stop: bool) -> Any:
    s["a"][0] = 5.0 * s["a"][1]
    s["l"].append(s["a"][0])
    s["o"].last = s["a"][0]
    if stop:
        raise ValueError("stop")
    return s["a"] * s["l"][-1]


@pytest.mark.parametrize("of", [ad.grad, ad.jacfwd, ad.jacrev, ad.hessian, lambda f: ad.jacfwd(ad.jacrev(f))])
def test_what_a_function_that_raises_leaves_is_what_it_wrote(of: Any) -> None:
    s = {"a": np.array([1.1, 2.2]), "l": [0.5], "o": Log()}
    inner = s["l"]
    with pytest.raises(ValueError, match="stop"):
        of(written_and_raised)(s, True)
    assert s["a"].tolist() == [11.0, 2.2]
    assert s["l"] is inner
    assert inner == [0.5, 11.0]
    assert s["o"].last == 11.0


@pytest.mark.parametrize("of", [ad.jacfwd, ad.jacrev])
def test_what_a_function_that_may_raise_wrote_is_put_back(of: Any) -> None:
    def f(a: Any, log: Any, stop: bool) -> Any:
        log.append(a[0])
        a[0] = 5.0 * a[1]
        if stop:
            raise ValueError("stop")
        return a * log[-1]

    a, log = np.array([1.1, 2.2]), [0.5]
    found = of(f)(a, log, False)
    assert np.allclose(found, [[11.0, 5.5], [2.2, 1.1]])
    assert a.tolist() == [1.1, 2.2]
    assert log == [0.5]
