"""Objects that get attributes when these are read: right where they are followed, else refused."""

import functools
import linecache

import pytest

import adcompile as ad
from adcompile.errors import AdcompileError


class Lazy:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def c(self):
        return self.x * self.x

    @property
    def twice(self):
        return self.c * 2.0

    def __bool__(self):
        return bool(self.c < 50.0)

    def __len__(self):
        return int(self.c)

    def __getitem__(self, k):
        return self.c * k

    def times(self, k):
        return self.c * k


class own:
    def __init__(self, f):
        self.f = f

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, o, t=None):
        if o is None:
            return self
        value = self.f(o)
        setattr(o, self.name, value)
        return value


class Own(Lazy):
    @own
    def c(self):
        return self.x * self.x


class Stored(Lazy):
    """The old way: a property that keeps what it has computed."""

    def __init__(self, x):
        self.x, self.kept = x, None

    @property
    def c(self):
        if self.kept is None:
            self.kept = self.x * self.x
        return self.kept


def helper(o):
    return o.c


TESTS = "a.c < 50.0|getattr(a, 'c', 0) < 50.0|hasattr(a, 'c')|helper(a) < 50.0|a.times(k) < 50.0|bool(a)|a|len(a) < 50"
TESTS += "|a[k] < 50.0|{'o': a}['o'].c < 50.0|a.twice < 50.0|str(a.c) != ''|any(a.c > j for j in range(3))"
LOOPS = (
    "    k = 0\n    while k < 2 and ({test}): k += 1\n",
    "    for k in range(9):\n        if k > 2 and ({test}): break\n",
    "    k = 0\n    while k < 2:\n        k += 1\n        if {test}: a = {cls}(a.x * 0.9)\n",
    "    for k in range(3):\n        if {test}: a.x\n",
)
RESULTS = ("a.c", "a.times(2.0)", "a.twice", "a[2]", "helper(a)")
PROGRAMS = [
    (cls, test, loop, RESULTS[n % len(RESULTS)])
    for n, (cls, test, loop) in enumerate(
        (cls, test, loop) for cls in ("Lazy", "Own", "Stored") for test in TESTS.split("|") for loop in LOOPS
    )
]


@pytest.mark.parametrize("cls,test,loop,result", PROGRAMS, ids=range(len(PROGRAMS)))
def test_what_is_kept_has_its_derivative_or_is_refused(cls, test, loop, result):
    source = f"def f(x):\n    a = {cls}(x)\n{loop.format(test=test, cls=cls)}    return {result}\n"
    name = f"<lazily {PROGRAMS.index((cls, test, loop, result))}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = dict(globals())
    exec(compile(source, name, "exec"), space)
    f, h = space["f"], 1e-6
    slope = (f(1.5 + h) - f(1.5 - h)) / (2 * h)
    for derivative in (lambda: ad.grad(f, backend="numpy")(1.5), lambda: ad.jvp(f, (1.5,), (1.0,), backend="numpy")[1]):
        try:
            assert abs(derivative() - slope) < 1e-6, source
        except AdcompileError:
            continue


def read_in_front(x):
    a, k = Lazy(x), 0
    assert a.c > 0
    while k < 2 and a.c < 50.0:
        k += 1
    return a.c * k


def test_what_is_read_in_front_is_followed():
    assert ad.grad(read_in_front)(1.5) == 6.0


def test_the_refusal_says_where_and_what_to_do():
    def f(x):
        a, k = Lazy(x), 0
        while k < 2 and a.c < 50.0:
            k += 1
        return a.c

    with pytest.raises(ad.Unsupported, match=r"test_lazily.py:\d+:\d+(?s:.*)in front of the loop"):
        ad.grad(f)(1.5)
