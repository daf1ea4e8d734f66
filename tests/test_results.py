"""Results that are, or hold, what the caller has: as the function leaves them, also after it is put back."""

import copy
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np
import pytest

import adcompile as ad
from tests.checks import bits

X = np.array([1.13, 2.37, 0.71])
BUFFER = np.zeros(3)
BUFFERS = [np.zeros(2)]
TABLE = {"w": np.zeros(3)}


@dataclass
class State:
    a: np.ndarray
    n: float = 0.0


@dataclass
class Tree:
    sub: State
    more: list = field(default_factory=list)


class Particle:
    def __init__(self):
        self.w = np.ones(3)
        self.seen = []

    def step(self, x):
        self.w *= x
        self.seen.append(self.w.copy())
        return self


Pair = namedtuple("Pair", "a b")


def state():
    return State(np.zeros(3))


def tree():
    return Tree(state())


def nothing():
    return None


def grown(x, log):
    log.append(x[0] ** 2)
    return np.sum(x), log


def grown_within(x, log):
    log.append(x[0] ** 2)
    return np.sum(x), {"log": log}


def grown_by_a_constant(x, log):
    log.append(1.5)
    return np.sum(x), log


def grown_in_a_loop(x, log):
    for i in range(3):
        log.append(x[i] ** 2)
    return np.sum(x) * log[-1], log


def emptied(x, log):
    log.clear()
    return np.sum(x), log


def ordered(x, log):
    log.sort()
    log.reverse()
    return np.sum(x), log


def holds_a_new_list(x, log):
    log.append(x[0])
    new = [x[1]]
    log.append(new)
    return np.sum(x), (new, log)


def holds_the_argument(x, log):
    x *= 2.0
    log.append(x)
    return np.sum(x), (log, x)


def key_set(x, table):
    table["k"] = x[0]
    return np.sum(x), table


def key_taken(x, table):
    table.pop("a")
    return np.sum(x), table


def inner_dict(x, table):
    table["in"]["z"] = x * 2
    return np.sum(x), table["in"]


def default_set(x, table):
    table.setdefault("p", []).append(x[0])
    return np.sum(x), table


def attributes_set(x, s):
    s.n = x[0] ** 2
    s.a = x * 2
    return np.sum(x), s


def array_of_an_object(x, s):
    s.a *= 2.0
    s.a[:] += x
    return np.sum(x) * s.a[0], s


def array_within(x, t):
    t.sub.a[:] = x
    return np.sum(x), (t, t.sub, t.sub.a)


def object_joined(x, t):
    t.sub.n = x[0]
    t.more.append(t.sub)
    return np.sum(x), (t, t.more[0])


def object_replaced(x, t):
    t.sub = State(x * 2)
    return np.sum(x), t


def in_a_closure(x, t):
    def more():
        t.sub.n += x[0]

    more()
    return np.sum(x), {"k": (t,)}


def by_methods(x, p):
    p.step(x).step(x)
    return np.sum(p.w), p


def what_methods_kept(x, p):
    p.step(x)
    return np.sum(p.w), [p.w, p.seen, p.w]


def array_and_its_list(x, arrays):
    arrays[0][:] = x
    arrays.append(arrays[0])
    return np.sum(x), (arrays, arrays[0])


def list_held_twice(x, arrays):
    arrays[0] *= x
    return np.sum(x), [arrays, arrays, arrays[0][1:]]


def long_list(x, arrays):
    for i in range(len(arrays)):
        arrays[i] = arrays[i] * x
    return np.sum(arrays[0]), (arrays, arrays[3])


def namedtuple_of_an_array(x, pair):
    pair.a[:] = x
    return np.sum(x), pair


def module_array(x, _):
    BUFFER[:] = x
    return np.sum(x), BUFFER


def module_list(x, _):
    BUFFERS[0][:] = x[:2]
    return np.sum(x), BUFFERS


def module_dict(x, _):
    TABLE["w"][:] = x
    return np.sum(x), TABLE


CASES = {
    grown: list,
    grown_within: lambda: [2.0],
    grown_by_a_constant: list,
    grown_in_a_loop: list,
    emptied: lambda: [1.0, 2.0],
    ordered: lambda: [3.0, 1.0, 2.0],
    holds_a_new_list: list,
    holds_the_argument: list,
    key_set: lambda: {"a": X.copy()},
    key_taken: lambda: {"a": 1.0, "z": 2.0},
    inner_dict: lambda: {"in": {}},
    default_set: dict,
    attributes_set: state,
    array_of_an_object: lambda: State(np.ones(3)),
    array_within: tree,
    object_joined: tree,
    object_replaced: tree,
    in_a_closure: tree,
    by_methods: Particle,
    what_methods_kept: Particle,
    array_and_its_list: lambda: [X * 3],
    list_held_twice: lambda: [X * 3],
    long_list: lambda: [X * i for i in range(20)],
    namedtuple_of_an_array: lambda: Pair(np.zeros(3), 1.0),
    module_array: nothing,
    module_list: nothing,
    module_dict: nothing,
}


