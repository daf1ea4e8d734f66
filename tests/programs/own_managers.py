"""`with` of managers that are written in Python: what they hold, and what they give, carries derivatives."""

import contextlib
import math
import time
from dataclasses import dataclass

import numpy as np

_V = np.array([0.5, -1.5, 2.5, 0.8])


class _Doubled:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value * 2.0

    def __exit__(self, kind, error, traceback):
        return False


class _Total:
    """Collects, and sums up at its end."""

    def __init__(self, weight):
        self.weight, self.parts, self.total = weight, [], 0.0

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.total = self.weight * sum(self.parts)

    def add(self, part):
        self.parts.append(part)


class _Scale:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return self.scale * x

    @contextlib.contextmanager
    def at(self, scale):
        before, self.scale = self.scale, scale
        yield before
        self.scale = before


@dataclass
class _Set:
    target: _Scale
    scale: float

    def __enter__(self):
        self.before = self.target.scale
        self.target.scale = self.scale
        return self.target

    def __exit__(self, kind, error, traceback):
        self.target.scale = self.before


class _SetTwice(_Set):
    def __enter__(self):
        target = super().__enter__()
        target.scale *= 2.0
        return target


class _Timer(contextlib.AbstractContextManager):
    def __enter__(self):
        self.start = time.perf_counter()
        return self

    def __exit__(self, kind, error, traceback):
        self.elapsed = time.perf_counter() - self.start
        if kind is None:
            self.done = True


@contextlib.contextmanager
def _shifted(value, by=1.0, *, twice=False):
    shift = by * value
    if twice:
        shift = shift * 2.0
    yield value + shift
    shift = None


@contextlib.contextmanager
def _temporarily(target, scale):
    before = target.scale
    target.scale = scale
    try:
        yield target
    finally:
        target.scale = before


@contextlib.contextmanager
def _product(x, y):
    with _Doubled(x) as a, _shifted(y) as b:
        yield a * b


def _each_doubled(x):
    with _Doubled(x[0]) as y:
        for v in x:
            yield y * v


def _counted(f, x):
    before = f.scale
    try:
        for v in x:
            f.scale = f.scale * v
            yield f(v)
    finally:
        f.scale = before


def manager_that_holds_a_value(x):
    with _Doubled(x) as y:
        z = y * x
    return z


def manager_that_sums_up(x, w):
    with _Total(w) as total:
        for v in x:
            if v > 0.0:
                total.add(v * v)
    return total.total * x[0]


def managers_that_set_and_put_back(x):
    f = _Scale(x[0])
    with _Set(f, x[1] * x[2]) as inner, _Doubled(inner(x[3])) as y:
        y = y + f(x[0])
        with _SetTwice(f, x[3]):
            y = y * f(x[1])
    return y + f(x[2])


def manager_of_an_argument(x, w):
    f = _Scale(w)
    with f.at(x[0] * x[1]) as before:
        y = f(x[2]) * before
    return y + f(x[3])


def left_by_return_break_and_continue(x, limit):
    total = 0.0
    for k in range(len(x)):
        with _Doubled(x[k]) as y:
            if y < 0.0:
                continue
            if y > limit:
                break
            if k == 3:
                return total * y
            total = total + y * x[0]
        total = total * 1.5
    else:
        total = total * x[1]
    return total


def returned_before_the_end(x):
    f = _Scale(x[0])
    with _Set(f, x[1]):
        return f(x[2]) + f.scale


def set_again_behind_its_end(x):
    f = _Scale(x[0])

    def inner():
        with _Set(f, x[1]):
            return f.scale * x[2]

    return inner() * f(x[3])


def unpacked_as_it_is_entered(x):
    pair = [0.0, 0.0]
    with _shifted(x[0]) as pair[0], _shifted(x[1:], twice=True) as (a, b, c):
        y = a * b + c * pair[0]
    return y + pair[0]


def manager_kept_by_a_name(x):
    manager = _shifted(x * x, by=x[0])
    total = np.sum(x)
    with manager as y:
        total = total * np.sum(y)
    return total


def timed(x):
    with _Timer() as timer:
        y = np.sum(x * x)
    return y * x[0] if timer.done and timer.elapsed >= 0.0 else y


def written_by_its_body(x):
    with _Timer() as timer:
        timer.kept = x * x
    return np.sum(timer.kept)


def array_written_at_the_end(x):
    y = np.zeros(2)
    filled = _Filled(y, x[0])
    with filled as z:
        z[1] = x[1] * x[2]
    return y[0] * y[1]


class _Filled:
    def __init__(self, target, value):
        self.target, self.value = target, value

    def __enter__(self):
        self.target[0] = self.value
        return self.target

    def __exit__(self, kind, error, traceback):
        self.value = None


def caught_around(x):
    try:
        with _Doubled(x) as y:
            z = math.log(y)
    except ValueError:
        z = x * x
    return z


def in_a_loop_that_is_left(x, limit):
    s = x[0]
    while True:
        with _Doubled(s) as y:
            s = y * x[1] * x[1]
            if abs(s) > limit:
                with _shifted(s) as t:
                    return t * s


def _powers(x, n):
    if n == 0:
        return x
    with _Doubled(x) as y:
        return _powers(y * x, n - 1)


def put_back_at_last(x, flag):
    f = _Scale(x[0])
    with _temporarily(f, x[1] * x[2]) as inner:
        y = inner(x[3])
        if flag:
            return y * f(x[0])
        with _temporarily(inner, y):
            y = y + inner(x[2])
    return y + f(x[2])


def managers_of_managers(x):
    total = 1.0
    for v in x:
        with _product(v, x[0]) as y:
            total = total * y
    return total


def generator_under_a_manager(x):
    total = 0.0
    for y in _each_doubled(x):
        total = total + y * y
    return total * sum(_each_doubled(x[1:]))


def generator_that_puts_back_at_last(x):
    f = _Scale(x[0])
    total = sum(y * x[1] for y in _counted(f, x))
    return total * f(x[2])


def recursion_under_managers(x, n):
    return _powers(x, n)


def bound_on_some_path(x, n):
    with _Doubled(x) as y:
        if n > 1:
            scale = y * n
    return scale * y if n > 1 else y * x


SAMPLES = {
    "manager_that_holds_a_value": [(0.7,)],
    "manager_that_sums_up": [(_V, 1.5)],
    "managers_that_set_and_put_back": [(_V,)],
    "manager_of_an_argument": [(_V, 1.5)],
    "left_by_return_break_and_continue": [(_V, 4.0), (_V, 50.0), (_V[:3], 50.0), (_V**2, 0.1)],
    "returned_before_the_end": [(_V,)],
    "set_again_behind_its_end": [(_V,)],
    "unpacked_as_it_is_entered": [(_V,)],
    "manager_kept_by_a_name": [(_V,)],
    "timed": [(_V,)],
    "written_by_its_body": [(_V,)],
    "array_written_at_the_end": [(_V,)],
    "caught_around": [(0.7,), (-0.7,)],
    "in_a_loop_that_is_left": [(_V, 0.1), (_V, 25.0)],
    "put_back_at_last": [(_V, True), (_V, False)],
    "managers_of_managers": [(_V,)],
    "generator_under_a_manager": [(_V,)],
    "generator_that_puts_back_at_last": [(_V,)],
    "recursion_under_managers": [(0.7, n) for n in range(3)],
    "bound_on_some_path": [(0.7, 1), (0.7, 2)],
}
