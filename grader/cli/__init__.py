"""The command ``grader``: a file a verb, each loaded when it is asked for; options, printing, exit codes, no logic."""

import errno
import gc
import itertools
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn, TextIO

import click

from grader.errors import Exit, GraderError, UnavailableIsolationError, nearest
from grader.version import __version__

VERBS = {
    "check": ("checking", "Check your own work: what is right, what is wrong, what to look at next."),
    "grade": ("grading", "Grade a submission, or a class into a folder of results."),
    "ci": ("ci", "Grade the work in this repository, as grader.yaml says."),
    "list": ("listing", "List the assignments."),
    "show": ("showing", "Show what an assignment asks for."),
    "new": ("starting", "Copy an assignment's hand-out and starter into a folder."),
    "explain": ("explaining", "Explain a named mistake, or list them all."),
    "audit": ("auditing", "Ask a rubric which mistakes it catches, which right answers it rejects."),
    "regrade": ("regrading", "Score results by a new rubric or policy; see who moves first."),
    "review": ("reviewing", "Go through the answers that wait for a person."),
    "override": ("overriding", "Set a student's points by hand, with the reason."),
    "export": ("exporting", "Print the gradebook of results, as a learning platform takes it."),
    "report": ("reporting", "Say what a class got right and wrong."),
    "similar": ("comparing", "Rank the submissions of a class that are alike."),
    "package": ("packaging", "Make a zip for the platform where a course grades."),
    "formula": ("formula", "Judge one formula."),
    "rubric": ("rubric", "Validate rubrics."),
    "assignment": ("assignment", "Validate assignments."),
    "schema": ("schema", "Print the JSON Schema of a file format."),
}
"""Each verb with the module that holds it and its line in ``grader --help``, which therefore loads none of them."""

_POOLS = frozenset({"concurrent.futures.process", "concurrent.futures.thread", "distributed"})
"""What registers something to be done at the end of the interpreter."""

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


class LazyVerbs(click.Group):
    """A group whose commands are imported when they are asked for: start-up is a feature."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the verbs in the order of the help."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import one verb; None where there is none of that name."""
        return _load(name) if name in VERBS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the list of verbs without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in VERBS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Say which verb is nearest where there is none of the name given."""
        name = args[0]
        if name not in VERBS and not name.startswith("-"):
            raise GraderError(f"there is no command {name!r}", "", nearest(name, tuple(VERBS)))
        return super().resolve_command(ctx, args)


def _load(name: str) -> click.Command:
    command = import_module(f"grader.cli.{VERBS[name][0]}").command
    assert isinstance(command, click.Command)  # noqa: S101 - each verb's module ends with one
    return command


@click.group(cls=LazyVerbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="grader")
def app() -> None:
    """Grade homework on "Attention Is All You Need".

    A student starts with `grader check`, an instructor with `grader grade`, a repository with `grader ci`.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and leave with one of the exit codes of :class:`grader.errors.Exit`."""
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()  # closed by the caller
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="replace")
    sys.exit(int(_run(arguments)))


def script() -> NoReturn:
    """Run the command as a program of its own, and leave without taking the interpreter apart.

    That would cost a tenth of a student's check, and so does looking for garbage among what was just imported. Where a
    pool of workers was made, its own good-bye has to run. What the process was started with is hidden before anything
    else, and long before student code runs.
    """
    gc.set_threshold(100_000)
    if sys.argv[1:2] and sys.argv[1] in VERBS:  # help alone should not wait for it
        from grader.sandbox import concealment

        concealment.withdraw(_seeds(sys.argv))
    try:
        main()
    except SystemExit as end:
        if not _POOLS.isdisjoint(sys.modules):
            raise
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            raise end from None
        os._exit(end.code if isinstance(end.code, int) else Exit.FAULT)


def _run(arguments: Sequence[str] | None) -> int:
    code: object = Exit.OK
    try:
        code = app(arguments, prog_name="grader", standalone_mode=False)
    except GraderError as error:
        for text in getattr(error, "problems", None) or (str(error),):  # a file of theirs may have several
            click.echo(f"grader: {_one_line(text)}", err=True)
        if isinstance(error, UnavailableIsolationError) and error.weaker:
            click.echo(f"  {_weaker(sys.argv[1:] if arguments is None else arguments)}", err=True)
        code = error.exit_code
    except click.exceptions.Exit as end:
        code = end.exit_code
    except click.ClickException as error:
        code = _misused(error)
    except (KeyboardInterrupt, click.Abort):
        click.echo("grader: interrupted", err=True)
        code = Exit.INTERRUPTED
    except BrokenPipeError:
        _close_quietly()
    except Exception as error:  # noqa: BLE001 - what is left is a fault of ours, and this is the last place to say so
        code = _of_the_system(error) if isinstance(error, OSError) else _fault()
    return code if isinstance(code, int) else Exit.OK


def _misused(error: click.ClickException) -> Exit:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    else:
        context = getattr(error, "ctx", None)
        where = context.command_path if context else "grader"
        click.echo(f"grader: {_one_line(error.format_message())} See: {where} --help", err=True)
    return Exit.USAGE


def _of_the_system(error: OSError) -> Exit:
    if error.errno in _NO_ROOM:
        _close_quietly()
        click.echo(f"grader: the output cannot be written ({error.strerror})", err=True)
    elif error.errno == errno.ENAMETOOLONG:
        start = _one_line(str(error.filename))[:60]
        click.echo(f"grader: {start} …: the name is too long for a file. Check the path, or what names it.", err=True)
    elif isinstance(error, PermissionError) and error.filename:
        path = _one_line(str(error.filename))
        click.echo(f"grader: {path}: {error.strerror}. Change who may read or write it, or name another.", err=True)
    else:
        return _fault()
    return Exit.USAGE


def _fault() -> Exit:
    import traceback

    traceback.print_exc()
    click.echo("grader: this is a fault of the grader, not of the work. The lines above say where.", err=True)
    return Exit.FAULT


def _one_line(text: str) -> str:
    """Return a message that names files and fields of strangers as one line without control characters."""
    words = " ".join(text.split())
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in words)


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - stands for a stream until the end


def _seeds(arguments: Sequence[str]) -> list[str]:
    """Return the values of ``--seed`` in a command line."""
    behind = [word for option, word in itertools.pairwise(arguments) if option == "--seed"]
    return behind + [word.partition("=")[2] for word in arguments if word.startswith("--seed=")]


def _weaker(arguments: Sequence[str]) -> str:
    """Return the command that works here: the same one, with the weaker level typed out."""
    import shlex

    words = [word for word in arguments if word != "--isolation=strict"]
    while "--isolation" in words:
        del words[(at := words.index("--isolation")) : at + 2]
    return shlex.join(["grader", *words, "--isolation", "standard"])


def _close_quietly() -> None:
    """Let the interpreter end without a complaint that nobody reads the output any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
