"""Sample calls of the rules in adcompile/rules/scipy/distance.py."""

from scipy.spatial import distance

from tests.rules.samples.numbers import real

METRICS = [
    {},
    {"metric": "sqeuclidean"},
    {"metric": "cityblock"},
    {"metric": "chebyshev"},
    {"metric": "minkowski"},
    {"metric": "minkowski", "p": 3.0},
    {"metric": "minkowski", "p": 400.0},
]

SAMPLES = {
    distance.cdist: [((real(3, 2), real(4, 2)), settings) for settings in METRICS],
    distance.pdist: [*[((real(4, 3),), settings) for settings in METRICS], ((real(2, 1), "euclidean"), {})],
    distance.squareform: [((real(6),), {}), ((real(1),), {"force": "tomatrix"})],
}
