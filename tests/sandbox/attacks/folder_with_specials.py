# kind: archive
# expected: refused|fail|exc
# safe-outcome: links, loops, pipes, sockets and closed folders in a hand-in are not followed, waited for or read
# stopped-by: only regular files; nothing is followed
import os
import socket


def build(folder, hints):
    root = os.path.join(folder, "handed", f"in{HINTS['variant']}")
    os.makedirs(os.path.join(root, "deep"), exist_ok=True)
    code = "import numpy as np\ndef softmax(x): return np.zeros_like(x)\n"
    open(os.path.join(root, "hw.py"), "w").write(code)
    wanted = {"oracle.py": hints["oracle"], "rubric.yaml": hints["rubric"], "all": "/", "loop": ".", "deep/up.py": "../../../../../etc/passwd", "endless.py": "/dev/zero", "secret.md": "/proc/self/environ"}
    for name, aim in wanted.items():
        if not os.path.lexists(os.path.join(root, name)):
            os.symlink(aim, os.path.join(root, name))
    for name in ("pipe.py", "pipe.ipynb", "deep/pipe.md"):
        if not os.path.lexists(os.path.join(root, name)):
            os.mkfifo(os.path.join(root, name))
    here = os.getcwd()
    os.chdir(root)
    try:
        socket.socket(socket.AF_UNIX).bind("s.py")
    except OSError:
        pass
    finally:
        os.chdir(here)
    return root
