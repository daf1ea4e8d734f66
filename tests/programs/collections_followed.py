"""deque, defaultdict, OrderedDict, Counter, SimpleNamespace, cached_property and f-strings as keys."""

import copy
from collections import Counter, OrderedDict, defaultdict, deque
from functools import cached_property
from types import SimpleNamespace

import numpy as np


def deque_moving_window(x, s):
    q, t = deque(maxlen=2), 0.0
    for v in x:
        q.append(v * s)
        t += sum(q) ** 2
    return t * q[-1]


def deque_both_ends(x, s):
    q = deque([x[0], x[1]])
    r = q
    q.append(s)
    a = q.popleft()
    r.appendleft(a * s)
    q.rotate(1)
    q.insert(1, x[2])
    q[0] *= s
    q.extendleft([s, a])
    q.reverse()
    return sum((i + 1) * v for i, v in enumerate(r)) * len(q)


def deque_copies(x, s):
    q = deque([x[0], s])
    r, w, z = q.copy(), copy.copy(q), copy.deepcopy(q)
    r[0], w[1] = s, x[1]
    z.append(x[2])
    q.appendleft(x[2])
    return sum(q) * sum(r) + w[0] * w[1] * z[-1] * len(z)


def deque_breadth_first(x, s):
    nodes, found, t = deque([0]), {0}, 0.0
    near = {0: [1, 2], 1: [2], 2: []}
    while nodes:
        k = nodes.popleft()
        t = t * s + x[k]
        for j in near[k]:
            if j not in found:
                found.add(j)
                nodes.append(j)
    return t


def deque_used_up(x, s):
    q, t = deque(x), 1.0
    while q:
        t = t * q.popleft() + s
    return t


def deque_in_branches(x, s):
    q = deque([x[0], s])
    for v in x:
        if v > 0.6:
            q.append(v * s)
        elif len(q) > 2:
            q.popleft()
    return sum(q) * q[-1]


def deque_of_pairs(x, s):
    q, t = deque([(0, x[0])]), 0.0
    while q:
        k, v = q.popleft()
        t += v * v
        if k < 3:
            q.append((k + 1, v * s))
            q.append((k + 2, v + s))
    return t


def deque_of_arrays(x, s, n):
    past = deque([x * 1.0, x * s], maxlen=2)
    for _ in range(n):
        past.append(past[-1] * s + np.sin(past[0]))
    return np.sum(past[-1] * past[0])


def default_sums(x, s):
    d = defaultdict(float)
    for i in range(3):
        d[i % 2] += x[i] * s
    d["a"] += x[0]
    return d[0] * d[1] * d["a"] + d["nothing"] + len(d)


def default_lists(x, s):
    d = defaultdict(list)
    for i in range(3):
        d["ab"[i % 2]].append(x[i] * s)
    e = dict(d)
    return sum(len(k) * sum(v) for k, v in sorted(d.items())) * sum(e["a"]) * d["b"][0]


def default_nested(x, s):
    d = defaultdict(lambda: defaultdict(float))
    for i in range(2):
        for j in range(2):
            d[i][j] += x[i] * s**j
    return d[0][1] * d[1][0] + sum(v for row in d.values() for v in row.values())


def default_arrays(x, s):
    d = defaultdict(lambda: np.zeros(3))
    d["a"] += x
    d["b"][1] = s
    d["a"][0] *= s
    return np.sum(d["a"] * d["b"])


def default_dict_methods(x, s):
    d = defaultdict(float, a=x[0])
    v = d.pop("a") * d.pop("z", s)
    e = d.copy()
    d.update(b=s)
    d.setdefault("c", x[1])
    del d["b"]
    a, n, known, c, m = d.get("q", 2.0), len(d), "q" in d, d["q"], len(d)
    return v * d["c"] + x[0] * a + n * s + m * x[1] + (5 if known else 7) * s + c + len(e)


