"""adcompile: a compiler that turns a Python function into the source of its derivative.

    import numpy as np
    import adcompile as ad

    def loss(w, x, y):
        return np.sum((x @ w - y) ** 2)

    ad.grad(loss)(w, x, y)                  gradient for w; argnums=(0, 1) or "x" for others
    ad.value_and_grad(loss)(w, x, y)        the value too
    ad.jvp(f, (x,), (v,))                   forward mode: (value, tangent)
    ad.vjp(f, x)                            reverse mode: (value, pullback)
    ad.jacobian(f)(x), ad.hessian(loss)(w, x, y), ad.hvp(loss, (w, x, y), (v, None, None))
    print(ad.source(ad.grad(loss), w, x, y))   the Python that runs
    ad.saved(f, x)                          what reverse mode keeps, and why
    ad.check_grads(f, (x,), order=2)        against finite differences
    with ad.config(debug=True): …           derivatives that check their rules as they run

`grad` and `value_and_grad` are decorators as well. Errors derive from `AdcompileError` and name
the place in your source and what to write instead. `adcompile.rules` registers derivatives of
your own. Everything is imported on first use, so that `import adcompile` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from adcompile.collecting import uncollected

if TYPE_CHECKING:
    from adcompile.api import clear, grad, value_and_grad
    from adcompile.errors import AdcompileError, NotDifferentiable, RuleError, SourceError, Unsupported
    from adcompile.inspection import saved, source
    from adcompile.prepare import prepare
    from adcompile.products import jvp, vjp
    from adcompile.runtime.marks import (
        checkpoint,
        checkpointed_range,
        save_all,
        save_nothing,
        save_only,
        stop_gradient,
    )
    from adcompile.runtime.settings import config
    from adcompile.testing import check_grads
    from adcompile.transforms import elementwise_grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp_batched, linearize

__version__ = "0.1.0"

_HOMES = {
    "adcompile.api": ("clear", "grad", "value_and_grad"),
    "adcompile.errors": ("AdcompileError", "NotDifferentiable", "RuleError", "SourceError", "Unsupported"),
    "adcompile.inspection": ("saved", "source"),
    "adcompile.prepare": ("prepare",),
    "adcompile.products": ("jvp", "vjp"),
    "adcompile.runtime.marks": (
        *("checkpoint", "checkpointed_range", "save_all", "save_nothing", "save_only", "stop_gradient"),
    ),
    "adcompile.runtime.settings": ("config",),
    "adcompile.testing": ("check_grads",),
    "adcompile.transforms": (
        *("elementwise_grad", "hessian", "hvp", "jacfwd", "jacobian", "jacrev", "jvp_batched", "linearize"),
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("errors", "rules", "tangents", "testing")

__all__ = [
    "AdcompileError",
    "NotDifferentiable",
    "RuleError",
    "SourceError",
    "Unsupported",
    "check_grads",
    "checkpoint",
    "checkpointed_range",
    "clear",
    "config",
    "elementwise_grad",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "jvp_batched",
    "linearize",
    "prepare",
    "save_all",
    "save_nothing",
    "save_only",
    "saved",
    "source",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        with uncollected():
            value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value  # found without this detour from now on
        return value
    if name in _MODULES:
        return importlib.import_module(f"adcompile.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
