"""Student modules, imported by value, and the finder that shows the listed distributions only."""

import builtins
import contextlib
import importlib.machinery
import importlib.util
import io
import itertools
import linecache
import os
import signal
import sys
import time
import traceback
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from . import again, scratch, standin
from .failures import describe, on_one_line, status_of
from .halfway import Course


class ListedFinder:
    """Finds the top-level packages listed, each in its folder of site-packages, and nothing beside them."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        self.folders = dict(folders)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a listed top-level package; what lies below is found through the package."""
        if path is not None or name not in self.folders:
            return None
        # By its path: the usual finder lists the folder, and children may not know what else is installed.
        home = os.path.join(self.folders[name], name)
        if os.path.isfile(at := os.path.join(home, "__init__.py")):
            return importlib.util.spec_from_file_location(name, at, submodule_search_locations=[home])
        if os.path.isfile(at := f"{home}.py"):
            return importlib.util.spec_from_file_location(name, at)
        return importlib.machinery.PathFinder.find_spec(name, [self.folders[name]])


class RefusingFinder:
    """First on ``sys.meta_path``: the grader and its answers are not there, wherever they may be installed."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None) -> None:
        """Return None, or raise ModuleNotFoundError for a name that is never to be had."""
        if path is None and name in standin.PLAIN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


class Submission:
    """The student's modules: executed in order, each once, importable by each other."""

    def __init__(self, modules: list[tuple[str, list[tuple[str, str, bool]]]]) -> None:
        self.chunks = dict(modules)
        self.order = [name for name, _ in modules]
        self.modules: dict[str, types.ModuleType] = {}
        self.failures: dict[str, dict[str, Any]] = {}
        self.halfway: set[str] = set()  # of those that failed: modules whose definitions above that line stand
        self.notes: list[str] = []
        self.end = 0.0
        self.filenames = frozenset(filename for _, parts in modules for _, filename, _ in parts)
        self.stand_ins = standin.StandInFinder(frozenset(), frozenset())
        self.scratch = scratch.Scratch()

    def load(self, listed: ListedFinder, wall: float) -> None:
        """Run every module. A failure is kept in ``failures`` under the module's name.

        ``wall`` are the seconds there are for all. A cell is stopped when it takes 40 % of what is left, a file when it
        takes 80 %, so that a training loop costs neither the cells after it nor what stands above it.
        """
        self.end = time.monotonic() + wall
        taken = [name for name in self.order if name in sys.stdlib_module_names or name in listed.folders]
        for name in taken:
            self.order.remove(name)
            self.notes.append(f"{name}.py is not run: it has the name of an installed package")
        guarded = (standin.guarded_imports(code) for parts in self.chunks.values() for code, _, _ in parts)
        self.stand_ins = standin.StandInFinder(frozenset().union(*guarded), frozenset(listed.folders))
        sys.meta_path.insert(0, self)
        sys.meta_path.append(self.stand_ins)
        self.scratch.install()
        builtins.input = _no_input
        vars(builtins).update(exit=sys.exit, quit=sys.exit)  # there in every session
        # What a notebook saved as a plain file calls, and a kernel would have provided.
        vars(builtins).update(display=_display, get_ipython=lambda: standin.Inert("get_ipython()"))
        for name in self.order:
            self._import(name)
        self.scratch.uninstall()
        self.notes += [
            f"{name} is not among the packages of this homework; a stand-in was used" for name in self.stand_ins.noted
        ]

    def unload(self) -> None:
        """Take the modules out of reach, so that they can be loaded anew in another form."""
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder not in (self, self.stand_ins)]
        absent = [name for name, module in sys.modules.items() if type(module) is standin.AbsentModule]
        for name in (*self.modules, *absent):
            sys.modules.pop(name, None)

    def _import(self, name: str) -> None:
        try:
            if name not in self.failures:
                __import__(name)
        except BaseException as error:
            self.failures.setdefault(name, self._described(error))

    def _described(self, error: BaseException) -> dict[str, Any]:
        status = "timeout" if isinstance(error, Stopped) else status_of(error)
        return describe(error, self.filenames, -1) | {"status": status}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a student module: ``name``, or a package that other modules lie in."""
        if name in self.order:
            package = any(other.startswith(name + ".") for other in self.order)
            return importlib.machinery.ModuleSpec(name, self, is_package=package)  # type: ignore[arg-type]
        if any(other.startswith(name + ".") for other in self.order):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """Leave the module to the import system."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the chunks of a module in its namespace; those that may fail are noted and passed over."""
        name = module.__name__
        self.modules[name] = module
        parts = self.chunks.get(name, [])
        if parts:
            module.__file__ = parts[0][1]  # only asked for the folder it lies in: there is no such file here
        for cells, together in itertools.groupby(parts, key=lambda part: part[2]):
            chunks = [(code, filename) for code, filename, _ in together]
            if cells:
                again.run(chunks, module.__dict__, self._cell, self._note)
                continue
            for code, filename in chunks:
                self._run(name, code, filename, module.__dict__)

    def _cell(self, code: str, filename: str, namespace: dict[str, Any]) -> dict[str, Any] | None:
        """Run a cell; what it failed of, None where it ended well."""
        try:
            with _stopped_after(0.4 * (self.end - time.monotonic())):
                run_chunk(code, filename, namespace)
        except BaseException as error:
            return self._described(error)
        return None

    def _note(self, filename: str, failure: Mapping[str, Any], more: str = "") -> None:
        self.notes.append(f"{filename}: {on_one_line(failure)}{more}")

    def _run(self, name: str, code: str, filename: str, namespace: dict[str, Any]) -> None:
        """Run a file; behind a statement that fails it goes on, and the first failure is kept."""
        rest: str | types.CodeType | None = code
        course = None
        while rest is not None and (left := self.end - time.monotonic()) > 0:
            try:
                with _stopped_after(0.8 * left):
                    exec(rest, namespace) if isinstance(rest, types.CodeType) else run_chunk(rest, filename, namespace)
                break
            except BaseException as error:
                failure = self._described(error)
                first = self.failures.setdefault(name, failure)
                traceback.clear_frames(error.__traceback__)  # after a MemoryError the rest needs room
                try:
                    course = course or Course(code, filename)
                    rest = course.below(_line(failure, filename), namespace, on_purpose=_on_purpose(error, failure))
                except (LookupError, SyntaxError, ValueError, RecursionError, MemoryError):
                    raise error from None
                if rest is None and not course.defines and not self._holds_modules(name):
                    raise
                if failure is not first and course.binds:
                    self._note(filename, failure)
        if course and (course.defines or self._holds_modules(name)):
            self.halfway.add(name)

    def _holds_modules(self, name: str) -> bool:
        """Whether it is a package: what lies in it can do without what its own file says."""
        if any(other.startswith(f"{name}.") for other in self.order):
            return True
        return any(os.path.basename(filename) == "__init__.py" for _, filename, _ in self.chunks.get(name, []))

    def find(self, target: str) -> Any:
        """Return what the submission calls ``target``, from the entry first. Raises KeyError."""
        for name in self.order:
            module = self.modules.get(name)
            found = module.__dict__.get(target, _NOTHING) if module is not None else _NOTHING
            if found is not _NOTHING and type(found) is not types.ModuleType:  # a folder may be called as well
                return found
        raise KeyError(target)

    def put(self, target: str, value: Any) -> None:
        """Give what modules call ``target`` another value, in each that has it; in all where a script alone sets it."""
        every = list(self.modules.values())
        for module in [one for one in every if target in one.__dict__] or every:
            module.__dict__[target] = value

    def names(self) -> list[list[str]]:
        """Return (module, name, kind) of all that the modules define or import from each other."""
        found = []
        for module_name, module in self.modules.items():
            for name, value in list(module.__dict__.items()):
                if type(name) is str and not name.startswith("__") and type(value) not in _NO_WORK:
                    found.append([module_name, name, kind_of(value)])
        return found


