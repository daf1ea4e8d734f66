"""Functions that store into arrays: out=, methods, helpers and closures."""

import functools
import operator

import numpy as np

X = np.array([0.3, 0.7, 1.1, 0.45])
Y = np.array([-0.6, 1.3, 0.2, 0.9])


def out_again_and_again(x):
    o = np.empty_like(x)
    np.multiply(x, x, out=o)
    np.add(o, x, out=o)
    np.sin(o, o)
    return o.sum()


def out_into_a_row(x):
    o = np.zeros((2, 4))
    np.exp(x, out=o[1])
    return np.sum(o * o)


def out_by_position(x):
    y = x.copy()
    np.add(y, x, y)
    np.subtract(y, 1.0, out=y)
    np.maximum(y, 0.1, out=y)
    np.clip(y, 0, 1.2, out=y)
    y.clip(0.2, 1.1, out=y)
    return np.sum(y**2)


def out_in_a_tuple(x):
    y = np.zeros(4)
    r = np.exp(x, out=(y,))
    return np.sum(r * y)


def out_of_products(x):
    o = np.zeros(4)
    np.dot(np.outer(x, x), x, out=o)
    o2 = np.zeros(4)
    np.sum(np.outer(x, o), axis=0, out=o2)
    return np.sum(o * o2)


def out_overlaps_operands(x):
    y = x * 2.0
    np.add(y[:-1], y[1:], out=y[1:])
    np.multiply(y[::-1], y, out=y)
    return np.sum(y**2)


def out_overlaps_from_behind(x):
    y = x * 2.0
    np.subtract(y[1:], y[:-1] ** 2, y[:-1])
    return np.sum(y * x)


def out_is_both_operands(x):
    y = x * 1.0
    np.multiply(y, y, out=y)
    np.multiply(y, y, y)
    return np.sum(y)


def out_with_where(x):
    o = np.zeros(4)
    np.multiply(x, x, out=o, where=x > 0.4)
    return np.sum(o * x)


def out_of_cumsum(x):
    o = np.empty(4)
    np.cumsum(x, out=o)
    return np.sum(o**2)


def out_of_scans(x):
    y = x.copy()
    np.cumprod(y, out=y)
    y.cumsum(out=y)
    return np.sum(y**2)


def out_of_matmul(x):
    A = np.outer(x, x)
    o = np.empty((4, 4))
    np.matmul(A, A, out=o)
    return np.sum(o)


def out_of_reductions_of_rows(x):
    y = np.zeros(2)
    np.mean(x.reshape(2, 2), axis=0, out=y)
    x.reshape(2, 2).mean(0, out=y)
    np.max(x.reshape(2, 2), axis=1, out=y)
    return np.sum(y**2)


def out_of_a_method(x):
    y = np.zeros(2)
    x.reshape(2, 2).var(axis=0, out=y)
    return np.sum(y**2)


def out_of_ufunc_methods(x):
    y = np.zeros(2)
    np.add.reduce(x.reshape(2, 2), axis=0, out=y)
    np.multiply.reduce(x.reshape(2, 2), 1, None, y)
    return np.sum(y**2)


def out_of_take(x):
    y = np.zeros(2)
    np.take(x, [1, 2], out=y)
    x.take([0, 0], out=y, mode="clip")
    return np.sum(y**2)


def out_of_concatenate(x):
    y = np.zeros(8)
    np.concatenate([x, x**2], out=y)
    return np.sum(y**2 * np.arange(8.0))


def out_of_stack(x):
    y = np.zeros((2, 4))
    np.stack([x, x**2], out=y)
    return np.sum(y**2 * np.arange(8.0).reshape(2, 4))


def out_of_the_dot_method(x):
    y = np.zeros((2, 2))
    a = x.reshape(2, 2)
    a.dot(a, out=y)
    np.matmul(y, a, y) if False else None
    return np.sum(y**2)


def out_of_einsum(x):
    y = np.zeros((4,))
    np.einsum("i,i->i", x, x, out=y)
    return np.sum(y**2)


def out_of_outer(x):
    y = np.zeros((4, 4))
    np.outer(x, x**2, out=y)
    np.multiply.outer(x, y[0], out=y)
    return np.sum(y**2)


def out_of_clip(x):
    y = x.copy()
    y.clip(0.4, 0.9, out=y)
    x.sum(out=y[0:1][0:1].reshape(()))
    return np.sum(y**2)


def add_at(x):
    y = np.zeros(3)
    np.add.at(y, [0, 1, 1, 2], x**2)
    return np.sum(y**3)


