"""Workloads from published benchmarks, timed beside other tools; see README.md."""
