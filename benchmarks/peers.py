"""The tools: each takes a workload to a call that gives its gradient.

What a tool needs of its arguments (tensors of its own, say) is made when it is built: the time of
a call is that of the gradient. Tools that are not installed raise ImportError.
"""

from __future__ import annotations

import importlib
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import adcompile as ad
from benchmarks.harness import Call, Run, Workload, with_module

Tool = Callable[[Workload], Call]


class Unsuited(Exception):
    """The tool has no form of this workload."""


def positions(workload: Workload) -> tuple[int, ...]:
    return workload.argnums if isinstance(workload.argnums, tuple) else (workload.argnums,)


def row_seeds(workload: Workload) -> list[np.ndarray]:
    """For a workload of several rows, the cotangent that picks each."""
    shape = np.shape(workload.function(*workload.fresh()))
    return [np.eye(workload.rows)[r][:, None] * np.ones(shape) for r in range(workload.rows)]


def of_active(workload: Workload, function: Run) -> tuple[Run, list[Any]]:
    """The function of the differentiated arguments alone, which come first, and these arguments."""
    count = len(positions(workload))
    args = workload.fresh()
    rest = args[count:]
    return (lambda *active: function(*active, *rest)), list(args[:count])


# -- ours ---------------------------------------------------------------------------------------


def adcompile(backend: str = "numpy") -> Tool:
    """The function as it is, with code for `backend`."""

    def build(workload: Workload) -> Call:
        return _adcompile(workload, backend)

    return build


def _adcompile(workload: Workload, backend: Any) -> Call:
    args = workload.fresh()
    if not workload.rows:
        gradient = ad.grad(workload.function, argnums=workload.argnums, backend=backend)
        return lambda: gradient(*args)
    function, active = of_active(workload, workload.function)
    seeds = row_seeds(workload)

    def rows() -> Any:
        _, pullback = ad.vjp(function, *active, backend=backend)
        return tuple(pullback(seed) for seed in seeds)

    return rows


# -- by hand ------------------------------------------------------------------------------------


def hand(workload: Workload) -> Call:
    """The adjoint written by hand in NumPy or plain Python."""
    run, args = workload.hand, workload.fresh()
    if run is None:
        raise Unsuited("no adjoint in NumPy is written for it")
    return lambda: run(*args)


def hand_numba(workload: Workload) -> Call:
    """The adjoint written by hand in loops, compiled by Numba."""
    if workload.loops is None:
        raise Unsuited("no adjoint in loops is written for it")
    numba: Any = importlib.import_module("numba")
    run, args = compiled(numba, workload.loops), workload.fresh()
    return lambda: run(*args)


def compiled(numba: Any, function: Run) -> Run:
    """The function by njit, with those of its module that it calls."""
    namespace = dict(function.__globals__)
    jit = numba.njit(error_model="numpy")
    for name in function.__code__.co_names:
        value = namespace.get(name)
        if getattr(value, "__module__", None) == function.__module__ and callable(value):
            namespace[name] = jit(value)
    return jit(type(function)(function.__code__, namespace, function.__name__, function.__defaults__))


# -- peers --------------------------------------------------------------------------------------


def autograd(workload: Workload) -> Call:
    """The same code over autograd's numpy and scipy."""
    tool: Any = importlib.import_module("autograd")
    function = with_module(workload.function, importlib.import_module("autograd.numpy"), **_special("autograd.scipy"))
    args = workload.fresh()
    if not workload.rows:
        gradient = tool.grad(function, argnum=workload.argnums)
        return lambda: gradient(*args)
    count = len(positions(workload))
    seeds = row_seeds(workload)

    def rows() -> Any:
        pullback, _ = tool.make_vjp(lambda *active: function(*active, *args[count:]), argnum=tuple(range(count)))(
            *args[:count]
        )
        return tuple(pullback(seed) for seed in seeds)

    return rows


def _special(package: str) -> dict[str, Any]:
    """What workloads import from scipy.special, from the package that has it for a tool."""
    return {"erf": importlib.import_module(f"{package}.special").erf}