def subtract_at(x):
    y = x.copy()
    np.subtract.at(y, [0, 0, 2], x[:3] ** 2)
    return np.sum(y**2)


def add_at_by_arrays_and_slices(x):
    y = x.copy()
    np.add.at(y, np.array([0, 0]), y[1:3])
    np.add.at(y, slice(1, 3), 2.0)
    return np.sum(y**2)


def copied_to(x):
    y = np.ones(4)
    np.copyto(y, x**2)
    y2 = np.zeros(4)
    np.copyto(y2, x, where=x > 0.4)
    return np.sum(y * y2)


def part_filled(x):
    y = x.copy()
    y[1:3].fill(x[0] * x[1])
    return np.sum(y**2)


def sorted_with_signs(x):
    y = x * np.array([1.0, -1, 1, -1])
    y.sort()
    return np.sum(y * np.arange(4.0))


def partitioned_with_signs(x):
    y = x * np.array([1.0, -1, 1, -1])
    y.partition(1)
    return y[0] * y[1] ** 2


def diagonal_filled(x):
    a = np.outer(x, x)
    np.fill_diagonal(a, x[0])
    return np.sum(a**2)


def flat_positions(x):
    a = np.outer(x, x)
    a.flat[3] = x[1]
    a.flat[::5] = 0.0
    return np.sum(a**2)


def put_at_positions(x):
    y = x.copy()
    np.put(y, [0, 2], [x[1] ** 2, x[3]])
    return np.sum(y**2)


def placed_by_mask(x):
    y = x.copy()
    np.place(y, y > 0.5, [x[0], 2.0])
    return np.sum(y**2)


def put_by_mask(x):
    y = x.copy()
    np.putmask(y, y > 0.5, x**2)
    return np.sum(y**2)


def functions_of_operator(x):

    y = x.copy()
    operator.setitem(y, 0, x[1] ** 2)
    y = operator.iadd(y, x)
    operator.imul(y, 2)
    return np.sum(y**2)


def helper_writes(x):
    def h(a, b):
        a[0] = b[1] * b[2]
        a[1:] += b[1:]

    y = x.copy()
    h(y, x)
    return np.sum(y**2)


def closure_fills_a_buffer(x):
    buf = np.zeros(4)

    def step(i):
        buf[i] = buf[i - 1] + x[i] ** 2

    for i in range(4):
        step(i)
    return np.sum(buf**2)


def closure_with_default(x):
    acc = np.zeros(2)

    def add(v, w=0):
        acc[w] += v
        return acc[0] * acc[1]

    t = 0.0
    for i in range(4):
        t += add(x[i] ** 2, i % 2)
    return t


def closure_hands_out_its_array(x):
    y = x.copy()

    def get():
        return y

    z = get()
    z[0] = z[1] * z[2]
    get()[1:] += 1.0
    return np.sum(y**2)


def lambda_reads_later(x):
    y = x.copy()
    f = lambda k: y[k] * y[k - 1]
    s = f(1)
    y[1] = s
    s += f(1)
    y[0] = s
    return f(1) + s


def lambda_holds_a_default(x):
    y = x.copy()
    f = lambda a=y: np.sum(a**2)
    s = f()
    y[0] = s
    return f() + s


def closures_in_closures(x):
    y = x.copy()

    def outer():
        z = y[1:]

        def inner(k):
            z[k] += y[0] * z[k - 1]

        for k in range(3):
            inner(k)
        return z

    outer()[0] = 4.0
    return np.sum(y**2)


def comprehension_of_writes(x):
    y = x.copy()

    def bump(i):
        y[i] = y[i - 1] ** 2 + y[i]
        return y[i]

    s = sum([bump(i) for i in range(4)])
    return s * np.sum(y)


def generator_of_writes(x):
    y = x.copy()

    def bump(i):
        y[i] *= y[i - 1]
        return y[i]

    return sum(bump(i) for i in range(1, 4)) + y[3]


def map_of_writes(x):
    y = x.copy()

    def h(i):
        y[i] *= y[i - 1]
        return y[i]

    return sum(map(h, range(1, 4)))


def partial_of_a_writer(x):

    y = x.copy()

    def h(a, i, v):
        a[i] = v

    p = functools.partial(h, y)
    p(0, x[1] ** 2)
    p(1, v=y[0])
    return np.sum(y**2)


def axpy_helper(x):
    def axpy(a, x, y):
        y += a * x

    y = np.zeros(4)
    for i in range(3):
        axpy(x[i], x, y)
    return np.sum(y**2)


def writes_under_and_or(x):
    y = x.copy()

    def w(i):
        y[i] *= 2.0
        return y[i] > 1.0

    if w(1) and w(2) or w(3):
        y[0] = 5.0 * y[3]
    return np.sum(y**2)


