"""Functions that write into the dict of their further keyword arguments, which each call makes anew."""

import functools

import numpy as np


def _weighted(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kw):
        scale = kw.pop("scale", 1.0)
        kw.setdefault("q", args[0])
        return scale * fn(*args, **kw)

    return wrapper


@_weighted
def _power(a, q=1.0, p=2):
    return a**p * q


def wrapper_takes_and_adds_settings(x):
    return _power(x[0]) + _power(x[1], scale=x[2]) * _power(x[2], q=x[0], p=3)


def _scaled(a, b=1.0, /, *rest, **kw):
    return a * kw.pop("a") + b * sum(rest) + sum(kw.values())


def names_of_positional_only_parameters(x):
    return _scaled(x[0], a=x[1] ** 2) * _scaled(x[2], x[1], x[0], a=x[0], b=x[2] * x[1], rest=x[0], kw=x[1])


def dict_of_the_caller_stays(x):
    given = {"s": x[0], "t": x[1]}

    def renamed(a, **kw):
        kw["s"] *= a
        kw["u"] = kw.pop("t") + kw["s"]
        return kw

    first = renamed(x[2], **given)
    second = renamed(x[1], s=first["s"], t=first["u"])
    return first["s"] * given["s"] + given["t"] * len(given) + second["s"] * second["u"]


def written_in_a_loop_that_breaks(x, n):
    def step(**kw):
        for i in range(n):
            if i == 3:
                break
            if kw["a"] < 0.0:
                kw["a"] = kw["a"] ** 2 * 1.01
                continue
            kw["a"] = kw["a"] * kw["b"] + i
        return kw["a"]

    return step(a=x[0], b=x[1]) * step(a=x[2], b=1.0)


def what_it_holds_is_the_callers(x):
    def fill(**kw):
        kw["items"].append(kw["v"] ** 2)
        kw["row"][0] += kw["v"]
        kw["items"] = kw["items"] + [1.0]
        return sum(kw["items"])

    items, row = [x[0]], x * 2.0
    total = fill(items=items, row=row, v=x[1])
    return total * items[1] * len(items) * row[0]


def kept_by_a_function(x):
    def account(**kw):
        def add(key, v):
            kw[key] = kw.get(key, 0.0) + v

        return kw, add

    mine, add_mine = account(a=x[0])
    yours, add_yours = account(a=x[1])
    add_mine("a", x[1] ** 2)
    add_mine("b", x[2])
    add_yours("a", x[2] * x[0])
    return mine["a"] * mine["b"] * yours["a"]


class _Layer:
    def __init__(self, **kw):
        self.w = kw.pop("w", 1.0)
        self.rest = kw


class _Scaled(_Layer):
    def __init__(self, x, **kw):
        kw.setdefault("w", x)
        super().__init__(**kw)
        kw["w"] = 100.0
        self.x = x


def handed_on_to_the_base_class(x):
    a, b = _Scaled(x[0]), _Scaled(x[1], w=x[2], z=x[0])
    a.rest["k"] = x[1]
    b.rest["z"] *= 2.0
    return a.w * a.x + b.w * b.x * b.rest["z"] + a.rest["k"]


def gone_through_and_changed(x):
    def horner(**kw):
        kw.update(c=x[2] * 2.0, a=x[1])
        total = 0.0
        for v in kw.values():
            total = total * v + v
        del kw["a"]
        return total * sum(kw.values())

    return horner(a=x[0], b=x[1] ** 2)


def each_call_of_a_recursion_has_its_own(x, n):
    def walk(k, **kw):
        if k == 0:
            return kw["a"]
        kw["a"] = kw["a"] * kw["b"]
        kw["row"][0] += kw["a"]
        total = walk(k - 1, **kw) + kw["a"]
        kw["a"] = 5.0
        return total + walk(k - 1, **kw) * x[2] + kw.pop("b")

    row = x * 1.0
    return walk(n, a=x[0], b=x[1], row=row) * row[0]


def collected_calls(x):
    log = []

    def note(**kw):
        kw["w"] = kw["v"] ** 2
        log.append(kw)
        return kw

    for i in range(len(x)):
        note(i=i, v=x[i])
    return sum(entry["w"] * entry["i"] for entry in log)


X = np.array([1.3, 0.7, 2.1])

SAMPLES = {
    "names_of_positional_only_parameters": [(X,)],
    "wrapper_takes_and_adds_settings": [(X,)],
    "dict_of_the_caller_stays": [(X,)],
    "written_in_a_loop_that_breaks": [(X, 5), (-X, 5), (X, 0)],
    "what_it_holds_is_the_callers": [(X,)],
    "kept_by_a_function": [(X,)],
    "handed_on_to_the_base_class": [(X,)],
    "gone_through_and_changed": [(X,)],
    "each_call_of_a_recursion_has_its_own": [(X, 3), (X, 1)],
    "collected_calls": [(X,)],
}
