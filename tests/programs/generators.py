"""Generator functions: what runs over their items, and what takes them."""

import functools
import itertools

import numpy as np


def _running(x):
    total = 0.0
    for v in x:
        total += v
        yield total * v


def _newton(a):
    y = 1.0 + a
    while True:
        yield y
        y = 0.5 * (y + a / y)


class _Grid:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        for i in range(len(self.x) - 1):
            yield i, self.x[i], self.x[i + 1]


def generator_in_a_loop(x):
    s = 1.0
    for v in _running(x):
        s = s * 0.5 + v * v
    return s


def generator_left_early(x):
    s = 1.0
    for v in _running(x):
        if v > 1.0:
            break
        s = s * v
    else:
        s = s * x[0]
    return s


def generator_returned_from(x):
    for k, v in enumerate(_running(x)):
        if v > 0.9:
            return v * x[0] * k
    return x[1]


def generator_without_end(x):
    before = 0.0
    for y in _newton(x[2]):
        if abs(y - before) < 1e-13:
            break
        before = y
    return y


def generator_without_end_in_a_zip(x):
    return sum(k * y for k, y in zip(range(1, 5), _newton(x[1])))


def generator_without_end_is_cut(x):
    first = itertools.islice(_newton(x[0]), 4)
    return sum(y * y for y in first)


def generator_of_a_class(x):
    s = 0.0
    for i, left, right in _Grid(x):
        s += i * (right - left) ** 2
    return s


def generator_yields_on_paths(x):
    def parts():
        yield x[0]
        if x[1] > 0.5:
            yield x[1] * x[0]
        for i in range(3):
            if i == 2:
                return
            yield x[2] * i

    return sum(v * v for v in parts())


def generator_from_others(x):
    def parts():
        yield from _running(x[1:])
        yield from [1.0, x[0]]
        for v in _running(x[:2]):
            yield v * x[2]

    return sum(v * v for v in parts())


def generator_and_loop_take_turns(x):
    seen = []

    def noted():
        for v in x:
            seen.append(v)
            yield v * len(seen)

    s = 0.0
    for w in noted():
        seen.append(w)
        s += w * len(seen)
    return s + sum(seen)


def generator_reads_what_the_loop_writes(x):
    level = [x[0]]

    def steps():
        while level[0] < 2.0:
            yield level[0]

    for v in steps():
        level[0] = v + x[1] * x[2]
    return level[0]


def generator_of_views(x):
    y = x.copy()

    def tails():
        for i in range(2):
            yield y[i:]

    for tail in tails():
        tail[0] *= tail[1]
    return np.sum(y * y)


def generator_begins_late(x):
    y = x.copy()
    items = _running(y)
    y[0] = x[1] * 2.0
    return sum(items)


def generator_taken_one_by_one(x):
    first = next(_running(x))
    other = next(_running(x[1:]), 0.0)
    nothing = next(_running(x[:0]), x[2])
    return first * other + nothing * sum(_running(x))


def generator_taken_apart(x):
    a, b, *rest = _running(x)
    return a * b + sum(rest)


def generators_in_a_generator(x):
    def pairs():
        for i, v in enumerate(_running(x)):
            for j in range(i):
                yield v * j

    return sum(pairs())


def generator_in_its_own_loop(x):
    s = 0.0
    for v in _running(x):
        for w in _running(x[:2]):
            s += v * w
    return s


def generator_is_mapped(x):
    squares = map(lambda v: v * v, _running(x))
    large = filter(lambda v: v > 0.2, squares)
    return sum(itertools.takewhile(lambda v: v < 100.0, large))


def generator_is_folded(x):
    return functools.reduce(lambda p, q: p * 0.5 + q, _running(x), x[1])


def generator_makes_an_array(x):
    y = np.array(list(_running(x)))
    return np.sum(y * y) + max(_running(x)) * min(_running(x[1:]))


def generator_is_spread(x):
    return sum([*_running(x), *_running(x[:2])]) * len((*_running(x),))


