"""The command line: every stage of the compiler, derivative modules, what is covered and why.

Errors are one message that names the place, and exit code 2; the compiler is imported when a
command needs it, so that `adcompile --help` is quick.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from adcompile import __version__
from adcompile.errors import AdcompileError

STAGES = ("source", "gast", "ir", "typed", "facts", "forward", "reverse", "optimised", "python")
"""pipeline.STAGES, without loading the pipeline; a test compares them."""


class Group(click.Group):
    """Turns every error into one message and exit code 2; ADCOMPILE_DEBUG=1 shows tracebacks."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except AdcompileError as error:
            _fail(error, str(error))
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError, KeyboardInterrupt):
            raise
        except OSError as error:
            _fail(error, f"{error.filename}: {error.strerror}" if error.filename else str(error))
        except Exception as error:
            text = f"the compiler failed: {type(error).__name__}: {error}"
            _fail(error, f"{text}\n  this is a defect of adcompile; ADCOMPILE_DEBUG=1 shows where")


def _fail(error: Exception, text: str) -> None:
    if os.environ.get("ADCOMPILE_DEBUG"):
        raise error
    click.echo(click.style("error: ", fg="red", bold=True, reset=True) + text, err=True)
    sys.exit(2)


def emit(text: str, lexer: str, plain: bool) -> None:
    """Print code: highlighted on a terminal, else as it is."""
    if plain or not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.syntax import Syntax

    Console().print(Syntax(text, lexer, theme="ansi_dark", background_color="default", word_wrap=True))


