"""State that lives on classes, functions, partial applications, caches and defaults: work buffers, counters, ids."""

import functools
import types

import numpy as np


class _Work:
    buf = np.zeros(3)
    parts = {"w": np.zeros(3), "rest": [np.zeros(3)]}
    value, count, flag, made = 2.0, 0, False, None
    inner = types.SimpleNamespace(a=np.zeros(3))

    def run(self, x):
        self.buf[:] = x * x
        self.buf[1:] += self.buf[:-1]
        return self.buf @ self.buf

    @classmethod
    def run_class(cls, x):
        cls.buf[:] = x * x
        return cls.buf @ cls.buf

    @staticmethod
    def run_static(x):
        np.multiply(x, x, out=_Work.buf)
        return _Work.buf @ x


class _Derived(_Work):
    pass


class _Registry(type):
    scratch = np.zeros(3)


class _Registered(metaclass=_Registry):
    pass


class _Body:
    count = 0

    def __init__(self, m):
        _Body.count += 1
        self.id, self.m = _Body.count, m


class _Total:
    total = 0.0

    def __init__(self, v):
        type(self).total += v


class _Account:
    """What the class has is what its objects begin with."""

    balance, moves, log = 0.0, 0, None

    def add(self, v):
        self.balance += v
        self.moves += 1
        if self.log is None:
            self.log = []
        self.log.append(v)
        return self


class _Adam:
    m = v = 0.0
    t, rate = 0, 0.1

    def step(self, p, g):
        self.t += 1
        self.m, self.v = 0.9 * self.m + 0.1 * g, 0.99 * self.v + 0.01 * g * g
        return p - self.rate * self.m / (1 - 0.9**self.t) / (np.sqrt(self.v / (1 - 0.99**self.t)) + 1e-2)


class _Single:
    made = None

    def __init__(self):
        self.z = np.zeros(3)

    @classmethod
    def get(cls):
        if cls.made is None:
            cls.made = cls()
        return cls.made


def class_buffer_of_object(x):
    return _Work().run(x)


def class_buffer_of_class(x):
    return _Work.run_class(x) * _Derived().run_class(x)


def class_buffer_static(x):
    return _Work.run_static(x) + _Work.buf[0]


def class_array_augmented(x):
    _Work.buf[:] = 1.0
    _Work.buf *= x
    _Work.buf += x * x
    return np.sum(_Work.buf**2)


def class_array_by_many_names(x):
    w, d = _Work(), _Derived()
    w.buf[:] = x * x
    type(w).buf[0] *= x[1]
    getattr(_Derived, "buf")[1:] *= d.buf[0]  # noqa: B009  that spelling is meant
    view = _Work.buf[::-1]
    view[0] += x[0]
    return w.buf @ d.buf


def class_dict_of_arrays(x):
    _Work.parts["w"][:] = x * x
    _Work.parts["rest"][0][:] = _Work.parts["w"] * x
    _Work.inner.a[:] = _Work.parts["rest"][0] + x
    return np.sum(_Work.inner.a * _Work.parts["w"])


def class_array_rebound(x):
    before = _Work.buf
    before[:] = 0.5
    _Work.buf = _Work.buf * x + x
    _Work.buf[0] *= x[1]
    out = np.sum(_Work.buf**2) + before[0]
    _Work.buf = before
    return out


def metaclass_buffer(x):
    _Registered.scratch[:] = x * x
    return _Registered.scratch @ x


def function_buffer(x):
    function_buffer.cache[:] = x * x
    function_buffer.last = x[0] ** 2
    return function_buffer.cache @ x * function_buffer.last


function_buffer.cache, function_buffer.last = np.zeros(3), 0.0


def function_counts_calls(x):
    function_counts_calls.calls = 2
    function_counts_calls.calls += 1
    return x[0] ** 2 * function_counts_calls.calls


def attribute_is_new(x):
    if hasattr(attribute_is_new, "scale"):
        del attribute_is_new.scale
    return _scaled(x[0]) + _scaled(x[1])


def _scaled(v):
    _scaled.last = v * getattr(_scaled, "factor", 2.0)
    return _scaled.last**2


_BUFFER = np.zeros(3)


def _fill(buf, x):
    buf[:] = x * x
    return buf.sum()


_filled = functools.partial(_fill, _BUFFER)


def partial_holds_buffer(x):
    return _filled(x) * _BUFFER[0]


@functools.lru_cache(None)
def _work(n):
    return np.zeros(n)


@functools.lru_cache(None)
def _grid(n):
    return {"x": np.linspace(0.0, 1.0, n), "h": 1.0 / n}


def cached_buffer(x):
    b = _work(3)
    b[:] = x * x
    return _work(3) @ x


def cached_constants(x):
    return np.sum(_grid(3)["x"] * x * x) * _grid(3)["h"]


def _accumulated(x, buf=np.zeros(3)):  # noqa: B008  that is what is tested
    buf += x * x
    return buf


def default_is_buffer(x):
    _accumulated(x)[:] = 0.0
    a, b = _accumulated(x), _accumulated(x)
    return np.sum(a * b * x)


def class_number(x):
    _Work.value = x[0] ** 2
    _Derived.value = _Work.value * x[1]
    out = _Work.value * _Derived().value + _Work().value
    _Work.value, _Derived.value = 2.0, 2.0
    return out


def class_number_in_loop(x):
    _Work.value, _Work.count = 1.0, 0
    for i in range(20):
        _Work.value = _Work.value * 1.01 + x[i % 3] ** 2 * 0.1
        _Work.count += 1
    return _Work.value * _Work.count


def class_number_in_while(x):
    _Work.value = x[0]
    while _Work.value < 20.0:
        _Work.value *= 1.0 + x[1]
    return _Work.value * x[2]


def class_number_in_branch(x):
    _Work.value, _Work.flag = 3.0, x[0] > 0
    if x[1] > 0:
        _Work.value = x[0] ** 2
    return _Work.value * x[1] if _Work.flag else x[2]


def _set(v):
    _Work.value = v


def class_number_by_helpers(x):
    _set(x[2])
    a = _Work.value
    _set(x[0] ** 2)
    b = _Work.value
    _set(b * x[1])
    return a * b * _Work.value


def class_object(x):
    _Work.made = types.SimpleNamespace(v=x[0] ** 2)
    _Work.made.v *= x[1]
    out = _Work.made.v + _Work.made.v ** 2
    _Work.made = None
    return out


def class_ids(x):
    _Body.count = 0
    return sum(b.m * b.id for b in [_Body(v) for v in (x[0], x[1], x[2])])


def class_total(x):
    _Total.total = 0.0
    _Total(x[0] ** 2)
    _Total(x[1])
    return _Total.total**2


def class_defaults(x):
    a, b = _Account(), _Account()
    a.add(x[0] ** 2).add(x[1])
    b.add(x[2])
    return a.balance**2 * a.moves + b.balance + _Account.balance + a.log[1] * b.log[0]


def class_defaults_optimiser(x):
    o, p = _Adam(), x
    for _ in range(20):
        p = o.step(p, 2 * p * x)
    return np.sum(p**2)


def class_singleton(x):
    _Single.made = None
    s = _Single.get()
    s.z[:] = x * x
    out = _Single.get().z @ x
    _Single.made = None
    return out


X = np.array([1.13, 1.37, 0.71])
SAMPLES = {name: [(X,)] for name, f in list(globals().items()) if not name.startswith("_")
           and isinstance(f, types.FunctionType)}  # fmt: skip
