"""Functions that give several results, met on some paths only: in branches, iterations that others skip, and tries."""

import numpy as np

import adcompile as ad


def spectrum_in_branch(x):
    y = x[0]
    if x[0, 0] > 0:
        y = np.linalg.eigh(x)[0]
    return np.sum(y**2)


def factors_in_either_branch(x, flip):
    if flip:
        q, r = np.linalg.qr(x)
    else:
        r, q = np.linalg.qr(x.T)
    return np.sum(np.abs(r) ** 3) + np.sum(q[0] * x[1])


def singular_chosen_in_expression(x):
    s = np.linalg.svd(x)[1] if np.sum(x) > 0 else x[0]
    return np.prod(s) + np.sum(s**3)


def spectrum_unless_returned_early(x):
    if x[0, 0] < 0:
        return np.sum(x)
    w, v = np.linalg.eigh(x)
    return np.sum(np.maximum(w, 0.1) ** 3) + np.sum(v[:, 1] ** 4)


def projected_or_left(x):
    y = x * 1.0
    if np.all(np.diag(x) > 0):
        u, s, vt = np.linalg.svd(x)
        y = (u * np.sqrt(s)) @ vt
    return np.sum(y**3)


def spectrum_tried(x):
    try:
        y = np.linalg.eigh(x)[1]
    except np.linalg.LinAlgError:
        y = x
    return np.sum(y**3)


def found_or_none(x, k):
    t = None
    if k > 1:
        t = np.linalg.eigh(x)
    s = np.sum(x**2)
    if t is not None:
        s = s * np.sum(t[1] ** 4) + np.sum(t.eigenvalues**3)
    return s


def spectra_of_some_turns(x):
    s = 0.0
    for k in range(3):
        if k == 1:
            continue
        s = s + np.sum(np.linalg.eigh(x * (k + 1))[0] ** 2)
    return s


def factor_made_in_one_turn(x):
    s, t = 0.0, None
    for k in range(3):
        if k == 1:
            t = np.linalg.qr(x)
        if k >= 1:
            s = s + k * np.sum(t[1] ** 3) * np.sum(t[0])
    return s


def turned_while(x):
    k = 0
    while k < 3:
        k += 1
        if k == 2:
            continue
        w, v = np.linalg.eigh(x)
        x = x + 0.1 * v * w
    return np.sum(x**3)


def turned_until(x):
    for _ in range(4):
        w, v = np.linalg.eigh(x)
        if w[1] > 2.5:
            x = x - 0.1 * v
            break
        x = x + 0.2 * v * w
    return np.sum(x**3)


def turned_in_nested_branches(x):
    s = 0.0
    for i in range(2):
        for j in range(3):
            if i != j:
                t = np.linalg.svd(x)
                if j > 1:
                    s = s + np.sum(t[1] ** 3) * np.sum(t[0] ** 4)
                else:
                    x = x + 0.1 * t[2]
    return s + np.sum(x**2)


def branch_in_steps_run_again(x):
    s = 0.0
    for k in ad.checkpointed_range(4, snaps=2):
        if x[0, 0] > 0:
            w, v = np.linalg.eigh(x)
            s = s + np.sum(w**2 * v[0])
        x = x + 0.1 * x[::-1] * k
    return s


def residual_of_some_fits(x, b):
    s = 0.0
    for k in range(3):
        if k != 1:
            y, residual = np.linalg.lstsq(x, b, rcond=None)[:2]
            s = s + np.sum(y**2) * residual[0]
        b = b * 1.1 + y[0]
    return s


def densities_if_any(x):
    total = np.sum(x**2)
    if len(x) > 2:
        density, edges = np.histogram(x, bins=[-9.0, 1.0, 9.0], weights=x**2, density=True)
        total = total * np.sum(density**3) + edges[0]
    return total


def logarithm_of_some(x):
    s = 0.0
    for k in range(3):
        if k == 1:
            continue
        sign, log = np.linalg.slogdet(x + k * 1j * x.T)
        s = s + np.real(sign) * log
        x = x * 1.1
    return s


def _spectrum_of_recursion(x, n):
    if n == 0:
        return x
    w, v = np.linalg.eigh(x)
    if n % 2:
        x = x + 0.1 * v * w
    return _spectrum_of_recursion(x, n - 1) * w[0]


def both_of_recursion(x, n):
    return np.sum(_spectrum_of_recursion(x, n) ** 2)


def parts_in_dict_of_some(x):
    s = 0.0
    for k in range(3):
        if k == 1:
            continue
        d = dict(zip("uv", np.linalg.eigh(x * (k + 1))))
        s = s + np.sum(d["u"] ** 2 * d["v"][0])
    return s


SYMMETRIC = np.array([[1.3, 0.7], [0.7, 2.2]])
GENERAL = np.array([[1.3, 0.7], [-0.4, 2.2]])

SAMPLES = {
    "spectrum_in_branch": [[SYMMETRIC], [-SYMMETRIC]],
    "factors_in_either_branch": [[GENERAL, True], [GENERAL, False]],
    "singular_chosen_in_expression": [[GENERAL], [-GENERAL]],
    "spectrum_unless_returned_early": [[SYMMETRIC], [-SYMMETRIC]],
    "projected_or_left": [[GENERAL], [-GENERAL]],
    "spectrum_tried": [[SYMMETRIC]],
    "found_or_none": [[SYMMETRIC, 2], [SYMMETRIC, 1]],
    "spectra_of_some_turns": [[SYMMETRIC]],
    "factor_made_in_one_turn": [[GENERAL]],
    "turned_while": [[SYMMETRIC]],
    "turned_until": [[SYMMETRIC]],
    "turned_in_nested_branches": [[GENERAL]],
    "branch_in_steps_run_again": [[SYMMETRIC]],
    "residual_of_some_fits": [[np.array([[1.0, 0.3], [0.2, 1.5], [0.7, -0.4]]), np.array([0.5, 1.2, -0.8])]],
    "densities_if_any": [[np.array([0.3, 0.7, 1.2, -0.5])], [np.array([0.3, 0.7])]],
    "logarithm_of_some": [[GENERAL]],
    "both_of_recursion": [[SYMMETRIC, 3]],
    "parts_in_dict_of_some": [[SYMMETRIC]],
}
