import numpy as np
from adcompile import runtime as rt


def branch_and_break_jvp(x, rate, x_dot, rate_dot):
    total = 0.0
    total_dot = 0.0
    for k in range(20):
        if x > 1.0:
            # x = x * rate                                programs.py:25
            x_dot = rate * x_dot + x * rate_dot
            x = x * rate
        else:
            t = k + 1
            # x = x + np.sin(x) / (k + 1)                 programs.py:27
            x_dot += rt.quotient(np.cos(x) * x_dot, t)
            x += np.sin(x) / t
        total += x * x
        # total += x * x                              programs.py:28
        total_dot += 2.0 * (x * x_dot)
        if total > 30.0:
            break
    return total, total_dot
