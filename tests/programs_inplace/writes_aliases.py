"""Names, views, helpers and branches through which one memory is written and read."""

import numpy as np


def _some(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.2, 1.0, shape)


def second_name(x, y):
    """The statement on which tracers are silently wrong: z and y are one array."""
    z = y
    y += x * x
    return np.sum(z * z)


def second_name_of_local(x):
    y = 2.0 * x
    z = y
    y += x * x
    z[0] = 1.0
    return np.sum(z * y)


def _scale_in_place(v, factor):
    v *= factor


def helper_mutates_argument(x, s):
    _scale_in_place(x, s)
    _scale_in_place(x[1:], x[0])
    return np.sum(x**2)


def _prefix(v, out):
    out[0] = v[0]
    for i in range(1, len(v)):
        out[i] = out[i - 1] + v[i] ** 2
    return out


def helper_returns_its_argument(x):
    buffer = np.zeros_like(x)
    same = _prefix(x, buffer)
    same *= 2.0
    return np.sum(buffer * x)


def view_of_view(a, s):
    inner = a[1:-1, 1:-1]
    row = inner[0]
    row[::2] *= s
    inner.T[1] = s * s
    return np.sum(a**2)


def view_through_reshape(a, s):
    flat = a.reshape(-1)
    flat[1::2] = s * flat[::2]
    square = flat.reshape(3, 2)
    square[2] += s
    return np.sum(a**2)


def view_through_ravel(a, s):
    """ravel is a view of a contiguous array, and a copy of a transposed one."""
    a.ravel()[0] = s
    b = a.T.ravel()
    b[1] = s * s
    return np.sum(a**2) + np.sum(b)


def ravel_in_nested_loops(a, s):
    t = 0.0
    for i in range(2):
        for j in range(3):
            v = a.ravel()
            t = t + v[j] * v[j + 1] * s
        a[i] *= a[1 - i]
    return t + np.sum(a)


def flatten_is_a_copy(a, s):
    f = a.flatten()
    f *= s
    return np.sum(a * a) + np.sum(f)


def view_through_transpose(a, v):
    t = a.T
    t[0] = v
    np.swapaxes(a, 0, 1)[1] += v
    return np.sum(a**2)


def reversed_view(x, s):
    back = x[::-1]
    back[0] = s
    back[1:] *= x[:-1]
    return np.sum(x**2)


def view_by_newaxis(x, s):
    column = x[:, None]
    column *= s
    column[1, 0] = s**2
    return np.sum(x**2)


def view_by_asarray(x, s):
    y = np.asarray(x)
    y[0] = s
    z = np.array(x)
    z[1] = s
    return np.sum(x**2) + np.sum(z)


def view_by_squeeze_and_expand(a, s):
    np.squeeze(a)[1] = s
    np.expand_dims(a, 0)[0, 0, 0] *= s
    np.atleast_2d(a)[0, 2] += s
    return np.sum(a**2)


def diagonal_by_strides(a, s):
    a.reshape(-1)[:: a.shape[1] + 1] += s
    return np.sum(a @ a)


def broadcast_view_is_read(x, s):
    wide = np.broadcast_to(x, (2, 3))
    x[1] = s
    return np.sum(wide * np.arange(6.0).reshape(2, 3))


def split_parts_are_views(x, s):
    left, right = np.split(x, 2)
    left *= s
    right[0] = left[1]
    return np.sum(x**2)


def rows_iterated_and_written(a, s):
    for row in a:
        row *= 2.0
        row[0] = s
    return np.sum(a**2)


def rows_enumerated(a, v):
    for i, row in enumerate(a):
        row += v[i] * row[::-1]
        a[i, 0] *= 2.0
    return np.sum(a**2)


def rows_zipped(a, b):
    for r, t in zip(a, b):
        r += t
        t *= r
    return np.sum(a * b)


def rows_unpacked(a, s):
    top, bottom = a
    top *= s
    bottom -= top
    return np.sum(a**2)


def write_in_branch(x, s):
    if s > 0.5:
        x[0] = s * x[1]
    else:
        x[1] = s
    if x[0] > 100.0:
        x *= 2.0
    return np.sum(x**2)


def choose_then_write(x, y, s):
    """Which array is written is decided by a branch."""
    target = x if s > 0.5 else y
    target *= s
    target[0] = s * s
    return np.sum(x * x) + np.sum(y**3)


