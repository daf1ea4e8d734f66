"""Errors planted in the compiler: each must be found."""


def search(*a):
    return 0
