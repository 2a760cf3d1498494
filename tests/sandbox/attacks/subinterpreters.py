# expected: fail|crash|exc
# standard: open
# safe-outcome: a second interpreter in the process may do no more than the first
# stopped-by: seccomp and Landlock hold for the process
CODE = """
import os, socket
lines = []
for name, attempt in {"file": lambda: open(%r).read(), "fork": os.fork, "socket": socket.socket, "list": lambda: os.listdir("/tmp")}.items():
    try:
        attempt()
        lines.append("LEAK: " + name)
    except (OSError, RuntimeError) as error:
        lines.append("BLOCKED: " + name)
os.write(%d, "\\n".join(lines).encode())
"""


def probe():
    import os

    try:
        import _xxsubinterpreters as inner
    except ImportError as error:
        return [f"BLOCKED: {error}"]
    read, write = os.pipe()
    inner.run_string(inner.create(), CODE % (HINTS["rubric"], write))
    os.close(write)
    return os.read(read, 9999).decode().splitlines()