def write_in_loop_with_break(x, limit):
    total = 0.0
    for i in range(len(x)):
        x[i] *= 2.0
        if total + x[i] > limit:
            x[i] = limit - total
            break
        total += x[i]
    return np.sum(x**2)


def write_in_loop_with_continue(x, s):
    for i in range(len(x)):
        if x[i] < 0.5:
            continue
        x[i] = s * x[i - 1] + x[i]
    return np.sum(x**2)


def early_return_after_write(x, s):
    x[0] = s * s
    if x[0] > 0.3:
        x[1] *= x[0]
        return np.sum(x**2)
    x[1] = s
    return np.sum(x)


def rebinding_in_loop(x, s):
    """The name is bound to a new array in one pass, and written in the next."""
    y = x
    for i in range(4):
        if i % 2:
            y = y * s
        y[i] += 1.0
    return np.sum(x) + np.sum(y**2)


def read_before_overwritten(x):
    """What the adjoint of the square needs is gone when it runs."""
    y = x**2
    x[:] = np.sin(x)
    z = x * y
    x[0] = 0.0
    return np.sum(z) + np.sum(x)


def loop_carried_state(x, s):
    state = np.zeros(2)
    for v in x:
        state[1] = state[0] * s
        state[0] += v * state[1] + v
    return state[0] * state[1]


def array_in_tuple(x, s):
    pair = (x, x[1:])
    pair[1][0] = s
    first, _ = pair
    first *= s
    return np.sum(x**2)


def array_in_list(x, y):
    parts = [x, y]
    for part in parts:
        part *= 2.0
    parts[0][0] = y[0]
    return np.sum(x * y)


def array_in_dict(x, s):
    state = {"x": x, "s": s}
    state["x"] += state["s"]
    state["x"][0] = 1.5 * s
    return np.sum(x**2)


def closure_writes_capture(x, s):
    total = np.zeros(2)

    def add(v):
        total[0] += v
        total[1] = total[0] * v

    for v in x:
        add(v * s)
    return total[0] * total[1]


def closure_writes_argument(x, s):
    def bump(i):
        x[i] += s * x[i - 1]

    for i in range(1, 3):
        bump(i)
    return np.sum(x**2)


def writes_both_arguments(a, b):
    """Run with one array for both, too."""
    a[0] = b[1] * 2.0
    b[1:] *= a[0]
    return np.sum(a * b)


def write_while_view_lives(x, s):
    head = x[:2]
    x[:] = s * x[::-1]
    x[0] = head[1] ** 2
    return np.sum(head) + np.sum(x**2)


def copy_is_apart(x, s):
    y = x.copy()
    y *= s
    x[0] = y[1]
    y[1] = 0.0
    return np.sum(x**2) + np.sum(y)


def masked_accumulation(x, w):
    out = np.zeros_like(x)
    for k in range(3):
        mask = x > 0.3 * k
        out[mask] += w[k] * x[mask]
    return np.sum(out**2)


def stack_of_results(x, s):
    out = np.empty((3, len(x)))
    y = x
    for i in range(3):
        y = np.tanh(s * y)
        out[i] = y
    out[:, 0] = 0.0
    return np.sum(out**2)


def nested_loops_over_view(a, s):
    for i in range(a.shape[0]):
        row = a[i]
        for j in range(1, len(row)):
            row[j] += s * row[j - 1]
    return np.sum(a**2)


def transposed_argument_written(a, v):
    for column in a.T:
        column -= v
        column /= np.sqrt(column @ column)
    return np.sum(a[0] * a[1])


def conditional_copy(x, s):
    y = x.copy() if s > 1.0 else x
    y[0] = s
    return np.sum(x**2) + y[1]


def insertion_sort(x):
    for i in range(1, len(x)):
        key = x[i]
        j = i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key
    return np.sum(x * np.arange(1.0, len(x) + 1.0))


def reverse_in_place(x):
    i, j = 0, len(x) - 1
    while i < j:
        x[i], x[j] = x[j], x[i]
        i += 1
        j -= 1
    return np.sum(x * np.arange(1.0, len(x) + 1.0))


def out_is_read_by_its_result(x, w):
    """What a ufunc wrote into a buffer is that buffer, which changes again behind the product."""
    o = np.subtract(x, 0.5 * w, out=x)
    y = [o * x]
    x[:-1] = np.sum(y[0] ** 2)
    p = np.dot(np.outer(w, w), x, w)
    z = p * w
    w[:] = z * x
    return 0.3 * np.dot(x, x) + np.sum(np.sin(o)) + np.sum(y[0]) + np.sum(z * p)


