"""A fuzzer of programs: random Python and NumPy, differentiated in every mode and checked.

    python -m tests.fuzz --programs 100 --seed 1        generate, check, shrink what fails; --jobs for more processes
    python -m tests.fuzz --show 17 --seed 1             print program 17 of a seed
    python -m tests.fuzz --check FILE                   check a program that was written out
    python -m tests.fuzz --faults                       break the compiler on purpose; each fault must be found

A program is source text: a module with `main`, what it calls, and `arguments`, which makes the
arguments anew at each call. Its number and the seed determine it. Nothing here knows a derivative:
all is compared with the function itself, with differences, and of forward with reverse mode.

    kinds        types of the programs' values         constructs   the table of what programs are made of
    generator    scopes, names, emission               expressions, arrays, statements, loops, writes,
                                                       containers, objects, functions, inner: the productions
    program      source text that becomes a module     trees        leaves, directions and memory of arguments
    differences  slopes of a function alone            checker      what must hold of a derivative
    shrink       smaller programs that still fail      counts       how often, and what share
    faults       errors planted in the compiler        runner       processes, time limits
"""
