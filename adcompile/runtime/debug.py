"""Checks that derivatives made in debug mode run: of what rules give, of memory that mirrors other
memory, and of what loops keep. Each names the place in the user's source that it belongs to.
"""

from __future__ import annotations

import operator
import weakref
from typing import Any

import numpy as np

from adcompile.errors import Place, RuleError
from adcompile.runtime.memory import is_outline
from adcompile.runtime.shadows import same_cells, share

Spot = tuple[str, tuple[str, int, int, int, int] | None]
"""The callable, and the fields of the Place where it is called: what prints as a literal."""


def wrong(spot: Spot, message: str, remedy: str = "") -> RuleError:
    """The error of a check: `message` says what is wrong with the callable of the spot."""
    name, fields = spot
    return RuleError(f"{name}: {message}", None if fields is None else Place(*fields), remedy)


# -- what rules give ----------------------------------------------------------------------------


def check_cotangent(spot: Spot, name: str, exact: bool, g: Any, x: Any, y: Any, y_bar: Any, *others: Any) -> None:
    """Raise RuleError unless `g`, which a rule gives for its argument `x`, is a cotangent of `x`:
    its shape (unless `exact`, also one number for all elements), its dtype, where `x`, the result
    `y`, its cotangent and the `others` share one, and finite numbers, where all arguments are."""
    check_space(spot, f"the cotangent of {name}", exact, g, x, (x, y, y_bar, *others))
    check_finite(spot, f"the cotangent of {name}", g, (x, y_bar, *others))


def check_tangent_of(spot: Spot, exact: bool, d: Any, y: Any, *inputs: Any) -> None:
    """Raise RuleError unless `d` is a tangent of the result `y`: see `check_cotangent`; the `inputs`
    are the arguments and their tangents."""
    check_space(spot, "the tangent of the result", exact, d, y, (y, *inputs))
    check_finite(spot, "the tangent of the result", d, inputs)


def check_partial(spot: Spot, name: str, p: Any, y: Any) -> None:
    """Raise RuleError unless `p`, the derivative of each element of `y` by one of an argument, has the shape
    of `y` or one that broadcasts to it."""
    lead = np.ndim(y) - np.ndim(p)
    if lead < 0 or any(n != 1 and n != m for n, m in zip(np.shape(p), np.shape(y)[lead:])):
        raise wrong(spot, f"the partial derivative for {name} has shape {np.shape(p)}, it must have {np.shape(y)}")


def check_space(spot: Spot, what: str, exact: bool, g: Any, x: Any, around: tuple[Any, ...]) -> None:
    if g is None or not isinstance(x, (np.ndarray, np.generic, float, complex)):
        return
    check_class(spot, what, g)
    if np.shape(g) != np.shape(x) and (exact or np.ndim(g) > 0):
        raise wrong(spot, f"{what} has shape {np.shape(g)}, it must have {np.shape(x)}")
    dtypes = {found for found in map(_dtype, around) if found is not None}
    if not np.iscomplexobj(x):  # of complex numbers around it, the parts
        dtypes = {np.real(np.zeros(0, dtype)).dtype for dtype in dtypes}
    given = _dtype(g)
    real = given is not None and given.kind == "c" and np.real(np.zeros(0, given)).dtype in dtypes  # is cut to that
    if len(dtypes) == 1 and given is not None and given not in dtypes and not real:
        raise wrong(spot, f"{what} has dtype {given}, it must have {dtypes.pop()}")


def check_class(spot: Spot, what: str, g: Any) -> None:
    """Raise RuleError unless `g` is a number or an array of numbers."""
    if not isinstance(g, (np.ndarray, np.generic, bool, int, float, complex)):
        raise wrong(spot, f"{what} is a {type(g).__name__}, it must be an array or a number")
    if isinstance(g, (np.ndarray, np.generic)) and g.dtype.kind not in "biufc":
        raise wrong(spot, f"{what} has dtype {g.dtype}, it must be of numbers")


def check_finite(spot: Spot, what: str, g: Any, inputs: tuple[Any, ...]) -> None:
    if finite(g) or not all(map(finite, inputs)):
        return
    where = f" at {tuple(map(int, np.argwhere(~np.isfinite(g))[0]))}" if isinstance(g, np.ndarray) and g.ndim else ""
    raise wrong(
        spot,
        f"{what} is not finite{where}, though all arguments are",
        "its derivative is infinite or undefined at these arguments; keep them away from there",
    )


