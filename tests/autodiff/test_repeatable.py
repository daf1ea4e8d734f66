"""What runs again gives the same, or is refused where it stands."""

import functools
import itertools
import random

import numpy as np
import pytest

import adcompile as ad

TABLE = np.array([1.0, 2.0, 3.0])
FACTOR = 2.0
rng = np.random.default_rng(1)
X = np.array([0.3, 0.7, 1.1])


class Settings:
    def __init__(self):
        self.scale = 0.5


settings = Settings()


def draws(x, n):
    y = x
    for _ in ad.checkpointed_range(n, snaps=2):
        y = y * rng.normal()
    return np.sum(y)


def draws_of_python(x, n):
    y = x
    for _ in ad.checkpointed_range(n, snaps=2):
        y = y * random.random()
    return np.sum(y)


def shows(x, n):
    y = x
    for i in ad.checkpointed_range(n, snaps=2):
        print(i)
        y = np.sin(y)
    return np.sum(y)


def takes(x, items):
    y = x
    for _ in ad.checkpointed_range(3, snaps=2):
        y = np.sin(y) * next(items)
    return np.sum(y)


@pytest.mark.parametrize("function", [draws, draws_of_python, shows])
def test_refused(function):
    with pytest.raises(ad.AdcompileError, match="when a checkpointed loop or call runs it again") as caught:
        ad.grad(function)(X, 5)
    assert caught.value.place.file == __file__ and caught.value.remedy


def effect(*_):
    settings.scale += 1.0
    return 0.0


class Shown:
    def __str__(self):
        return str(effect())


shown = Shown()


def lazily(x):
    np.fromiter(map(effect, range(3)), float)
    return x * settings.scale


def by_a_part(x):
    np.fromiter(map(functools.partial(effect, 1), range(3)), float)
    return x * settings.scale


def by_keys(x):
    list(itertools.groupby([1, 2, 3], key=effect))
    return x * settings.scale


def as_text(x):
    "%s" % shown
    return x * settings.scale


def a_function_of_its_own(x):
    def counted(_):
        return effect()

    np.fromiter(map(counted, range(3)), float)
    return x * settings.scale


@pytest.mark.parametrize("function", [lazily, by_a_part, by_keys, as_text, a_function_of_its_own])
def test_what_libraries_are_given_to_call_is_refused(function):
    """They may call it, and run its effects twice; by itself it is followed, or runs once."""
    with pytest.raises(ad.AdcompileError, match="when a checkpointed loop or call runs it again"):
        ad.grad(ad.checkpoint(function))(1.0)
    before = settings.scale
    wanted = function(1.0)
    settings.scale = before
    assert ad.value_and_grad(function)(1.0) == (wanted, wanted)
    settings.scale = before


def test_iterators_are_refused():
    with pytest.raises(ad.AdcompileError):
        ad.grad(takes)(X, iter([1.0, 2.0, 3.0]))


def reads_a_module(x, n):
    y = x
    for _ in ad.checkpointed_range(n, snaps=2):
        y = np.sin(y * TABLE) * FACTOR * settings.scale
    return np.sum(y)


def test_modules_and_objects_are_read_once(monkeypatch):
    """What a pullback runs again reads them as they were."""
    value, pullback = ad.vjp(reads_a_module, X, 6)
    assert value == reads_a_module(X, 6)
    wanted = pullback(1.0)[0]
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    monkeypatch.setattr(settings, "scale", 7.0)
    table = TABLE.copy()
    try:
        TABLE[...] = 5.0
        found = pullback(1.0)[0]
    finally:
        TABLE[...] = table
    assert np.array_equal(found, wanted)


def draws_beside_writes(x, rng):
    x[rng.random(len(x)) < 0.5] *= 2
    return x * x


def takes_beside_writes(x, rng):
    items = iter(rng)
    x[0] *= float(next(items))
    return x * x


def draws_of_what_it_is_given(x, rng):
    x[0] *= np.random.default_rng(rng).random()
    return x * x


def draws_globally(x, rng):
    x[0] = np.random.rand() * x[1]
    return x * x


def seeded_beside_writes(x, rng):
    mine, items = np.random.default_rng(3), iter([1.0, 2.0, 3.0])
    x[mine.random(len(x)) < 0.5] *= 2
    x[0] *= float(next(items))
    return x * x


def pulls_back(draw):
    def f(x, rng):
        value, pullback = ad.vjp(lambda w: np.sum(draw(w.copy(), rng)), x)
        return value + np.sum(pullback(1.0)[0] * x)

    return f


