"""Corners of the language: loop exits, values chosen by keys, imports inside functions, None."""

import math

import numpy as np


def loops_left_in_every_way(x, n):
    s = x
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            if (i + j) % 2:
                continue
            if s > 50:
                return s * j
            s = s * 1.1 + math.sin(s) * j
        else:
            s = s + x * 0.1
            continue
        if i == 3:
            break
        s -= x
    else:
        s = s * s
    return s


def while_inside_while(x):
    s, i = 0.0, 0
    while i < 4:
        j, t = 0, x
        while True:
            t *= 1.3
            j += 1
            if t > 6 or j > i:
                break
        s += t * j
        i += 1
        if s > 100:
            return s
    return s * t


def best_with_its_place(a):
    best = at = None
    for i, v in enumerate(a):
        w = v * v - i
        if best is None or w > best:
            best, at = w, i
    return best * at if best is not None else 0.0


def item_by_key_of_the_largest(x):
    d = {"p": x, "q": x * 2, "r": x - 1}
    k = max(d, key=lambda name: d[name])
    return d[k] ** 2


def item_by_number(a, x):
    d = {i: x**i for i in range(4)}
    return d[int(a[0])] * d[len(a)]


def import_inside(x):
    import math as m
    from math import cos
    from math import sin as s

    return m.exp(x) * s(x) + cos(x)


def defaults_of_helpers(x):
    return _scaled(x) + _scaled(x, [x, 1.0])


def _scaled(x, factors=[2.0, 3.0], *, extra={"k": 1.0}):  # noqa: B006  lists as defaults are read live
    return x * x * factors[0] * len(factors) + extra["k"] * x


def derivative_in_a_comprehension(x):
    import adcompile as ad

    return sum([ad.grad(lambda y, i=i: y**i * x)(x) for i in range(4)])


def text_that_is_taken_apart(x):
    """Text that is made when the code runs: how many words it has is known then."""
    message, table = f"{len(x)} 4", str(x.shape) + "\n=\n"
    first, second = message.split(" ")
    y = x[0] ** int(first) * len(message.split()) * float(second)
    for word in ",".join([str(i) for i in range(len(x))]).rsplit(","):
        y = y + x[1] * int(word)
    key, _, value = f"k={len(x)}".partition("=")
    return y * len(table.splitlines()) + len(key) * x[2] ** int(value) * max(len(w) for w in message.split("4"))


def slices_that_are_asked(x, part):
    start, stop, step = part.indices(len(x))
    y = np.sum(x[part] ** 2) * len(range(start, stop, step))
    for i in range(*slice(None, -1).indices(len(x))):
        y = y + x[i] * (1.0 if part.step is None else i)
    return y * getattr(part, "missing", 2.0)


SAMPLES = {
    "loops_left_in_every_way": [(1.3, 4), (0.5, 0), (2.0, 6)],
    "while_inside_while": [(1.5,), (7.0,)],
    "best_with_its_place": [(np.array([0.5, 1.2, -0.3]),), ([0.5, 1.2, -3.3],)],
    "item_by_key_of_the_largest": [(1.5,), (-2.5,)],
    "item_by_number": [(np.array([2.4, 1.0]), 1.5)],
    "import_inside": [(1.5,)],
    "defaults_of_helpers": [(1.5,)],
    "derivative_in_a_comprehension": [(1.5,)],
    "text_that_is_taken_apart": [(np.array([0.5, 1.2, -0.7]),)],
    "slices_that_are_asked": [(np.array([0.5, 1.2, -0.7]), slice(0, 3, 2)), (np.array([0.5, 1.2, -0.7]), slice(1, None))],
}
