"""`try` by its way: what is run once more, what is refused, and that nothing is lost on the way to a handler."""

import math
from collections import defaultdict

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.4, 0.7, 1.1])
SAID = []


def right(f):
    """Whether both modes agree with differences of f."""
    for k in range(3):
        step = np.zeros(3)
        step[k] = 1e-6
        slope = (f(X + step) - f(X - step)) / 2e-6
        assert np.isclose(ad.grad(f)(X.copy())[k], slope, rtol=1e-6, atol=1e-8)
        assert np.isclose(ad.jvp(f, (X.copy(),), (step,))[1] * 1e6, slope, rtol=1e-6, atol=1e-8)


def bound_before_it_raises(x):
    y = x[1]
    try:
        y = x[0] * 2.0
        z = math.log(x[0] - x[1])
    except ValueError:
        z = 1.0
    return y * z


def written_before_it_raises(x):
    w = x.copy()
    try:
        w[0] = x[1] * 5.0
        z = math.log(x[0] - x[1])
    except ValueError:
        z = 1.0
    return w[0] * z


def appended_before_it_raises(x):
    items = []
    try:
        items.append(x[0])
        items.append(math.log(x[0] - x[1]))
    except ValueError:
        items.append(x[1])
    return sum(items)


def attribute_before_it_raises(x):
    box = type("Box", (), {})()
    box.v = x[0]
    try:
        box.v = x[1] * 2.0
        z = math.log(x[0] - x[1])
    except ValueError:
        z = 1.0
    return box.v * z


def carried_on_by_continue(x):
    y = x[0]
    s = 0.0
    for k in range(3):
        try:
            y = y * 2.0
            s += math.sqrt(x[k] - x[1])
        except ValueError:
            continue
        s += y
    return s * y


def written_by_a_call(x):
    w = x.copy()

    def fill(v):
        w[0] = v
        if v < 1.0:
            raise ValueError
        return v

    try:
        z = fill(x[1])
    except ValueError:
        z = 1.0
    return w[0] * z


def walrus_before_it_raises(x):
    y = x[1]
    try:
        z = (y := x[0] * 2.0) + math.log(x[0] - x[1])
    except ValueError:
        z = 1.0
    return y * z


def the_loop_s_own_name(x):
    try:
        for i in range(9):
            last = x[i] * 2.0
    except IndexError:
        pass
    return last * i


def drawn(x):
    rng = np.random.default_rng(0)
    try:
        y = rng.normal() * x[0]
    except ValueError:
        y = x[1]
    return y + rng.normal() * x[2]


def said_aloud(x):
    try:
        print("once")
        y = x[0] * x[1]
    except ValueError:
        y = x[2]
    return y


def reads_what_it_caught(x):
    try:
        if x[0] < 1.0:
            raise ValueError(x[0] * 3.0)
        y = x[1]
    except ValueError as error:
        y = error.args[0]
    return y


def raises_it_anew(x):
    try:
        y = math.log(x[0])
    except ValueError:
        SAID.append(x[0])
        raise
    return y


def returns_before_finally(x):
    try:
        return x[0] * x[1]
    finally:
        SAID.append("done")


def counted_before_it_raises(x):
    count = [x[0]]
    try:
        if x[0] < 1.0:
            count[0] = x[1]
            raise ValueError
        y = x[2]
    except ValueError:
        y = x[1]
    return y * count[0]


def nonlocal_before_it_raises(x):
    t = x[0]

    def g(v):
        nonlocal t
        if v < 1.0:
            t = x[1] * 2.0
            raise ValueError
        return v

    try:
        y = g(x[0])
    except ValueError:
        y = x[2]
    return y * t


def inner_handler_writes(x):
    count = [x[0]]
    try:
        try:
            y = math.log(x[0] - x[1])
        except ValueError:
            count[0] = x[1]
            raise KeyError from None
    except KeyError:
        y = x[2]
    return y * count[0]


def inner_finally_writes(x):
    count = [x[0]]
    try:
        done = False
        try:
            y = math.log(x[0] - x[1])
            done = True
        finally:
            if not done:
                count[0] = x[1]
    except ValueError:
        y = x[2]
    return y * count[0]


