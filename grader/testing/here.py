"""The sandbox's questions answered in this process, about functions and classes that are there already.

Nothing is confined and nothing is stopped: the process belongs to a host that sees to that. What the steps of a
program mean is read in one place, where a child reads them.
"""

import contextlib
import io
import json
import random
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np

from grader.sandbox import gates, returned, steps, wire
from grader.sandbox.failures import describe, status_of
from grader.sandbox.loading import kind_of
from grader.sandbox.plain import Answers, Failure, Further, Limits, Loaded, Program, Programs, Reply, Source

ELSEWHERE = "what is here was not loaded from source"


class Here:
    """Asks the functions and classes in ``names``; it is its own session.

    ``files`` maps the file names that their code carries to those by which the submission calls them.
    """

    pace = 1

    def __init__(self, names: Mapping[str, Any], modules: Mapping[str, str], files: Mapping[str, str]) -> None:
        self.names, self.modules, self.files = names, modules, files
        self.source: Source | None = None
        self.gates = gates.Gates()
        self.put_back = contextlib.ExitStack()  # what was set, to be given back once all is answered

    def session(self) -> Self:
        """Return itself."""
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def renew(self) -> None:
        """Do nothing: there is no child."""

    def find(self, target: str) -> Any:
        """Return what is called ``target``; KeyError where nothing is."""
        return self.names[target]

    def put(self, target: str, value: Any) -> None:
        """Give what modules call ``target`` another value, until all is answered."""
        for name in {getattr(thing, "__module__", "") for thing in self.names.values()}:
            space = vars(sys.modules[name]) if name in sys.modules else {}
            if target in space:
                self.put_back.callback(space.__setitem__, target, space[target])
                space[target] = value

    def ask(
        self,
        source: Source,
        programs: Programs,
        limits: Limits | None = None,  # noqa: ARG002 - nothing is stopped here
        further: Further | None = None,
    ) -> Answers:
        """Answer as a child would that has loaded ``source``; one that differs from the first cannot be loaded here."""
        self.source = self.source or source
        if source != self.source:
            return Answers(Loaded("error", Failure("RuntimeError", ELSEWHERE)), ())
        defined = tuple((self.modules[name], name, kind_of(value)) for name, value in self.names.items())
        loaded = Loaded("value", None, defined)
        asked = programs(loaded) if callable(programs) else programs
        with _left_as_it_was(self.gates), self.put_back:
            replies = self._replies(asked)
            while further is not None and (asked := further(replies)):
                replies = self._replies(asked)
        return Answers(loaded, replies)

    def _replies(self, programs: Sequence[Program]) -> tuple[Reply, ...]:
        return tuple(self._reply(program) for program in programs)

    def _reply(self, program: Program) -> Reply:
        start, out, printed = time.monotonic(), wire.Writer(), io.StringIO()
        values: list[Any] = []
        failure = None
        status = "value"
        self.gates.begin(frozenset(self.files))
        with contextlib.redirect_stdout(printed):
            try:
                table = steps.Table(self, self.gates)
                for step in _as_sent(program):
                    values.append(out.encode(steps.run(step, table)))  # noqa: PERF401 - kept up to the step that fails
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001 - student code raises whatever it likes
                failure = describe(error, frozenset(self.files), len(values))
                failure["frames"] = [[self.files[file], line, name] for file, line, name in failure["frames"]]
                status = status_of(error)
        uses = [[name, self.files.get(file, ""), line, names] for name, file, line, names in self.gates.end()]
        tree = {"s": status, "v": json.loads(json.dumps(values)), "f": failure, "u": uses}
        return returned.reply_of(tree, wire.Reader(out.blob()), printed.getvalue(), time.monotonic() - start)


def _as_sent(program: Program) -> Any:
    """The steps as a child gets them: arrays of its own, which student code may write into."""
    writer = wire.Writer()
    tree = json.loads(wire.text(writer.encode(list(program.steps))))
    return wire.trusted(tree, writer.blob(), 0)


@contextlib.contextmanager
def _left_as_it_was(watching: gates.Gates) -> Iterator[None]:
    """Quiet numpy and warnings as beside student code, and watch torch; afterwards all goes on where it was."""
    torch: Any = sys.modules.get("torch")
    before, drawn = random.getstate(), np.random.get_state()  # noqa: NPY002 - the host's, to be given back
    tensors = torch.get_rng_state() if torch else None
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if torch:
                watching.install()
            yield
    finally:
        watching.remove()
        random.setstate(before)
        np.random.set_state(drawn)  # noqa: NPY002 - the host's
        if torch:
            torch.set_rng_state(tensors)