def _line(failure: dict[str, Any], filename: str) -> int:
    """The line of a file's own statement at which it broke off; 0 where none is known."""
    at = next((frame for frame in failure["frames"] if frame[0] == filename and frame[2] == "<module>"), None)
    return at[1] if at else 0


def _on_purpose(error: BaseException, failure: dict[str, Any]) -> bool:
    """Whether the work itself ends its program by what is no error, and no parser of arguments that it called."""
    end = error.__traceback__
    while end is not None and end.tb_next is not None:
        end = end.tb_next
    own = end is not None and bool(failure["frames"]) and end.tb_frame.f_code.co_filename == failure["frames"][0][0]
    return not isinstance(error, Exception) and own


_NOTHING = object()
_NO_WORK = (types.ModuleType, standin.AbsentModule, standin.Inert)


def kind_of(value: Any) -> str:
    """What a value is by its own type: what it says of its class may be anything, or raise."""
    if issubclass(type(value), type):
        return "class"
    return "function" if callable(value) else "value"


class Stopped(BaseException):
    """A chunk that may fail took too long; not an Exception, so that student code lets it pass."""


@contextlib.contextmanager
def _stopped_after(seconds: float) -> Iterator[None]:
    """Raise Stopped in the body after some seconds; 0 means never."""
    if seconds <= 0:
        yield
        return

    def stop(number: int, frame: object) -> NoReturn:
        raise Stopped(f"it had not ended after {seconds:.1f} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def run_chunk(code: str, filename: str, namespace: dict[str, Any]) -> None:
    """Compile and run one chunk; tracebacks and inspect.getsource find its lines."""
    linecache.cache[filename] = (len(code), None, io.StringIO(code, newline=None).readlines(), filename)
    exec(compile(code, filename, "exec", dont_inherit=True), namespace)


def _display(*objects: object, **options: object) -> None:
    """Show nothing: nobody looks."""


class NobodyAnswers(RuntimeError):
    """The code asks for input."""


def _no_input(prompt: object = "", /) -> NoReturn:
    raise NobodyAnswers("input() cannot be answered here: nobody sits at the keyboard while work is judged")
