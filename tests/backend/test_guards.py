"""What a specialisation assumes, as compiled tests."""

import gc
import types

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.guards import MISSED, conditions, never, shortcut
from adcompile.ir import ops
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import GlobalRef
from adcompile.ir.program import Guard
from adcompile.ir.types import Known
from adcompile.rules import registry
from adcompile.runtime import settings
from adcompile.tangents import register


def guard_check(guards, followed=()):
    return conditions(guards, followed).valid()


def closure(k):
    def inner(x):
        return k * x

    return inner


def test_guards_on_objects():
    namespace = {"helper": len, "k": None}
    for change in (lambda: namespace.update(helper=max), lambda: namespace.update(abs=max), lambda: namespace.pop("k")):
        valid = guard_check([Guard(GlobalRef(namespace, n), namespace.get(n, abs)) for n in ("helper", "k", "abs")])
        assert valid()
        change()
        assert not valid()


def test_names_that_come_later():
    def outer(x):
        return later(x) * 2.0  # noqa: F821

    def tried(x):
        try:
            return scale * x
        except NameError:
            return x * 5.0

    space = {"ad": ad, "outer": outer, "tried": tried}
    outer, tried = (types.FunctionType(f.__code__, space) for f in (outer, tried))
    gradient, other = ad.grad(outer), ad.grad(tried)
    with pytest.raises(NameError, match="'later' is not defined"):
        gradient(3.0)
    assert other(3.0) == 5.0
    space["later"], space["scale"] = (lambda x: x * x), 7.0
    assert (gradient(3.0), other(3.0)) == (12.0, 7.0)
    del space["later"], space["scale"]
    with pytest.raises(NameError, match="'later' is not defined"):
        gradient(3.0)
    assert other(3.0) == 5.0
    guard = Guard(GlobalRef(space, "later"), None, (), Known(ops.UNDEFINED))
    valid = guard_check([guard])
    assert valid()
    space["later"] = None
    assert not valid()


def test_guards_on_the_code_of_functions():
    held, fresh = (lambda x: x), closure(1.0)
    valid = guard_check([], [held, fresh])
    assert valid()
    held.__code__, own = (lambda x: x * 2.0).__code__, held.__code__
    assert not valid()
    held.__code__ = own
    assert valid()
    fresh.__code__ = closure_of_another_kind(1.0).__code__
    assert not valid()
    del fresh  # closures are not kept alive; those that are gone are never called
    gc.collect()
    assert valid()


def closure_of_another_kind(k):
    return lambda x: k + x


def test_guards_on_types():
    class Settings:
        rate, table = 0.5, {"w": np.ones(3)}

    namespace = {"settings": Settings, "k": 1.0, "flag": True, "w": np.ones(3)}
    paths = [("settings", ("rate",)), ("settings", ("table", ("item", "w"))), ("k", ()), ("flag", ()), ("w", ())]
    values = [Settings.rate, Settings.table["w"], 1.0, True, np.ones(3)]
    guards = [Guard(GlobalRef(namespace, n), None, path, type_of(v)) for (n, path), v in zip(paths, values)]
    valid = guard_check(guards)
    assert valid()
    namespace["k"], Settings.rate, namespace["w"] = 2.0, 7.0, np.zeros(5)
    assert valid()
    for change in (
        lambda: namespace.update(k=2),
        lambda: namespace.update(flag=False),
        lambda: namespace.update(w=np.ones((3, 3))),
        lambda: setattr(Settings, "rate", None),
        lambda: Settings.table.clear(),
        lambda: delattr(Settings, "rate"),
    ):
        before, rate, table = dict(namespace), Settings.rate, dict(Settings.table)
        change()
        assert not valid()
        namespace.update(before)
        Settings.rate = rate
        Settings.table.update(table)
        assert valid()


def test_rules_classes_and_settings():
    valid = guard_check([])
    with ad.config(debug=True):
        assert not valid()
    assert valid()
    registry.register(closure, registry.Rule("constant"))
    registry.unregister(closure)
    assert not valid()
    valid = guard_check([])
    register(type("A", (), {}), lambda v: {}, lambda v, parts: v)
    assert not valid()


def run(fun, args):
    return "ran", fun, args


@pytest.mark.parametrize(
    "args, others",
    [
        ((1.0,), [(1,), (np.float64(1),), (True,), (np.ones(2),), (), (1.0, 1.0)]),
        ((np.ones(3), 2.0), [(np.ones(1), 2.0), (np.ones((3, 3)), 2.0), (np.ones(3, "f4"), 2.0), ([1.0], 2.0)]),
        ((np.ones((2, 3)),), [(np.ones((1, 3)),), (np.ones((2, 1)),), (np.ones(2),), (np.ones((2, 3, 2)),), (2.0,)]),
        ((np.array(2.0),), [(np.ones(2),), (2.0,), (np.float64(2.0),)]),
        ((np.ones(2),), [(np.ones(2).view(type("Sub", (np.ndarray,), {})),), (np.ones(2, ">f8"),)]),
    ],
)
def test_a_shortcut_is_for_arguments_like_these(args, others):
    direct = shortcut(conditions([]), run, args, frozenset())
    assert direct(closure, args) == ("ran", closure, args)
    assert all(direct(closure, other) is MISSED for other in others)


def test_a_shortcut_asks_what_is_assumed():
    namespace = {"k": 1.0, "helper": len}
    assumed = conditions([Guard(GlobalRef(namespace, "helper"), len)])
    direct = shortcut(assumed, run, (2.0,), frozenset())
    namespace["helper"] = max
    assert direct(None, (2.0,)) is MISSED
    del namespace["helper"]
    assert direct(None, (2.0,)) is MISSED
    namespace["helper"] = len
    assert direct(None, (2.0,)) == ("ran", None, (2.0,))


def test_a_shortcut_lets_errors_through():
    def fails(fun, args):
        raise LookupError

    with pytest.raises(LookupError):
        shortcut(conditions([]), fails, (2.0,), frozenset())(None, (2.0,))


@pytest.mark.parametrize("args", [(np.ones(1),), ([1.0],), (True,), (None,), (2,)])
def test_what_has_no_shortcut(args):
    assert shortcut(conditions([]), run, args, frozenset({0})) is never


def test_equal_settings_are_one_object():
    before = settings.current
    with ad.config(debug=True):
        assert settings.current is not before
        with ad.config(debug=False):
            assert settings.current is before
