# expected: fail
# standard: open
# safe-outcome: no process by any of the ways to start one
# stopped-by: seccomp: clone for threads only; no execve
import concurrent.futures
import ctypes
import multiprocessing
import os
import pty
import subprocess
from concurrent.futures.process import BrokenProcessPool


def idle():
    return 1


def probe():
    libc = ctypes.CDLL(None, use_errno=True)

    def raw(number, *args):
        done = libc.syscall(number, *args)
        if done == 0:
            os._exit(0)
        if done < 0:
            raise OSError(ctypes.get_errno(), "refused")
        os.waitpid(done, 0)

    def multi(kind):
        process = multiprocessing.get_context(kind).Process(target=idle)
        process.start()
        process.join()

    def pool():
        with concurrent.futures.ProcessPoolExecutor(1) as executor:
            executor.submit(idle).result(1)

    def spawned():
        os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)

    def terminal():
        if pty.fork()[0] == 0:
            os._exit(0)

    def system():
        if os.system("true") != 0:
            raise OSError(1, "refused")

    tries = {
        "fork": lambda: raw(57),
        "clone": lambda: raw(56, 17, 0, 0, 0, 0),
        "clone with a high half": lambda: raw(56, (1 << 48) | 17, 0, 0, 0, 0),
        "clone3": lambda: raw(435, (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17), 88),
        "posix_spawn": spawned,
        "system": system,
        "popen": lambda: os.popen("true").close(),
        "subprocess": lambda: subprocess.run("true", shell=True, check=True),
        "multiprocessing by fork": lambda: multi("fork"),
        "multiprocessing by spawn": lambda: multi("spawn"),
        "pool": pool,
        "pseudo terminal": terminal,
    }
    lines = []
    for name, attempt in tries.items():
        try:
            attempt()
            lines.append(f"LEAK: {name}")
        except (OSError, ImportError, BrokenProcessPool) as error:
            lines.append(f"BLOCKED: {name} {error}")
    return lines
