"""Cached functions that somebody could tell are asked while a derivative is made, and caches that have a result."""

import functools
import operator
import types

import numpy as np
import pytest

import adcompile as ad
from adcompile.analysis.outward import is_in_cache

misses, log, table, row = 1.0, [], {"misses": 0}, np.ones(2)
other = types.ModuleType("other")
other.count = 1.0
SCALE, WEIGHTS = 3.0, np.array([1.0, 2.0])
NUMBERS = {"scale": 2.0}


class Counter:
    def __init__(self):
        self.n, self.scale, self.inner = 0.0, 2.0, {"k": 2.0}

    def bump(self):
        self.n += 1.0

    def scaled(self, k):
        return self.scale * self.inner["k"] * k


COUNTER = Counter()


def counts(n):
    global misses
    misses += 1.0
    return float(n)


def notes(n):
    log.append(n)
    return float(n)


def keeps(n):
    table["misses"] += 1
    return float(n)


def calls(n):
    return 2.0 * keeps(n)


def by_other_name(n):
    t = table
    for u in (t,):
        u["misses"] += 1
    return float(n)


def by_default(n, t=table):
    t["misses"] += 1
    return float(n)


def by_operator(n):
    operator.setitem(table, "misses", table["misses"] + 1)
    return float(n)


def by_buffer(n):
    np.add(row, 1.0, out=row)
    return float(n)


def by_method(n):
    COUNTER.bump()
    return float(n)


def by_module(n):
    other.count += 1.0
    return float(n)


def by_any_name(n):
    globals()["misses"] += 1.0
    return float(n)


def inside(n):
    def g():
        log.append(n)

    g()
    return float(n)


def says(n):
    print(n)
    return float(n)


def draws(n):
    return np.random.normal() * n


def works(n):
    nodes, weights = np.polynomial.legendre.leggauss(n)
    found = []
    found.append(nodes[0])
    found[0] = np.sort(nodes)[0]
    return float(weights @ nodes) + found[0]


@pytest.mark.parametrize("typed", [False, True])
def test_whether_a_cache_has_a_result(typed):
    cached = functools.lru_cache(maxsize=8, typed=typed)(lambda *a, **k: (a, k))
    cached(1), cached(2, 3), cached("a", b=4)
    assert is_in_cache(cached, (1,), {}) and is_in_cache(cached, (2, 3), {}) and is_in_cache(cached, ("a",), {"b": 4})
    assert is_in_cache(cached, (2.0, 3), {}) is not typed
    assert not is_in_cache(cached, (3,), {}) and not is_in_cache(cached, (2,), {}) and not is_in_cache(cached, (), {})
    assert cached.cache_info().misses == 3


def weighed(cached, read):
    def function(x):
        y = x * read()
        return y + cached(3) * x

    return function


def read_afterwards(cached, read):
    def function(x):
        y = cached(3) * x
        return y + x * read()

    return function


BEFORE = [
    (counts, lambda: misses), (notes, lambda: len(log)), (calls, lambda: table["misses"]),
    (by_other_name, lambda: table["misses"]), (by_default, lambda: table["misses"]),
    (by_operator, lambda: table["misses"]), (by_buffer, lambda: row[0]), (by_method, lambda: COUNTER.n),
    (by_module, lambda: other.count), (by_any_name, lambda: misses), (inside, lambda: len(log)),
]  # fmt: skip


@pytest.mark.parametrize("code", [weighed, read_afterwards])
@pytest.mark.parametrize(("f", "read"), BEFORE, ids=lambda f: getattr(f, "__name__", ""))
def test_what_the_code_looks_at_is_not_written_early(code, f, read):
    """The function runs while the derivative is made, before what the code does in front of it."""
    cached = functools.lru_cache(f)
    function = code(cached, read)
    with pytest.raises(ad.Unsupported, match="writes what the code looks at, and which does not have the result yet"):
        ad.grad(function)(1.0)
    assert cached.cache_info().misses == 0
    cached(3)
    assert ad.grad(function)(1.0) == read() + cached(3)


