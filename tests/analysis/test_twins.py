"""Live lists, dicts and objects under two names: what is written under one is read under the other, or refused."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest

import adcompile as ad

L = [1.0, 2.0]
M = L
D = {"a": 1.0}
NESTED = {"d": D, "k": L}
HOLDER = SimpleNamespace(l=L, v=1.0)
AGAIN = HOLDER
ARRAY = np.ones(2)
SAME = ARRAY


def two_names(x):
    L[0] = x
    return M[0] * x


def in_a_dict(x):
    D["a"] = x
    return NESTED["d"]["a"] * x


def appended(x):
    L.append(x)
    return NESTED["k"][-1] * x


def by_an_object(x):
    AGAIN.l[0] = x
    return HOLDER.l[0] * x


def array(x):
    ARRAY[0] = x
    return SAME[0] * x


def attribute(x):
    HOLDER.v = x
    return AGAIN.v * x


def difference(f, *rest):
    """The derivative of the primal by its first argument at 3, with all that is live put back after each call."""

    def value(x):
        held = copy.deepcopy((L, D, HOLDER.v, ARRAY))
        y = f(x, *rest)
        L[:], HOLDER.v, ARRAY[:] = held[0], held[2], held[3]
        D.clear()
        D.update(held[1])
        return y

    return (value(3.0 + 1e-6) - value(3.0 - 1e-6)) / 2e-6


def right_or_refused(f, *rest):
    expected = difference(f, *rest)
    for derive in (lambda: ad.grad(f)(3.0, *rest), lambda: ad.jacfwd(f)(3.0, *rest)):
        try:
            assert np.isclose(derive(), expected)
        except ad.Unsupported:
            continue
        finally:
            L[:] = [1.0, 2.0]
            D["a"], HOLDER.v, ARRAY[:] = 1.0, 1.0, 1.0


@pytest.mark.parametrize("f", [two_names, in_a_dict, appended, by_an_object, array, attribute])
def test_two_names(f):
    right_or_refused(f)


def test_arrays_and_attributes_under_two_names_are_followed():
    assert ad.grad(array)(3.0) == 6.0 and ad.grad(attribute)(3.0) == 6.0


def list_of_the_caller(x, items):
    items[0] = x
    return sum(L) * x


def dict_of_the_caller(x, table):
    table["a"] = x
    return NESTED["d"]["a"] * x


@pytest.mark.parametrize(("f", "live"), [(list_of_the_caller, L), (dict_of_the_caller, D)])
def test_an_argument_that_a_module_has_too(f, live):
    other = copy.deepcopy(live)
    assert np.isclose(ad.grad(f)(3.0, other), difference(f, other))
    with pytest.raises(ad.Unsupported, match="derivative is made for different ones"):
        ad.grad(f)(3.0, live)
    assert L == [1.0, 2.0] and D == {"a": 1.0}


FIRST, SECOND = [0.5], [2.0]


def counted(x):
    FIRST[0] = 7
    return SECOND[0] * x


def test_names_that_become_one_later(monkeypatch):
    assert ad.grad(counted)(3.0) == 2.0
    monkeypatch.setitem(globals(), "SECOND", FIRST)
    assert ad.grad(counted)(3.0) == 7.0
    FIRST[0] = 0.5
    monkeypatch.setitem(globals(), "SECOND", [4.0])
    assert ad.grad(counted)(3.0) == 4.0


HISTORY = {"loss": [], "best": {"value": 9.0}, "calls": 0}


def logged(x):
    v = x * x
    HISTORY["loss"].append(float(v))
    HISTORY["calls"] += 1
    if v < HISTORY["best"]["value"]:
        HISTORY["best"]["value"] = float(v)
    return v


def read_back(x):
    HISTORY["loss"].append(x * x)
    return HISTORY["loss"][-1] * x


def test_lists_and_dicts_within_those_of_a_module():
    for k in range(1, 4):
        assert ad.grad(logged)(3.0 / k) == 6.0 / k
        assert ad.jvp(logged, (3.0 / k,), (1.0,))[1] == 6.0 / k
    assert len(HISTORY["loss"]) == HISTORY["calls"] == 6 and HISTORY["best"]["value"] == 1.0
    with pytest.raises(ad.Unsupported, match="a write into a list"):
        ad.grad(read_back)(3.0)
