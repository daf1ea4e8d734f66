"""What a derivative leaves behind: arguments, module arrays and captured ones as the contract says."""

from collections import defaultdict, deque

import numpy as np
import pytest

import adcompile as ad
from tests.checks import bits

X = np.array([0.3, 0.7, 1.1, 0.45])
MODULE = np.ones(4)
VIEW = MODULE[1:3]
TABLE = {"a": np.zeros(4), "n": 2}


def scaled(x):
    x *= x
    return np.sum(x[1:] * x[:-1])


def through_the_module(x):
    MODULE[:] = x
    VIEW[0] *= x[3]
    return np.sum(MODULE**2)


def through_a_dict(x):
    TABLE["a"][:] = x * TABLE["n"]
    return np.sum(TABLE["a"] ** 2)


def state():
    return bits((MODULE, VIEW, TABLE["a"]))


@pytest.mark.parametrize("f", [scaled, through_the_module, through_a_dict], ids=lambda f: f.__name__)
def test_modes(f):
    outside, x, y = state(), X.copy(), X.copy()
    try:
        value = f(y)
        after = state(), bits(y)
        MODULE[:], TABLE["a"][:] = 1.0, 0.0

        g = ad.grad(f)(x)
        assert (state(), bits(x)) == (outside, bits(X))
        assert bits(ad.value_and_grad(f)(x)) == bits((value, g))
        assert (state(), bits(x)) == (outside, bits(X))

        got, pullback = ad.vjp(f, x)
        assert bits(got) == bits(value) and (state(), bits(x)) == after
        assert np.array_equal(pullback(1.0)[0], g)
        assert (state(), bits(x)) == (outside, bits(X))
        x += 1.0
        MODULE[:] = 7.0
        again = x.copy()
        assert np.array_equal(pullback(1.0)[0], g)
        x[:], MODULE[:] = X, 1.0
        del again

        got, tangent = ad.jvp(f, (x,), (np.ones(4),))
        assert bits(got) == bits(value) and (state(), bits(x)) == after
        assert tangent == pytest.approx(np.sum(g), rel=1e-12)
    finally:
        MODULE[:], TABLE["a"][:] = 1.0, 0.0


def test_captured_arrays():
    buffer = np.full(4, 2.0)

    def f(x):
        buffer[:] = buffer * x
        return np.sum(buffer**2)

    assert np.allclose(ad.grad(f)(X), 8.0 * X) and np.all(buffer == 2.0)
    ad.jvp(f, (X,), (X,))
    assert np.allclose(buffer, 2.0 * X)


def test_results_that_share_memory_are_detached_in_reverse_mode():
    def f(x):
        x *= 2.0
        return {"all": x, "part": x[1:], "sum": np.sum(x)}

    x = X.copy()
    value, pullback = ad.vjp(f, x)
    pullback({"all": np.ones(4), "part": np.ones(3), "sum": 1.0})
    assert np.array_equal(value["all"], 2.0 * X) and np.array_equal(value["part"], 2.0 * X[1:])
    assert np.array_equal(x, X) and not np.shares_memory(value["all"], x)


def test_aux_is_detached():
    def f(x):
        x *= 2.0
        return np.sum(x), (x, x[1:])

    x = X.copy()
    _, aux = ad.grad(f, has_aux=True)(x)
    assert np.array_equal(aux[0], 2.0 * X) and np.array_equal(aux[1], 2.0 * X[1:]) and np.array_equal(x, X)


def test_forward_mode_returns_what_the_function_returns():
    def f(x):
        x *= 2.0
        return x

    x = X.copy()
    value, tangent = ad.jvp(f, (x,), (np.ones(4),))
    assert value is x and np.array_equal(tangent, np.full(4, 2.0)) and tangent is not x


@pytest.mark.parametrize(
    "run", [lambda f, x: ad.grad(f)(x), lambda f, x: ad.vjp(f, x), lambda f, x: ad.jvp(f, (x,), (x * 1.0,))]
)
def test_exceptions_leave_what_the_function_leaves(run):
    def f(x):
        x[0] = 9.0
        x[7] = 1.0
        return np.sum(x)

    x, y = X.copy(), X.copy()
    with pytest.raises(IndexError) as theirs:
        f(y)
    with pytest.raises(IndexError) as ours:
        run(f, x)
    assert str(ours.value) == str(theirs.value) and np.array_equal(x, y)


def test_read_only_arguments_fail_as_in_the_function():
    x = X.copy()
    x.flags.writeable = False
    for run in (scaled, ad.grad(scaled)):
        with pytest.raises(ValueError, match="read-only"):
            run(x)