def _types(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say for which argument types."""
    command = click.option("--example", metavar="ARGS", help='Sample arguments instead: "np.ones(3), 2.0".')(command)
    return click.option(
        "--signature", metavar="TYPES", help='Types of the arguments: "float64[:,:], float64[:], float".'
    )(command)


_argnums = click.option(
    "--argnums", metavar="NAMES", default="", help="Arguments to differentiate by, names or positions: w,x."
)


def _names(argnums: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in argnums.split(",") if part.strip())


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="adcompile")
def main() -> None:
    """A compiler that turns a Python function into the source of its derivative.

    Functions are named FILE:FUNCTION, such as model.py:loss, package.model:loss or
    model.py:Model.loss.
    """


@main.command()
@click.argument("target", metavar="FILE:FUNCTION")
@click.option("--stage", type=click.Choice(STAGES), default="python", show_default=True)
@_types
@_argnums
@click.option("--mode", type=click.Choice(["forward", "reverse"]), default="reverse", show_default=True)
@click.option("--plain", is_flag=True, help="No colours, also on a terminal.")
def show(
    target: str, stage: str, signature: str | None, example: str | None, argnums: str, mode: str, plain: bool
) -> None:
    """Show a function at a stage of the compiler.

    source, gast and ir need no types; for the others give --signature or --example, unless the
    annotations say it all. `optimised` and `python` are of the --mode.
    """
    from adcompile.cli import stages
    from adcompile.cli.locate import locate

    asked = stages.Asked(locate(target), signature, example, _names(argnums), mode == "forward")
    emit(stages.stage(asked, stage), "python", plain)


@main.command()
@click.argument("target", metavar="[FILE:FUNCTION]", required=False)
@click.option("-o", "--output", metavar="FILE", help="The module to write.")
@click.option("--signature", metavar="TYPES", multiple=True, help='"float64[:,:], float"; may be given several times.')
@click.option("--example", metavar="ARGS", multiple=True, help="Sample arguments instead of a signature.")
@_argnums
@click.option("--value", is_flag=True, help="Return the value too: (value, gradient).")
@click.option("--mode", type=click.Choice(["forward", "reverse"]), default="reverse", show_default=True)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if the file is stale.")
def build(
    target: str | None,
    output: str | None,
    signature: tuple[str, ...],
    example: tuple[str, ...],
    argnums: str,
    value: bool,
    mode: Any,
    check: bool,
) -> None:
    """Write a derivative to a module that needs only numpy and adcompile.runtime.

    The module has loss_grad, with --value loss_value_and_grad, with --mode forward loss_jvp.
    Without FILE:FUNCTION: every target of [[tool.adcompile.build]] in pyproject.toml.
    """
    from adcompile.cli import ahead

    here = Path.cwd()
    if target is None:
        if output or signature or example or argnums or value or mode != "reverse":
            raise click.UsageError("these options belong to one FILE:FUNCTION, which is missing")
        targets = ahead.configured(here)
    else:
        if output is None:
            raise click.UsageError("where to? Give -o FILE.")
        targets = [ahead.Target(target, output, here, _names(argnums), signature, example, value, mode)]
    stale = False
    texts = [ahead.build(one) for one in targets]  # all of them, before the first is written
    for one, text in zip(targets, texts):
        why = ahead.staleness(one, text)
        if not check:
            ahead.check_output(one)
            one.path.write_text(text, encoding="utf-8", newline="\n")
            click.echo(f"{one.output}: {'written' if why else 'unchanged'}")
        else:
            stale = stale or bool(why)
            click.echo(f"{one.output}: {f'stale: {why}; run {one.command}' if why else 'fresh'}", err=bool(why))
    if stale:
        sys.exit(1)


@main.command()
@click.argument("pattern", required=False, default="")
@click.option("--plain", is_flag=True, help="One name and kind a line.")
def rules(pattern: str, plain: bool) -> None:
    """List the functions that have a derivative, by kind.

    PATTERN is a part of a name (sin), a name with wildcards ('numpy.fft.*') or a kind (linear).
    """
    from adcompile.cli.rules import KINDS, covered

    found = covered(pattern)
    if plain:
        for c in found:
            click.echo(f"{c.name}  {c.kind}")
    for kind in () if plain else dict.fromkeys([*KINDS, *(c.kind for c in found)]):
        names = [c.name for c in found if c.kind == kind]
        if names:
            click.echo(click.style(f"{kind} ({len(names)})", bold=True) + f": {KINDS.get(kind, '')}")
            click.echo(click.wrap_text(", ".join(names), 110, "    ", "    ") + "\n")
    if not found:
        click.echo(f"nothing with a rule matches {pattern!r}", err=True)
        sys.exit(1)


@main.command()
@click.argument("target", metavar="FILE:FUNCTION")
@_types
@_argnums
def explain(target: str, signature: str | None, example: str | None, argnums: str) -> None:
    """Say what becomes of every call, and why values are kept.

    A call has a rule that is inlined, or its source is inlined or derived, or it is inert; int(),
    floor, argmax and the like of values that vary are piecewise constant.
    """
    from adcompile.cli.explain import explain as report
    from adcompile.cli.locate import locate
    from adcompile.cli.stages import Asked

    click.echo(report(Asked(locate(target), signature, example, _names(argnums))), nl=False)


@main.command()
@click.argument("target", metavar="FILE:FUNCTION")
@click.option("--at", metavar="ARGS", required=True, help='Sample arguments: "np.ones(3), 2.0".')
@click.option("--order", type=click.IntRange(1), default=1, show_default=True, help="Of the highest derivative.")
def check(target: str, at: str, order: int) -> None:
    """Check derivatives of a function at sample arguments, against differences of the function."""
    from adcompile.cli.check import check as run
    from adcompile.cli.locate import locate

    ok, text = run(locate(target), at, order)
    click.echo(text, err=not ok)
    if not ok:
        sys.exit(1)


@main.group()
def cache() -> None:
    """What is kept on disk for the next process: in $ADCOMPILE_CACHE, else ~/.cache/adcompile."""


@cache.command()
def path() -> None:
    """Print where the cache directory is."""
    from adcompile.backend.disk import cache_directory

    click.echo(cache_directory())


@cache.command()
def info() -> None:
    """Say how many files there are, how large, and whether the directory is used."""
    from adcompile.backend.disk import cache_directory, described

    click.echo(described(cache_directory()))


@cache.command()
def clear() -> None:
    """Remove everything that is kept. Running processes go on."""
    from adcompile.backend.disk import MEGABYTE, cache_directory
    from adcompile.backend.disk import clear as remove

    count, size = remove(cache_directory())
    click.echo(f"{count} files removed, {size / MEGABYTE:.1f} MB")