def jax(workload: Workload) -> Call:
    """What a competent user writes (or, where that is the same, the same code over jax.numpy),
    in float64, jitted and waited for."""
    if workload.jax is not None:
        return _jitted(workload, workload.jax())
    return _jitted(
        workload, with_module(workload.function, importlib.import_module("jax.numpy"), **_special("jax.scipy"))
    )


def jax_literal(workload: Workload) -> Call:
    """The statements one by one, with `.at[].set` for what is written in place."""
    if workload.literal is None:
        raise Unsuited("the literal form is the competent one")
    return _jitted(workload, workload.literal())


def _jitted(workload: Workload, function: Run) -> Call:
    tool: Any = importlib.import_module("jax")
    tool.config.update("jax_enable_x64", True)
    args = [tool.device_put(a) if isinstance(a, np.ndarray) else a for a in workload.args]
    if not workload.rows:
        gradient = tool.jit(tool.grad(function, argnums=workload.argnums), static_argnums=workload.static)
        return lambda: tool.block_until_ready(gradient(*args))
    seeds = [tool.device_put(seed) for seed in row_seeds(workload)]
    at = positions(workload)

    def rows(*args: Any) -> Any:
        rest = args[len(at) :]
        _, pullback = tool.vjp(lambda *active: function(*active, *rest), *args[: len(at)])
        return tuple(pullback(seed) for seed in seeds)

    jitted = tool.jit(rows)
    return lambda: tool.block_until_ready(jitted(*args))


def torch(workload: Workload) -> Call:
    """The same code over torch's functions, in float64; what is written in place is a clone."""
    return _over_torch(workload, lambda tool, function: function)


def torch_compile(workload: Workload) -> Call:
    """The same by torch.compile, which knows the shapes; it would unroll loops over elements or steps."""
    if workload.literal or workload.static or getattr(workload.jax, "__name__", "") == "with_scan":
        raise Unsuited("its loops would be unrolled")
    return _over_torch(workload, lambda tool, function: tool.compile(function, dynamic=False))


def _as_numpy(tool: Any) -> Any:
    """torch's functions where NumPy's have the same name and another signature."""
    names = dict(vars(tool))
    for name in ("sqrt", "log"):
        names[name] = _also_of_floats(tool, getattr(tool, name), getattr(math, name))
    names["max"] = lambda x, axis=(), keepdims=False: tool.amax(x, axis, keepdims)
    names["maximum"] = lambda x, y: tool.maximum(x, tool.as_tensor(y, dtype=x.dtype))
    return types.SimpleNamespace(**names)


def _also_of_floats(tool: Any, of_tensors: Run, of_floats: Run) -> Run:
    return lambda x: of_tensors(x) if isinstance(x, tool.Tensor) else of_floats(x)


def _over_torch(workload: Workload, made: Callable[[Any, Run], Run]) -> Call:
    tool: Any = importlib.import_module("torch")
    tool.set_num_threads(1)
    function = made(tool, with_module(workload.function, _as_numpy(tool), erf=tool.erf))
    at = positions(workload)
    if workload.rows:
        raise Unsuited("no form with several rows is written for it")
    args = [
        tool.tensor(a, requires_grad=i in at, dtype=tool.float64 if isinstance(a, float) else None)
        if isinstance(a, np.ndarray) or i in at
        else a
        for i, a in enumerate(workload.fresh())
    ]

    def run() -> Any:
        given = [a.clone() if i in workload.written else a for i, a in enumerate(args)]
        return tuple(g.numpy() for g in tool.autograd.grad(function(*given), [args[i] for i in at]))

    return run if isinstance(workload.argnums, tuple) else (lambda: run()[0])


PEERS: dict[str, Tool] = {
    "jax": jax,
    "jax_literal": jax_literal,
    "autograd": autograd,
    "torch": torch,
    "torch_compile": torch_compile,
}
HAND: dict[str, Tool] = {"hand": hand, "hand_numba": hand_numba}
