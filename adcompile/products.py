"""Products with the Jacobian: `jvp` and `vjp`, and what their callers may pass and ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile import tangents
from adcompile.api import find
from adcompile.backend.derived import with_compiler
from adcompile.boundary import accept, check_buffers, conj, gathered, own_tree, project
from adcompile.errors import AdcompileError, Unsupported, place_of
from adcompile.ir.abstract import type_of
from adcompile.refusals import spaces_at
from adcompile.runs import Made, Plan, conjugated
from adcompile.runtime.settings import Backend, known_backend
from adcompile.runtime.shadows import groups_of
from adcompile.spaces import cotangent_space, crosses, is_hollow, space_of
from adcompile.tangents import ArraySpace, NoTangent, Product, Record, is_absent
from adcompile.targets import Target, innermost, resolve


def jvp(
    fun: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    has_aux: bool = False,
    *,
    mutated: bool = False,
    backend: Backend | None = None,
) -> tuple[Any, ...]:
    """`(value, tangent)`: the value of `fun(*primals)` and its derivative along `tangents`.

    Each tangent has the type, shape and dtype of its primal, or is None (for what has none, or for
    zero); none is modified. The tangent of the result has the result's structure. With `has_aux`:
    `(value, tangent, aux)`. With `mutated` a dict comes last: the tangents, after the call, of the
    arguments that the function writes into, by parameter name. `backend` as in `grad`. Raises
    NotDifferentiable (a TypeError) for tangents that do not fit.
    """
    return _jvp(fun, primals, tangents, has_aux, mutated, None if backend is None else known_backend(backend))


def _jvp(
    fun: Callable[..., Any], primals: Any, given: Any, has_aux: bool, mutated: bool, backend: Backend | None
) -> tuple[Any, ...]:
    check_pairs(primals, given)
    along = _along(fun, primals, given)
    lead = len(resolve(fun).leading)
    plan = Plan("jvp", tuple(i + lead for i in along) or None, has_aux, mutated=mutated, backend=backend)
    target, bound, entry = find(fun, primals, plan)
    args = (*bound.args, *bound.values)
    raw = list(entry.run(target.function, args, tuple(along.values())))
    value, aux = raw[0] if has_aux else (raw[0], None)
    seen: set[int] = set()
    tangent = project(raw, 1, spaces_at(fun, [value])[0], seen)
    out = (value, tangent, aux) if has_aux else (value, tangent)
    if not mutated:
        return out
    derived, after = entry.made.derived, list(raw.pop())
    touched = _touched(entry.made, args)
    at = [(k, i) for k, i in enumerate(derived.after) if i in touched]
    return (*out, {_name(target.function, i): project(after, k, space_of(args[i]), seen) for k, i in at})


def _along(fun: Callable[..., Any], primals: Any, given: Any) -> dict[int, Any]:
    """The tangents of the arguments that have one, checked, by position; zeros where none is given."""
    for positions in ([i for i, t in enumerate(given) if not is_absent(t)], range(len(given))):
        spaces = dict(zip(positions, spaces_at(fun, [primals[i] for i in positions])))
        checked = {i: accept(given[i], _whole(primals[i], s), f"tangent {i}", forward=True) for i, s in spaces.items()}
        along = {i: t for i, t in checked.items() if not is_hollow(spaces[i])}
        if along:
            return along
    return {}


def _whole(value: Any, space: Any) -> Any:
    """The space of the tangents of an object or container as generated code takes them apart: objects within it are
    there that hold no numbers, but functions which might."""
    return cotangent_space(value, type_of(value, objects=True)) if isinstance(space, (Product, Record)) else space


def check_again(fun: Callable[..., Any], primals: Any, what: str) -> None:
    """Raise Unsupported for a function that finds something else when it runs again on the same
    arguments: one that writes into arrays, lists or objects which it has not been given."""
    active = [i for i, p in enumerate(primals) if crosses(p)]
    plan = Plan("jvp", tuple(i + len(resolve(fun).leading) for i in active) or None)
    if not find(fun, primals, plan)[2].made.derived.writes:
        return
    if find(fun, primals, replace(plan, mutated=True))[2].made.derived.elsewhere:
        message = f"{what} of a function that writes into what it captures, or into arrays of a module"
        place = place_of(innermost(resolve(fun).function))
        raise Unsupported(message, place, "pass these as arguments, or use jvp() or vjp()")


def check_pairs(primals: Any, given: Any) -> None:
    """Raise TypeError unless there is a tangent for each argument."""
    for what, value in (("primals", primals), ("tangents", given)):
        if not isinstance(value, (tuple, list)):
            raise TypeError(f"{what} must be a tuple with one entry per argument, not {value!r}: write (x,)")
    if len(primals) != len(given):
        raise TypeError(f"{len(primals)} primals and {len(given)} tangents")


class Pullback:
    """`pullback(cotangent)`: one cotangent per positional argument, None where it has none.

    The cotangent has the structure, shapes and dtypes of the function's result and is not
    modified. It may be called again.

    `pullback(cotangent, mutated={name: cotangent})` adds the cotangents of arguments as the
    function leaves them: each of the structure of its argument after the call, by parameter name or
    position. For what the function does not write into, that is the argument as it was. `mutated`
    as an attribute names the arguments that it writes into.

    `pullback(cotangent, out=buffers)` adds to buffers: a tuple with one entry per positional
    argument, None or an array, list, dict or object that a gradient of that argument could be. The
    result has the buffer in its place.

    Raises NotDifferentiable (a TypeError) for cotangents that do not fit, TypeError or ValueError
    for buffers that do not, and Unsupported for cotangents of arguments into which the function
    writes in a way that is not followed.
    """

    __slots__ = ("_fun", "_kept", "_lead", "_left", "_made", "_result", "_spaces", "mutated")

    def __init__(
        self, target: Target, made: Made, kept: Any, result: Any, spaces: list[Any], args: tuple[Any, ...]
    ) -> None:
        self._fun, self._lead, self._made, self._kept = target.function, len(target.leading), made, kept
        self._result, self._spaces = result, spaces
        self._left = {i: cotangent_space(args[i], t) for i, t in zip(made.derived.after, made.derived.left)}
        touched = _touched(made, args)
        self.mutated = tuple([_name(self._fun, i) for i in made.derived.after if i in touched])

    def __call__(
        self,
        cotangent: Any,
        *,
        mutated: Mapping[str | int, Any] | None = None,
        out: tuple[Any, ...] | None = None,
    ) -> tuple[Any, ...]:
        if mutated is not None and not hasattr(mutated, "items"):
            raise TypeError("mutated must be a dict of cotangents by the names of arguments: write {name: cotangent}")
        seed = conj(accept(cotangent, self._result, "the cotangent"))
        unwritten: dict[int, Any] = {}
        if self._left or mutated:
            seed = self._with_state(seed, mutated or {}, unwritten)
        buffers = self._buffers(out)
        lead, spaces, seen = self._lead, self._spaces, set[int]()
        raw = conjugated(self._made.derived.pullback(self._kept, seed))
        at = [i - lead for i in self._made.wrt]
        raw = gathered(raw, [spaces[i] if 0 <= i < len(spaces) else NoTangent for i in at])
        grads: list[Any] = [None] * len(spaces)
        for k, i in enumerate(self._made.wrt):
            if 0 <= i - lead < len(spaces):
                grads[i - lead] = project(raw, k, spaces[i - lead], seen)
        for i, g in unwritten.items():
            grads[i - lead] = tangents.add(grads[i - lead], project([g], 0, spaces[i - lead]))
        return tuple([g if b is None else tangents.add_(b, g) for g, b in zip(grads, buffers)])

    # -- what is passed -----------------------------------------------------------------------

    def _with_state(self, seed: Any, mutated: Mapping[str | int, Any], unwritten: dict[int, Any]) -> Any:
        """The cotangent of the result with those of what the function leaves in its arguments;
        `unwritten` gets those of arguments that it leaves alone."""
        given: dict[int, Any] = {}
        for name, value in mutated.items():
            i = self._position(name)
            what = f"the cotangent of {_name(self._fun, i)!r} after the call"
            if i in self._left:
                given[i] = conj(accept(value, self._left[i], what))
            elif self._made.unfollowed is not None:
                error = self._made.unfollowed
                raise type(error)(f"{what} is asked for: {error.message}", error.place, error.remedy)
            else:
                unwritten[i] = accept(value, self._spaces[i - self._lead], what)
        if not self._left:
            return seed
        return (seed, *[given[i] if i in given else _nothing(space) for i, space in self._left.items()])

    def _position(self, name: str | int) -> int:
        """The position of an argument among those of the plain function."""
        code = innermost(self._fun).__code__
        names = code.co_varnames[: code.co_argcount]
        at = names.index(name) if name in names else name + self._lead if isinstance(name, int) else -1
        own = range(self._lead, self._lead + len(self._spaces))
        if at not in self._left and at not in own:
            known = ", ".join(str(_name(self._fun, i)) for i in dict.fromkeys((*self._left, *own)))
            raise TypeError(f"mutated names {name!r}, which is no argument of this call; they are: {known}")
        return at

    def _buffers(self, out: Any) -> tuple[Any, ...]:
        if out is None:
            return (None,) * len(self._spaces)
        if not isinstance(out, (tuple, list)) or len(out) != len(self._spaces):
            raise TypeError(f"out must be a tuple with {len(self._spaces)} entries, one per argument: write (buffer,)")
        check_buffers(out, self._spaces)
        return tuple(out)


def _nothing(space: Any) -> Any:
    """Zero: as an array without memory of its own, which is only added to shadows."""
    if isinstance(space, ArraySpace):
        return np.broadcast_to(space.dtype.type(0), space.shape)
    return accept(None, space, "")


def _name(fun: Any, i: int) -> str | int:
    """What an argument is called: by its parameter, or by its position among those of `*args`."""
    code = innermost(fun).__code__
    return code.co_varnames[i] if i < code.co_argcount else i


def _touched(made: Made, args: tuple[Any, ...]) -> set[int]:
    """The arguments that are written into, by their own name or because they share memory."""
    written, at = made.derived.written, made.derived.after
    if len(written) == len(at):
        return set(written)
    arrays = [(i, a) for i in at for a in tangents.leaves(args[i]) if type(a) is np.ndarray]
    found = set(written)
    for group in groups_of([a for _, a in arrays]):
        members = {i for i, a in arrays if any(a is b for b in group)}
        found |= members if members & found else set()
    return found


def vjp(
    fun: Callable[..., Any],
    *primals: Any,
    has_aux: bool = False,
    copy: bool = True,
    restore: bool = True,
    backend: Backend | None = None,
) -> tuple[Any, ...]:
    """`(value, pullback)`: the value of `fun(*primals)` and the function that takes a cotangent
    of the value to the tuple of cotangents of the arguments (class `Pullback`). With `has_aux`:
    `(value, pullback, aux)`.

    What the function writes into is as it leaves it until the pullback puts it back, as often as
    it is called; with `restore=False` it stays, and results are not copied that share its memory.

    What the pullback reads from memory that anybody else can reach is copied, so that writes
    after the call do not matter; `copy=False` saves the copies. `backend` as in `grad`.
    """
    known = None if backend is None else known_backend(backend)
    target, bound, entry = find(fun, primals, Plan("vjp", None, has_aux, restore, backend=known))
    args = (*bound.args, *bound.values)
    spaces = spaces_at(fun, primals)  # before the function writes into them
    raw = list(entry.run(target.function, args))
    aux = raw.pop(1) if has_aux else None
    value = raw[0]
    kept = own_tree(raw, 1) if copy else raw[1]
    try:
        seed = cotangent_space(value, entry.made.derived.result)
    except AdcompileError as error:
        raise error.at(place_of(innermost(target.function))) from None
    pullback = Pullback(target, entry.made, kept, seed, spaces, args)
    return (value, pullback, aux) if has_aux else (value, pullback)


def split_of(fun: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What the pipeline makes for `vjp(fun, *args)`."""
    return find(fun, args, Plan("vjp", None))[2].made.derived


# -- inside derivatives -------------------------------------------------------------------------

def _inside(nested: Any) -> None:
    nested.register_jvp(jvp)
    nested.register_vjp(vjp)


with_compiler(_inside)
