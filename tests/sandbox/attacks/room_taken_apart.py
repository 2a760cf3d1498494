# expected: fail|exc|crash|protocol
# standard: open
# safe-outcome: the sandbox's own modules, used against it, do nothing that the kernel refuses
# stopped-by: seccomp; no capabilities; descriptors closed
import gc
import importlib
import os


def probe():
    lines = []
    rooms = {name: importlib.import_module(f"room.{name}") for name in ("kernel", "namespaces", "confinement", "cgroup", "places")}
    kernel = rooms["kernel"]
    tries = {
        "unshare": lambda: kernel.unshare(kernel.CLONE_NEWUSER), "setns": lambda: kernel.setns(3, 0), "mount": lambda: kernel.mount(b"none", "/", b"tmpfs", 0),
        "detach": lambda: kernel.detach("/"), "pivot": lambda: kernel.pivot_root(".", "."), "copy": lambda: kernel.copy_tree("/"),
        "ruleset": lambda: kernel.landlock_ruleset(3, 1), "filter": lambda: kernel.seccomp(bytes(8)), "dumpable": lambda: kernel.prctl(kernel.PR_SET_DUMPABLE, 1),
        "death": lambda: kernel.prctl(kernel.PR_SET_PDEATHSIG, 0), "capabilities": kernel.drop_capabilities,
    }
    made = [held for held in gc.get_objects() if type(held).__name__ == "Confinement"]
    for held in made[:3]:
        tries |= {"fork": lambda held=held: rooms["confinement"].fork(held), "arm": lambda held=held: rooms["confinement"].arm(held, 3, {7: (4096, 4096)})}
    zygotes = [held for held in gc.get_objects() if type(held).__name__ == "Zygote"]
    for held in zygotes[:1]:
        tries["spawn"] = lambda held=held: held._spawn({"cpu": 1, "memory": 1, "output": 1}, [])
    group = [held for held in gc.get_objects() if type(held).__name__ == "Group"]
    for held in group[:1]:
        tries |= {f"limit by {fd}": (lambda fd=fd: os.pwrite(fd, b"-1", 0)) for fd in (held.limit, *held.homes) if fd > 3}
        tries |= {f"folder by {fd}": (lambda fd=fd: os.listdir(fd)) for fd in held.parents if fd > 3}
    for name, attempt in tries.items():
        try:
            if attempt() == 0 and name == "fork":
                os._exit(0)
            lines.append(f"LEAK: {name}")
        except OSError as error:
            lines.append(f"BLOCKED: {name} {error.errno}")
    return lines
