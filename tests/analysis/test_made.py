"""Lists and dicts that calls make are followed under any of their names."""

import types

import pytest

import adcompile as ad


def merged(a, b):
    table = {"a": a} | {"b": b}
    other = table
    other["a"] = a * b
    items = [a] + [b]
    items.append(table["a"])
    return sum(items) * table["b"]


def test_what_is_made_here_may_be_written_into():
    assert ad.grad(merged, argnums=(0, 1))(2.0, 3.0) == (12.0, 2 + 2 * 3 + 2 * 2 * 3)


class Counter:
    total = 2.0

    def __init__(self):
        self.count = 2.0

    def doubled(self):
        self.count = self.count * 2


counter, space, items, table = Counter(), types.SimpleNamespace(), [2.0], {}


def attribute(x):
    try:
        space.count = space.count * 2
    except ValueError:
        pass
    return x * space.count


def by_a_method(x):
    try:
        counter.doubled()
    except ValueError:
        pass
    return x * counter.count


def of_a_class(x):
    try:
        Counter.total = Counter.total * 2
    except ValueError:
        pass
    return x * Counter.total


def by_setattr(x):
    try:
        setattr(counter, "count", counter.count * 2)  # noqa: B010
    except ValueError:
        pass
    return x * counter.count


def item(x):
    try:
        items[0] = items[0] * 2
    except ValueError:
        pass
    return x * items[0]


def added(x):
    try:
        items.extend([3.0])
    except ValueError:
        pass
    return x * len(items)


def key(x):
    try:
        table["count"] = table["count"] * 2
    except ValueError:
        pass
    return x * table["count"]


def state():
    return space.count, counter.count, Counter.total, list(items), dict(table)


def begin():
    space.count = counter.count = Counter.total = table["count"] = 2.0
    items[:] = [2.0]


@pytest.mark.parametrize("f", [attribute, by_a_method, of_a_class, by_setattr, item, added, key])
@pytest.mark.parametrize("derivative", [lambda f: ad.value_and_grad(f)(0.3), lambda f: ad.jvp(f, (0.3,), (1.0,))])
def test_a_try_that_writes_into_what_was_there_runs_once(f, derivative):
    begin()
    value, behind = f(0.3), state()
    begin()
    assert derivative(f)[0] == value and state() == behind
