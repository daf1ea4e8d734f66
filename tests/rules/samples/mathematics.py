"""Sample calls of `math`, `cmath` and the functions of NumPy that are the same."""

import cmath
import math

import numpy as np

from adcompile.runtime import special

ANY = np.array([[0.3, -1.2, 2.5], [1.1, 0.6, -0.4]])
UNIT = np.array([0.3, -0.6, 0.05])
POSITIVE = np.array([0.3, 1.2, 2.5])
ABOVE = np.array([1.3, 2.2, 4.5])
Z = np.array([0.3 + 0.4j, -1.2 + 0.7j, 0.8 - 1.1j])


def unary(values, scalar, complex_=True):
    """Calls on arrays of both precisions, a scalar of each class, and complex ones."""
    calls = [((values,), {}), ((values.astype(np.float32),), {}), ((scalar,), {}), ((np.float64(scalar),), {})]
    calls += [((np.array(scalar),), {}), ((np.float32(scalar),), {})]
    return calls + ([((Z,), {}), ((0.4 + 0.3j,), {})] if complex_ else [])


def one(*values):
    return [((value,), {}) for value in values]


SAMPLES = {
    np.sin: unary(ANY, 0.7),
    np.cos: unary(ANY, 0.7),
    np.tan: unary(UNIT, 0.7),
    np.arcsin: unary(UNIT, 0.7),
    np.arccos: unary(UNIT, 0.7),
    np.arctan: unary(ANY, 0.7),
    np.sinh: unary(ANY, 0.7),
    np.cosh: unary(ANY, 0.7),
    np.tanh: unary(ANY, 0.7),
    np.arcsinh: unary(ANY, 0.7),
    np.arccosh: unary(ABOVE, 1.7),
    np.arctanh: unary(UNIT, 0.7),
    np.exp: unary(ANY, 0.7),
    np.exp2: unary(ANY, 0.7),
    np.expm1: unary(ANY, 0.7),
    np.log: unary(POSITIVE, 0.7),
    np.log2: unary(POSITIVE, 0.7),
    np.log10: unary(POSITIVE, 0.7),
    np.log1p: unary(POSITIVE, 0.7),
    np.sqrt: unary(POSITIVE, 0.7),
    np.cbrt: unary(ANY, 0.7, complex_=False),
    np.degrees: unary(ANY, 0.7, complex_=False),
    np.rad2deg: unary(ANY, 0.7, complex_=False),
    np.radians: unary(ANY, 0.7, complex_=False),
    np.deg2rad: unary(ANY, 0.7, complex_=False),
    np.arctan2: [((ANY, POSITIVE), {}), ((0.7, -1.2), {}), ((ANY.astype(np.float32), np.float32(0.5)), {})],
    np.hypot: [((ANY, POSITIVE), {}), ((0.7, -1.2), {}), ((ANY.astype(np.float32), np.float32(0.5)), {})],
    math.sin: one(0.7, -2.0),
    math.cos: one(0.7, -2.0),
    math.tan: one(0.7, -2.0),
    math.asin: one(0.7, -0.2),
    math.acos: one(0.7, -0.2),
    math.atan: one(0.7, -2.0),
    math.sinh: one(0.7, -2.0),
    math.cosh: one(0.7, -2.0),
    math.tanh: one(0.7, -2.0),
    math.asinh: one(0.7, -2.0),
    math.acosh: one(1.7, 3.0),
    math.atanh: one(0.7, -0.2),
    math.exp: one(0.7, -2.0, np.float64(0.4)),
    math.expm1: one(0.7, -2.0),
    math.log: [((0.7,), {}), ((0.7, 3.0), {}), ((2.5, 10), {})],
    math.log2: one(0.7, 3.0),
    math.log10: one(0.7, 3.0),
    math.log1p: one(0.7, -0.2),
    math.sqrt: one(0.7, 3.0),
    math.degrees: one(0.7, -2.0),
    math.radians: one(0.7, -2.0),
    math.pow: [((1.3, 2.0), {}), ((-1.3, 2), {}), ((1.3, 0.0), {}), ((0.7, -1.5), {})],
    math.atan2: [((0.7, -1.2), {}), ((-0.7, 0.0), {})],
    math.hypot: [((3.0, 4.0), {}), ((1.0, -2.0, 0.5), {}), ((-1.5,), {})],
    math.dist: [(([1.0, 2.0], [0.5, -1.0]), {}), (((1.0, 2.0, 3.0), (0.5, -1.0, 0.0)), {})],
    math.fsum: [(([1.0, 2.5, -0.5],), {})],
    math.prod: [(([1.0, 2.5, -0.5],), {}), (([1.0, 0.0, -0.5],), {"start": 2.0})],
    math.fabs: one(0.7, -2.0),
    math.fmod: [((7.3, 2.5), {}), ((-7.3, 2.5), {})],
    math.remainder: [((7.3, 2.5), {}), ((-6.3, 2.5), {})],
    math.copysign: [((7.3, -2.5), {}), ((-7.3, -2.5), {})],
    math.ldexp: [((1.3, 4), {}), ((1.3, -2), {})],
    math.frexp: one(5.3, -0.2),
    math.modf: one(5.3, -0.2),
    math.gamma: one(2.7, 0.4, -1.3),
    math.lgamma: one(2.7, 0.4, -1.3),
    math.erf: one(0.7, -2.0),
    math.erfc: one(0.7, -2.0),
    math.nextafter: [((1.3, 4.0), {})],
    cmath.sin: one(0.3 + 0.4j),
    cmath.cos: one(0.3 + 0.4j),
    cmath.tan: one(0.3 + 0.4j),
    cmath.asin: one(0.3 + 0.4j),
    cmath.acos: one(0.3 + 0.4j),
    cmath.atan: one(0.3 + 0.4j),
    cmath.sinh: one(0.3 + 0.4j),
    cmath.cosh: one(0.3 + 0.4j),
    cmath.tanh: one(0.3 + 0.4j),
    cmath.asinh: one(0.3 + 0.4j),
    cmath.acosh: one(0.3 + 0.4j, -0.3 + 0.4j),
    cmath.atanh: one(0.3 + 0.4j),
    cmath.exp: one(0.3 + 0.4j),
    cmath.log: [((0.3 + 0.4j,), {}), ((0.3 + 0.4j, 2.0 + 0.5j), {})],
    cmath.log10: one(0.3 + 0.4j),
    cmath.phase: one(0.3 + 0.4j, -0.3 - 0.4j),
    cmath.polar: one(0.3 + 0.4j, -0.3 - 0.4j),
    cmath.rect: [((1.3, 0.4), {}), ((0.7, -2.5), {})],
    cmath.sqrt: one(0.3 + 0.4j, -0.3 - 0.4j),
    special.digamma: one(2.7, 0.4, -1.3),
    special.polygamma: [((1, 2.7), {}), ((2, 0.4), {}), ((3, -1.3), {})],
}
for _name, _calls in {
    "cbrt": one(0.7, -2.0),
    "exp2": one(0.7, -2.0),
    "sumprod": [(([1.0, 2.0], [0.5, -1.0]), {})],
    "fma": [((1.0, 2.0, 3.0), {})],
}.items():
    if hasattr(math, _name):
        SAMPLES[getattr(math, _name)] = _calls
