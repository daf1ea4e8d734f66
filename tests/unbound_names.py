"""Programs that read a name which some path leaves unbound: in several forms, of several kinds of values.

Where `k` is 0, Python raises UnboundLocalError in each of them.
"""

import itertools
import linecache
import textwrap

import numpy as np

VALUES = {
    "function": ("np.sin", "np.cos", "f(x[i])"),
    "int": ("2", "3", "f * x[i]"),
    "float": ("2.5", "0.5", "f * x[i]"),
    "array": ("x", "y", "f[i] * x[i]"),
    "none": ("None", "1", "x[i] * (2.0 if f is None else 3.0)"),
    "text": ("'a'", "'b'", "x[i] * (2.0 if f == 'a' else 3.0)"),
    "tuple": ("(1.0, x[0])", "(x[1], 2.0)", "f[0] * x[i] * f[1]"),
    "list": ("[1.0, x[0]]", "[x[1], 2.0]", "f[0] * x[i] * f[1]"),
    "own_function": ("(lambda v: v * v)", "(lambda v: v * 3.0)", "f(x[i])"),
    "functions": ("(np.sin, 1.0)", "(np.cos, 2.0)", "f[0](x[i]) * f[1]"),
}
FORMS = {
    "in_front_of_a_loop": """
        if k: f = {0}
        for i in range(3):
            if i >= 2: f = {1}
            if i >= 1: t += {2}
        return t
    """,
    "behind_a_loop": """
        for i in range(k):
            f = {1} if i % 2 else {0}
            t += {2}
        i = 3
        return t + {2}
    """,
    "in_front_of_a_while": """
        if k: f = {0}
        i = 0
        while i < 3:
            if i >= 1: t += {2}
            if i >= 1: f = {1}
            i += 1
        return t
    """,
    "in_two_branches": """
        if k == 1: f = {0}
        elif k == 2: f = {0}
        i = 1
        return {2}
    """,
    "deleted_in_a_loop": """
        for j in range(2):
            if k: f = {0}
            for i in range(2):
                if i + j >= 2: f = {1}
                if i: t += {2}
            if k == 2: del f
        return t
    """,
    "between_loops": """
        for j in range(k):
            f = {0}
        for i in range(3):
            if i >= 2: f = {1}
            if i >= 1: t += {2}
        return t
    """,
}


def programs():
    """Each function of `(x, k)`, with its name."""
    for (form, body), (kind, parts) in itertools.product(FORMS.items(), VALUES.items()):
        name = f"{form}_{kind}"
        head = f"def {name}(x, k):\n    y = x * 2.0\n    t = 0.0\n"
        source = head + textwrap.indent(textwrap.dedent(body.format(*parts)).lstrip("\n"), "    ")
        file = f"<{name}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        namespace = {"np": np, "__name__": __name__}
        exec(compile(source, file, "exec"), namespace)
        yield name, namespace[name]