def arrays_that_may_be_spoilt(x):
    """What a function may spoil is read by its derivative."""
    y, z, w = x * 1.0, x * 2.0, x[:4] ** 2
    middle = np.median(y, overwrite_input=True) + np.median(z, None, None, True)
    return middle**2 + np.percentile(w, 30.0, overwrite_input=True)


def required_arrays(x):
    """Views where they meet what is asked, else copies."""
    y = x * 1.0
    a = np.require(y, requirements=["C", "W"])
    b = np.require(y[::2], None, "C")
    c = np.array(y, copy=None, subok=True, order="A")
    d = np.array(y[1:], copy=None, dtype=None, subok=False)
    a *= 2.0
    b += x[0]
    c[0] *= x[1]
    d -= x[1:] ** 2
    return y @ y + b @ b


def _decided(e, k=Y):
    return e * k[-1]


def callbacks_of_what_is_written_later(x):
    """Functions that NumPy calls read arrays that are written into afterwards."""
    work = x * 2.0
    rows = np.apply_along_axis(lambda e: e[0] * work[-1] + e[-1], 1, np.outer(x, x[:2]))
    parts = np.piecewise(x, [x > 0.5], [lambda e: e * work[0], lambda e: e + work[-1]])
    work[-1] = rows[0]
    work[0] *= parts[1]
    x[-1] = 0.3
    return np.sum(rows * rows) + np.sum(parts * work) + np.sum(np.apply_along_axis(_decided, 0, x) * x)


def masks_in_buffers(x):
    """Comparisons and the like have no derivative: their buffers hold bools."""
    mask, marks, y = np.empty(4, bool), np.zeros(4, int), x * 1.0
    for k in range(3):
        np.greater(y, 0.2 + 0.25 * k, out=mask)
        y[mask] *= x[k]
        np.logical_not(mask, out=mask, where=x > 0.5)
        y += mask * x
    np.isfinite(y, mask)
    np.less(x, 0.5, out=marks, casting="unsafe")
    return np.sum(y * y * mask) + np.sum(x * marks)


SAMPLES = {
    "masks_in_buffers": [(X,)],
    "callbacks_of_what_is_written_later": [(X,)],
    "out_again_and_again": [(X,)],
    "out_into_a_row": [(X,)],
    "out_by_position": [(X,)],
    "out_in_a_tuple": [(X,)],
    "out_of_products": [(X,)],
    "out_overlaps_operands": [(X,)],
    "out_overlaps_from_behind": [(X,)],
    "out_is_both_operands": [(X,)],
    "out_with_where": [(X,)],
    "out_of_cumsum": [(X,)],
    "out_of_scans": [(X,)],
    "out_of_matmul": [(X,)],
    "out_of_reductions_of_rows": [(X,)],
    "out_of_a_method": [(X,)],
    "out_of_ufunc_methods": [(X,)],
    "out_of_take": [(X,)],
    "out_of_concatenate": [(X,)],
    "out_of_stack": [(X,)],
    "out_of_the_dot_method": [(X,)],
    "out_of_einsum": [(X,)],
    "out_of_outer": [(X,)],
    "out_of_clip": [(X,)],
    "add_at": [(X,)],
    "subtract_at": [(X,)],
    "add_at_by_arrays_and_slices": [(X,)],
    "copied_to": [(X,)],
    "part_filled": [(X,)],
    "sorted_with_signs": [(X,)],
    "partitioned_with_signs": [(X,)],
    "diagonal_filled": [(X,)],
    "flat_positions": [(X,)],
    "put_at_positions": [(X,)],
    "placed_by_mask": [(X,)],
    "put_by_mask": [(X,)],
    "functions_of_operator": [(X,)],
    "helper_writes": [(X,)],
    "closure_fills_a_buffer": [(X,)],
    "closure_with_default": [(X,)],
    "closure_hands_out_its_array": [(X,)],
    "lambda_reads_later": [(X,)],
    "lambda_holds_a_default": [(X,)],
    "closures_in_closures": [(X,)],
    "comprehension_of_writes": [(X,)],
    "generator_of_writes": [(X,)],
    "map_of_writes": [(X,)],
    "partial_of_a_writer": [(X,)],
    "axpy_helper": [(X,)],
    "writes_under_and_or": [(X,)],
    "arrays_that_may_be_spoilt": [(np.array([0.5, 1.2, -0.7, 2.1, 0.9]),)],
    "required_arrays": [(np.array([0.5, 1.2, -0.7, 2.1, 0.9]),)],
}
