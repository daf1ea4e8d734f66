"""Plain functions, a few for each construct of the language, with arguments to call them with.

Each module has `CALLS`, a list of (function, arguments, keyword arguments).
"""


def register_in(calls):
    """A decorator factory that notes a function for a call with these arguments."""

    def on(*args, **kwargs):
        def register(fn):
            calls.append((fn, args, kwargs))
            return fn  # it stays what it is

        return register

    return on
