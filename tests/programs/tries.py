"""`try` around values that carry derivatives: the derivative goes the way that the function goes."""

import math

import numpy as np


def try_whose_body_runs(x):
    try:
        y = x[0] * x[1]
    except ValueError:
        y = x[2]
    return y


def try_whose_handler_runs(x):
    try:
        y = math.log(x[2] - 2.0)
    except ValueError:
        y = x[0] * x[2]
    return y * x[1]


def try_in_a_loop(x):
    s = 0.0
    for v in x:
        try:
            s += math.sqrt(v - 0.5)
        except ValueError:
            s += v * v
    return s


def try_that_returns(x):
    try:
        return math.log(x[0] - x[1])
    except (KeyError, ValueError):
        return x[1] * x[2]


def try_with_else(x):
    table = {"a": x[0], "b": x[1]}
    total = 0.0
    for key in ("a", "c", "b"):
        try:
            v = table[key]
        except KeyError:
            v = x[2] * 2.0
        else:
            v = v * v
        total += v
    return total


def try_with_finally(x):
    try:
        y = x[0] * x[1]
    finally:
        z = x[2]
    return y * z


def try_with_everything(x):
    scale = 1.0
    try:
        y = math.log(x[0] - x[2])
    except ValueError:
        y = x[0] * x[2]
    else:
        y = y * 3.0
    finally:
        scale = scale + x[1]
    return y * scale


def try_around_a_call(x):
    def power(a):
        if a < 0.5:
            raise ArithmeticError("too small")
        return a**1.5

    s = 0.0
    for v in x:
        try:
            s += power(v)
        except ArithmeticError:
            s -= v
        except ValueError:
            s += 100.0
    return s


def try_several_handlers(x):
    items = [x[0], x[1]]
    s = 0.0
    for k in range(4):
        try:
            if k == 3:
                raise KeyError(k)
            v = items[k] / (k - 0.0 if k else 1.0)
        except IndexError:
            v = x[2]
        except LookupError:
            v = x[2] * x[0]
        s += v * (k + 1)
    return s


def try_in_a_try(x):
    try:
        try:
            y = math.log(x[0] - x[1])
        except KeyError:
            y = 1.0
    except ValueError:
        y = x[2] ** 2
    return y


def try_until_it_works(x):
    for k in range(1, 4):
        try:
            y = math.sqrt(x[0] * k - x[1])
            break
        except ValueError:
            continue
    return y * x[2]


def try_a_matrix(x):
    s = 0.0
    for a in (np.zeros((2, 2)), np.eye(2) * x[2]):
        try:
            y = np.linalg.solve(a, x[:2])
        except np.linalg.LinAlgError:
            y = x[:2] * 3.0
        s = s + np.sum(y)
    return s


def try_that_runs_out(x):
    try:
        for i in range(9):
            last = x[i] * 2.0
    except IndexError:
        last = x[0] * x[1]
    return last


def try_that_says_another_thing(x):
    try:
        y = x[0] * x[2]
    except IndexError as error:
        raise ValueError("too short") from error
    return y


def try_that_passes(x):
    y = x[1]
    try:
        y = math.log(x[0] - x[1])
    except ValueError:
        pass
    return y * x[0]


def try_binds_two_names(x):
    try:
        y = x[0] * 2.0
        z = math.log(x[0] - x[1])
    except ValueError:
        z = x[1]
        y = x[2]
    return y * z


def try_on_arrays_that_are_written(x):
    y = x.copy()
    y[0] = x[1] * x[2]
    try:
        s = math.acosh(y[0])
    except ValueError:
        s = y[0] * 2.0
    y[0] = x[2]
    return s * np.sum(y)


X = np.array([0.4, 0.7, 1.1])
SAMPLES = {
    f.__name__: [(X,)]
    for f in (
        try_whose_body_runs, try_whose_handler_runs, try_in_a_loop, try_that_returns, try_with_else, try_with_finally,
        try_with_everything, try_around_a_call, try_several_handlers, try_in_a_try, try_until_it_works, try_a_matrix,
        try_that_runs_out, try_that_says_another_thing, try_that_passes, try_binds_two_names,
        try_on_arrays_that_are_written,
    )
}  # fmt: skip
