"""scipy.spatial.distance: distances between the rows of matrices, and their condensed form."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import distance

from adcompile import runtime as rt
from adcompile.ir.types import Type
from adcompile.rules.kinds import linear, vjps
from adcompile.rules.numpy.dims import ANY, array, dims_of
from adcompile.rules.typing import always


def by_differences(y_bar: Any, y: Any, a: Any, b: Any, metric: Any, settings: Any) -> Any:
    """Σⱼ ȳᵢⱼ ∂yᵢⱼ/∂aᵢ of distances that are functions of aᵢ − bⱼ, for each i; 0 where these are equal."""
    if metric == "euclidean" and not settings:
        return weighted(y_bar / np.where(y == 0.0, np.inf, y), a, b)
    if metric == "sqeuclidean" and not settings:
        return weighted(2.0 * y_bar, a, b)
    d, p = a[:, None, :] - b, settings.get("p", 2.0)
    if settings.get("w") is not None or metric != "minkowski" and settings:
        return rt.no_derivative(OTHERS)
    if metric == "cityblock":
        return np.einsum("ij,ijk->ik", y_bar, np.sign(d))
    if metric == "chebyshev" or metric == "minkowski" and p == np.inf:  # shared among the largest, as by np.max
        largest = np.sign(d) * (np.abs(d) == y[:, :, None])
        return np.einsum("ij,ijk->ik", y_bar / np.maximum(np.sum(np.abs(largest), axis=2), 1.0), largest)
    if metric == "minkowski":
        parts = np.abs(d) / np.where(y == 0.0, 1.0, y)[:, :, None]
        return np.einsum("ij,ijk->ik", y_bar, np.sign(d) * parts ** (p - 1.0))
    return rt.no_derivative(OTHERS)


OTHERS = "these distances; write them with NumPy, from a[:, None, :] - b"


def weighted(w: Any, a: Any, b: Any) -> Any:
    """Σⱼ wᵢⱼ (aᵢ − bⱼ), from where the b lie: products of large numbers would take the digits of small differences."""
    middle = np.mean(b, axis=0)
    return np.sum(w, axis=1)[:, None] * (a - middle) - w @ (b - middle)


def between_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    dims = [dims_of(t) for t in args[:2]]
    return array(np.dtype(float), tuple(d[0] if d else ANY for d in dims))


@vjps(distance.cdist, wrt=(0, 1), typing=between_type)
def cdist(y_bar: Any, y: Any, XA: Any, XB: Any, metric: Any = "euclidean", **settings: Any) -> Any:
    return (
        by_differences(y_bar, y, XA, XB, metric, settings),
        by_differences(y_bar.T, y.T, XB, XA, metric, settings),
    )


@vjps(distance.pdist, wrt=(0,), typing=always(array(np.dtype(float), (ANY,))))
def pdist(y_bar: Any, y: Any, X: Any, metric: Any = "euclidean", **settings: Any) -> Any:
    return by_differences(distance.squareform(y_bar), distance.squareform(y), X, X, metric, settings)


@linear(distance.squareform, wrt=(0,))
def squareform(y_bar: Any, y: Any, X: Any, force: Any = "no", checks: Any = True) -> Any:
    """Of a matrix the half above the diagonal is read."""
    if X.ndim == 1:
        return distance.squareform(np.triu(y_bar, 1) + np.tril(y_bar, -1).T, "tovector", False)
    return np.triu(distance.squareform(y_bar, "tomatrix", False), 1)