def read_makes_a_key(x):
    table = defaultdict(float)
    try:
        y = math.log(x[0] - x[1]) if "a" in table else table["a"] + x[0]
    except KeyError:
        y = x[1]
    return y * (1 + len(table))


def local_generator(x):
    def squares():
        for v in x:
            yield v * v

    try:
        s = sum(squares()) / len(x)
    except ZeroDivisionError:
        s = 0.0
    return s


class Base:
    def go(self, a):
        return math.log(a)


class Derived(Base):
    def go(self, a):
        try:
            return super().go(a)
        except ValueError:
            return a * a


def super_in_a_body(x):
    return Derived().go(x[0] - x[1]) * x[2]


def handler_raises_before_finally(x):
    done = [0.0]
    try:
        try:
            y = math.log(x[0] - x[1])
        except ValueError:
            y = x[9]
        finally:
            done[0] = x[1]
    except IndexError:
        y = x[0]
    return y * done[0]


def annotated(x):
    s = 0.0
    for v in x:
        try:
            y: float = math.log(v - 0.5)
        except ValueError:
            y = v * v
        s += y
    return s


HOLES = [
    annotated,
    counted_before_it_raises, nonlocal_before_it_raises, inner_handler_writes, inner_finally_writes, read_makes_a_key,
    local_generator, super_in_a_body, handler_raises_before_finally,
    bound_before_it_raises, written_before_it_raises, appended_before_it_raises, attribute_before_it_raises,
    carried_on_by_continue, written_by_a_call, walrus_before_it_raises, the_loop_s_own_name, drawn,
    reads_what_it_caught, raises_it_anew, returns_before_finally, said_aloud,
]  # fmt: skip


@pytest.mark.parametrize("f", HOLES, ids=lambda f: f.__name__)
def test_right_or_refused(f):
    try:
        ad.grad(f)(X.copy())
    except ad.AdcompileError as error:
        assert error.place is not None and error.place.file == __file__
        return
    right(f)


def nothing_catches(x):
    try:
        y = x[0] * math.log(x[0] - x[1])
    except KeyError:
        y = x[2]
    finally:
        SAID.append("finally")
    return y


def handler_raises(x):
    try:
        y = math.log(x[0] - x[1])
    except ValueError:
        raise ArithmeticError("handler") from None
    return y


def else_raises(x):
    try:
        y = x[0]
    except ZeroDivisionError:
        y = x[1]
    else:
        y = y / 0 if type(y) is float else float(y) / 0
    return y


def unbound_behind(x):
    try:
        y = math.log(x[0] - x[1])
    except ValueError:
        pass
    return y


@pytest.mark.parametrize("f", [nothing_catches, handler_raises, else_raises, unbound_behind])
def test_what_comes_through(f):
    SAID.clear()
    with pytest.raises(Exception) as primal:
        f(X)
    said = list(SAID)
    for run in (lambda: ad.grad(f)(X.copy()), lambda: ad.jvp(f, (X.copy(),), (X,))):
        SAID.clear()
        with pytest.raises(type(primal.value)):
            run()
        assert said == SAID


def handler_records(x):
    """Its handler writes, its body does not."""
    for v in x:
        try:
            y = math.sqrt(v - 0.5)
        except ValueError:
            y = v
            SAID.append("caught")
        else:
            SAID.append("else")
    return y * x[0]


def finally_records(x):
    for v in x:
        try:
            y = v * v
        finally:
            SAID.append("finally")
    return y * x[0]


@pytest.mark.parametrize("f", [handler_records, finally_records])
def test_handlers_and_finally_run_once(f):
    SAID.clear()
    f(X)
    said = list(SAID)
    for run in (lambda: ad.grad(f)(X.copy()), lambda: ad.jvp(f, (X.copy(),), (X,))):
        SAID.clear()
        run()
        assert said == SAID


def test_what_runs_well_as_written_still_does():
    def f(x):
        try:
            import a_module_that_is_not_there as m  # noqa: PLC0415
        except ImportError:
            m = None
        return x[0] if m is None else x[1]

    assert np.array_equal(ad.grad(f)(X), [1.0, 0.0, 0.0])
