"""NumPy's rules, a file for each topic. Importing this registers them all."""

from __future__ import annotations

import importlib

TOPICS = (
    "constant",
    "random",
    "draws",
    "elementwise",
    "reduce",
    "order",
    "ufuncs",
    "helpers",
    "shape",
    "select",
    "index",
    "join",
    "scalars",
    "making",
    "products",
    "linalg",
    "factor",
    "fft",
    "misc",
    "polynomials",
    "series",
    "derivable",
)

for topic in TOPICS:
    importlib.import_module(f"{__name__}.{topic}")
