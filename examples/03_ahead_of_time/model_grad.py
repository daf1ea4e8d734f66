# The derivative of loss in model.py, written by adcompile 0.1.0.
# Do not edit: change the source and run this command again; with --check it says whether that is due.
#     adcompile build model.py:loss --argnums w --signature "float64[:], float64[:,:], float64[:]" \
#        -o model_grad.py
#
# signature  float64[:], float64[:,:], float64[:]
# source     model.py:loss  sha256 1aa4a685e0997a3b

import numpy as np

from adcompile.runtime import ahead as _ahead

_ORIGIN = _ahead.Origin(
    "loss_grad",
    __file__,
    "model.py",
    ((9, 0), (9, 63)),
    built_for=(
        "float64[:], float64[:,:], float64[:]",
    ),
)
_ASSUMED = _ahead.Assumed(
    _ORIGIN,
    (
        ("model", "loss", "source 1aa4a685e0997a3b of model.loss"),
        ("model", "np", "module numpy"),
    ),
)


def _loss_grad(w, x, y):
    margin = y * (x @ w)
    t = -margin
    # return np.mean(np.logaddexp(0.0, -margin)) + 0.01 * np.sum(w**2)  model.py:12
    w_bar = 0.02 * w
    t = np.exp(t - np.logaddexp(0.0, t)) / max(np.size(y), 1)
    # margin = y * (x @ w)                        model.py:11
    return (w_bar + x.T @ -(y * t),)


def loss_grad(w, x, y):
    """The gradient of `loss` in model.py with respect to w."""
    _ASSUMED.check()
    if _ahead.is_array(w, "float64[:]") and _ahead.is_array(x, "float64[:,:]") and _ahead.is_array(y, "float64[:]"):
        return _ahead.gradient(_loss_grad(w, x, y)[0], w)
    raise _ORIGIN.mismatch(w, x, y)