def test_strided_arguments_keep_their_neighbours():
    wide = np.arange(8.0) * 0.1 + 0.1
    before = wide.copy()
    g = ad.grad(scaled)(wide[::2])
    assert np.array_equal(wide, before) and g.flags.writeable and g.base is None or not np.shares_memory(g, wide)
    assert np.allclose(g, ad.grad(scaled)(wide[::2].copy()))


def counted(x, n):
    n[0] += 1
    return x * n[0]


def test_inert_arguments_are_put_back_too():
    n = np.array([1])
    assert ad.grad(counted)(2.0, n) == 2.0 and n[0] == 1
    assert ad.jvp(counted, (2.0, n), (1.0, None))[1] == 2.0 and n[0] == 2


COUNTS = [np.zeros(2, int) for _ in range(20)]


def counts_the_module_s(x, counts):
    for c in COUNTS:
        c[0] += 1
    return np.sum(x * x)


def counts_the_caller_s(x, counts):
    for k, c in enumerate(counts):
        c[k % 2] += k
    return np.sum(x * x)


def counts_in_rows(x, counts):
    for row in counts:
        for c in row:
            c[:] += 1
    return np.sum(x * x)


def counts_and_appends(x, counts):
    for c in counts:
        c[0] -= 3
    counts.append(np.zeros(1, int))
    return np.sum(x * x)


@pytest.mark.parametrize(
    "f, count",
    [
        (counts_the_module_s, lambda: None),
        (counts_the_caller_s, lambda: [np.arange(2) for _ in range(20)]),
        (counts_the_caller_s, lambda: [np.arange(2) for _ in range(3)]),
        (counts_the_caller_s, lambda: tuple(np.arange(2) for _ in range(20))),
        (counts_in_rows, lambda: [[np.arange(2), np.arange(3)] for _ in range(18)]),
        (counts_and_appends, lambda: [np.arange(2) for _ in range(20)]),
    ],
    ids=["module", "list", "short list", "tuple", "rows", "appended"],
)
def test_arrays_in_long_lists_are_put_back(f, count):
    counts, primal = count(), count()
    before, outside = bits(counts), bits(COUNTS)
    f(X, primal)
    after = bits(primal), bits(COUNTS)
    for c, start in zip(COUNTS, np.zeros((20, 2), int)):
        c[:] = start
    for run in (ad.grad(f), ad.value_and_grad(f), ad.jacrev(f), ad.jacfwd(f), ad.hessian(f)):
        run(X, counts)
        assert (bits(counts), bits(COUNTS)) == (before, outside), run
    _, pullback = ad.vjp(f, X, counts)
    assert (bits(counts), bits(COUNTS)) == after
    for _ in range(2):
        assert np.allclose(pullback(1.0)[0], 2.0 * X)
        assert (bits(counts), bits(COUNTS)) == (before, outside)
    ad.grad(f, restore=False)(X, counts)
    assert (bits(counts), bits(COUNTS)) == after
    for c in COUNTS:
        c[:] = 0


def overlapping(x):
    x *= 2.0
    return np.sum(x), (x, x[1:], {"again": x, "rows": [x[:1], x[1:2]]}, x * 1.0)


def check_overlaps(aux, x):
    whole, tail, held, fresh = aux
    assert np.array_equal(whole, 2.0 * X) and np.array_equal(tail, 2.0 * X[1:]) and np.array_equal(fresh, 2.0 * X)
    assert whole is held["again"] and np.shares_memory(whole, tail) and np.shares_memory(held["rows"][1], tail)
    assert not any(np.shares_memory(a, x) for a in (whole, tail, fresh)) and not np.shares_memory(whole, fresh)
    tail[0] = 9.0
    assert whole[1] == held["rows"][1][0] == 9.0 and np.array_equal(x, X)


def test_results_are_detached_together():
    x = X.copy()
    _, pullback, aux = ad.vjp(overlapping, x, has_aux=True)
    pullback(1.0)
    check_overlaps(aux, x)
    check_overlaps(ad.grad(overlapping, has_aux=True)(x)[1], x)
    check_overlaps(ad.value_and_grad(overlapping, has_aux=True)(x)[0][1], x)
    check_overlaps(ad.jacrev(overlapping, has_aux=True)(x)[1], x)

    def outer(x):
        _, aux = ad.grad(overlapping, has_aux=True)(x)
        aux[1][0] *= aux[0][0]
        return np.sum(aux[0] ** 2) + np.sum(x)

    def plain(x):
        y = 2.0 * x
        return y[0] ** 2 + (y[1] * y[0]) ** 2 + np.sum(y[2:] ** 2) + np.sum(x)

    assert np.allclose(ad.grad(outer)(x), ad.grad(plain)(x)) and np.array_equal(x, X)
    assert np.allclose(ad.jvp(outer, (x,), (X,))[1], ad.grad(plain)(X) @ X)


