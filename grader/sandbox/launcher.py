"""Puts itself under everything this machine offers, then becomes a program. Started by path; see ``confined.py``."""

import contextlib
import json
import os
import resource
import signal
import sys
import types
from typing import Any

NOT_STARTED = 96  # as in confined.py


def arm(config: dict[str, Any]) -> None:
    """Give up everything but reading ``reads``. Raises OSError where what is to be had fails."""
    from . import confinement, kernel, namespaces, syscalls
    from .places import Places

    with contextlib.suppress(OSError):  # without rights for that, the filter refuses sockets all the same
        namespaces.leave_network()
    plan = Places(tuple(config["reads"]), (), ())
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    confinement.give_up_root(plan)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    abi = kernel.landlock_abi()
    if abi:
        rules = kernel.landlock_ruleset(abi, kernel.landlock_rights(abi))
        for path in ("/dev/null", "/dev/urandom", *plan.read):
            rights = kernel.LANDLOCK_READ | (kernel.LANDLOCK_WRITE if path == "/dev/null" else 0)
            if path in plan.read:
                rights |= kernel.LANDLOCK_LIST | kernel.LANDLOCK_EXECUTE
            kernel.landlock_allow(rules, path, rights)
        kernel.landlock_restrict(rules)
        os.close(rules)
    if kernel.seccomp_available() and kernel.machine() in (syscalls.X86_64, syscalls.AARCH64):
        kernel.seccomp(syscalls.program(kernel.machine(), os.getpid(), syscalls.PROGRAMS))


def limit(config: dict[str, Any]) -> None:
    """Set what the process may use, for good."""
    bounds = {
        resource.RLIMIT_CPU: config["seconds"],
        resource.RLIMIT_AS: config["memory"],
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_CORE: 0,
    }
    for kind, value in bounds.items():
        with contextlib.suppress(ValueError, OSError):  # macOS refuses some
            most = resource.getrlimit(kind)[1]
            least = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(kind, (least, least))


def main() -> None:
    """Arm, limit, and become the program of the command line."""
    room = types.ModuleType("room")
    room.__path__ = [os.path.dirname(os.path.abspath(__file__))]
    sys.modules["room"] = room
    config, command = json.loads(sys.argv[1]), sys.argv[2:]
    os.chdir("/")
    try:
        limit(config)
        if sys.platform == "linux":
            arm(config)
        os.execve(command[0], command, {"LANG": "C.UTF-8"})  # noqa: S606 - no shell is the point
    except Exception as error:  # whatever it is, nothing may run without it
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    os._exit(NOT_STARTED)


if __name__ == "__main__":
    __package__ = "room"
    main()
