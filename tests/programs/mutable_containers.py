"""Lists and dicts that are written into: through aliases, in helpers, in branches and loops."""

import functools
import math
import operator

import numpy as np


def alias_of_a_list(x):
    xs = [x, 2.0]
    ys = xs
    ys.append(x * x)
    ys[0] *= 3.0
    return sum(xs) * xs[0]


def list_in_a_dict(x):
    d = {"a": [x]}
    d["a"].append(x * x)
    held = d["a"]
    held[0] = held[0] * 3.0
    d["b"] = held
    return d["b"][0] * d["a"][1]


def two_names_fill_one_list(x):
    xs = []
    ys = xs
    for i in range(100):
        xs.append(x * i)
        if i % 3 == 0:
            ys.append(math.sin(x))
    return sum(v * v for v in ys[:40])


def _add_to(acc, v):
    acc.append(v)
    acc[0] += v


def helper_writes_into_its_argument(x):
    acc = [x]
    for i in range(3):
        _add_to(acc, x * i)
    while acc[0] < 20.0:
        acc[0] = acc[0] * 1.5 + x
    return acc[0] * len(acc)


def either_list(x):
    a = [x, x * 2]
    b = a if x > 0 else [1.0, x]
    return b[0] * b[1] + sum(a)


def rebound_in_a_branch(x):
    a = [x, x * 2]
    if x > 0:
        a[0] = a[0] * 2
        a[1] += x
    else:
        a = [x] * 2
    return a[0] * a[1]


def written_in_one_branch(x):
    d = {"u": x, "v": 2.0}
    e = d
    if x > 0:
        e["u"] = d["v"] * x * x
    return d["u"] * e["v"]


def adam_with_a_dict(x):
    state = {"m": 0.0, "v": 0.0}
    for i in range(20):
        g = 2 * x * i
        state["m"] = 0.9 * state["m"] + 0.1 * g
        state["v"] = 0.9 * state["v"] + 0.1 * g * g
        x = x - 0.01 * state["m"] / (math.sqrt(state["v"] + 1e-8))
    return x


