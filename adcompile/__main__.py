"""`python -m adcompile`."""

from adcompile.cli import main

if __name__ == "__main__":
    main()
