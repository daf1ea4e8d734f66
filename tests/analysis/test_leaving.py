"""What the caller's lists, dicts and objects hold where an exception leaves a function: what was written so far."""

import copy
from dataclasses import dataclass, field

import numpy as np
import pytest

import adcompile as ad


@dataclass
class Log:
    total: float = 1.0
    steps: list = field(default_factory=list)


def in_a_list(x, items):
    items.append(x[0] * 2.0)
    items[0] = x[1]
    if x[0] > 0.0:
        raise ValueError("positive")
    return items[0] * items[-1]


def in_a_dict(x, d):
    d["a"] = x[0]
    d["b"] += x[1]
    assert x[0] < 0.0, "positive"
    return d["a"] * d["b"]


def in_a_loop(x, log):
    for i in range(len(x)):
        if i == 2:
            raise KeyError(i)
        log.steps.append(x[i])
        log.total *= x[0]
    return log.total


def in_a_helper(x, log):
    def checked(v):
        log.steps.append(v)
        if v < 0.0:
            raise RuntimeError("negative")
        return v

    log.total = 2.0
    return sum(checked(v) for v in x) * log.total


def in_an_inner_derivative(x, log):
    def inner(y):
        log.total = 6.0
        if y[0] > 0.0:
            raise ValueError("positive")
        return y[0] ** 2 * log.total

    return ad.grad(inner)(x)[0]


def of_a_name(x, items):
    global CALLS
    CALLS += 1
    items.clear()
    if x[0] > 0.0:
        raise ValueError("positive")
    return x[0] * CALLS


CALLS = 0
X = np.array([1.3, -2.0, 0.4])
GIVEN = {
    in_a_list: [1.0, 2.0], in_a_dict: {"b": 1.0}, in_a_loop: Log(), in_a_helper: Log(), in_an_inner_derivative: Log(),
    of_a_name: [1.0],
}  # fmt: skip


def left_by(run, given):
    """What an exception is, and how it leaves what was given."""
    global CALLS
    CALLS = 0
    with pytest.raises((ValueError, KeyError, AssertionError, RuntimeError)) as caught:
        run(X.copy(), given)
    return type(caught.value), str(caught.value).splitlines()[0], given, CALLS


@pytest.mark.parametrize("f", GIVEN, ids=lambda f: f.__name__)
def test_an_exception_leaves_what_the_function_leaves(f):
    want = left_by(f, copy.deepcopy(GIVEN[f]))
    assert want[2] != GIVEN[f]
    for run in (ad.grad(f), lambda x, given: ad.vjp(f, x, given), lambda x, given: ad.jvp(f, (x, given), (x, None))):
        assert left_by(run, copy.deepcopy(GIVEN[f])) == want
