"""Methods that exist when the derivative is made: what they are bound to is read as the code runs."""

import copy
import enum
import functools
import types

import numpy as np
import pytest

import adcompile as ad


class Cell:
    def __init__(self, w):
        self.w, self.n = w, 1

    def scaled(self, v):
        return v * self.w

    def counted(self, v):
        self.n += 1
        return v * self.n * self.w


CELL = Cell(2.0)
SCALED, COUNTED = CELL.scaled, CELL.counted
TABLE = {"scaled": CELL.scaled}
PARTIAL = functools.partial(CELL.scaled)
MADE = types.MethodType(Cell.counted, CELL)


def by_a_name(x):
    return SCALED(x) * x


def by_a_table(x):
    return TABLE["scaled"](x) * x


def by_a_partial(x):
    return PARTIAL(x) * x


def by_a_map(x):
    return sum(map(SCALED, [x, x * x]))


def by_counting(x):
    return COUNTED(x) * MADE(x)


def difference(f, x, *rest):
    def value(at):
        n, y = CELL.n, f(at, *rest)
        CELL.n = n
        return y

    return (value(x + 1e-6) - value(x - 1e-6)) / 2e-6


@pytest.mark.parametrize("f", [by_a_name, by_a_table, by_a_partial, by_a_map, by_counting])
@pytest.mark.parametrize("kind", ["grad", "jacfwd"])
def test_methods_of_live_objects(f, kind):
    for CELL.w in (2.0, 5.0):
        CELL.n = 1
        assert np.isclose(getattr(ad, kind)(f)(1.3), difference(f, 1.3), rtol=1e-7)
    CELL.w, CELL.n = 2.0, 1


@pytest.mark.parametrize("given", [lambda c: c.scaled, lambda c: functools.partial(c.scaled)])
def test_methods_as_arguments(given):
    def f(x, h):
        return h(x) * x

    c = Cell(2.0)
    method = given(c)
    for c.w in (2.0, 5.0):
        assert np.isclose(ad.grad(f)(3.0, method), 6.0 * c.w)


class Net:
    def __init__(self, w, kind="lin"):
        self.w = w
        kinds = {
            "lin": self.lin,
            "square": self.square,
            "lambda": lambda v: v * self.w,
            "unbound": lambda v: Net.square(self, v),
            "partial": functools.partial(self.square),
            "keywords": functools.partial(plain, net=self),
            "first": functools.partial(Net.lin, self),
        }
        self.act = kinds[kind]
        self.table = {"a": self.lin}

    def lin(self, v):
        return v * self.w

    def square(self, v):
        return v * v * self.w * self.w


def plain(v, k=2.0, *, net):
    return v * net.w * k


X = np.array([1.0, 2.0])


def loss(net, x):
    return np.sum(net.act(x) ** 2)


def looked_up(net, x):
    return np.sum(net.table["a"](x) * net.act(x))


def given_on(net, x):
    return sum(map(net.act, [x[0], x[1] * net.w]))


def written(net, x):
    net.w = net.w * 2.0
    y = np.sum(net.act(x))
    net.act = net.square
    return y + np.sum(net.act(x))


def f_at(f, kind, w):
    return (f(Net(w + 1e-6, kind), X) - f(Net(w - 1e-6, kind), X)) / 2e-6


@pytest.mark.parametrize("f", [loss, looked_up, given_on, written])
@pytest.mark.parametrize("kind", ["lin", "square", "lambda", "unbound", "partial", "keywords", "first"])
def test_objects_that_hold_their_own_methods(f, kind):
    for w in (3.0, 0.7):
        net = Net(w, kind)
        assert np.isclose(ad.grad(f)(net, X).w, f_at(f, kind, w), rtol=1e-7)
        assert net.w == w and type(net.act) is type(Net(w, kind).act)
    direction = ad.grad(f)(net, X)
    direction.w = 1.0
    assert np.isclose(ad.jvp(f, (net, X), (direction, np.zeros(2)))[1], f_at(f, kind, w), rtol=1e-7)


