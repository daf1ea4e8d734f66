"""What the tests of derivatives share: values bit for bit, directions, differences, handles.

Nothing here knows a derivative: all numbers to compare with come from the function itself.
"""

from __future__ import annotations

import contextlib
import functools

import numpy as np

import adcompile as ad
from adcompile import pipeline, tangents
from adcompile.optimise.passes import PASSES
from adcompile.tangents import add_to_primal, dot, randn_like, scale


def bits(value):
    """Equal for values of the same types, structure and bits."""
    if isinstance(value, np.ndarray):
        return (type(value), value.dtype, value.shape, value.tobytes())
    if isinstance(value, np.generic):
        return (type(value), value.dtype, value.tobytes())
    if isinstance(value, (tuple, list)):
        return (type(value), [bits(v) for v in value])
    if isinstance(value, dict):
        return (type(value), [(k, bits(v)) for k, v in value.items()])
    return (type(value), repr(value))


def active(args):
    """The positions of the differentiable arguments."""
    return tuple(i for i, a in enumerate(args) if tangents.has_tangent(a))


def direction(args, seed, only=None):
    """A random tangent for each differentiable argument (of those in `only`), None for the others."""
    rng = np.random.default_rng(seed)
    drawn = [randn_like(a, rng) for a in args]
    wanted = active(args) if only is None else only
    return tuple(t if i in wanted else None for i, t in enumerate(drawn))


def moved(args, along, h):
    """The arguments a step along a tangent; arrays in the memory order of theirs."""
    return tuple(a if v is None else _moved(a, scale(h, v)) for a, v in zip(args, along))


def _moved(a, step):
    if not isinstance(a, np.ndarray):
        return add_to_primal(a, step)
    out = np.empty_like(a)
    out[...] = add_to_primal(a, step)
    return out


def inner(s, t):
    """The pairing of the public interface: cotangents are conjugates."""
    return dot(None if tangents.is_absent(s) else tangents.conj(s), t)


def size(s, t):
    """The sum of the magnitudes of the terms of `inner(s, t)`."""
    if tangents.is_absent(s) or tangents.is_absent(t):
        return 0.0
    pairs = zip(tangents.leaves(s), tangents.leaves(t))
    return float(sum(np.sum(np.abs(a) * np.abs(b)) for a, b in pairs))


def epsilon(*values):
    """The coarsest rounding unit among the leaves."""
    leaves = [leaf for v in values for leaf in tangents.leaves(v) if tangents.is_leaf(leaf)]
    return max((float(np.finfo(np.asarray(leaf).dtype).eps) for leaf in leaves), default=2.3e-16)


def duality_bound(args, value):
    """How far ⟨ȳ, J ẋ⟩ and ⟨Jᵀ ȳ, ẋ⟩ may be apart, by the size of what is summed."""
    return 1e-12 if epsilon(args, value) < 1e-10 else 100 * epsilon(args, value)  # single precision


def slopes(f, args, along, ct):
    """⟨ct, f'(args)·along⟩ by differences of fourth order at several steps."""
    for h in (0.2, 5e-2, 1e-2, 2e-3) if epsilon(args, along, f(*args)) > 1e-10 else (1e-2, 1e-3, 1e-4, 1e-5):

        def at(k, h=h):
            return inner(ct, f(*moved(args, along, k * h)))

        yield (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * h)


def agrees_with_differences(f, args, along, ct, slope, terms=0.0):
    """Whether one of the steps gives `slope`: no one step suits every function. `terms` is the
    magnitude of what is summed up."""
    eps = epsilon(args, along, f(*args))
    tolerance = 0.05 if eps > 1e-5 else 5e-3 if eps > 1e-10 else 1e-6
    found = []
    for estimate in slopes(f, args, along, ct):
        found.append(estimate)
        if abs(estimate - slope) <= tolerance * (abs(slope) + 1e-2 * terms + 1e-3):
            return True
    return f"differences give {found}, not {slope}"


@contextlib.contextmanager
def specialised_once(known):
    """The pipeline takes what it has specialised from the list `known` where it is asked for the same again."""
    specialise = pipeline.specialise

    def once(fun, *asked):
        for f, before, made in known:
            if f is fun and before == asked:
                return made
        made = specialise(fun, *asked)
        known.append((fun, asked, made))
        return made

    pipeline.specialise = once
    try:
        yield
    finally:
        pipeline.specialise = specialise


@contextlib.contextmanager
def passes(which):
    """Derivatives are compiled with these passes of the optimiser only."""
    if which == PASSES:
        yield
        return
    derive = pipeline.derive
    ad.clear()
    pipeline.derive = functools.partial(derive, passes=which)
    try:
        yield
    finally:
        pipeline.derive = derive
        ad.clear()


def right_or_refused(f, file):
    """Check f(0.7, k) for k from 0 to 3, value and slope in both modes against differences of f, or that it is refused
    at a place in this file; whether any of these is refused."""
    refused = False
    for k in range(4):
        for derive in (lambda x: ad.value_and_grad(f)(x, k), lambda x: ad.jvp(f, (x, k), (1.0, None))):
            try:
                value, slope = derive(0.7)
            except ad.AdcompileError as error:
                assert error.place.file == file and error.remedy
                refused = True
                continue
            assert np.isclose(value, f(0.7, k))
            assert np.isclose(slope, (f(0.7 + 1e-6, k) - f(0.7 - 1e-6, k)) / 2e-6, rtol=1e-6)
    return refused