@pytest.mark.parametrize("f", [draws_beside_writes, takes_beside_writes, draws_of_what_it_is_given, draws_globally])
@pytest.mark.parametrize("derive", [
    lambda f: ad.jacrev(f), lambda f: ad.jacfwd(f), lambda f: ad.hessian(lambda x, rng: np.sum(f(x, rng))),
    lambda f: ad.grad(pulls_back(f)),
])  # fmt: skip
def test_what_runs_again_must_not_draw_again(f, derive):
    given = iter([1.0, 2.0]) if f is takes_beside_writes else np.random.default_rng(0)
    with pytest.raises(ad.Unsupported, match=r"something else the next time|after the differentiated code") as caught:
        derive(f)(np.array([1.0, 2.0, 3.0]), given)
    assert caught.value.place.file == __file__ and caught.value.remedy


def test_what_is_seeded_inside_begins_anew():
    x = np.array([1.0, 2.0, 3.0])
    factor = seeded_beside_writes(np.ones(3), None)
    for jacobian in (ad.jacrev, ad.jacfwd):
        np.testing.assert_allclose(jacobian(seeded_beside_writes)(x, None), np.diag(2 * factor * x), rtol=1e-14)
    ad.check_grads(pulls_back(seeded_beside_writes), (x, None), order=1)


def draws_in_a_loop(x, rng):
    y = x * x
    for _ in range(2):
        y = y * rng.random() + x
    return y


def draws_in_a_branch(x, rng):
    scale = rng.random()
    return x * scale * rng.random() if x[0] > 0 else x * scale


def draws_in_a_recursion(x, rng, n=2):
    return x if n == 0 else draws_in_a_recursion(x * rng.random(), rng, n - 1)


@pytest.mark.parametrize("f", [draws_in_a_loop, draws_in_a_branch, draws_in_a_recursion])
def test_loops_and_branches_of_a_jacobian_do_not_draw_again(f):
    x = np.array([1.0, 2.0, 3.0])
    with pytest.raises(ad.Unsupported, match="something else the next time") as caught:
        ad.jacfwd(f)(x, np.random.default_rng(0))
    assert caught.value.place.file == __file__ and caught.value.remedy


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState, random.Random])
@pytest.mark.parametrize("f", [draws_in_a_loop, draws_in_a_branch])
def test_loops_and_branches_of_a_jacobian_draw_anew_from_what_is_seeded_inside(f, make):
    def seeded(x):
        return f(x, make(7))

    x = np.array([1.0, 2.0, 3.0])
    for k in range(3):
        unit = np.eye(3)[k]
        difference = (seeded(x + 1e-6 * unit) - seeded(x - 1e-6 * unit)) / 2e-6
        for jacobian in (ad.jacfwd, ad.jacrev):
            np.testing.assert_allclose(jacobian(seeded)(x)[:, k], difference, rtol=1e-6, atol=1e-9)


class Log:
    entries = 0


def stops(x, n, seen):
    y = x
    for i in ad.checkpointed_range(n, snaps=2):
        y = y + 0.3 * np.sin(y)
        if y[0] > 2.0:
            Log.entries += 1
            seen.append(i)
            for k in range(2):
                print("stops", i + k)
            raise ValueError("too large")
    return np.sum(y)


def stops_in_a_call(x, seen):
    def step(y):
        if y[0] > 2.0:
            seen.append(y[0])
            raise ValueError("too large")
        return np.sin(y) * 2.0

    return np.sum(ad.checkpoint(step)(x))


@pytest.mark.parametrize("make", [ad.grad, lambda f: lambda *args: ad.vjp(f, *args)], ids=["grad", "vjp"])
def test_what_stands_before_an_exception_does_not_run_again(make, capsys):
    seen = []
    ad.check_grads(lambda x: stops(x, 5, []), (X,), order=1)
    ad.check_grads(lambda x: stops_in_a_call(x, []), (X,), order=1)
    assert ad.grad(stops)(X, 5, seen) is not None and (seen, Log.entries) == ([], 0) and not capsys.readouterr().out
    left = []
    for f in (stops, make(stops)):
        with pytest.raises(ValueError, match="too large"):
            f(X * 3.0, 5, seen)
        left.append((seen[:], Log.entries, capsys.readouterr().out))
        Log.entries = 0
        seen.clear()
    assert left[0] == left[1] and left[0][1] == 1


LOG, COUNTS, SWITCH = [], {"n": 0}, [0]


class Counter:
    calls = 0


COUNTER = Counter()


