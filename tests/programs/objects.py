"""Objects made in the function or passed to it: attributes, methods, operators, dataclasses, variables of closures."""

import copy
import dataclasses
import math
from dataclasses import dataclass, field

import numpy as np


class Scaled:
    scale = 2.0

    def __init__(self, a):
        self.a = a

    def value(self, x=3.0):
        return self.a * x * self.scale


def construction(x):
    return Scaled(x).value()


class Oscillator:
    def __init__(self, k):
        self.k = k
        self.state = [1.0, 0.0]
        self.t = 0.0
        self.log = []

    def step(self, dt):
        q, p = self.state
        p = p - self.k * q * dt
        q = q + p * dt
        self.state[0] = q
        self.state[1] = p
        self.t += dt
        self.log.append(q * q)

    @property
    def energy(self):
        return 0.5 * self.state[1] ** 2 + 0.5 * self.k * self.state[0] ** 2


def simulator(x):
    s = Oscillator(x)
    for _ in range(50):
        s.step(0.01)
    return s.energy + sum(s.log) * s.t


@dataclass
class Point:
    x: float
    y: float = 2.0
    tags: list = field(default_factory=list)

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __mul__(self, c):
        return Point(self.x * c, self.y * c)

    __rmul__ = __mul__

    def __getitem__(self, i):
        return self.x if i == 0 else self.y

    def __setitem__(self, i, v):
        if i == 0:
            self.x = v
        else:
            self.y = v

    def norm2(self):
        return self.x**2 + self.y**2


def operators_of_a_class(x):
    p = Point(x)
    q = p
    q += Point(x * x, 1.0)
    r = 3.0 * p + q
    r[0] = r[1] * x
    r.tags.append(x)
    z = dataclasses.replace(r, y=p.x)
    return z.norm2() + p.x + z.tags[0]


class Slotted:
    __slots__ = ("_w", "v")

    def __init__(self, v):
        self.v = v
        self._w = v

    @property
    def w(self):
        return self._w

    @w.setter
    def w(self, value):
        self._w = value * 2


class Derived(Slotted):
    def __init__(self, v):
        super().__init__(v * 3)
        self.extra = v

    def __call__(self, y):
        return self.v * y + self.extra


def slots_setters_and_calls(x):
    o = Derived(x)
    o.w = x * x
    o.w += 1.0
    both = [o, o]
    both[0].v += 1.0
    return o(x) + o.w * both[1].v


def object_of_every_iteration(x):
    p = Point(x) if x > 0 else Point(1.0, x)
    if x > 0.5:
        p.x *= x
    best = p
    for _ in range(30):
        best = Point(best.x * 0.9, best.y + x)
        best.x += 0.1
    return best.x * best.y + p.x


def objects_that_change_places(x):
    a = Point(x)
    b = Point(x * x, 1.0)
    for _ in range(21):
        a, b = b, a
        a.x += 0.1 * b.x
    return a.x * 3 + b.x


def particles(x):
    ps = [Point(x * i) for i in range(5)]
    for _ in range(20):
        for p in ps:
            for q in ps:
                p.y += 0.01 * (q.x - p.x) ** 2
        for p in ps:
            p.x += 0.1 * p.y
    return sum(p.x for p in ps)


def deep_copies(x):
    p = Point(x)
    d = {"best": p, "all": [p]}
    c = copy.deepcopy(d)
    e = copy.copy(p)
    p.x = x * x
    c["all"][0].x *= 5
    return d["best"].x + d["all"][0].x * c["best"].x + e.x


def loop_with_break(x):
    p = Point(x)
    while p.x < 10:
        p.x = p.x * 1.5 + x
        if p.x > 8:
            p.y = p.x * x
            break
    return p.x + p.y


def identity_of_objects(x):
    p = Point(x)
    q = p
    r = Point(x)
    return x * x if p is q and p is not r else x


def equality_of_dataclasses(x):
    p, q = Point(x), Point(x, 2.0)
    return p.x * (3.0 if p == q else 1.0)


class Base:
    def __init__(self, rate):
        self.rate = rate

    def apply(self, v):
        return v * self.rate

    @classmethod
    def standard(cls):
        return cls(0.5)

    @staticmethod
    def twice(v):
        return 2.0 * v


class Momentum(Base):
    def __init__(self, rate, beta=0.9):
        super().__init__(rate)
        self.beta, self.velocity = beta, 0.0

    def apply(self, v):
        self.velocity = self.beta * self.velocity + super().apply(v)
        return self.velocity


def inheritance(x):
    m = Momentum(x)
    b = Base.standard()
    total = 0.0
    for i in range(10):
        total += m.apply(x * i) + b.apply(x)
    return total + Momentum.twice(x) * m.velocity


class Singleton:
    def __new__(cls, v):
        made = super().__new__(cls)
        made.born = v
        return made

    def __init__(self, v):
        self.value = v * self.born


def new_and_init(x):
    s = Singleton(x)
    return s.value * s.born


@dataclass(frozen=True)
class Frozen:
    a: float
    b: float = 3.0

    def moved(self, d):
        return dataclasses.replace(self, a=self.a + d)


def frozen_dataclass(x):
    f = Frozen(x)
    g = f.moved(x * x)
    return g.a * f.b + f.a


@dataclass
class Derivedclass(Frozen.__base__):
    w: float
    total: float = field(init=False)
    scale: dataclasses.InitVar = 2.0

    def __post_init__(self, scale):
        self.total = self.w * scale


