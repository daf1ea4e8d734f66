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


# -- what code that is not followed writes ---------------------------------------------------


class Tally:
    total, scale = 0.0, 1.0

    def __init__(self, v):
        Tally.total += v * self.scale

    def note(self, v):
        self.kept = v


TALLY, ITEMS, TABLE, COUNT = Tally(0.0), [1.0], {"k": 1.0}, 0.0
TALLY.kept = 1.0
MIXED = [np.array([0.3, -0.2]), 1.0]


def sets_total(v):
    Tally.total = v


def sets_by_name(v, name="total"):
    setattr(Tally, name, v)


def sets_global(v):
    global COUNT
    COUNT = v


def fills_items(v):
    ITEMS[0] = v


def fills_table(v):
    TABLE.update(k=v)


def fills_buffer(v):
    BUFFER[0] = v


WRITERS = [sets_total, sets_by_name, sets_global, fills_items, fills_table, fills_buffer, TALLY.note]


def everything():
    return Tally.total + COUNT + ITEMS[0] + TABLE["k"] + BUFFER[0] + TALLY.kept


@pytest.mark.parametrize("k", range(len(WRITERS)))
def test_functions_chosen_when_the_code_runs(k):
    def chosen(s, n):
        WRITERS[n](s)
        return s * everything()

    for derive in (lambda: ad.grad(chosen)(0.3, k), lambda: ad.jvp(chosen, (0.3, k), (1.0, None))):
        with pytest.raises(ad.Unsupported):
            derive()


def under_with(s):
    with np.printoptions(precision=3):
        Tally.total = s
    return s * Tally.total


def method_under_match(s):
    match 3:
        case 3:
            TALLY.note(s)
    return s * TALLY.kept


def function_under_with(s):
    with np.printoptions(precision=3):
        sets_by_name(s)
    return s * Tally.total


def constructed_as_it_runs(s):
    MIXED[0] = np.array([0.3, -0.2])
    q = MIXED[0] * s
    MIXED[0] = 1.0
    Tally.total, Tally.scale = 0.1, 1.0
    Tally(s)
    return np.sum(np.clip(np.mean(q * np.ones((1, 2)), axis=-1), -5.0, 5.0)) * Tally.total


class Single:
    made = None

    def __new__(cls, *given):
        if cls.made is None:
            cls.made = super().__new__(cls)
        return cls.made

    def __init__(self, v):
        self.v = v


ONE = Single(1.0)


def constructs_what_is_there(s):
    with np.printoptions(precision=3):
        Single(s)
    return s * ONE.v


class Plain:
    def __init__(self, v):
        self.w = v


PLAIN = Plain(2.0)


def constructed_again(s):
    with np.printoptions(precision=3):
        PLAIN.__init__(s)
    return s * PLAIN.w


class Kind(type):
    def __call__(cls, v):
        PAIR.u = v
        return PAIR


class Pair(metaclass=Kind):
    pass


PAIR = object.__new__(Pair)
PAIR.u = 0.5


def class_says_what_a_call_is(s):
    with np.printoptions(precision=3):
        Pair(s)
    return s * PAIR.u


class Swapped:
    def __init__(self, v):
        self = PLAIN
        self.w = v


def constructor_of_another(s):
    with np.printoptions(precision=3):
        Swapped(s)
    return s * PLAIN.w


SETTING = [
    under_with,
    function_under_with,
    constructed_as_it_runs,
    constructs_what_is_there,
    constructed_again,
    class_says_what_a_call_is,
    constructor_of_another,
]


@pytest.mark.parametrize("f", SETTING)
def test_attributes_that_the_result_is_made_of(f):
    for derive in (lambda: ad.grad(f)(0.3), lambda: ad.jvp(f, (0.3,), (1.0,))):
        with pytest.raises(ad.Unsupported, match=r"may set what the result is made of|around values that carry"):
            derive()


def test_code_that_is_not_followed_may_read_and_set_other_names():
    def f(s):
        with np.printoptions(precision=3):
            TALLY.note(float(s))
            text = str(TALLY.kept)
        return s * Tally.scale + 0.0 * len(text)

    assert ad.grad(f)(0.3) == Tally.scale


def test_an_object_that_code_that_is_not_followed_makes_is_none_of_those_there():
    def f(s):
        with np.printoptions(precision=3):
            text = str(Plain(float(s)).w)
        return s * PLAIN.w + 0.0 * len(text)

    assert ad.grad(f)(0.3) == PLAIN.w


def test_what_a_match_sets_is_followed():
    kept = TALLY.kept
    try:
        slope = (method_under_match(0.3 + 1e-6) - method_under_match(0.3 - 1e-6)) / 2e-6
        TALLY.kept = kept
        assert ad.grad(method_under_match)(0.3) == pytest.approx(slope, rel=1e-6)
        TALLY.kept = kept
        assert ad.jvp(method_under_match, (0.3,), (1.0,))[1] == pytest.approx(slope, rel=1e-6)
    finally:
        TALLY.kept = kept
