"""Where a class is graded: processes of this machine, or an existing Dask cluster; the same interface for both."""

import contextlib
import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from grader.errors import GraderError
from grader.sandbox import concealment


@dataclass(frozen=True, slots=True)
class Workforce:
    """``make`` gives a fresh executor whenever one broke; ``size`` is the number of workers.

    ``submit`` hands one call to an executor, ``stop`` ends an executor at once, with whatever still runs in it, and
    ``close`` lets go of what all executors shared. ``present`` tells whether there is any worker; ``name`` is for
    messages.
    """

    make: Callable[[], Executor]
    size: int
    submit: Callable[..., Future[Any]]
    stop: Callable[[Executor], None]
    close: Callable[[], None] = lambda: None
    present: Callable[[], bool] = lambda: True
    name: str = "this machine"

    @property
    def in_flight(self) -> int:
        """How many submissions wait with the workers at a time: enough to keep all busy, few enough to stay small."""
        return 2 * self.size


def local(jobs: int = 0, most: int = 64) -> Workforce:
    """Worker processes on this machine: ``jobs`` of them, or one for each core; never more than ``most``."""
    size = max(1, min(jobs or len(_cores()), most))
    context = multiprocessing.get_context("spawn")
    others = frozenset(process.pid for process in multiprocessing.active_children())

    # Where every core has its worker: who takes jobs as they come is not held up by a core that others use too.
    cores = _cores() if size == len(_cores()) else ()

    def make() -> Executor:
        return ProcessPoolExecutor(size, context, initializer=_begin, initargs=(cores,))

    def submit(executor: Executor, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        with _no_interrupt():  # the pool may start a worker here, which would take a ctrl-C as its own
            return executor.submit(call, *arguments)

    def stop(executor: Executor) -> None:
        mine = [process for process in multiprocessing.active_children() if process.pid not in others]
        answers = getattr(executor, "_result_queue", None)
        executor.shutdown(wait=False, cancel_futures=True)
        for process in mine:
            process.kill()
        if answers is not None:  # whoever waits for the rest of an answer would, as long as we can write there
            answers._writer.close()  # noqa: SLF001 - the pool has no name for it

    return Workforce(make, size, submit, stop)


def _cores() -> tuple[int, ...]:
    """The numbers of the processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


@contextlib.contextmanager
def interrupted_between() -> Iterator[Callable[[], None]]:
    """Hold ctrl-C back and yield a function that raises KeyboardInterrupt where it was pressed.

    An exception in the middle of the pool's own code would leave its locks held, and its threads waiting for ever.
    """
    pressed = threading.Event()

    def stop() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.signal(signal.SIGINT, lambda _number, _frame: pressed.set())
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _no_interrupt() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(cores: tuple[int, ...] = ()) -> None:
    """Leave ctrl-C to the parent, which stops the class in good order, end when it does, and show nobody secrets.

    With ``cores`` a worker and its children keep to one of them: they take turns, and to wake another core takes time.
    """
    concealment.withdraw()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    number = re.search(r"\d+$", multiprocessing.current_process().name)
    if cores and number and hasattr(os, "sched_setaffinity"):
        with contextlib.suppress(OSError):  # a core that was taken away since
            os.sched_setaffinity(0, {cores[int(number.group()) % len(cores)]})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A pool's workers do not see that its process was killed: they hold the other end of its queue themselves."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def cluster(address: str) -> Workforce:
    """Use the workers of the Dask cluster at ``address`` (``tcp://host:port``). Raises GraderError."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise GraderError("a cluster needs Dask", "--cluster", "pip install 'attention-grader[cluster]'") from error
    try:
        client = distributed.Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        cure = "Start `dask scheduler` and its workers first."
        raise GraderError("no cluster answers there", address, cure) from error
    size = sum(client.nthreads().values())
    if not size:
        raise GraderError("the cluster has no workers", address, "Start `dask worker` against the scheduler.")

    def make() -> Executor:
        executor: Executor = client.get_executor(pure=False, retries=2)
        return executor

    def present() -> bool:
        try:
            return client.status == "running" and bool(client.nthreads())
        except Exception:  # noqa: BLE001 - a scheduler that does not answer has no workers for us
            return False

    def submit(executor: Any, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = executor.submit(call, *arguments)
        return future

    return Workforce(make, size, submit, lambda executor: executor.shutdown(wait=False), client.close, present, address)
