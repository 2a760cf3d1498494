"""What the grader's own process shows to others: nothing that student code could read its secrets from.

The kernel shows every process of a user the environment and the command line that a process was started with, as they
lie in its memory. The values go on living in this process, whose memory is then nobody's to read.
"""

import ctypes
import os
import re
import sys
from collections.abc import Sequence

SECRET = frozenset(
    ("TOKEN", "TOKENS", "KEY", "KEYS", "SECRET", "SECRETS", "PASS", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL",
     "CREDENTIALS", "JWT", "PAT", "SEED", "SEEDS")
)  # fmt: skip
"""Words of a variable's name that say: what it holds is handed on to nobody."""

OURS = ("GRADER_SEED", "GRADER_JUDGE_KEY")
"""Variables that a command of ours reads, once; who reads one takes it out of the environment with ``take``."""

_AREAS = slice(45, 49)  # begin and end of arguments and environment, in /proc/self/stat behind the name


def is_secret(name: str) -> bool:
    """Whether a variable's name says that its value is nobody's business: ``GITHUB_TOKEN``, ``aws_secret_key_id``."""
    return not SECRET.isdisjoint(re.split(r"[^A-Z0-9]+", name.upper()))


def take(name: str) -> str | None:
    """Return a variable of the environment and remove it; None where it is not set."""
    return os.environ.pop(name, None)


def withdraw(words: Sequence[str] = ()) -> None:
    """Hide this process's environment, and ``words`` of its command line, from all who look at it from outside.

    Variables with a secret's name leave the environment, but for OURS. The rest stays for this process and those that
    it starts. On Linux nobody without rights over the whole machine can read this process's memory afterwards;
    elsewhere the variables are removed and no more.
    """
    for name in [name for name in os.environ if is_secret(name) and name not in OURS]:
        del os.environ[name]
    if sys.platform != "linux":
        return
    from . import kernel

    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    for name, value in list(os.environ.items()):
        os.environ[name] = value  # a copy elsewhere: libraries look at theirs long after this
    try:
        with open("/proc/self/stat") as file:
            areas = [int(word) for word in file.read().rpartition(")")[2].split()[_AREAS]]
    except OSError:
        return  # no /proc, and so none that shows anything
    _mask(areas[0], areas[1], words)
    ctypes.memset(areas[2], 0, areas[3] - areas[2])


def _mask(begin: int, end: int, words: Sequence[str]) -> None:
    """Overwrite arguments that are one of ``words``, or that end with one behind a sign of equality."""
    at = begin
    for argument in ctypes.string_at(begin, end - begin).split(b"\0"):
        for word in filter(None, map(os.fsencode, words)):
            if argument == word or argument.endswith(b"=" + word):
                ctypes.memset(at + len(argument) - len(word), ord("*"), len(word))
        at += len(argument) + 1