def dynamic_programming_in_a_list(x, n):
    dp = [0.0] * n
    dp[0] = x
    for i in range(1, n):
        dp[i] = math.sin(dp[i - 1]) + x * dp[i // 2]
    return dp[n - 1] + dp[n // 2]


def parameters_made_anew(x):
    p = {"w": x, "b": x * 2}
    for _ in range(20):
        p = {k: v - 0.1 * v * x for k, v in p.items()}
        p["w"] += 0.1
    return p["w"] * p["b"]


def stack_until_empty(x):
    q = [x, x * x, 3.0]
    s = 0.0
    while q:
        s += q.pop() * 2
    return s


def queue_of_work(x):
    q = [x, x * x, 3.0 * x]
    for i in range(20):
        q.append(x * i)
    s = 0.0
    while len(q) > 2:
        v = q[-1]
        w = q.pop()
        s += v * w * q[0]
        q[0] = q[0] * 0.9 + v * v * 0.01
        if len(q) % 5 == 4:
            q.insert(1, q[0] * v)
        q.pop(0)
    return s * 1e-3


def rows_swapped(x):
    rows = [[x * i, 1.0] for i in range(4)]
    for r in rows:
        r[1] = r[0] * x
    rows[0], rows[2] = rows[2], rows[0]
    rows[0][0] += 5 * x
    return sum(sum(r) for r in rows) + rows[2][1]


def smoothed_in_place(x):
    a = [x] * 40
    for _ in range(3):
        for i in range(1, 39):
            a[i] = 0.5 * (a[i - 1] + a[i + 1]) * x
    a.reverse()
    a[3:5] = [x, x, a[0]]
    del a[0]
    a += [x]
    a.extend(a[:2])
    total = sum(a)
    a.clear()
    return total + len(a)


def sorted_in_place(x, y):
    xs = [x * y, y, x, 3.0]
    xs.sort()
    ys = sorted(xs, reverse=True)
    xs.reverse()
    return xs[0] * ys[1] + xs[1]


def grows_while_it_is_run_over(x):
    xs = [1.0, x]
    for v in xs:
        if len(xs) < 8:
            xs.append(v * x)
    return sum(xs)


def all_ways_to_write_a_dict(x):
    d = {"a": x}
    for k, v in list(d.items()):
        d[k + "2"] = v * x
    d |= {"z": x}
    d.update(b=x * 3)
    e = d | {"a": 2 * x}
    d["c"] = d.setdefault("a", 5.0) * d.setdefault("d", x)
    del d["z"]
    return sum(d.values()) + e["a"] * d.pop("a2") + e.get("q", x)


def matrix_of_lists(x):
    m = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            m[i][j] = x * i + j * j * x * x
    n = [row[:] for row in m]
    n[0][1] += 100 * x
    m[1], m[2] = m[2], m[1]
    return m[1][2] * m[2][1] + n[0][1] * m[0][1]


def one_row_thrice(x):
    m = [[1.0, x]] * 3
    m[0][0] = x * x
    return m[1][0] * m[2][1]


def arrays_in_a_list(x):
    layers = [np.ones(3) * x, x * x * np.arange(3.0)]
    layers.append(layers[0] * layers[1])
    layers[0] = layers[0] + 1.0
    return np.sum(layers[0] * layers[2])


def list_written_then_copied(x):
    xs = [x, x * x]
    ys = list(xs)
    zs = xs.copy()
    xs[0] = 0.0
    zs[1] = 1.0
    return ys[0] * zs[0] + xs[1] * ys[1] + xs[0]


def returned_containers(x):
    out = {"trace": [], "last": None}
    v = x
    for _ in range(3):
        v = v * x
        out["trace"].append(v)
    out["last"] = out["trace"]
    return out["trace"], v


def break_leaves_what_was_written(x):
    seen = [0.0]
    for i in range(50):
        seen[0] += x * i
        if seen[0] > 30.0:
            seen.append(x)
            break
    return seen[0] * len(seen) + seen[-1]


def list_cleared_in_every_iteration(x):
    buffer = []
    total = 0.0
    for i in range(25):
        buffer.append(x * i)
        if len(buffer) == 4:
            total += buffer[0] * buffer[3]
            buffer.clear()
    return total + sum(buffer)


def first_writes_of_a_cache(x):
    cache = {}
    w = x
    for i in range(40):
        m = cache.get("m", 0.0)
        cache["m"] = 0.9 * m + 0.1 * w * i
        w = w - 0.01 * cache["m"]
    return w


def read_in_every_way(x):
    xs = [x]
    text = f"{xs} {len(xs)}"
    xs.append(2 * x + len(str(xs)) * 0.0 + len(text) * 0.0)
    a = np.array(xs)
    if xs != [1.0]:
        xs.append(np.mean(xs))
    xs.append(float(np.max(a)))
    first, *rest = xs
    rest.append(first)
    ys = [*xs, *rest]
    ys[0] = 1.0
    return sum(ys) * len(xs)


def text_split_and_appended(x):
    words = "a b c".split()
    words.append("d")
    c = {w: x * i for i, w in enumerate(words)}
    c["a"] = x
    return sum(c.values())


def keys_added_by_the_first_iteration(x):
    state = {"q": x, "t": 0.0}
    for _ in range(30):
        state = {**state, "e": state["q"] ** 2}
        state["q"] += 0.01 * state["e"]
        state["t"] += 0.1
    return state["e"] * state["t"]


def previous_is_none_at_first(x):
    previous = None
    s = 0.0
    for v in [x * i for i in range(30)]:
        if previous is not None:
            s += (v - previous) ** 2
        previous = v
    return s


def keyword_containers(x):
    def fill(*args, **kw):
        args[0].append(x)
        kw["k"].append(x * x)
        return len(args)

    a, b = [], []
    n = fill(a, k=b)
    return (a[0] + b[0]) * n


def dict_filled_in_a_short_loop(x):
    powers = {}
    for k in (1, 3):
        powers[k] = x**k
        for j in range(2):
            powers[k] += j * x
    for i in range(4, 6):
        powers[i] = powers.get(i - 1, x) * powers.pop(i - 3, 2.0)
    for key, value in powers.items():
        powers[key] = value * x
    return sum(powers.values())


def table_by_pairs(x):
    table = {(0, 0): x}
    for i in range(3):
        for j in range(2):
            if (i, j) not in table:
                table[i, j] = table.get((i, j - 1), 1.0) * x + table.setdefault((i - 1, j), 0.5)
    table.update({(i, -i): x * i for i in range(2)})
    del table[0, 1]
    return sum(table.values()) + table[2, 1] * table[1, -1]


def keys_differ_from_path_to_path(x, a):
    t = {"w": x, "b": a[0]}
    if x > 0.0:
        t.pop("w")
        t["w"] = 2.0 * x
    if a[1] > 0.0:
        u = {"b": x * x, "w": a[1], "c": a[0] * x}
    else:
        u = {"w": x}
    return t["w"] * t["b"] * u["w"]


def joined_by_name(x):
    """The functions of `operator` that join sequences, and the methods behind them."""
    xs = [x]
    ys = operator.iconcat(xs, (x * x, 3.0))
    ys.append(4.0 * x)
    for k in range(3):
        operator.iconcat(xs, [xs[-1] * x + k])
    table = {"a": [x, 2.0]}
    operator.iconcat(table["a"], map(lambda v: v * x, list(table["a"])))
    total = functools.reduce(operator.iconcat, [[x], [x * 2.0]], [])
    counts = operator.imul([1], 2)
    list.__iadd__(counts, operator.concat([3], counts))
    pair = operator.iconcat((x,), (x * 3.0,))
    return sum(xs) * len(xs) + table["a"][2] * table["a"][-1] + total[1] * sum(counts) + operator.concat(pair, (x,))[1]


def replaced_by_a_copy_of_itself(x, n):
    """A container with a fresh one in it, which the next iteration finds in a copy."""
    state, rows = {"rows": [1.0], "best": {"a": x}}, []
    for i in range(n):
        state["rows"] = [x * i, x]
        state["best"] = {"a": x * i}
        state["best"]["a"] *= x
        state = {**state}
        rows.append([x * i])
        rows = list(rows)
        rows[-1].append(x)
    return x * sum(state["rows"]) + sum(state["best"].values()) + sum(sum(r) * len(r) for r in rows)


SAMPLES = {
    "replaced_by_a_copy_of_itself": [(0.7, n) for n in range(4)],
    "joined_by_name": [(0.7,)],
    "keys_differ_from_path_to_path": [(s, np.array([0.4, r])) for s in (0.7, -0.7) for r in (0.3, -0.3)],
    "dict_filled_in_a_short_loop": [(0.7,)],
    "table_by_pairs": [(0.7,)],
    "alias_of_a_list": [(0.7,)],
    "list_in_a_dict": [(0.7,)],
    "two_names_fill_one_list": [(0.3,)],
    "helper_writes_into_its_argument": [(0.7,)],
    "either_list": [(0.7,), (-0.7,)],
    "rebound_in_a_branch": [(0.7,), (-0.7,)],
    "written_in_one_branch": [(0.7,), (-0.7,)],
    "adam_with_a_dict": [(0.7,)],
    "dynamic_programming_in_a_list": [(0.7, 12), (0.4, 30)],
    "parameters_made_anew": [(0.7,)],
    "stack_until_empty": [(0.7,)],
    "queue_of_work": [(0.7,)],
    "rows_swapped": [(0.7,)],
    "smoothed_in_place": [(0.7,)],
    "sorted_in_place": [(0.7, 2.2)],
    "grows_while_it_is_run_over": [(0.7,)],
    "all_ways_to_write_a_dict": [(0.7,)],
    "matrix_of_lists": [(0.7,)],
    "one_row_thrice": [(0.7,)],
    "arrays_in_a_list": [(0.7,)],
    "list_written_then_copied": [(0.7,)],
    "returned_containers": [(0.7,)],
    "break_leaves_what_was_written": [(0.7,)],
    "list_cleared_in_every_iteration": [(0.7,)],
    "first_writes_of_a_cache": [(0.7,)],
    "read_in_every_way": [(0.7,)],
    "text_split_and_appended": [(0.7,)],
    "keys_added_by_the_first_iteration": [(0.7,)],
    "previous_is_none_at_first": [(0.7,)],
    "keyword_containers": [(0.7,)],
}