def finite(value: Any) -> bool:
    """Whether all numbers in a value are finite."""
    if isinstance(value, (list, tuple)):
        return all(map(finite, value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind not in "fc" or bool(np.isfinite(value).all())
    return not isinstance(value, (float, complex, np.inexact)) or bool(np.isfinite(value))


def _dtype(value: Any) -> np.dtype[Any] | None:
    """The dtype that decides promotion, of inexact numbers; Python's own are weak."""
    if not isinstance(value, (np.ndarray, np.inexact)) or value.dtype.kind not in "fc":
        return None
    return value.dtype


# -- memory that mirrors memory -----------------------------------------------------------------


class AliasMap:
    """The arrays of one run that have shadows, and these, while they exist; and those that have none. `read`: the
    shadows of arrays from outside that are only read, which may have memory apart although the arrays overlap."""

    def __init__(self, *read: np.ndarray) -> None:
        self.read = {id(owner_of(shadow)) for shadow in read}
        self.pairs: list[tuple[weakref.ref[np.ndarray], weakref.ref[np.ndarray]]] = []
        self.alone: list[weakref.ref[np.ndarray]] = []

    def without_shadow(self) -> list[np.ndarray]:
        found = [(ref, ref()) for ref in self.alone]
        self.alone = [ref for ref, a in found if a is not None]
        return [a for _, a in found if a is not None]

    def are_apart(self, a: np.ndarray, b: np.ndarray) -> bool:
        """Whether two shadows are rightly apart, whatever their arrays share."""
        owners = id(owner_of(a)), id(owner_of(b))
        return owners[0] != owners[1] and self.read.issuperset(owners)

    def alive(self) -> list[tuple[np.ndarray, np.ndarray]]:
        found = [(refs, (refs[0](), refs[1]())) for refs in self.pairs]
        self.pairs = [refs for refs, (a, s) in found if a is not None and s is not None]
        return [(a, s) for _, (a, s) in found if a is not None and s is not None]


def alias_map(*read: np.ndarray) -> AliasMap:
    """An empty map."""
    return AliasMap(*read)


def owner_of(a: Any) -> Any:
    """The object whose memory an array shows."""
    while isinstance(a, np.ndarray) and a.base is not None:
        a = a.base
    return a


def check_shadow(known: AliasMap, spot: Spot, fresh: bool, x: Any, shadow: Any) -> None:
    """Raise RuleError unless `shadow` mirrors `x`: same shape and dtype, memory of its own, zeros if it
    is `fresh`, and shared with the shadows known where `x` shares memory with their arrays, element
    by element. Both are known from now on."""
    if isinstance(x, (list, tuple)):
        for item, of_item in zip(x, shadow):
            check_shadow(known, spot, fresh, item, of_item)
        return
    if not isinstance(x, np.ndarray) or not isinstance(shadow, np.ndarray) or is_outline(x):
        return
    if x.shape != shadow.shape or x.dtype != shadow.dtype:
        have, want = f"{shadow.dtype}{list(shadow.shape)}", f"{x.dtype}{list(x.shape)}"
        raise wrong(spot, f"the shadow of its result is {have}, it must be {want}")
    if share(x, shadow):
        raise wrong(spot, "the shadow of its result shares memory with the result itself")
    if fresh and np.any(shadow):
        raise wrong(spot, "the shadow of its result is not zero when it is made")
    for other, of_other in known.alive():
        if other is not x and not known.are_apart(shadow, of_other) and not same_cells(x, other, shadow, of_other):
            raise wrong(
                spot,
                "its result shares memory with another array, and their shadows do not share it so",
                REMEDY,
            )
    check_unknown(spot, x, known.without_shadow())
    known.pairs.append((weakref.ref(x), weakref.ref(shadow)))


REMEDY = "if its rule says nothing of views, say view=True, or let the function return a copy"


def check_apart(known: AliasMap, spot: Spot, y: Any) -> None:
    """Raise RuleError if `y`, whose cotangent is a value, shares memory with an array that has a shadow, now
    or later."""
    if isinstance(y, np.ndarray):
        check_unknown(spot, y, [x for x, _ in known.alive()])
        known.alone.append(weakref.ref(y))


def check_unknown(spot: Spot, x: np.ndarray, others: list[np.ndarray]) -> None:
    if any(share(x, other) for other in others):
        raise wrong(spot, "memory that is written in place is shared with an array where that was not expected", REMEDY)


# -- what loops keep ----------------------------------------------------------------------------


def check_kept(spot: Spot, numbers: Any, *lists: Any) -> None:
    """Raise RuleError unless each list that a loop has filled holds one value for each number of an
    iteration that its reverse runs over: so that all of them are read, and none twice."""
    trips = operator.length_hint(numbers)
    for values in lists:
        if len(values) != trips:
            raise wrong(spot, f"{len(values)} values were kept for {trips} iterations")