def in_a_branch(cached):
    return lambda x: x * cached(3) if x > 100.0 else x * 2.0


def in_a_loop(cached):
    def function(x, n=0):
        for _ in range(n):
            x = x * cached(3)
        return x * 2.0

    return function


@pytest.mark.parametrize("code", [in_a_branch, in_a_loop])
@pytest.mark.parametrize("f", [notes, says, counts, calls, draws], ids=lambda f: f.__name__)
def test_what_the_code_may_not_come_to_is_not_done(code, f, capsys):
    cached = functools.lru_cache(f)
    function = code(cached)
    args = (0,) if code is in_a_loop else ()
    before = (misses, len(log), dict(table), np.random.get_state()[1].tolist())
    with pytest.raises(ad.Unsupported, match=r"where the code may not come|writes into something"):
        ad.grad(function)(1.0, *args)
    assert (misses, len(log), dict(table), np.random.get_state()[1].tolist()) == before
    assert not capsys.readouterr().out
    cached(3)
    assert ad.grad(function)(1.0, *args) == 2.0


@pytest.mark.parametrize("code", [in_a_branch, in_a_loop])
def test_what_works_on_its_own_is_asked_anywhere(code):
    args = (0,) if code is in_a_loop else ()
    assert ad.grad(code(functools.lru_cache(works)))(1.0, *args) == 2.0


def test_what_is_certain_may_be_seen(capsys):
    cached = functools.lru_cache(says)
    g = ad.grad(lambda x: x * cached(3))
    assert g(1.0) == g(2.0) == 3.0 and capsys.readouterr().out == "3\n"


def sets_name(x, cached):
    global SCALE
    SCALE = 7.0
    return cached(3) * x


def sets_field(x, cached):
    COUNTER.scale = 5.0
    return cached(3) * x


def sets_items(x, cached):
    WEIGHTS[0] = 5.0
    NUMBERS["scale"] = 4.0
    COUNTER.inner["k"] = 3.0
    return cached(3) * x


def sets_value(x, cached):
    WEIGHTS[0] = x
    return cached(3) * x


READ = {
    "name": (lambda k: SCALE * k, sets_name),
    "field": (lambda k: COUNTER.scale * k, sets_field),
    "method": (lambda k: COUNTER.scaled(k), sets_field),
    "array": (lambda k: float(WEIGHTS[0] * k), sets_items),
    "dict": (lambda k: NUMBERS["scale"] * k, sets_items),
    "item of a field": (lambda k: COUNTER.scaled(k), sets_items),
    "derivative": (lambda k: float(WEIGHTS[0] * k), sets_value),
}


@pytest.mark.parametrize(("f", "code"), READ.values(), ids=READ)
def test_what_the_code_writes_is_not_read_before(f, code):
    cached = functools.lru_cache(f)
    with pytest.raises(ad.Unsupported, match="reads what the code writes"):
        ad.grad(lambda x: code(x, cached))(1.0)
    assert cached.cache_info().misses == 0
    value = cached(3)
    assert ad.grad(lambda x: code(x, cached))(1.0) == value


class Model:
    """Fills its caches itself, and changes fields that its cached method does not read."""

    def __init__(self):
        self.size, self.state, self.steps, self.past = 3, 0.0, 0, []

    @functools.lru_cache  # noqa: B019  of one object
    def nodes(self, n):
        return np.polynomial.legendre.leggauss(n)[0][-1] * self.size

    def energy(self, x):
        self.state = x
        self.steps += 1
        self.past.append(1.0)
        for _ in range(2):
            x = self.step(x)
        return x * self.nodes(3)

    def step(self, x):
        return x * self.nodes(2)


MODEL = Model()


def test_a_model_with_caches_of_its_own():
    expected = MODEL.nodes(2) ** 2 * MODEL.nodes(3)
    Model.nodes.cache_clear()
    assert ad.grad(lambda x: MODEL.energy(x))(1.5) == pytest.approx(expected)
    assert Model.nodes.cache_info().currsize == 2
