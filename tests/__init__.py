"""The tests; a package, so that they share `tests.programs` and `tests.stress`."""
