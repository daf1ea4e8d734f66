import numpy as np
from adcompile import runtime as rt


def branch_and_break_vjp_pullback(kept, y_bar):
    rate, x, x_kept, trips = kept
    x_bar = 0.0
    rate_bar = 0.0
    for k in reversed(range(trips)):
        # total += x * x                              programs.py:28
        x_bar += 2.0 * (x * y_bar)
        x = x_kept[k]
        if x > 1.0:
            # x = x * rate                                programs.py:25
            rate_bar += x * x_bar
            x_bar = rate * x_bar
        else:
            # x = x + np.sin(x) / (k + 1)                 programs.py:27
            t = k + 1
            x_bar += np.cos(x) * (rt.quotient(x_bar, t) if x_bar != 0.0 else 0.0)
    return float(x_bar), rate_bar


def branch_and_break_vjp(x, rate):
    total = 0.0
    x_kept = []
    trips = 0
    for k in range(20):
        x_kept.append(x)
        trips += 1
        if x > 1.0:
            x = x * rate
        else:
            x += np.sin(x) / (k + 1)
        total += x * x
        if total > 30.0:
            break
    kept = rate, x, x_kept, trips
    return total, kept
