"""The tools: each takes a workload to a callable that gives its gradient."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import adcompile as ad
from benchmarks.harness import Run, Workload, with_module


def adcompile(workload: Workload) -> Run:
    """The function as it is."""
    return ad.grad(workload.function, argnums=workload.argnums)


def autograd(workload: Workload) -> Run:
    """The same code over autograd's numpy."""
    tool = importlib.import_module("autograd")
    numpy = importlib.import_module("autograd.numpy")
    gradient = tool.grad(with_module(workload.function, numpy), argnum=workload.argnums)
    return lambda *args: gradient(*args)


def jax(workload: Workload) -> Run:
    """What a competent user writes (or, where that is the same, the same code over jax.numpy),
    in float64, jitted and waited for."""
    tool: Any = importlib.import_module("jax")
    numpy = importlib.import_module("jax.numpy")
    tool.config.update("jax_enable_x64", True)
    function = workload.jax() if workload.jax is not None else with_module(workload.function, numpy)
    gradient = tool.jit(tool.grad(function, argnums=workload.argnums))
    return lambda *args: tool.block_until_ready(gradient(*args))


PEERS: dict[str, Callable[[Workload], Run]] = {"autograd": autograd, "jax": jax}
