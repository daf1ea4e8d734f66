"""Functions that are called unseen and write: followed, refused, or run as they are where nothing is differentiated."""

import numpy as np
import pytest

import adcompile as ad

X = np.array([1.13, 2.37, 0.71])


class Cell:
    def __init__(self, a):
        self.a = a

    def add(self, v):
        self.a = self.a + v
        return self.a

    def double(self, v):
        self.a *= 2.0

    def times(self, v):
        return self.a * v


def one_of_two_methods(x):
    cell = Cell(x[0])
    method = cell.add if x[0] > 0 else cell.double
    method(x[1])
    return cell.a**2


def by_a_name(x):
    cell = Cell(x[0])
    getattr(cell, "add" if x[0] > 0 else "double")(x[1])
    return cell.a**2


def out_of_a_table(x):
    cell = Cell(x[0])
    [cell.add, cell.double][int(x[0] > 0)](x[1])
    return cell.a**2


def method_of_a_list(x):
    items = [x[0]]
    [items.append, items.remove][int(x[0] < 0)](x[1])
    return items[0] * items[1]


def closures_over_an_array(x):
    y = x * 1.0

    def first():
        y[0] = x[1] ** 2

    def second():
        y[1] = x[0]

    [first, second][int(x[0] < 0)]()
    return y[0] * y[1]


def one_of_two_closures(x):
    y = x * 1.0

    def first():
        y[0] = x[1] ** 2

    def second():
        y[1] = x[0]

    (first if x[0] < 0 else second)()
    return y[0] * y[1]


def closures_over_a_variable(x):
    y = x[0]

    def first():
        nonlocal y
        y = x[1] ** 2

    def second():
        nonlocal y
        y = x[0] * 2.0

    [first, second][int(x[0] < 0)]()
    return y


def called_by_numpy(x):
    scale = np.ones(1)

    def scaled(row):
        scale[0] = scale[0] * row[0]
        return row * scale[0]

    return np.sum(np.apply_along_axis(scaled, 1, np.outer(x, x))) * scale[0]


REFUSED = [
    one_of_two_methods, by_a_name, out_of_a_table, method_of_a_list, closures_over_an_array, one_of_two_closures,
    closures_over_a_variable,
]  # fmt: skip


@pytest.mark.parametrize("function", REFUSED)
@pytest.mark.parametrize("transform", ["grad", "jvp"])
def test_what_it_writes_is_not_lost(function, transform):
    with pytest.raises(ad.AdcompileError) as error:
        if transform == "grad":
            ad.grad(function)(X)
        else:
            ad.jvp(function, (X,), (X,))
    assert "test_callbacks.py" in str(error.value)


def test_a_function_that_numpy_calls_is_followed():
    ad.testing.check_grads(called_by_numpy, (X,))


def counted(x, steps):
    counter = Cell(0)
    for k in range(steps):
        [counter.add, counter.double][k % 2](1)
        getattr(counter, "add" if k > 2 else "double")(k)
    return np.sum(x) * counter.a


def test_what_carries_no_derivatives_runs_as_it_is():
    np.testing.assert_array_equal(ad.grad(counted)(X, 5), np.full(3, float(counted(np.ones(3), 5)) / 3.0))


def keys_with_a_log(x):
    log = [x[0]]

    def key(v):
        log.append(v * 2.0)
        return -v

    largest = max(x, key=key)
    return log[0] * log[2] * largest * len(log)


def asked_until_one_decides(x):
    seen = np.zeros(3)

    def noted(k):
        seen[k] = x[k] ** 2
        return k == 1

    any(map(noted, range(3)))
    return seen[0] * seen[1] + seen[2]


@pytest.mark.parametrize("function", [keys_with_a_log, asked_until_one_decides])
def test_functions_with_effects_are_called_as_often_as_python_calls_them(function):
    step = 1e-6
    slopes = [(function(X + step * d) - function(X - step * d)) / (2 * step) for d in np.eye(3)]
    np.testing.assert_allclose(ad.grad(function)(X), slopes, rtol=1e-7, atol=1e-9)
    assert ad.value_and_grad(function)(X)[0] == function(X)
