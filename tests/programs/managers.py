"""`with np.errstate(...)` around what is differentiated: no warning in it, none in its derivative."""

import numpy as np

_V = np.array([0.5, -1.5, 2.5, 0.8])


def masked_logarithm(x):
    with np.errstate(all="ignore"):
        y = np.where(x > 0, np.log(x), 0.0)
        return np.sum(y * x)


def ratios_until_large(x, limit):
    total = 0.0
    for i in range(len(x)):
        with np.errstate(divide="ignore", invalid="ignore"):
            t = x[i] / x[0]
            if t < 0.0:
                continue
            if t > limit:
                break
        total = total + t * t
    else:
        total = total * x[1]
    return total


def written_within(x):
    z = x.copy()
    with np.errstate(divide="ignore"):
        z[0] = np.log(z[0] * z[0])
        with np.errstate(invalid="warn", over="print"):
            z[1:] *= np.sqrt(np.abs(z[1:]))
            w = z[1:]
        w += z[0]
    return np.sum(z * z)


def returned_on_some_path(x, flag):
    with np.errstate(all="ignore"), np.errstate(under="warn"):
        if flag:
            return np.sum(x * x * x)
        q = x * 2.0
    return np.sum(q * x)


def _squashed(v):
    with np.errstate(over="ignore"):
        return 1.0 / (1.0 + np.exp(-v))


def helper_with_its_own(x):
    return np.sum(_squashed(x) * _squashed(2.0 * x))


def _halved(x, n):
    if n == 0:
        return np.sum(x)
    with np.errstate(divide="ignore"):
        return np.sum(x / 2.0) * _halved(x * x, n - 1)


def recursion_within(x, n):
    return _halved(x, n)


def bound_within_alone(x, n):
    with np.errstate(divide="ignore"):
        if n > 1:
            scale = x * n
        y = x * x
    return np.sum(scale * y) if n > 1 else np.sum(y)


def chosen_setting(x, quiet):
    with np.errstate(all="ignore" if quiet else "warn"):
        y = x / (1.0 + x * x)
    return np.sum(y)


def returned_within_a_loop(x, limit):
    s = x[0]
    while True:
        with np.errstate(all="ignore"):
            s = s * x[1] + 1.0 / x[2]
            if abs(s) > limit:
                with np.errstate(over="warn"):
                    return s * s
        limit = limit - 0.5


def functions_made_within(x):
    with np.errstate(all="ignore"):
        count = 1.0

        def scaled(v):
            return v * count * x[0]

        count = 3.0
        y = scaled(x[1])
    return y + scaled(x[2])


SAMPLES = {
    "returned_within_a_loop": [(_V, 0.1), (_V, 2.5)],
    "functions_made_within": [(_V,)],
    "masked_logarithm": [(_V,), (_V**2,)],
    "ratios_until_large": [(_V, 4.0), (_V, 50.0), (_V**2, 0.1)],
    "written_within": [(_V,)],
    "returned_on_some_path": [(_V, True), (_V, False)],
    "helper_with_its_own": [(_V,)],
    "recursion_within": [(_V, n) for n in range(3)],
    "bound_within_alone": [(_V, 1), (_V, 2)],
    "chosen_setting": [(_V, True), (_V, False)],
}
