"""Memory that is written with derivatives, and read by code that is not followed."""

import types

import numpy as np
import pytest

import adcompile as ad

X = np.array([1.13, 1.37, 0.71])
BUFFER, APART = np.zeros(3), np.zeros(3)


class Holder:
    buf = np.zeros(3)


LIVE = types.SimpleNamespace(arr=np.zeros(3), v=1.0)
OF_MODULE = [lambda v: v * BUFFER[0], lambda v: v + BUFFER[1]]
OF_CLASS = [lambda v: v * Holder.buf[0], lambda v: v + Holder.buf[1]]
OF_OBJECT = [lambda v: v * LIVE.v, lambda v: v + LIVE.arr[1]]
OF_NOTHING = [lambda v: v * v, lambda v: v + 1.0]


def module_by_table(x):
    BUFFER[:] = x * x
    return OF_MODULE[int(x[1] > 0)](x[2])


def class_by_table(x):
    Holder.buf[:] = x * x
    return OF_CLASS[int(x[1] > 0)](x[2])


def object_by_table(x):
    LIVE.arr[:] = x * x
    return OF_OBJECT[int(x[1] > 0)](x[2])


def attribute_by_table(x):
    LIVE.v = x[0]
    return OF_OBJECT[int(x[1] < 0)](x[2])


def module_in_try(x):
    BUFFER[:] = x * x
    try:
        k = float(BUFFER[0])
        int("no number")
    except ValueError:
        pass
    return k * x[1]


def read():
    return Holder.buf[0]


def class_in_try_by_helper(x):
    Holder.buf[:] = x * x
    try:
        k = read()
        int("no number")
    except ValueError:
        k += 1.0
    return k * x[1]


def test_functions_that_numpy_calls_are_followed():
    ad.testing.check_grads(module_in_function_that_is_called, (X,), order=1)


def module_in_function_that_is_called(x):
    BUFFER[:] = x * x
    return np.sum(np.piecewise(x, [x > 1.0], [lambda v: v * BUFFER[0], lambda v: v + BUFFER[1]]))


@pytest.mark.parametrize(
    "f",
    (
        *(module_by_table, class_by_table, object_by_table, attribute_by_table, module_in_try),
        class_in_try_by_helper,
    ),
)
def test_what_reads_it_is_refused(f):
    for run in (ad.grad(f), lambda x: ad.jvp(f, (x,), (np.ones(3),))):
        with pytest.raises(ad.AdcompileError, match="code that is not followed may read") as caught:
            run(X)
        assert caught.value.place is not None


def test_what_reads_something_else_is_followed():
    def f(x):
        BUFFER[:] = x * x
        try:
            k = float(APART[0])
            int("no number")
        except ValueError:
            k += 1.0
        return np.sum(BUFFER) * k + OF_NOTHING[int(x[1] < 0)](x[2])

    assert np.allclose(ad.grad(f)(X), 2 * X + [0.0, 0.0, 2 * X[2]])


def test_what_is_written_without_derivatives_may_be_read():
    def f(x):
        BUFFER[:] = 3.0
        return OF_MODULE[int(x[1] < 0)](x[2])

    assert np.allclose(ad.grad(f)(X), [0.0, 0.0, 3.0])