def generator_fills_a_dict(x):
    table = dict(enumerate(_running(x)))
    return table[0] * table[2]


def generator_is_tested(x):
    return x[0] * any(v > 0.9 for v in _running(x)) + x[1] * all(v > 0.1 for v in _running(x))


def generator_names_are_its_own(x):
    total, v = x[0] * x[1], x[2]
    for item in _running(x):
        total = total * 0.9 + item
    return total * v


def generator_binds_behind(x):
    for v in _running(x):
        last = v * x[0]
        count = [last, v]
    return last * len(count)


def generator_gets_nothing_sent(x):
    def asks():
        got = yield x[0]
        yield x[1] if got is None else 0.0

    return sum(asks()) * x[2]


def expression_in_a_loop(x):
    s = 0.0
    for u, v in zip((np.sin(v) * x[0] for v in x if v > 0.5), x):
        s = s * 0.5 + u * v
    return s


def expression_sees_names_late(x):
    k = x[0]
    later = (v * k for v in x for _ in range(2))
    k = x[1] * k
    s = 1.0
    for u in later:
        s = s * 0.7 + u
        if s > 2.0:
            break
    return s


def expression_is_handed_on(x):
    return _total(v * 2 for v in x) + _total(w * x[0] for w in (v * v for v in x))


def _total(items):
    s = 0.0
    for v in items:
        s += v * v
    return s


def expression_is_folded(x):
    return functools.reduce(lambda p, q: p * 0.5 + q, (np.sin(v) * v for v in x if v > 0.5), 1.0)


def expression_in_a_test(x):
    s = 0.0
    while _total(v for v in x) > 0.1:
        x = x * 0.5
        s += _total(v for v in x)
    return s


def expressions_are_yielded_from(x):
    def all_of():
        yield from (v * x[0] for v in x)
        yield from map(np.sin, (v * v for v in x))

    return sum(all_of())


def comprehensions_have_names_of_their_own(x):
    """A generator sees a variable as it is when it runs; those of comprehensions that bear its name are others."""
    c = x[0]
    first = sum(c * c for c in x)
    it = (c * v for v in x)
    kept = {c: x[c] for c in range(2)}
    c = x[1]
    return first + sum(it) * sum([c for c in x]) + kept[1]


def expression_sees_the_loop(x):
    c, s = x[0], 0.0
    halves = [c * 0.5 for c in range(3)]
    for v in (c * w for w in x):
        s += v
        c = c * 2.0 + halves[1]
    return s


def generator_beside_a_comprehension(x):
    v = 0.5

    def items(n):
        for k in range(n):
            yield v * x[k]

    indices = [v for v in range(3)]
    it = items(2)
    v = x[2]
    return sum(it) + indices[1]


def expression_before_its_name(x):
    s = sum([[a * b for a in x][0] for b in x])
    it = (b * v for v in x)
    b = x[2]
    return sum(it) + s


X = np.array([0.4, 0.7, 1.1])
SAMPLES = {
    f.__name__: [(X,)]
    for f in (
        generator_in_a_loop, generator_left_early, generator_returned_from, generator_without_end,
        generator_without_end_in_a_zip, generator_without_end_is_cut, generator_of_a_class, generator_yields_on_paths,
        generator_from_others, generator_and_loop_take_turns, generator_reads_what_the_loop_writes, generator_of_views,
        generator_begins_late, generator_taken_one_by_one, generator_taken_apart, generators_in_a_generator,
        generator_in_its_own_loop, generator_is_mapped, generator_is_folded, generator_makes_an_array,
        generator_is_spread, generator_fills_a_dict, generator_is_tested, generator_names_are_its_own,
        generator_binds_behind, generator_gets_nothing_sent, expression_in_a_loop, expression_sees_names_late,
        expression_is_handed_on, expression_is_folded, expression_in_a_test, expressions_are_yielded_from,
        comprehensions_have_names_of_their_own, expression_sees_the_loop, generator_beside_a_comprehension,
        expression_before_its_name,
    )
}  # fmt: skip
