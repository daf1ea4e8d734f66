"""Code without active data runs as written, whatever it contains: checks, guards, logging, caches, lists."""

import logging
import math
import random
import warnings
from collections import Counter, defaultdict

import numpy as np

_LOG = logging.getLogger(__name__)
_CACHE = {}


def argument_check_with_try(x, n):
    try:
        n = int(n)
    except TypeError:
        n = 2
    return x**n


def raise_guard(x):
    if x <= 0.0:
        raise ValueError(f"x must be positive, not {x}")
    return math.log(x)


def raise_guard_on_shape(a):
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError("a must be square, not of shape " + str(a.shape))
    return np.trace(a @ a)


def assert_guard(x):
    assert x.size > 0, "empty"
    assert np.all(np.isfinite(x))
    return np.sum(x**3)


def isinstance_branches(x):
    if isinstance(x, (list, tuple)):
        return sum(v * v for v in x)
    if isinstance(x, np.ndarray):
        return np.sum(x * x)
    return x * x


def list_of_labels(x):
    labels = []
    for i in range(3):
        labels.append(f"term {i}")
    labels.sort(reverse=True)
    return x ** len(labels)


def inert_dict_written(x):
    counts = {}
    for word in "to be or not to be".split():
        counts[word] = counts.get(word, 0) + 1
    return x ** counts["be"] + x * counts["not"]


def inert_array_written(x):
    weights = np.zeros(3)
    for i in range(3):
        weights[i] = 1.0 / (i + 1)
    weights[1:] *= 2.0
    return np.sum(weights * x**2)


def inert_index_list(x):
    chosen = []
    for i in range(len(x)):
        if i % 2 == 0:
            chosen.append(i)
    return np.sum(x[chosen] ** 2)


def logged(x):
    _LOG.debug("called with a number")
    y = x * x
    _LOG.debug("done after %d operations", 1)
    return y


def printed(x):
    print("computing", 3)
    y = math.sin(x)
    print(f"sin is {y:.3f}")
    return y * y


def f_string_of_active(x):
    text = f"{x:.2f}"
    return x * len(text)


def cached_constant(x):
    if "weights" not in _CACHE:
        _CACHE["weights"] = np.array([1.0, 2.0, 3.0])
    return np.sum(_CACHE["weights"] * x)


def inert_with(x):
    with np.errstate(divide="ignore"):
        scale = np.log(np.array([0.0, 1.0]))
    return x * x + x * scale[1]