def test_copies_hold_the_methods_of_what_was_copied():
    def f(net, x):
        other = copy.copy(net)
        other.w = 5.0
        return np.sum(other.act(x) * other.lin(x))

    expected = (f(Net(3.0 + 1e-6), X) - f(Net(3.0 - 1e-6), X)) / 2e-6
    assert np.isclose(ad.grad(f)(Net(3.0), X).w, expected)


def test_own_methods_in_code_that_is_not_followed_are_refused():
    def f(net, x):
        return x[0] * net.w + len(repr([net.act]))

    with pytest.raises(ad.Unsupported, match="nobody knows which"):
        ad.grad(f)(Net(3.0), X)


def chosen(nets, x, k):
    total = 0.0
    for i in range(k):
        total = total + np.sum(nets[i % 2].act(x))
    return total


def chosen_by_a_test(nets, x, k):
    act = nets[0].act if k > 1 else nets[1].act
    return np.sum(act(x))


@pytest.mark.parametrize("f", [chosen, chosen_by_a_test])
@pytest.mark.parametrize("kinds", [("lin", "square"), ("lin", "lin"), ("lambda", "square")])
def test_own_methods_that_are_chosen_when_the_code_runs(f, kinds):
    def at(w):
        return f([Net(w, kinds[0]), Net(0.5, kinds[1])], X, 3)

    expected = (at(0.7 + 1e-6) - at(0.7 - 1e-6)) / 2e-6
    try:
        assert np.isclose(ad.grad(f)([Net(0.7, kinds[0]), Net(0.5, kinds[1])], X, 3)[0].w, expected)
    except ad.AdcompileError as error:
        assert error.place is not None


class Model:
    def __init__(self, w):
        self.net = Net(w)
        self.run = self.net.square


def test_methods_of_another_part_of_the_argument_are_refused():
    for f in (lambda m, x: np.sum(m.run(x)), lambda m, x: np.sum(m.net.lin(m.run(x)))):
        with pytest.raises(ad.Unsupported, match="holds a part of the same argument"):
            ad.grad(f)(Model(2.0), X)
        assert np.allclose(ad.grad(f, argnums=1)(Model(2.0), X), [(f(Model(2.0), X + h) - f(Model(2.0), X - h)) / 2e-6
            for h in 1e-6 * np.eye(2)])  # fmt: skip


def calls_first(f):
    return lambda v: f(v)


WRAPPED = {
    "captured method": lambda net: calls_first(net.lin),
    "captured list": lambda net: calls_first(lambda v, held=[net]: held[0].lin(v)),
    "cached": lambda net: functools.lru_cache(None)(net.lin),
    "partial of a method": lambda net: functools.partial(lambda fn, v: fn(v), net.lin),
    "dispatched": lambda net: functools.singledispatch(net.lin),
    "called by a wrapper": lambda net: net.lin.__call__,
}


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_callables_that_hold_their_object_at_some_depth_are_refused(wrap):
    net = Net(3.0)
    net.act = wrap(net)
    for f in (lambda net: net.act(0.5) * net.w, lambda net: np.sum(net.act(0.5))):
        with pytest.raises(ad.Unsupported, match="holds a part of the same argument"):
            ad.grad(f)(net)


def test_functions_with_their_object_as_a_default_are_refused():
    net = Net(3.0)
    net.act = lambda v, net=net: v * net.w
    with pytest.raises(ad.Unsupported, match="nobody knows which"):
        ad.grad(loss)(net, X)


def table_of_functions():
    table = {}

    def even(x, n):
        return x * x if n == 0 else table["odd"](x, n - 1)

    def odd(x, n):
        return np.sin(x) if n == 0 else table["even"](2.0 * x, n - 1)

    table["even"], table["odd"] = even, odd
    return table


FUNCTIONS = table_of_functions()