def counts(x):
    COUNTS["n"] += 1
    LOG.append(float(x[0]))
    COUNTER.calls += 1
    return x[:2] ** 3


def reads_the_count(x):
    COUNTS["n"] += 1
    return x[:2] ** 3 * COUNTS["n"]


def reads_the_log(x):
    LOG.append(1)
    return x[:2] * len(LOG)


def branches_on_the_count(x):
    y = x[:2] * 1.0
    for _ in range(3):
        SWITCH[0] += 1
        if SWITCH[0] % 2:
            y = y * x[2]
    return y


def writes_what_it_counted(x):
    y = x.copy()
    LOG.append(2)
    y[0] = len(LOG) * x[1]
    return y


OVER = [ad.jacrev, ad.jacfwd, ad.jacobian, lambda f: ad.jacfwd(ad.jacrev(f)), lambda f: ad.jacrev(ad.jacfwd(f))]


@pytest.mark.parametrize("number", range(len(OVER)))
@pytest.mark.parametrize("f", [counts, reads_the_count, reads_the_log, branches_on_the_count, writes_what_it_counted])
def test_each_row_or_column_begins_with_the_lists_and_dicts_of_a_module_as_they_were(f, number):
    """What the function does to them is done once."""

    def run(call):
        LOG[:] = [7]
        COUNTS["n"] = SWITCH[0] = COUNTER.calls = 0
        return call(), (list(LOG), dict(COUNTS), list(SWITCH))

    def slopes(g):
        return np.stack([(run(lambda: g(X + d))[0] - run(lambda: g(X - d))[0]) / 2e-5 for d in np.eye(3) * 1e-5], -1)

    found, after = run(lambda: OVER[number](f)(X))
    np.testing.assert_allclose(found, slopes(f if number < 3 else ad.jacfwd(f)), atol=1e-6)
    assert after == run(lambda: f(X))[1]


class Told:
    def __init__(self):
        self.__dict__["calls"] = 0


TOLD = Told()


def reads_what_it_has_set(x):
    TOLD.__dict__["calls"] += 1
    TOLD.calls = TOLD.calls + int(x[0] > 0.0)
    return x * TOLD.calls


def products_of_what_it_has_counted(x):
    def inner(y):
        COUNTS["n"] += 1
        return y * y * COUNTS["n"]

    value, pull = ad.vjp(inner, x)
    return value + pull(np.ones(3))[0]


@pytest.mark.parametrize("f", [reads_what_it_has_set, products_of_what_it_has_counted])
def test_what_is_not_put_back_is_not_read_again(f):
    TOLD.__dict__["calls"] = COUNTS["n"] = 0
    slopes = [2.0, 2.0, 2.0] if f is reads_what_it_has_set else 2.0 * X + 2.0
    try:
        np.testing.assert_allclose(ad.jacrev(f)(X), np.diag(slopes))
    except ad.AdcompileError as refused:
        assert refused.place.file == __file__ and refused.remedy


class Box:
    def __init__(self):
        self.items, self.n = [], 0


def captures(number):
    items, table, box = [2.0, [1.0]], {"l": [], "n": 0}, Box()

    def counts(x):
        z = x * 1.0
        for _ in range(2):
            items.append(1.0)
        z[0] *= len(items)
        return z

    def keeps_values(x):
        z = x * 1.0
        for i in range(2):
            items[1].append(x[i])
        items[0] += len(items[1])
        z[0] *= items[0] * items[1][1]
        return z

    def fills_a_dict(x):
        z = x * 1.0
        for i in range(2):
            table["l"].append(x[i])
            table["n"] += 1
        z[0] *= table["l"][-1] + table["n"]
        return z

    def fills_an_object(x):
        z = x * 1.0
        for i in range(2):
            box.items.append(x[i])
            box.n += 1
        z[0] *= len(box.items) + box.n * box.items[0]
        return z

    return (counts, keeps_values, fills_a_dict, fills_an_object)[number], (items, table, vars(box))


@pytest.mark.parametrize("derive", [ad.jacrev, ad.jacfwd, ad.jacobian])
@pytest.mark.parametrize("number", range(4))
def test_each_row_or_column_begins_with_what_was_captured_as_it_was(number, derive):
    slopes = [(captures(number)[0](X + d) - captures(number)[0](X - d)) / 2e-5 for d in np.eye(3) * 1e-5]
    f, held = captures(number)
    before = repr(held)
    np.testing.assert_allclose(derive(f)(X), np.stack(slopes, -1), atol=1e-6)
    assert repr(held) == before