class Model:
    def __init__(self):
        self.weights, self.history, self.scale = np.ones(3), [1.0], 2.0


BUFFER, MODEL, BUFFERS = np.zeros(3), Model(), {"a": np.zeros(3)}


def returns_a_list(x, items):
    items.append(x[0] ** 2)
    return np.sum(x), items


def returns_within(x, table):
    table["inner"]["z"] = x * 2.0
    table["inner"].pop("gone")
    return np.sum(x), ([table["inner"]], table)


def returns_an_object(x, model):
    model.weights *= x
    model.history.append(x[1])
    model.scale = x[2]
    return np.sum(x) * model.weights[0], model


def returns_an_object_whose_array_is_written(x, model):
    model.weights *= 2.0
    return np.sum(x) * model.weights[0], {"model": model, "weights": model.weights[1:]}


def returns_one_array_twice(x, items):
    items[0][:] = x
    items.append(items[0])
    return np.sum(x), (items, items[0])


def returns_a_module_array(x, _):
    BUFFER[:] = x * x
    return np.sum(x), [BUFFER, BUFFER[1:]]


def returns_module_structures(x, _):
    MODEL.weights[:] = x * x
    BUFFERS["a"][:] = x
    return np.sum(x), (MODEL, BUFFERS, MODEL.weights)


HANDED_OUT = {
    returns_a_list: lambda: [2.0],
    returns_within: lambda: {"inner": {"gone": 1.0}, "other": 2.0},
    returns_an_object: Model,
    returns_an_object_whose_array_is_written: Model,
    returns_one_array_twice: lambda: [np.ones(3)],
    returns_a_module_array: lambda: None,
    returns_module_structures: lambda: None,
}


def told(value):
    if isinstance(value, (list, tuple)):
        return [told(item) for item in value]
    if isinstance(value, dict):
        return {k: told(item) for k, item in value.items()}
    return told(vars(value)) if isinstance(value, Model) else repr(value)


@pytest.mark.parametrize("function", list(HANDED_OUT))
def test_results_keep_what_the_function_left_in_them(function):
    x = np.array([0.5, 1.5, -2.0])
    held = BUFFER.copy(), MODEL.weights.copy(), BUFFERS["a"].copy()
    expected = told(function(x.copy(), HANDED_OUT[function]())[1])
    BUFFER[:], MODEL.weights[:], BUFFERS["a"][:] = held
    before, given = told(HANDED_OUT[function]()), HANDED_OUT[function]()
    aux = ad.grad(function, has_aux=True)(x, given)[1]
    assert (told(aux), told(given)) == (expected, before)
    _, pullback, aux = ad.vjp(function, x, given, has_aux=True)
    assert told(aux) == expected
    pullback(1.0)
    assert (told(aux), told(given)) == (expected, before)


def test_results_are_aliased_as_the_function_has_them():
    (model, table, weights), x = ad.grad(returns_module_structures, has_aux=True)(np.ones(3), None)[1], np.ones(3)
    assert model.weights is weights and model is not MODEL and table is not BUFFERS
    items, first = ad.grad(returns_one_array_twice, has_aux=True)(x, [np.zeros(3)])[1]
    assert items[0] is items[1] or np.shares_memory(items[0], items[1]) and np.shares_memory(items[0], first)


def test_what_is_not_put_back_is_handed_out_itself():
    def function(x, model):
        y = x * 1.0
        y[0] = y[1] * model.scale
        return np.sum(y), model

    model = Model()
    assert ad.grad(function, has_aux=True)(np.ones(3), model)[1] is model


class Live:
    def __init__(self):
        self.v = 1.0


LIVE = Live()


def gives_the_object(x):
    LIVE.v = x * x
    return LIVE.v * x, LIVE


def gives_it_in_a_list(x):
    LIVE.v = x * x
    return LIVE.v * x, [1, {"live": LIVE}]


def gives_what_it_holds(x):
    LIVE.v = x * x
    return LIVE.v * x, LIVE.v