def test_tables_of_a_module_whose_functions_look_them_up():
    def f(x):
        return FUNCTIONS["even"](x, 3)

    assert np.isclose(ad.grad(f)(0.3), (f(0.3 + 1e-6) - f(0.3 - 1e-6)) / 2e-6)


ARRAY = np.ones(2)
FILL, TOTAL = ARRAY.fill, ARRAY.sum
ITEMS = [2.0]
GET = ITEMS.__getitem__


def filled(x):
    FILL(x)
    return ARRAY[0] * TOTAL()


def item(x):
    return GET(0) * x


def test_builtin_methods_of_live_data():
    for f, expected in ((filled, 12.0), (item, 2.0)):
        assert ad.grad(f)(3.0) == expected
        assert ad.jvp(f, (3.0,), (1.0,))[1] == expected
        ARRAY[:] = 1.0
    ITEMS[0] = 5.0
    assert ad.grad(item)(3.0) == 5.0
    ITEMS[0] = 2.0


def test_builtin_methods_of_data_as_arguments_are_refused():
    def f(x, add, items):
        add(x)
        return items[-1] * x

    items = [1.0]
    with pytest.raises(ad.Unsupported, match="nobody knows which"):
        ad.grad(f)(3.0, items.append, items)


class Scaling:
    def __init__(self):
        self.k = 1.0

    def __get__(self, owner, cls=None):
        self.k += 1.0
        return owner.v * self.k


SCALING = Scaling()


class Described:
    scaled = SCALING

    def __init__(self, v):
        self.v = v


def described(x):
    d = Described(x)
    return d.scaled * d.scaled


def test_what_descriptors_hold():
    for k in (1.0, 4.0):
        SCALING.k = k
        expected = 2 * 3.0 * (k + 1) * (k + 2)
        assert np.isclose(ad.grad(described)(3.0), expected)
    SCALING.k = 1.0


def helper(v, *, q=1.0, fn=np.sin):
    return fn(v * q)


def test_defaults_by_keyword_that_change(monkeypatch):
    def f(x):
        return helper(x)

    assert np.isclose(ad.grad(f)(0.4), np.cos(0.4))
    monkeypatch.setitem(helper.__kwdefaults__, "q", 2.0)
    assert np.isclose(ad.grad(f)(0.4), 2.0 * np.cos(0.8))
    monkeypatch.setattr(helper, "__kwdefaults__", {"q": 3.0, "fn": np.cos})
    assert np.isclose(ad.grad(f)(0.4), -3.0 * np.sin(1.2))


def test_partials_that_change():
    p = functools.partial(lambda v, q: v * q, q=1.0)

    def f(x):
        return p(x) * x

    assert ad.grad(f)(3.0) == 6.0
    p.keywords["q"] = 5.0
    assert ad.grad(f)(3.0) == 30.0
    p.__setstate__((lambda v, q: v + q, (), {"q": 1.0}, {}))
    assert ad.grad(f)(3.0) == 7.0


@functools.wraps(np.sin)
def wrapped(v):
    wrapped.n += 1
    return np.sin(v) * wrapped.n


def test_functions_that_look_like_numpys():
    wrapped.n = 1
    assert np.isclose(ad.grad(lambda x: wrapped(x) * wrapped(x))(0.4), 12.0 * np.sin(0.4) * np.cos(0.4))
    del wrapped.n


class Member(enum.Enum):
    A = 1

    def hit(self, v):
        return v * self.k


def test_attributes_of_members():
    for Member.A.k in (2.0, 5.0):
        assert ad.grad(lambda x: Member.A.hit(x) * x * Member.A.value)(3.0) == 6.0 * Member.A.k


class Kept(enum.Enum):
    A = 1


Kept.A.k = 1.0


def kept_by_a_member(x):
    Kept.A.k = x
    return Kept.A.k * x


def test_attributes_of_members_that_are_set():
    try:
        assert ad.grad(kept_by_a_member)(3.0) == 6.0
    except ad.Unsupported as error:
        assert error.place is not None
    finally:
        Kept.A.k = 1.0
