import math
import numpy as np


def nested_grad_grad(x):
    # slope = ad.grad(lambda t: np.sin(t) * t)    programs.py:47
    t = math.cos(x)
    # return slope(x) ** 2                        programs.py:48
    x_bar_bar = 2.0 * float(np.sin(x) + t * x)
    # slope = ad.grad(lambda t: np.sin(t) * t)    programs.py:47
    x_bar = t * x_bar_bar
    return x_bar - math.sin(x) * (x * x_bar_bar) + x_bar