@pytest.mark.parametrize("f", [gives_the_object, gives_it_in_a_list, gives_what_it_holds])
def test_an_object_of_a_module_is_not_handed_out_and_put_back(f):
    LIVE.v = 1.0
    if f is gives_what_it_holds:
        assert ad.grad(f, has_aux=True)(1.5) == (6.75, 2.25)
    else:
        for derive in (lambda: ad.grad(f, has_aux=True)(1.5), lambda: ad.vjp(f, 1.5)):
            with pytest.raises(ad.Unsupported, match="put back afterwards"):
                derive()
    assert LIVE.v == 1.0
    assert ad.grad(f, has_aux=True, restore=False)(1.5)[0] == 6.75 and LIVE.v == 2.25
    LIVE.v = 1.0


POOL = [np.zeros(2), np.zeros(2)]
QUEUE = deque(POOL)
SHELF = {"a": POOL[0], "b": POOL[1]}


def reversed_and_written(x):
    POOL.reverse()
    POOL[0][0] += 1.0
    return x * POOL[0][0] + x**2 * POOL[1][1]


def taken_out_and_written(x):
    first = POOL.pop(0)
    POOL.append(first)
    first += 2.0
    return x * POOL[0] + x**2 * POOL[1][0]


def turned_and_written(x):
    QUEUE.rotate(1)
    QUEUE[0][1] *= 2.0
    return x * QUEUE[0] + x**2 * QUEUE[0][1]


def moved_and_written(x):
    SHELF["c"] = SHELF.pop("a")
    SHELF["c"][0] += 1.0
    SHELF["b"] += 2.0
    return x * SHELF["c"] + x**2 * SHELF["b"]


@pytest.mark.parametrize("f", [reversed_and_written, taken_out_and_written, turned_and_written, moved_and_written])
def test_arrays_that_change_places_in_a_container_of_a_module_begin_anew(f):
    first, second, x = *POOL, X[:2]

    def begin():
        first[:], second[:] = [1.0, 2.0], [3.0, 4.0]
        POOL[:] = first, second
        QUEUE.clear()
        QUEUE.extend(POOL)
        SHELF.clear()
        SHELF.update(a=first, b=second)

    def places():
        return [[k for k, a in enumerate((first, second)) if a is b] for c in (POOL, QUEUE, SHELF.values()) for b in c]

    def at(point):
        begin()
        return f(point)

    expected = np.transpose([(at(x + step) - at(x - step)) / 2e-5 for step in 1e-5 * np.eye(2)])
    at(x)
    after = places()
    derivatives = (
        ad.jacrev(f),
        ad.jacfwd(f),
        lambda x: [pull(row)[0] for pull in ad.vjp(f, x)[1:] for row in np.eye(2)],
    )
    for derivative in derivatives:
        begin()
        assert np.allclose(derivative(x), expected, atol=1e-8)
        assert places() == after and np.all(first == [1.0, 2.0]) and np.all(second == [3.0, 4.0])
    begin()


class Doubled(dict):
    def __missing__(self, key):
        self[key] = value = 2.0 * key
        return value


class Holder:
    def __init__(self, table):
        self.table = table


def reads_keys(x, d):
    s = x[0] * d[1]
    for k in range(4):
        s = s + x[k] * d[k]
    return s * len(d)


def reads_of_an_object(x, d):
    holder = Holder(d)
    return np.sum(x * holder.table[2]) + holder.table[3] * x[0]


def reads_on_a_path(x, d):
    y = x * d[5] if x[0] > 0.0 else x
    return np.sum(y * y) + len(d) * x[1]


@pytest.mark.parametrize("f", [reads_keys, reads_of_an_object, reads_on_a_path])
@pytest.mark.parametrize("make", [lambda: defaultdict(float, {2: 3.0}), lambda: Doubled({2: 3.0})])
def test_keys_that_reading_puts_into_a_dict_of_the_caller_s_are_taken_out(f, make):
    after = make()
    value = f(X, after)
    for run in (ad.value_and_grad(f), ad.jacrev(f), ad.hessian(f)):
        given = make()
        run(X, given)
        assert dict(given) == {2: 3.0}
    given = make()
    got, pullback = ad.vjp(f, X, given)
    assert dict(given) == dict(after) and got == value
    for _ in range(2):
        along = pullback(1.0)[0] @ X
        assert dict(given) == {2: 3.0}
    assert np.isclose(along, ad.jvp(lambda x: f(x, given), (X,), (X,))[1], rtol=1e-12)
    assert dict(given) == dict(after)
