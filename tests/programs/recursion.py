"""Functions that call themselves and each other."""

import math

import numpy as np


def power_recursive(x, n):
    if n == 0:
        return 1.0
    return x * power_recursive(x, n - 1)


def fast_power(x, n):
    if n == 0:
        return 1.0
    h = fast_power(x, n // 2)
    return h * h * x if n % 2 else h * h


def fibonacci_like(x, n):
    if n < 2:
        return x if n else 1.0
    return fibonacci_like(x, n - 1) * 0.5 + fibonacci_like(x, n - 2) * x


def even_steps(x, n):
    return x if n == 0 else math.sin(odd_steps(x, n - 1))


def odd_steps(x, n):
    return x * x if n == 0 else 2.0 * even_steps(x, n - 1)


def depth_from_data(x):
    if x < 1.0:
        return x * x
    return 2.0 * depth_from_data(x * 0.5) + x


def tree_sum(x):
    if len(x) == 1:
        return x[0] ** 2
    middle = len(x) // 2
    return tree_sum(x[:middle]) * 0.5 + tree_sum(x[middle:])


def tree_of_tuples(tree):
    if isinstance(tree, tuple):
        left, right = tree
        return tree_of_tuples(left) * tree_of_tuples(right) + 1.0
    return math.sin(tree)


def continued_fraction(x, n):
    return 1.0 + x / (1.0 + n) if n > 5 else 1.0 + x / continued_fraction(x, n + 1)


def adaptive_simpson(f_scale, a, b):
    def f(t):
        return math.exp(-f_scale * t * t)

    def area(lo, hi):
        return (hi - lo) / 6.0 * (f(lo) + 4.0 * f(0.5 * (lo + hi)) + f(hi))

    def refine(lo, hi, whole, depth):
        middle = 0.5 * (lo + hi)
        left, right = area(lo, middle), area(middle, hi)
        if depth == 0 or abs(left + right - whole) < 1e-4:
            return left + right
        return refine(lo, middle, left, depth - 1) + refine(middle, hi, right, depth - 1)

    return refine(a, b, area(a, b), 5)


def haar_energy(x, level):
    if level == 0:
        return np.sum(x**2)
    low = 0.5 * (x[::2] + x[1::2])
    high = 0.5 * (x[::2] - x[1::2])
    return haar_energy(low, level - 1) + 0.3 * np.sum(high**2)


def _powers(n, x):
    if n == 0:
        return {"last": x, "sum": (1.0, x)}
    before = _powers(n - 1, x * x)
    return {"last": before["last"] * x, "sum": (before["sum"][0] + before["last"], before["sum"][1] * x)}


def recursive_dict_result(x):
    powers = _powers(3, x)
    return powers["last"] + powers["sum"][0] * powers["sum"][1]


def _horner(coefficients, x):
    if len(coefficients) == 1:
        return coefficients[0], [x]
    value, path = _horner(coefficients[1:], x)
    return coefficients[0] + x * value, [*path, value]


def recursive_polynomial_with_path(coefficients, x):
    value, path = _horner(coefficients, x)
    return value * sum(path)


class Part:
    """A node of a tree: some kinds have a weight, some have parts, some a scale that is computed."""

    def __init__(self, *parts):
        self.parts = list(parts)

    def total(self):
        s = self.weight if hasattr(self, "weight") else 0.0
        for p in self.parts:
            s = s + p.total()
        return s * (self.scale if hasattr(self, "scale") else 1.0)

    def innermost(self):
        return self.weight**2 if hasattr(self, "weight") else self.parts[0].innermost()


class Weighted(Part):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight


class Scaled(Part):
    @property
    def scale(self):
        return 1.0 + len(self.parts)


def parts_with_attributes_of_their_own(x, y):
    return Part(Weighted(x), Scaled(Weighted(y * y), Weighted(x * y)), Scaled()).total()


def first_part_with_an_attribute(x, y):
    return Part(Scaled(Weighted(x * y))).innermost() * y


def _axes_until_four(a):
    return np.sum(a) if a.ndim == 4 else _axes_until_four(a[None] * a)


def _longer_until_nine(t):
    return sum(t) if len(t) == 9 else _longer_until_nine((*t, t[-1] * 0.5))


def _reversed_items(rest, done=()):
    return done if not rest else _reversed_items(rest[1:], (rest[0], *done))


def types_that_end(x):
    """Arguments that grow with each call: the types say when it ends."""
    a, b, *_, c = _reversed_items((x[0], 2.0 * x[1], x[0] * x[1], 3.0, x[1], x[0] * 4.0, x[1], x[0], x[1] * 5.0))
    return _axes_until_four(x) + _longer_until_nine((x[0], x[1])) + a * b * c


class _Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right


def _inserted(node, value):
    if node is None:
        return _Node(value)
    if value < node.value:
        node.left = _inserted(node.left, value)
    else:
        node.right = _inserted(node.right, value)
    return node


def _in_order(node):
    return [] if node is None else [*_in_order(node.left), node.value, *_in_order(node.right)]


def _counted(n):
    if n == 0:
        return []
    items = _counted(n - 1)
    items.append(n)
    return items


def _full_tree(depth):
    node = _Node(depth)
    if depth > 0:
        node.left, node.right = _full_tree(depth - 1), _full_tree(depth - 1)
    return node


def _tallied(n):
    if n == 0:
        return {}
    counts = _tallied(n - 1)
    counts[n % 3] = counts.get(n % 3, 0) + n
    return counts


def what_recursive_functions_make_is_written_by_the_next(x, n):
    """Trees, lists and dicts without derivatives that calls of recursive functions make, and others write into."""
    root = None
    for value in (3, 1, 2, 5):
        root = _inserted(root, value)
    second = _inserted(_inserted(None, 1.0), 0.5)
    full = _full_tree(n)
    if second.left is None:
        return x
    return x * _in_order(root)[2] + x**2 * len(_counted(n)) + x**3 * _tallied(n)[1] + x * full.left.right.value


def _no_default(s):
    for _ in filter(lambda j: 2, range(0)):
        pass
    return 0.5


def functions_made_with_and_without_what_they_share(a):
    """The same lambda is made twice in a loop, and once after it."""
    total = 0.0
    for row in a:
        table = {"b": _no_default(0.8), "c": _no_default(0.5)}
        total += row[0] * table["b"]
    return total * _no_default(0.5)


def _branches(x, n):
    if n <= 0:
        return x * n, None, None
    return np.sin(x) * n, _branches(x * 0.5, n - 1), _branches(np.cos(x), n - 2) if n > 1 else None


def _weighed(tree, weight):
    value, left, right = tree
    out = value**2 * weight
    if left is not None:
        out += _weighed(left, weight * 0.5)
    if right is not None:
        out += _weighed(right, weight * value)
    return out


def _values(tree):
    out = [tree[0]]
    for part in tree[1:]:
        if part is not None:
            out = out + _values(part)
    return out


def tree_made_by_recursion(x, n):
    """A tuple that holds such tuples."""
    tree = _branches(x, n)
    return _weighed(tree, x) + np.prod(np.array(_values(tree)) + 1.0)


def _link(x, n):
    return (x, None) if n == 0 else (x * x, _other_link(x * 1.1, n - 1))


def _other_link(x, n):
    return (2.0 * x, None, 1.0) if n == 0 else (np.cos(x), _link(x, n - 1), x)


def _summed(link):
    return link[0] if link[1] is None else link[0] * 0.5 + _summed(link[1])


def chain_of_two_kinds(x, n):
    """Tuples that hold each other in turn."""
    return _summed(_link(x, n)) * _link(x, 2)[1][2]


def _scaled_pairs(x, n):
    if n == 0:
        return x, (None, 0)
    value, (_, count) = _scaled_pairs(x * 1.2, n - 1)
    return value * x, ((x, value), count + 1)


def pair_that_is_none_at_first(x, n):
    value, (pair, count) = _scaled_pairs(x, n)
    return value * pair[0] + pair[1] * count

def _fib_kept(n, memo={}):
    if n < 2:
        return n
    if n not in memo:
        memo[n] = _fib_kept(n - 1) + _fib_kept(n - 2)
    return memo[n]


def by_table_kept_in_a_default(x, n):
    return x**2 * _fib_kept(n)


def by_count_of_calls(x, n):
    calls = 0

    def visit(m):
        nonlocal calls
        calls += m
        if m > 0:
            visit(m - 1)
            visit(m - 2)

    visit(n)
    return x**2 * calls


SAMPLES = {
    "what_recursive_functions_make_is_written_by_the_next": [(0.5, 3)],
    "functions_made_with_and_without_what_they_share": [(np.array([[0.5, -0.7], [1.2, 0.3]]),)],
    "tree_made_by_recursion": [(0.7, 4)],
    "chain_of_two_kinds": [(0.7, 5)],
    "pair_that_is_none_at_first": [(0.7, 3)],
    "parts_with_attributes_of_their_own": [(0.8, 1.3)],
    "first_part_with_an_attribute": [(0.8, 1.3)],
    "recursive_dict_result": [(1.1,)],
    "recursive_polynomial_with_path": [([0.5, -0.3, 0.8], 0.7), (np.array([0.5, -0.3, 0.8]), 0.7)],
    "power_recursive": [(0.8, 4), (0.8, 0)],
    "fast_power": [(0.8, 11)],
    "fibonacci_like": [(0.8, 6)],
    "even_steps": [(0.8, 4), (0.8, 3)],
    "odd_steps": [(0.8, 3)],
    "depth_from_data": [(5.3,), (0.3,)],
    "tree_sum": [(np.array([0.5, -0.7, 1.2, 0.1, 0.8]),)],
    "tree_of_tuples": [(((0.4, 1.3), (0.2, (0.9, -0.3))),)],
    "continued_fraction": [(0.8, 0)],
    "adaptive_simpson": [(0.9, 0.0, 1.7)],
    "haar_energy": [(np.array([0.5, -0.7, 1.2, 0.1]), 2)],
    "types_that_end": [(np.array([0.7, 1.2]),)],
    "by_table_kept_in_a_default": [(0.7, 5), (0.7, 1)],
    "by_count_of_calls": [(0.7, 3), (0.7, 0)],
}
