import numpy as np
from adcompile import runtime as rt


def branch_and_break_grad(x, rate):
    total = 0.0
    x_kept = []
    x_kept_1 = []
    trips = 0
    for k in range(20):
        x_kept_1.append(x)
        trips += 1
        if x > 1.0:
            x = x * rate
        else:
            x = x + np.sin(x) / (k + 1)
        x_kept.append(x)
        total = total + x * x
        if total > 30.0:
            break
    x_bar = 0.0
    rate_bar = 0.0
    for k in reversed(range(trips)):
        x = x_kept[k]
        x_1 = x_kept_1[k]
        # total += x * x                              programs.py:28
        x_bar += 2.0 * x
        if x_1 > 1.0:
            # x = x * rate                                programs.py:25
            rate_bar += x_1 * x_bar
            x_bar = rate * x_bar
        else:
            # x = x + np.sin(x) / (k + 1)                 programs.py:27
            x_bar += np.cos(x_1) * rt.quotient(x_bar, k + 1)
    return float(x_bar), float(rate_bar)
