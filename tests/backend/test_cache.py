import threading
import timeit
import warnings

import numpy as np
import pytest

import adcompile as ad
from adcompile.backend.cache import Dispatcher, SpecialisationWarning
from adcompile.backend.guards import MISSED, conditions
from adcompile.ir.abstract import Promote
from adcompile.ir.nodes import GlobalRef
from adcompile.ir.program import Guard
from adcompile.rules import registry


def plain(*args):
    return args


def closure(k):
    def inner(x):
        return k * x

    return inner


class Counter:
    """A build that counts, and hands out a new function each time."""

    def __init__(self, guards=()):
        self.guards, self.calls = guards, []

    def __call__(self, fun, args, ints):
        self.calls.append((args, ints))
        n = len(self.calls)
        return (lambda fun, args: n), conditions(self.guards), None


def test_one_specialisation_for_one_combination_of_types():
    build = Counter()
    d = Dispatcher(build)
    calls = [(1.0, 2.0), (3.0, 4.0), (1.0, np.ones(3)), (1.0, np.ones(9)), (1.0, np.ones(1)), (1, 2.0), (True, 2.0)]
    runs = [d.find(plain, args).run(plain, args) for args in calls]
    assert runs == [1, 1, 2, 2, 3, 4, 5]
    assert len(d) == 5


@pytest.mark.parametrize(
    "a, b, same",
    [
        ((np.ones(3), np.ones(3)), (np.ones(4), np.ones(5)), True),
        ((np.ones(3), np.ones(3)), (np.ones(1), np.ones(3)), False),
        ((np.ones(3), np.ones(1)), (np.ones(1), np.ones(3)), False),
        ((np.ones(3), np.ones((3, 3))), (np.ones((3, 3)), np.ones(3)), False),
        ((np.ones(3), np.ones(3, "f4")), (np.ones(3, "f4"), np.ones(3)), False),
        ((np.ones(3), None), (np.ones(3), None), True),
        ((np.ones(3), "a"), (np.ones(3), "b"), False),
        ((closure(1.0), 2.0), (closure(1.0), 2.0), False),
        (([1.0, 2.0],), ([3.0, 4.0],), True),
        (([1.0, 2.0],), ([3.0],), False),
    ],
)
def test_keys(a, b, same):
    d = Dispatcher(Counter())
    assert (d.find(plain, a) is d.find(plain, b)) == same
    assert d.find(plain, a) is d.find(plain, a)


def test_fresh_closures_do_not_recompile():
    d = Dispatcher(Counter())
    assert d.find(closure(1.0), (2.0,)) is d.find(closure(3.0), (2.0,))
    assert d.find(closure(1.0), (2.0,)) is not d.find(closure(np.ones(3)), (2.0,))
    assert d.direct(closure(1.0), (2.0,)) is MISSED  # the classes of the arguments do not say it all


def test_guards():
    namespace = {"helper": len, "k": None}
    guards = [Guard(GlobalRef(namespace, name), value) for name, value in (("helper", len), ("k", None), ("abs", abs))]
    build = Counter(guards)
    d = Dispatcher(build)
    first = d.find(plain, (1.0,))
    assert d.find(plain, (2.0,)) is first
    namespace["unrelated"] = 1
    assert d.find(plain, (2.0,)) is first
    namespace["helper"] = max
    assert d.find(plain, (2.0,)) is not first
    assert len(d) == 1


def test_a_new_rule_invalidates():
    d = Dispatcher(Counter())
    first = d.find(plain, (1.0,))
    registry.register(plain, registry.Rule("constant"))
    try:
        assert d.find(plain, (1.0,)) is not first
    finally:
        registry.unregister(plain)


def test_the_shortcut_is_that_of_what_was_found_last():
    d = Dispatcher(Counter())
    for args in ((1.0,), (np.ones(2),), (2,)):
        run = d.find(plain, args).run
        assert d.direct(plain, args) == run(plain, args)
    assert d.direct(plain, (1.0,)) is MISSED
    d.clear()
    assert d.direct(plain, (2,)) is MISSED


def test_settings_have_specialisations_of_their_own():
    d = Dispatcher(Counter())
    first = d.find(plain, (1.0,))
    for _ in range(2):
        with ad.config(debug=True):
            assert d.direct(plain, (1.0,)) is MISSED
            checked = d.find(plain, (1.0,))
            assert checked is not first and d.find(plain, (2.0,)) is checked
            assert d.direct(plain, (1.0,)) == 2
        assert d.direct(plain, (1.0,)) is MISSED
        assert d.find(plain, (1.0,)) is first
        assert d.direct(plain, (1.0,)) == 1
    ad.config(debug=True)
    assert d.find(plain, (1.0,)) is checked
    ad.config(debug=False)  # equal settings, set anew
    assert d.find(plain, (1.0,)) is first


def test_promotion_keys_ints_by_value():
    seen = []

    def build(fun, args, ints):
        if 1 not in ints:
            raise Promote(1)
        seen.append(args)
        return (lambda fun, args: None), conditions(()), None

    d = Dispatcher(build)
    one = d.find(plain, (1.0, 1))
    assert d.find(plain, (2.0, 1)) is one
    assert d.find(plain, (2.0, 2)) is not one
    assert d.find(plain, (np.ones(2), 2, 1)) is d.find(plain, (np.ones(2), 2, 3))
    assert d.find(plain, (np.ones(2), (2, 1))) is not d.find(plain, (np.ones(2), (2, 3)))
    assert len(seen) == 5


def test_promotion_that_does_not_help_is_no_endless_loop():
    def build(fun, args, ints):
        raise Promote(0)

    with pytest.raises(Promote):
        Dispatcher(build).find(plain, (1,))


def test_bounded_with_one_notice():
    d = Dispatcher(Counter(), "f", limit=3)
    with pytest.warns(SpecialisationWarning, match="f was specialised for more than 3") as caught:
        for i in range(10):
            d.find(plain, (str(i),))
    assert len(d) == 3
    assert len(caught) == 1


def test_errors_of_the_build_are_passed_on_and_not_kept():
    def build(fun, args, ints):
        raise ValueError("no")

    d = Dispatcher(build)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            d.find(plain, (1.0,))
    assert len(d) == 0


def test_threads_build_once():
    build = Counter()
    d = Dispatcher(build)
    start, out = threading.Barrier(8), []

    def work():
        start.wait()
        out.append([d.find(plain, (1.0, np.ones(2))).run(plain, ()) for _ in range(50)])

    threads = [threading.Thread(target=work) for _ in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(build.calls) == 1
    assert all(runs == [1] * 50 for runs in out)


def test_look_up_is_cheap():
    d = Dispatcher(Counter([Guard(GlobalRef({"np": np}, "np"), np)]))
    a = np.ones(3)
    with warnings.catch_warnings():
        for args, limit in (((1.0, 2.0), 4e-6), ((a, a), 8e-6), ((1.0, a), 8e-6)):
            d.find(plain, args)
            best = min(timeit.repeat(lambda: d.find(plain, args), number=1000, repeat=7)) / 1000
            assert best < limit, best
