"""Reductions and scans, with axis and keepdims."""

import numpy as np

_A = np.array([[0.5, -0.7, 1.2], [0.1, 0.9, -0.3]])


def sum_axes(a):
    return np.sum(np.sum(a, axis=0) ** 2) + np.sum(a.sum(axis=-1) ** 3) + np.sum(a, keepdims=True)[0, 0]


def mean_var_std(a):
    return np.mean(a) * np.var(a) + np.std(a, axis=1).sum() + a.mean(axis=0)[1] * a.var(axis=0, ddof=1)[0]


def product(a):
    return np.prod(a) + np.sum(np.prod(a, axis=0)) + np.sum(a.prod(axis=1, keepdims=True) * a)


def product_with_a_zero(x):
    return np.prod(x)


def extrema(a):
    return np.max(a) * np.min(a) + np.sum(np.max(a, axis=0)) + np.sum(a.min(axis=1) ** 2) + np.ptp(a)


def cumulative_sums(a):
    return np.sum(np.cumsum(a) ** 2) + np.sum(np.cumsum(a, axis=1) ** 3) + np.sum(a.cumsum(axis=0)[-1])


def cumulative_products(x):
    return np.sum(np.cumprod(x) * np.arange(1.0, len(x) + 1))


def log_sum_exp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def log_sum_exp_axis(a):
    m = np.max(a, axis=1, keepdims=True)
    return np.sum((m[:, 0] + np.log(np.sum(np.exp(a - m), axis=1))) ** 2)


def axis_tuple(a):
    t = np.sum(a[:, :, None] * np.array([1.0, 2.0]), axis=(0, 2))
    return np.sum(t**2) + np.mean(a, axis=(0, 1))


def average_weighted(x, w):
    return np.average(x, weights=w) * np.average(x)


def median_odd(x):
    return np.median(x) ** 2


def median_of_windows(x, width):
    total = 0.0
    for k in range(len(x) - width + 1):
        total += np.median(x[k : k + width]) * x[k]
    return total + np.median([x[0] * x[1], 0.3, x[2]])


def trace_and_diagonal(a):
    return np.trace(a @ a.T) + np.sum(np.diagonal(a) ** 2)


def axis_from_argument(a, axis):
    return np.sum(np.sum(a, axis=axis) ** 2)


def sum_of_empty(x):
    return np.sum(x) + np.sum(x * 2.0) ** 2 + 1.0


def argmax_selects(x):
    return x[np.argmax(x)] ** 2 + x[np.argsort(x)[0]] + np.count_nonzero(x > 0) * x[0]


def norm_of_difference(x, y):
    return np.sqrt(np.sum((x - y) ** 2)) + np.linalg.norm(x + y)


def sum_result_dtype(x):
    return np.sum(x) * 2


def any_all_arrays(a):
    if np.any(a > 1.0) and not np.all(a > 0.0):
        return np.sum(a**2)
    return np.sum(a)


def reductions_of_three_axes(a):
    return np.sum(np.mean(a, axis=1) ** 2) + np.sum(np.max(a, axis=(0, 2), keepdims=True) * a)


def var_and_std_of_selected(a, chosen):
    spread = np.var(a, axis=0, where=chosen) + np.std(a, where=chosen)
    return np.sum(spread**2) + np.nanvar(np.where(chosen, a, np.nan)) + np.nanstd(a, axis=1, ddof=1) @ np.arange(2.0)


def starting_values(x, first):
    total = np.sum(x, axis=0, initial=first) + np.prod(x, axis=0, initial=first, where=x > 0.0)
    return np.sum(total) * np.max(x, initial=first) + x.min(initial=first, axis=1)


def about_a_given_mean(x, m):
    spread = np.std(x, axis=0, ddof=1, mean=np.mean(x, axis=0, keepdims=True))
    return np.var(x, mean=m) * spread


def means_where(x):
    return np.mean(x, axis=0, where=[[True], [False], [True]])


