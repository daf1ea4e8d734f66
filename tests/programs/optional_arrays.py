"""Arrays that may be None and are written in place: buffers made when they are first needed."""

import numpy as np

import adcompile as ad


def buffer_made_lazily(x, n):
    buf = None
    for i in range(n):
        if buf is None:
            buf = np.zeros_like(x)
        buf += x * (i + x[0])
    return buf @ buf if buf is not None else x[1] ** 3


def buffer_surely_made(x, n):
    buf = None
    for i in range(n):
        if buf is None:
            buf = np.zeros_like(x)
        buf += x * (i + x[0])
    return buf @ buf


def best_of_written(x, n):
    best, s = None, 0.0
    for i in range(n):
        cur = np.zeros(3)
        cur[i % 3] = x[i % 3] ** 2
        cur[0] += x[1] * i
        v = np.sum(cur) * np.cos(3.0 * i)
        if best is None or v > s:
            best, s = cur, v
    return s * x[2] if best is None else best @ x


def minus_previous(x, n):
    prev, total = None, 0.0
    for i in range(n):
        cur = x * (i + 1.0)
        if prev is not None:
            cur -= prev * x[0]
        total += np.sum(cur**2)
        prev = cur
    return total


def momentum(x, n):
    w, m = x * 1.0, None
    for i in range(n):
        g = 2.0 * w + np.sin(w)
        if m is None:
            m = g.copy()
        else:
            m *= 0.9
            m += g
        w -= 0.1 * m
    return np.sum(w**2)


class Layer:
    def __init__(self):
        self.buf = None
        self.count = 0

    def add(self, x):
        if self.buf is None:
            self.buf = np.zeros(len(x))
        self.buf += x * x
        self.buf[0] *= x[1]
        self.count += 1


def attribute_made_lazily(x, n):
    layer = Layer()
    for i in range(n):
        layer.add(x * (i + 1.0))
    return 0.0 if layer.buf is None else np.sum(layer.buf * x)


def view_or_none(x, n):
    y = x * 1.0
    part = y[1:] if n > 1 else None
    if part is not None:
        part *= y[0]
    y[2] *= 3.0
    return np.sum(y**2) + (np.sum(part) if part is not None else 0.0)


def two_that_alternate(x, n):
    a, b = None, None
    for i in range(n):
        if a is None:
            a = x.copy()
        a *= 1.5
        a, b = b, a
    total = 0.0
    if a is not None:
        total += np.sum(a**2)
    if b is not None:
        total += np.sum(b**3)
    return total


def reset_to_none(x, n):
    buf, total = None, 0.0
    for i in range(n):
        if buf is None:
            buf = np.zeros(3)
        buf += x * (i + 1)
        if i % 2:
            total += np.sum(buf**2)
            buf = None
    return total + (np.prod(buf) if buf is not None else 0.0)


def left_by_break(x, n):
    found = None
    for i in range(n):
        cur = x * i
        cur[0] = x[1] * x[2]
        if cur[1] > 1.0:
            found = cur
            break
    if found is None:
        return x[0]
    found[2] += x[0]
    return np.prod(found)


def passed_on(x, n):
    def use(out=None):
        if out is None:
            out = np.empty(3)
        out[:] = x * 2
        out[0] *= x[1]
        return out

    scratch = np.zeros(3) if n > 1 else None
    a = use(scratch)
    if scratch is not None:
        a = a * np.sum(scratch)
    return np.sum(a)


def in_a_while(x, n):
    h, k = None, 0
    while k < n:
        if h is None:
            h = np.outer(x, x)
        h[k % 3] += x * h[0, k % 3]
        k += 1
    return np.sum(h) if h is not None else np.sum(x)


def none_within_none(x, n):
    a = None
    for i in range(n):
        b = None
        for j in range(i):
            if b is None:
                b = x * 1.0
            b[j % 3] *= x[0]
        if a is None:
            a = b
        elif b is not None:
            a += b
    return np.sum(a**2) if a is not None else x[0]


def read_before_written(x, n):
    last = None
    total = 0.0
    for i in range(n):
        if last is not None:
            total += np.sum(np.sin(last) * x)
        else:
            last = np.zeros(3)
        last[i % 3] = x[i % 3] * total + x[0]
    return total


def used_untested(x, n):
    a = None
    for i in range(n):
        if i == 0:
            a = x * 2.0
        a[i % 3] *= x[0]
        a += 1.0
        a[1:] -= a[:-1] * x[1]
    return np.sum(a * x) + a[0] + np.sum(np.sin(a))


def methods_untested(x, n):
    a = None
    for i in range(n):
        if a is None:
            a = x * 2.0
        a *= x
    return a.sum() + a.dot(x) + len(a) + a.shape[0] * x[0] + np.dot(a, a)


def two_views(x, n):
    a, v = None, None
    for i in range(n):
        if a is None:
            a = np.zeros((3, 3))
            v = a[1]
        a[i % 3] += x * (i + 1)
        v *= x[0]
    return np.sum(a**2) + np.sum(v)


def list_of_maybe(x, n):
    found = []
    for i in range(n):
        a = None
        if i % 2 == 0:
            a = x * i
            a[0] *= x[1]
        found.append(a)
    total = x[0]
    for a in found:
        if a is not None:
            a[1] += x[2]
            total += np.sum(a**2)
    return total


