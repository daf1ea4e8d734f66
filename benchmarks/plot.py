"""The table as a picture: for each workload, how many times the function a gradient takes."""

from __future__ import annotations

import importlib
from typing import Any

from benchmarks.report import Results, ours_in
from benchmarks.rows import ROWS

MARKS = {"hand": "D", "hand_numba": "d", "jax": "s", "jax_literal": "x", "autograd": "v", "torch": "^"}


def draw(results: Results, file: str) -> None:
    """Writes a picture of the type that the name of `file` ends in. Raises ImportError without matplotlib."""
    matplotlib: Any = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    names = [name for name, r in results.items() if r.get("seconds")]
    figure, axes = pyplot.subplots(figsize=(9, 0.32 * len(names) + 1.5), layout="constrained")
    for tool in [*ours_in(results), *MARKS]:
        at = [(results[n]["seconds"][tool] / results[n]["seconds"]["primal"], k) for k, n in enumerate(names)
              if tool in results[n]["seconds"]]  # fmt: skip
        if at:
            axes.scatter(*zip(*at), label=tool, marker=MARKS.get(tool, "o"), s=45 if tool in MARKS else 90, zorder=3)
    for k, name in enumerate(names):
        published = ROWS[name].published
        if published and published.hand:
            axes.plot([published.hand] * 2, [k - 0.4, k + 0.4], color="black", label="reference" if k == 0 else None)
    axes.set_xscale("log")
    axes.axvline(1.0, color="grey", linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel("time of the gradient / time of the function")
    figure.legend(fontsize="small", loc="outside upper center", ncols=4)
    figure.savefig(file, dpi=130)
    pyplot.close(figure)