def signs_of_complex(z):
    return np.real(np.sum(np.sign(z) * z[::-1]) * np.sign(z[0]))


def tuples_of_elements(x):
    return tuple(x), tuple([v * v for v in x[0]]), list(tuple(x[1]))


HOLES = np.array([[1.0, np.nan, 2.0], [np.nan, 0.7, -1.1]])


def holes_left_out(x):
    """What is nan depends on x, and is left out: its derivative is, too."""
    y = HOLES * x
    total = np.nanmax(y) * np.nanmin(y) + np.sum(np.nanmax(y, axis=1) * np.nanmin(y, axis=1)) + np.nanmean(y)
    total = total + np.nansum(y) * np.nanvar(y) + np.sum(np.fmax(y, 0.3) * np.fmin(y, 1.7))
    return total + np.nanmedian(y) * np.nanquantile(y, 0.3) + np.sum(np.nanmedian(y, axis=1)) * np.nanmean(y, axis=1)[0]


def averaged_over_two_axes(t, m):
    first = np.average(t, axis=(0, 1), weights=m[:2])
    second = np.average(t, axis=(2, 0), weights=m)
    return np.sum(first**2) + np.sum(second**3) + np.sum(np.average(t, axis=-1, weights=first))


SAMPLES = {
    "holes_left_out": [(np.array([1.3, 0.4, 2.2]),), (1.5,)],
    "averaged_over_two_axes": [(np.arange(1.0, 13.0).reshape(2, 2, 3) * 0.13, np.array([[0.3, 0.8, 0.5], [1.1, 0.4, 0.9]]).T)],
    "starting_values": [(_A, 0.4)],
    "about_a_given_mean": [(_A, 0.3)],
    "means_where": [(np.array([[0.5, -0.7], [0.1, 0.9], [2.0, -0.3]]),)],
    "signs_of_complex": [(np.array([0.5 + 0.3j, -0.7 - 0.2j, 1.2 + 0.9j]),)],
    "tuples_of_elements": [(_A,)],
    "var_and_std_of_selected": [
        (np.array([[0.5, 1.5, 0.7], [2.0, 0.1, -0.4]]), np.array([[True, True, False], [True, True, True]]))
    ],
    "sum_axes": [(_A,), (_A[:1],), (_A[:, :1],)],
    "mean_var_std": [(_A,)],
    "product": [(_A,)],
    "product_with_a_zero": [(np.array([0.5, 0.0, 1.2]),), (np.array([0.5, -0.7, 1.2]),)],
    "extrema": [(_A,)],
    "cumulative_sums": [(_A,)],
    "cumulative_products": [(np.array([0.5, -0.7, 1.2]),)],
    "log_sum_exp": [(np.array([0.5, -0.7, 1.2]),)],
    "log_sum_exp_axis": [(_A,)],
    "axis_tuple": [(_A,)],
    "average_weighted": [(np.array([0.5, -0.7, 1.2]), np.array([0.2, 0.5, 0.9]))],
    "median_odd": [(np.array([0.5, -0.7, 1.2]),)],
    "median_of_windows": [(np.array([0.5, -0.7, 1.2, 0.1, -0.4]), 3), (np.array([0.5, -0.7, 1.2, 0.1, -0.4]), 2)],
    "trace_and_diagonal": [(_A,)],
    "axis_from_argument": [(_A, 0), (_A, 1), (_A, -1), (_A, None)],
    "sum_of_empty": [(np.zeros((0,)),), (np.zeros((0, 3)),)],
    "argmax_selects": [(np.array([0.5, -0.7, 1.2]),)],
    "norm_of_difference": [(np.array([0.5, -0.7]), np.array([1.2, 0.3]))],
    "sum_result_dtype": [(np.array([0.5, -0.7]),)],
    "any_all_arrays": [(_A,)],
    "reductions_of_three_axes": [(np.stack([_A, 1.1 * _A[::-1]]),)],
}
