"""The decorators that register rules. A rule is only the maths; its kind derives both modes.

    @elementwise(np.hypot, math.hypot)
    def hypot(y, a, b):
        return a / y, b / y

The body is quoted: parsed by our own frontend and inlined, so it may use only functions that
have rules themselves, and Python that the frontend takes. In every body `y` is the primal result
and the parameters are those of the primal, under the primal's names; those before `*` (or all,
if there is none) are differentiable unless `wrt` says otherwise, those after `*` are settings
(a caller may still pass them by position: they bind in order). What the body reads decides what
the reverse sweep keeps, so read `y` where it saves an `x`.

kind         signature                       returns
elementwise  (y, x1, x2, …)                  ∂y/∂x1, ∂y/∂x2, … (None: no derivative); broadcasting,
                                             conjugation and dtypes are the compiler's affair
reduction    (y, a, *, axis, keepdims, …)    ∂y/∂a, of a shape that broadcasts with a; y comes expanded
                                             so that it broadcasts against a
linear       (y_bar, y, a, *, …)             a_bar; forward mode is fn(a_dot, …)
bilinear     (y_bar, y, a, b, *, …)          a_bar, b_bar; forward is fn(a_dot, b) + fn(a, b_dot)
vjp          (y_bar, y, x1, x2, …)           x1_bar, x2_bar, …; forward mode is its transpose
composite    (x1, x2, …)                     the same function in other primitives
frule        (x1, …, x1_dot, …)              y, y_dot (the tangent of an inert argument is 0.0)
rrule        (x1, …)                         y, pullback; pullback(y_bar) → x1_bar, …
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from adcompile.rules.registry import Rule, Typing, register

Body = TypeVar("Body", bound=Callable[..., Any])


def _decorator(kind: str) -> Callable[..., Any]:
    def make(
        *fns: Any,
        wrt: tuple[int, ...] | None = None,
        typing: Typing | None = None,
        total: bool = False,
        view: bool = False,
    ) -> Callable[[Body], Body]:
        def decorate(body: Body) -> Body:
            for fn in fns:
                register(fn, Rule(kind, body=body, wrt=wrt, typing=typing, total=total, view=view))
            return body

        return decorate

    make.__name__ = kind
    return make


elementwise = _decorator("elementwise")
reduction = _decorator("reduction")
linear = _decorator("linear")
bilinear = _decorator("bilinear")
composite = _decorator("composite")