def inert_warning_filter(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        n = len(str(10))
    return x**n


def inert_try_finally(x):
    state = []
    try:
        state.append(1)
    finally:
        state.append(2)
    return x * sum(state)


def inert_match(x, mode):
    match mode:
        case "double":
            factor = 2.0
        case "triple":
            factor = 3.0
        case _:
            factor = 1.0
    return factor * x * x


def inert_while_with_pop(x):
    stack = [1, 2, 3]
    total = 0
    while stack:
        total += stack.pop()
    return x * total + x**total


def inert_nested_function_with_state(x):
    seen = set()

    def note(k):
        seen.add(k)
        return len(seen)

    return x * note("a") + x * x * note("b") + note("a")


def inert_collections(x):
    groups = defaultdict(list)
    for i in range(4):
        groups[i % 2].append(i)
    n = Counter("abca")["a"]
    return x**n + sum(groups[1]) * x


def inert_import_of_module_attribute(x):
    eps = np.finfo(np.float64).eps
    return x / (1.0 + eps) + np.iinfo(np.int8).max * x


def inert_string_methods(x):
    header = "a, b ,c"
    names = [part.strip() for part in header.split(",")]
    return x * len(names) + (x * x if "b" in names else 0.0)


def inert_docstring_and_constants(x):
    """A docstring, a stray constant and an ellipsis."""
    "stray"
    ...
    return x + x * x


def inert_random_generator(x):
    rng = np.random.default_rng(7)
    noise = rng.normal(size=x.shape)
    return np.sum((x + 0.1 * noise) ** 2)


def inert_draws_in_loops_and_branches(x):
    """Draws of seeded generators where the code runs on, before and in loops, branches and a helper."""
    numpy, python, old = np.random.default_rng(3), random.Random(4), np.random.RandomState(5)

    def step(y, rng):
        return y * rng.random() + 0.1 if y > 0.3 else y - rng.random()

    total = x[0] * numpy.normal()
    for _ in range(3):
        total = total * python.uniform(0.5, 1.5) + x[1] * old.rand()
        if numpy.random() < 0.7:
            total = step(total, numpy) * x[-1]
    return total


def inert_list_shuffled(x):
    """The positions in a list are another order after a shuffle: at once, and in each round."""
    rng, order, first = np.random.default_rng(1), [0, 1, 2], [0, 1, 2]
    np.random.default_rng(2).shuffle(first)
    total = x[0] * (first[0] + 1) + x[1] * first[1]
    for _ in range(3):
        rng.shuffle(order)
        total = total * x[0] * (order[0] + 1) + x[1]
    return total


def inert_callback(x, callback=None):
    y = x * x
    if callback is not None:
        callback(3)
    return y


def inert_type_dispatch(x):
    dtype = x.dtype
    if np.issubdtype(dtype, np.integer):
        return 0.0
    return np.sum(x.astype(dtype) ** 2)


def unreachable_raise(x, kind):
    if kind == "square":
        return x * x
    elif kind == "cube":
        return x**3
    raise NotImplementedError(kind)


_SQUARE = np.array([[0.5, -0.7], [0.1, 0.9]])

def try_that_assigns_to_a_captured_name(x):
    try:
        n = len(x)
    except TypeError:
        n = 0

        def count(items):
            nonlocal n
            for _ in items:
                n += 1

        count(x)
    return sum(x) / n


def try_that_fills_a_shared_name(x, weights=None):
    total = 1.0

    def grow(v):
        nonlocal total
        total *= v

    try:
        total = x[0] if weights is None else weights
    except TypeError:
        total = 2.0
    grow(x[1])
    return total


SAMPLES = {
    "try_that_assigns_to_a_captured_name": [([0.5, 1.5, -1.0],), (np.array([0.5, 1.5, -1.0]),)],
    "try_that_fills_a_shared_name": [([0.5, 1.5],)],
    "argument_check_with_try": [(0.7, 3), (0.7, "2"), (0.7, None)],
    "raise_guard": [(0.7,)],
    "raise_guard_on_shape": [(_SQUARE,)],
    "assert_guard": [(np.array([0.5, -0.7]),)],
    "isinstance_branches": [(0.7,), ([0.7, -0.2],), ((0.7,),), (np.array([0.5, -0.7]),)],
    "list_of_labels": [(0.7,)],
    "inert_draws_in_loops_and_branches": [(np.array([0.5, -0.7, 1.2]),)],
    "inert_list_shuffled": [(np.array([0.5, -0.7, 1.2]),)],
    "inert_dict_written": [(0.7,)],
    "inert_array_written": [(np.array([0.5, -0.7, 1.2]),)],
    "inert_index_list": [(np.array([0.5, -0.7, 1.2]),)],
    "logged": [(0.7,)],
    "printed": [(0.7,)],
    "f_string_of_active": [(0.7,)],
    "cached_constant": [(np.array([0.5, -0.7, 1.2]),)],
    "inert_with": [(0.7,)],
    "inert_warning_filter": [(0.7,)],
    "inert_try_finally": [(0.7,)],
    "inert_match": [(0.7, "double"), (0.7, "other")],
    "inert_while_with_pop": [(0.7,)],
    "inert_nested_function_with_state": [(0.7,)],
    "inert_collections": [(0.7,)],
    "inert_import_of_module_attribute": [(0.7,)],
    "inert_string_methods": [(0.7,)],
    "inert_docstring_and_constants": [(0.7,)],
    "inert_random_generator": [(np.array([0.5, -0.7]),)],
    "inert_callback": [(0.7,)],
    "inert_type_dispatch": [(np.array([0.5, -0.7]),)],
    "unreachable_raise": [(0.7, "square"), (0.7, "cube")],
}
