"""The arguments of a call by the parameters of a function, as Python binds them."""

from __future__ import annotations

from collections.abc import Sequence

from adcompile.analysis.builder import Builder
from adcompile.analysis.infer import (
    Terminated,
)
from adcompile.errors import Place
from adcompile.ir.nodes import Atom, Const, Raise, Signature
from adcompile.ir.types import (
    DictT,
    TupleT,
)


def bind(
    b: Builder,
    name: str,
    signature: Signature,
    args: Sequence[Atom],
    kwargs: Sequence[tuple[str, Atom]],
    defaults: Sequence[Atom],
    kwdefaults: dict[str, Atom],
    place: Place | None,
) -> list[Atom]:
    """The values of a function's parameters in a call; raises Python's TypeError when reached."""
    positional = signature.positional
    given: dict[str, Atom] = dict(zip(positional, args))
    rest = list(args[len(positional) :])
    extra: list[tuple[str, Atom]] = []
    for key, value in kwargs:
        if key in given or key in positional[: signature.positional_only] and signature.kwarg is None:
            raise wrong_call(f"{name}() got multiple values for argument {key!r}", place)
        if key in positional[signature.positional_only :] or key in signature.keyword_only:
            given[key] = value
        elif signature.kwarg is not None:
            extra.append((key, value))
        else:
            raise wrong_call(f"{name}() got an unexpected keyword argument {key!r}", place)
    if rest and signature.vararg is None:
        n = len(positional)
        raise wrong_call(f"{name}() takes {n} positional arguments but {len(args)} were given", place)
    given = {**dict(zip(positional[len(positional) - len(defaults) :], defaults)), **kwdefaults, **given}
    missing = [p for p in (*positional, *signature.keyword_only) if p not in given]
    if missing:
        raise wrong_call(f"{name}() missing required arguments: {', '.join(map(repr, missing))}", place)
    bound = [given[p] for p in positional]
    if signature.vararg is not None:
        bound.append(b.build(TupleT(()), rest, name=signature.vararg))
    bound += [given[p] for p in signature.keyword_only]
    if signature.kwarg is not None:
        keys = tuple(k for k, _ in extra)
        bound.append(b.build(DictT(keys, ()), [v for _, v in extra], name=signature.kwarg))
    return bound


def wrong_call(message: str, place: Place | None) -> Terminated:
    return Terminated(Raise(Const(TypeError(message)), None, place))