def post_init(x):
    d = Derivedclass(x, scale=x)
    d.total += 1.0
    return d.total * d.w


class Clamped:
    """A descriptor: what it is set to is kept under another name."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, cls):
        return getattr(obj, self.name)

    def __set__(self, obj, value):
        setattr(obj, self.name, value if value < 5.0 else 5.0)


class Valve:
    flow = Clamped()

    def __init__(self, flow):
        self.flow = flow


def descriptors(x):
    v = Valve(x)
    v.flow = v.flow * 2.0
    return v.flow * x


def branches_make_objects(x):
    if x > 0:
        p = Point(x, 1.0)
        p.tags.append(x)
    else:
        p = Point(x * x, 3.0)
        p.tags.append(2.0 * x)
    p.x += p.tags[0]
    return p.norm2()


def linked_pair(x):
    a, b = Point(x), Point(x * x)
    a.other, b.other = b, a
    a.other.x += 1.0
    b.other.y = a.other.x * x
    return a.y + b.x


class Adam:
    def __init__(self, rate, names):
        self.rate = rate
        self.m = {k: 0.0 for k in names}

    def update(self, params, grads):
        for k in params:
            self.m[k] = 0.9 * self.m[k] + 0.1 * grads[k]
            params[k] -= self.rate * self.m[k]


def optimiser_with_a_cache(x):
    params = {"w": x, "b": 0.5}
    opt = Adam(0.1, params)
    for _ in range(30):
        opt.update(params, {"w": 2 * params["w"] * x, "b": params["b"] + params["w"]})
    return params["w"] * params["b"]


class Network:
    def __init__(self, sizes, w):
        self.layers = [w * np.ones((m, n)) / n for n, m in zip(sizes, sizes[1:])]
        self.calls = 0

    def __call__(self, v):
        self.calls += 1
        for layer in self.layers:
            v = np.tanh(layer @ v)
        return v

    def __len__(self):
        return len(self.layers)


def network(x):
    net = Network([2, 3, 2], x)
    out = net(np.array([1.0, -0.5])) + net(np.array([0.3, x]))
    return np.sum(out) * net.calls * len(net)


def returned_object(x):
    p = Point(x * x, x)
    return p.x, p.y * 2.0


@dataclass
class Weights:
    w: np.ndarray
    b: float


def counter(x):
    count = 0.0

    def add(v):
        nonlocal count
        count += v * x

    for i in range(20):
        add(i * 0.1)
    add(x)
    return count


def nested_counters(x):
    total = x
    calls = 0

    def step(k):
        nonlocal total, calls
        calls += 1

        def inner():
            nonlocal total
            total = total * k

        if k > 1:
            inner()
        return total

    y = 0.0
    for k in range(5):
        y += step(k)
    return y * calls + total


def functions_see_the_last_value(x):
    fs = []
    y = x
    for i in range(3):
        fs.append(lambda: i * y)
    y = x * x
    return fs[0]() + fs[1]()


def _make_counter(x):
    n = 0.0

    def tick(v):
        nonlocal n
        n = n + v
        return n * x

    def reset():
        nonlocal n
        n = 0.0

    return tick, reset


def counters_that_share(x):
    tick, reset = _make_counter(x)
    a = tick(x) + tick(2.0)
    reset()
    for _ in range(30):
        a += tick(0.1)
    return a


def best_so_far(x):
    best = None

    def consider(v):
        nonlocal best
        if best is None or v > best:
            best = v

    for v in [x, x * x, 3 * x]:
        consider(v)
    return math.sin(best)


class _Components:
    def __init__(self, *parts):
        self.parts = parts

    def __iter__(self):
        return iter(self.parts)


def object_that_is_iterated(a, b):
    x, y = _Components(a, b)
    first, *rest = _Components(a, b, a * b)
    both = sum(p * q for p, q in zip(_Components(a, b), _Components(b, 2.0)))
    largest = max(_Components(a, b)) * sum(map(lambda v: v * v, _Components(a, y)))
    return x * y + first * rest[1] + both + largest + [*_Components(a, b)][1] + max(*_Components(a, b))


SAMPLES = {
    "object_that_is_iterated": [(1.2, 0.4)],
    "construction": [(0.7,)],
    "simulator": [(0.7,)],
    "operators_of_a_class": [(0.7,)],
    "slots_setters_and_calls": [(0.7,)],
    "object_of_every_iteration": [(0.7,), (-0.4,)],
    "objects_that_change_places": [(0.7,)],
    "particles": [(0.7,)],
    "deep_copies": [(0.7,)],
    "loop_with_break": [(0.7,)],
    "identity_of_objects": [(0.7,)],
    "equality_of_dataclasses": [(0.7,)],
    "inheritance": [(0.7,)],
    "new_and_init": [(0.7,)],
    "frozen_dataclass": [(0.7,)],
    "post_init": [(0.7,)],
    "descriptors": [(0.7,), (3.0,)],
    "branches_make_objects": [(0.7,), (-0.7,)],
    "linked_pair": [(0.7,)],
    "optimiser_with_a_cache": [(0.7,)],
    "network": [(0.7,)],
    "returned_object": [(0.7,)],
    "counter": [(0.7,)],
    "nested_counters": [(0.7,)],
    "functions_see_the_last_value": [(0.7,)],
    "counters_that_share": [(0.7,)],
    "best_so_far": [(0.7,)],
}