def rows_in_a_list(x, a):
    a *= 2.0
    out = [a]
    for i in range(len(x)):
        out.append(a[i:])
    return np.sum(x), (out, a)


def one_array_in_a_list(x, a):
    a *= x
    out = []
    for _ in range(len(x)):
        out.append(a)
    return np.sum(x), {"rows": out, "a": a}


def views_in_a_tuple(x, a):
    a *= x
    return np.sum(x), (tuple(a[i:] for i in range(len(x))), a)


def shown_several_times(x, a):
    a *= x
    return np.sum(x), (np.broadcast_to(a, (2, 3)), a)


for f in (rows_in_a_list, one_array_in_a_list, views_in_a_tuple, shown_several_times):
    CASES[f] = lambda: X * 3


def structure(value, seen):
    """What a value holds to the last bit, and where it holds one thing twice."""
    if id(value) in seen:
        return "again", seen[id(value)]
    if isinstance(value, (list, dict, np.ndarray)) or hasattr(value, "__dict__"):
        seen[id(value)] = len(seen)
    if isinstance(value, dict):
        return {key: structure(item, seen) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value), *(structure(item, seen) for item in value)]
    if hasattr(value, "__dict__"):
        return [type(value), structure(vars(value), seen)]
    return type(value), bits(value)


def sharing(value):
    """Which of the arrays in a tuple, list or dict share memory."""
    found, work = [], [value]
    while work:
        item = work.pop()
        found += [item] if isinstance(item, np.ndarray) else []
        work += item.values() if isinstance(item, dict) else item if isinstance(item, (list, tuple)) else ()
    return [[np.shares_memory(a, b) for b in found] for a in found]


@pytest.mark.parametrize("f", [rows_in_a_list, one_array_in_a_list, views_in_a_tuple, shown_several_times])
def test_results_share_memory_as_those_of_the_function_do(f):
    wanted = sharing(f(X.copy(), X * 3)[1])
    assert sharing(ad.grad(f, has_aux=True)(X.copy(), X * 3)[1]) == wanted
    assert sharing(ad.vjp(f, X.copy(), X * 3, has_aux=True)[2]) == wanted


def outside():
    return bits((BUFFER, BUFFERS[0], TABLE["w"]))


def primal(f, make):
    """The structure of what the function gives beside its value, everything else as before."""
    result = structure(copy.deepcopy(f(X.copy(), make())[1]), {})
    for array in (BUFFER, BUFFERS[0], TABLE["w"]):
        array[:] = 0.0
    return result


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_gradients(f):
    make, before = CASES[f], outside()
    wanted = primal(f, make)
    for transform, at in ((ad.grad, lambda out: out[1]), (ad.value_and_grad, lambda out: out[0][1])):
        given = make()
        aux = at(transform(f, has_aux=True)(X.copy(), given))
        assert structure(aux, {}) == wanted
        assert structure(given, {}) == structure(make(), {}) and outside() == before


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_vjp(f):
    make, before = CASES[f], outside()
    wanted, given = primal(f, make), make()
    _, pullback, aux = ad.vjp(f, X.copy(), given, has_aux=True)
    assert structure(aux, {}) == wanted
    pullback(1.0)
    assert structure(aux, {}) == wanted
    assert structure(given, {}) == structure(make(), {}) and outside() == before


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_without_restoring(f):
    make, wanted, given = CASES[f], primal(f, CASES[f]), CASES[f]()
    aux = ad.grad(f, has_aux=True, restore=False)(X.copy(), given)[1]
    assert structure(aux, {}) == wanted
    primal(f, make)  # for what it leaves in the module


def test_what_is_not_written_is_handed_out_itself():
    def f(x, log, s):
        log.append(x[0])
        return np.sum(x) * s.n, (log, s)

    log, s = [1.0], State(X.copy(), 2.0)
    aux = ad.grad(f, has_aux=True)(X, log, s)[1]
    assert aux[0] is not log and aux[1] is s and s.a is aux[1].a


def test_the_result_of_vjp():
    def f(x, log):
        log.append(x[0] ** 2)
        return log

    log = [2.0]
    value, pullback = ad.vjp(f, X, log)
    assert value == log and value is not log
    assert np.array_equal(pullback([0.0, 1.0])[0], [2 * X[0], 0, 0])
    assert value == [2.0, X[0] ** 2] and log == [2.0]


def test_containers_that_are_put_back_are_handed_out_as_copies():
    def filled(x, s, raw):
        s.add(9)
        raw.append(7)
        return x * len(s), (s, raw)

    given, raw = {1}, bytearray(b"a")
    assert ad.grad(filled, has_aux=True)(2.0, given, raw) == (2.0, ({1, 9}, bytearray(b"a\x07")))
    assert given == {1} and raw == b"a"
    _, pullback, aux = ad.vjp(filled, 2.0, given, raw, has_aux=True)
    assert given == {1, 9} == aux[0]
    assert pullback(1.0)[0] == 2.0 and given == {1} and aux == ({1, 9}, bytearray(b"a\x07"))
