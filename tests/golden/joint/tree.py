import math
import numpy as np


def tree_fwd(x, depth):
    t = depth == 0
    if t:
        result = np.sin(x)
        tree_1 = None
        tree = None
        tree_kept_1 = None
        tree_kept = None
    else:
        t_1 = depth - 1
        tree, tree_kept = tree_fwd(x * 0.5, t_1)
        tree_1, tree_kept_1 = tree_fwd(x + 1.0, t_1)
        result = tree * tree_1
    kept = x, t, tree, tree_kept, tree_1, tree_kept_1
    return result, kept


def tree_pullback(kept, y_bar):
    x, t, tree, tree_kept, tree_1, tree_kept_1 = kept
    if t:
        # return np.sin(x)                            programs.py:42
        x_bar = math.cos(x) * y_bar
    else:
        # return tree(x * 0.5, depth - 1) * tree(x + 1.0, depth - 1)  programs.py:43
        x_bar = tree_pullback(tree_kept_1, tree * y_bar)[0] + 0.5 * tree_pullback(tree_kept, tree_1 * y_bar)[0]
    return (x_bar,)


def tree_grad(x, depth):
    _, tree_kept = tree_fwd(x, depth)
    return float(tree_pullback(tree_kept, 1.0)[0])
