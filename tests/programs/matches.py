"""`match`: patterns of every kind, on values that carry derivatives and on what chooses between them."""

import dataclasses
from collections import namedtuple
from collections.abc import Sequence

import numpy as np


@dataclasses.dataclass
class _Disc:
    r: float


@dataclasses.dataclass
class _Block:
    w: float
    h: float


class _Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


_Pair = namedtuple("_Pair", "a b")


class _Ends(Sequence):
    def __init__(self, v):
        self.v = v

    def __len__(self):
        return 2

    def __getitem__(self, k):
        return self.v * k

    def __iter__(self):
        yield self.v * 5.0
        yield self.v * 7.0


def _area(shape):
    match shape:
        case _Disc(r):
            return 3.0 * r * r
        case _Block(w=w, h=h) if w == h:
            return w**3
        case _Block(w, h):
            return w * h
        case _:
            return 0.0


def match_classes(x):
    shapes = (_Disc(x[0]), _Block(x[1], x[2]), _Block(x[1], x[1]))
    return sum(_area(shape) for shape in shapes) + _area(3)


def match_a_number(x):
    match x[0]:
        case 17.0:
            return x[1] * x[0]
        case v if v > 0.5:
            return v * v
        case v:
            return v * x[2]


def match_binds_a_name_on_some_paths(x):
    match len(x):
        case 2:
            y = x[0]
        case 3:
            y = x[0] * x[1]
    return y


def match_in_a_loop(x):
    s = 0.0
    for i in range(6):
        match i % 4:
            case 0:
                s += x[0] * i
            case 1 if x[1] * i > 2.0:
                s += x[1] ** 2
            case 1 | 2:
                s += x[2] ** 3 * i
            case 3:
                continue
        if s > 50.0:
            break
    return s


def match_sequences_and_mappings(x):
    s = 0.0
    for item in [
        (x[0], x[1]), [x[2]], (), (x[0], x[1], x[2], 2.0), "abc", {"k": x[1], "z": 2.0}, {"q": 1}, None, 4, b"z",
    ]:  # fmt: skip
        match item:
            case []:
                s += 1.0
            case [v]:
                s += v * v
            case (a, b):
                s += a * b
            case [first, *rest, last]:
                s += first * last + sum(rest)
            case {"k": v, **more}:
                s += v * len(more)
            case {}:
                s += x[0]
            case str() as text:
                s += len(text) * x[1]
            case None:
                s += x[2]
            case int(n):
                s += n * x[0] * x[1]
            case _:
                s += 0.5 * x[2]
    return s


def match_alternatives_bind_the_same_names(x):
    match _Pair(x[0], x[1] * x[0]):
        case _Pair(a=17.0, b=b) | _Pair(b=b):
            return b * x[2]


def match_several_subjects(x):
    command = "scale"
    match command, x[1]:
        case "shift", v:
            return v + x[0]
        case "scale", v:
            return v * x[0]


def match_nested(x):
    match {"kind": "a", "held": {"p": [x[0], _Point(x[1], x[2])]}}:
        case {"kind": "b"}:
            return 0.0
        case {"kind": "a" | "c" as kind, "held": {"p": [p, _Point(u, y=w)]}} if u < w:
            return p * u * w * len(kind)
        case {"held": other}:
            return len(other) * x[0]


def match_an_array(x):
    match x:
        case [a, b, *_]:  # an array is no sequence to Python; it is one since NumPy 2.5
            return a * b
        case np.ndarray(ndim=1) as y:
            return y @ y
    return 0.0


def match_guard_binds(x):
    match x[2]:
        case v if (w := v * x[0]) > 10.0:
            return w
        case v:
            return v * w


def match_around_a_loop(x):
    match x.shape:
        case (n,):
            s = 0.0
            for i in range(n):
                match x[i]:
                    case v if v > 1.0:
                        break
                    case v:
                        s += v * v
        case (n, m):
            s = n * m * 1.0
    return s * n


def match_returns_in_a_loop(x):
    for k in range(3):
        match k, x[k]:
            case 2, v:
                return v * x[0]
            case _, v if v > 1.0:
                return v * x[1]
    return x[0]


def match_iterates(x):
    match _Ends(x[0]):
        case [a, b]:
            s = a * b * x[1]
    match _Ends(x[1]):
        case [a, *rest]:
            s = s + a * sum(rest)
    return s


def match_names_in_functions(x):
    functions = []
    for item in (x[0], x[1]):
        match item:
            case v:
                functions.append(lambda: v * 2.0)
    match x[2], x[0]:
        case (v, w):
            product = lambda: v * w
    match x[1]:
        case v:
            pass
    return sum(f() for f in functions) * product()


X = np.array([0.4, 0.7, 1.1])
Y = np.array([0.9, 1.3, 0.2])
SAMPLES = {
    f.__name__: [(X,), (Y,)]
    for f in (
        match_classes, match_a_number, match_binds_a_name_on_some_paths, match_in_a_loop, match_sequences_and_mappings,
        match_alternatives_bind_the_same_names, match_several_subjects, match_nested, match_an_array, match_guard_binds,
        match_around_a_loop, match_returns_in_a_loop, match_names_in_functions,
        match_iterates,
    )
}  # fmt: skip