def counts_of_words(x, s, words=("a", "b", "a")):
    d, groups = defaultdict(int), defaultdict(list)
    for k, w in enumerate(words):
        d[w.upper()] += 1
        groups[w.upper()].append(k)
    return x[0] * d["A"] * s + sum(np.sum(x[v]) ** 2 for v in groups.values())


def counter_of_weights(x, s):
    c = Counter()
    c["a"] += x[0]
    c.update({"a": s, "b": x[1]})
    c.update(["b"])
    c.update(d=s)
    return c["a"] * c["b"] + c["missing"] + sum(c.values()) * Counter("abca")["a"]


def ordered_least_recent(x, s):
    c = OrderedDict()
    for k in [0, 1, 0, 2]:
        if k in c:
            c.move_to_end(k)
        else:
            c[k] = x[k] * s
            if len(c) > 2:
                c.popitem(last=False)
    return sum((i + 1) * v for i, v in enumerate(c.values()))


def ordered_merged(x, s):
    d = OrderedDict([("a", x[0]), ("b", s)])
    d.move_to_end("b", last=False)
    e = {**d, "c": s}
    return (lambda a, b: a * b)(**d) * e["c"] + sum((i + 1) * v for i, v in enumerate(d.values()))


def namespace_nested(x, s):
    p = SimpleNamespace(w=SimpleNamespace(a=x[0], b=[x[1], s]), n=0)
    p.w.b[0] *= p.w.a
    p.w.a = p.w.b[0] * s
    for k in ("u", "v"):
        p.n += 1
        setattr(p, k, x[p.n] * s)
    same = SimpleNamespace(a=1) == SimpleNamespace(a=1)
    return p.w.a + p.u * p.v + (p.n if same else 0) * s


class _Sums:
    def __init__(self, x):
        self.x, self.n = x, 0

    @cached_property
    def square(self):
        self.n += 1
        return np.sum(self.x**2)

    @cached_property
    def both(self):
        return self.square * self.x[0]


def cached_once(x, s):
    c = _Sums(x * s)
    a = c.square + c.both + c.square
    c.x = x
    return a * c.n + c.square


def cached_in_loop(x, s, n):
    c, t = _Sums(x * s), 0.0
    for i in range(n):
        t = t + c.square * i
    return t


def cached_anew(x, s):
    c = _Sums(x)
    a = c.square
    del c.square
    c.x = x * s
    b = c.square
    c.square = s
    return a * b * c.both


def keys_of_text(x, s):
    d = {f"w{k}": x[k] * s for k in range(3)}
    for k in range(2):
        d[f"w{k}"] = d[f"w{k + 1}"] * d[f"w{k}"]
        d[f"b{k:02d}"] = x[k]
    return d["w0"] * d["w1"] + d["b00"] * d["b01"]


_X = np.array([0.5, 0.7, 1.3])
_PLAIN = [(_X, 0.8)]
SAMPLES = {
    "deque_moving_window": _PLAIN,
    "deque_both_ends": _PLAIN,
    "deque_copies": _PLAIN,
    "deque_breadth_first": _PLAIN,
    "deque_used_up": _PLAIN,
    "deque_in_branches": _PLAIN,
    "deque_of_pairs": _PLAIN,
    "deque_of_arrays": [(_X, 0.8, 3)],
    "default_sums": _PLAIN,
    "default_lists": _PLAIN,
    "default_nested": _PLAIN,
    "default_arrays": _PLAIN,
    "default_dict_methods": _PLAIN,
    "counts_of_words": _PLAIN,
    "counter_of_weights": _PLAIN,
    "ordered_least_recent": _PLAIN,
    "ordered_merged": _PLAIN,
    "namespace_nested": _PLAIN,
    "cached_once": _PLAIN,
    "cached_in_loop": [(_X, 0.8, 3), (_X, 0.8, 0)],
    "cached_anew": _PLAIN,
    "keys_of_text": _PLAIN,
}