def returned(x, n):
    def make(k):
        if k % 2:
            return None
        out = np.zeros(3)
        out[k % 3] = x[k % 3] ** 2
        return out

    total = x[0]
    for i in range(n):
        r = make(i)
        if r is not None:
            r += total
            total += np.prod(r)
    return total


def dict_cache(x, n):
    state = {"m": None}
    for i in range(n):
        if state["m"] is None:
            state["m"] = np.zeros(3)
        state["m"][i % 3] += x[i % 3] ** 2
        state["m"] *= x[0]
    return x[0] if state["m"] is None else np.sum(state["m"])


class Adam:
    def __init__(self, lr):
        self.lr, self.m, self.v, self.t = lr, None, None, 0

    def step(self, w, g):
        if self.m is None:
            self.m = np.zeros_like(w)
            self.v = np.zeros_like(w)
        self.t += 1
        self.m *= 0.9
        self.m += 0.1 * g
        self.v *= 0.99
        self.v += 0.01 * g * g
        mh = self.m / (1 - 0.9**self.t)
        vh = self.v / (1 - 0.99**self.t)
        w -= self.lr * mh / (np.sqrt(vh) + 1e-3)


def adam(x, n):
    opt = Adam(0.1)
    w = x.copy()
    for _ in range(n):
        g = 2 * w * x + 1.0
        opt.step(w, g)
    return np.sum(w**2)


def best_or_dropped(x, n):
    buf = None
    for i in range(n):
        cur = x * i
        cur[i % 3] = x[0] ** 2
        if buf is None or cur[0] > buf[0]:
            buf = cur
        elif buf[1] > 100:
            buf = None
    y = buf if buf is not None else np.zeros(3)
    y[2] = x[1]
    return np.sum(y**2)


def functions_untested(x, n):
    a = None
    for i in range(n):
        if a is None:
            a = np.outer(x, x)
        np.fill_diagonal(a, x[0])
        np.copyto(a[0], x)
        a.sort(axis=0)
        a.fill(x[1] * a[1, 1])
        np.add.at(a, ([0, 0], [1, 1]), x[2])
    return np.sum(a**2)


def captured_by_a_derivative(x, n):
    buf = None
    if n > 1:
        buf = x * 1.0

    def inner(w):
        if buf is not None:
            buf[:] = w * buf
            return np.sum(buf**2)
        return np.sum(w**3)

    return np.sum(ad.grad(inner)(x) * x) + (np.sum(buf) if buf is not None else 0.0)


def of_either_rank(x, n):
    z = None
    for i in range(n):
        if i % 2:
            z = x * 2.0
        else:
            z = np.outer(x, x)
        z *= x[0]
    if z is None:
        return x[0]
    z += x
    return np.sum(z**2)


def left_by_recursion(x, n):
    def go(k):
        if k == 0:
            return None
        r = go(k - 1)
        if r is None:
            r = np.zeros(3)
        r[k % 3] += x[k % 3] ** 2
        return r

    r = go(n)
    return np.sum(r * x) if r is not None else x[0]


def kept_between_recursions(x, n):
    return _summed(x, n)


def _summed(a, k, out=None):
    if k == 0:
        return a[0] if out is None else np.sum(out * a)
    if out is None:
        out = np.zeros(3)
    out[k % 3] += a[k % 3] ** 2
    return _summed(a, k - 1, out) + a[1]


_X = np.array([1.3, 0.7, 2.1])

SAMPLES = {
    "buffer_made_lazily": [(_X, 4), (_X, 1), (_X, 0)],
    "buffer_surely_made": [(_X, 4), (_X, 1)],
    "best_of_written": [(_X, 4), (_X, 1), (_X, 0)],
    "minus_previous": [(_X, 4), (_X, 1), (_X, 0)],
    "momentum": [(_X, 4), (_X, 1), (_X, 0)],
    "attribute_made_lazily": [(_X, 4), (_X, 1), (_X, 0)],
    "view_or_none": [(_X, 4), (_X, 1), (_X, 0)],
    "two_that_alternate": [(_X, 4), (_X, 1), (_X, 0)],
    "reset_to_none": [(_X, 4), (_X, 1), (_X, 0)],
    "left_by_break": [(_X, 4), (_X, 1), (_X, 0)],
    "passed_on": [(_X, 4), (_X, 1), (_X, 0)],
    "in_a_while": [(_X, 4), (_X, 1), (_X, 0)],
    "none_within_none": [(_X, 4), (_X, 1), (_X, 0)],
    "read_before_written": [(_X, 4), (_X, 1), (_X, 0)],
    "used_untested": [(_X, 4), (_X, 1)],
    "methods_untested": [(_X, 4), (_X, 1)],
    "two_views": [(_X, 4)],
    "list_of_maybe": [(_X, 4), (_X, 1), (_X, 0)],
    "returned": [(_X, 4), (_X, 1), (_X, 0)],
    "dict_cache": [(_X, 4), (_X, 1), (_X, 0)],
    "adam": [(_X, 3), (_X, 0)],
    "best_or_dropped": [(_X, 4), (_X, 1), (_X, 0)],
    "functions_untested": [(_X, 3)],
    "captured_by_a_derivative": [(_X, 4), (_X, 1), (_X, 0)],
    "of_either_rank": [(_X, 4), (_X, 1)],
    "left_by_recursion": [(_X, 4), (_X, 1), (_X, 0)],
    "kept_between_recursions": [(_X, 4), (_X, 1), (_X, 0)],
}