def array_of_a_tuple(x, k):
    """Which array of a tuple is written, only the run time knows."""
    y, z = x * x, 2.0 * x
    both = (y, z)
    both[k][...] = 3.0 * x
    chosen = both[1 - k]
    chosen[0] = x[1] * y[2]
    return np.sum(y * y) + np.sum(z**3)


def views_of_a_tuple(x, k):
    y, z = x * x, 2.0 * x
    parts = (y, z, y[1:], x)
    for i in range(k, len(parts)):
        parts[i][-1] *= x[i % 3]
    for w in parts[k:]:
        w[0] += 0.5 * w[-1]
    return np.sum(y * y) + np.sum(z**3) * np.sum(parts[k])

SAMPLES = {
    "second_name": [(_some(3), _some(3, seed=1))],
    "second_name_of_local": [(_some(3),)],
    "helper_mutates_argument": [(_some(3), 0.7)],
    "helper_returns_its_argument": [(_some(4),)],
    "view_of_view": [(_some(4, 4), 0.7)],
    "view_through_reshape": [(_some(2, 3), 0.7)],
    "view_through_ravel": [(_some(2, 3), 0.7)],
    "ravel_in_nested_loops": [(_some(2, 3), 0.7)],
    "flatten_is_a_copy": [(_some(2, 2), 0.7)],
    "view_through_transpose": [(_some(3, 2), _some(3, seed=1))],
    "reversed_view": [(_some(4), 0.7)],
    "view_by_newaxis": [(_some(3), 0.7)],
    "view_by_asarray": [(_some(3), 0.7)],
    "view_by_squeeze_and_expand": [(_some(1, 3), 0.7)],
    "diagonal_by_strides": [(_some(3, 3), 0.7)],
    "broadcast_view_is_read": [(_some(3), 0.7)],
    "split_parts_are_views": [(_some(4), 0.7)],
    "rows_iterated_and_written": [(_some(3, 2), 0.7)],
    "rows_enumerated": [(_some(3, 2), _some(3, seed=1))],
    "rows_zipped": [(_some(3, 2), _some(3, 2, seed=1))],
    "rows_unpacked": [(_some(2, 3), 0.7)],
    "write_in_branch": [(_some(3), 0.7), (_some(3), 0.4)],
    "choose_then_write": [(_some(3), _some(3, seed=1), 0.7), (_some(3), _some(3, seed=1), 0.4)],
    "write_in_loop_with_break": [(_some(5), 2.5)],
    "write_in_loop_with_continue": [(np.array([0.6, 0.3, 0.8, 0.9]), 0.7)],
    "early_return_after_write": [(_some(2), 0.7), (_some(2), 0.4)],
    "rebinding_in_loop": [(_some(4), 0.7)],
    "read_before_overwritten": [(_some(3),)],
    "loop_carried_state": [(_some(4), 0.7)],
    "array_in_tuple": [(_some(3), 0.7)],
    "array_in_list": [(_some(3), _some(3, seed=1))],
    "array_in_dict": [(_some(3), 0.7)],
    "closure_writes_capture": [(_some(3), 0.7)],
    "closure_writes_argument": [(_some(3), 0.7)],
    "writes_both_arguments": [(_some(3), _some(3, seed=1))],
    "write_while_view_lives": [(_some(3), 0.7)],
    "copy_is_apart": [(_some(3), 0.7)],
    "masked_accumulation": [(np.array([0.1, 0.5, 0.8]), _some(3))],
    "stack_of_results": [(_some(3), 0.7)],
    "nested_loops_over_view": [(_some(2, 3), 0.7)],
    "transposed_argument_written": [(_some(2, 3), _some(2, seed=1))],
    "conditional_copy": [(_some(3), 0.7), (_some(3), 1.2)],
    "insertion_sort": [(np.array([0.9, 0.2, 0.7, 0.4]),)],
    "reverse_in_place": [(_some(5),)],
    "array_of_a_tuple": [(_some(3), 0), (_some(3), 1)],
    "views_of_a_tuple": [(_some(3), 0), (_some(3), 1)],
    "out_is_read_by_its_result": [(_some(3), _some(3, seed=1))],
}
