"""What a level is made of, what happens where it is not to be had, and what a child can see."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from grader.sandbox.parent import Sandbox
from grader.sandbox.plain import IsolationError

from questions import QUICK, call, source

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="strict needs Linux")
ROOM = Path(__file__).resolve().parents[2] / "grader" / "sandbox"

LOOK = """
import os, sys
def listing(path):
    try:
        return sorted(os.listdir(path))
    except OSError as error:
        return error.errno
def environment(): return dict(os.environ)
def arguments(): return [list(sys.argv), list(sys.orig_argv), list(sys.path)]
def name(): return os.uname().nodename
def own(): return [os.getpid(), os.getuid(), os.getcwd()]
def modules(): return sorted(sys.modules)
def import_with(path):
    sys.path.insert(0, path)
    try:
        import click
        return getattr(click, "__file__", None)
    except ImportError as error:
        return str(error)
"""


def look(sandbox, target, *args):
    return sandbox.ask(source(LOOK), (call(target, *args),), QUICK).replies[0].values[0]


def test_strict_names_what_it_is_made_of():
    with Sandbox("strict") as sandbox:
        isolation = sandbox.isolation
    assert isolation.applied == "strict"
    assert any(name.startswith("Landlock ABI") for name in isolation.mechanisms)
    assert any(name.startswith("seccomp allow-list") for name in isolation.mechanisms)
    assert "no_new_privs" in isolation.mechanisms


@pytest.mark.parametrize("mechanism", ["landlock", "seccomp"])
def test_strict_is_refused_by_name_where_a_mechanism_is_missing(mechanism):
    with Sandbox("strict", without=(mechanism,)) as sandbox:
        with pytest.raises(IsolationError) as caught:
            sandbox.ask(source("def f(): pass"), (call("f"),))
        assert mechanism in " ".join(caught.value.missing).lower()
        with pytest.raises(IsolationError):
            _ = sandbox.isolation


def test_auto_takes_standard_where_strict_is_not_to_be_had_and_says_so():
    with Sandbox("auto", without=("seccomp",)) as sandbox:
        isolation = sandbox.isolation
    assert (isolation.requested, isolation.applied) == ("auto", "standard")
    assert "seccomp" in isolation.missing


def test_auto_is_strict_where_strict_is_to_be_had():
    with Sandbox("auto") as sandbox:
        assert sandbox.isolation.applied == "strict"


def test_without_namespaces_strict_holds_and_lists_them():
    with Sandbox("strict", without=("namespaces",)) as sandbox:
        isolation = sandbox.isolation
        assert isolation.applied == "strict"
        assert any("namespaces" in name for name in isolation.missing)
        assert look(sandbox, "listing", "/") == 13
        assert look(sandbox, "listing", "/proc") == 13


def test_the_private_root_holds_python_and_nothing_else():
    with Sandbox("strict") as sandbox:
        if "private read-only root" not in sandbox.isolation.mechanisms:
            pytest.skip("no mount namespace here")
        for path in ("/", "/tmp", "/home", "/proc", "/sys", "/var", "/etc", "/dev"):
            assert look(sandbox, "listing", path) in (2, 13)
        assert look(sandbox, "own")[0] == 1  # the first process of its own pid namespace


def test_the_machine_has_another_name_in_a_namespace_of_its_own():
    with Sandbox("strict") as sandbox:
        if "private read-only root" not in sandbox.isolation.mechanisms:
            pytest.skip("no namespaces here")
        assert look(sandbox, "name") == "sandbox" != os.uname().nodename


def test_a_child_sees_a_clean_environment_and_no_arguments(sandbox, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    environment = look(sandbox, "environment")
    assert "SECRET_TOKEN" not in environment
    assert environment["OMP_NUM_THREADS"] == "1"
    assert environment["PYTHONHASHSEED"] == "0"
    argv, original, path = look(sandbox, "arguments")
    assert argv == original == [""]
    assert not any("site-packages" in entry or str(ROOM.parents[1]) in entry for entry in path)
    assert look(sandbox, "own")[2] == "/"


def test_no_module_of_the_grader_is_in_a_childs_memory(sandbox):
    roots = {name.partition(".")[0] for name in look(sandbox, "modules")}
    assert not roots & {"grader", "reference", "pytest", "click", "pydantic", "rich", "yaml", "torch"}


def test_in_strict_a_path_to_site_packages_opens_nothing():
    import click

    site = str(Path(click.__file__).parents[1])
    with Sandbox("strict") as sandbox:
        assert look(sandbox, "import_with", site) == "No module named 'click'"


def test_hash_order_is_the_same_in_every_child(sandbox):
    code = "def f(): return [hash(word) for word in ('query', 'key', 'value')]"
    first, second = (sandbox.ask(source(code), (call("f"),), QUICK).replies[0].values for _ in range(2))
    assert first == second


@pytest.mark.parametrize("level", ["standard", "strict"])
def test_nothing_is_writable(level, tmp_path):
    tmp_path.chmod(0o777)
    code = """
import os, tempfile
def f(*paths):
    done = []
    for path in paths:
        try:
            with open(path, "w") as file: file.write("x" * 100)
            done.append(path)
        except OSError: pass
    return done
"""
    paths = (str(tmp_path / "made"), "/tmp/made", "made", "/dev/shm/made")
    with Sandbox(level) as sandbox:
        assert sandbox.ask(source(code), (call("f", *paths),), QUICK).replies[0].values == ([],)
    assert list(tmp_path.iterdir()) == []


def virtual_environment(folder: Path) -> Path:
    """Make an environment that borrows this one's numpy as a real copy of the folder layout."""
    import numpy as np

    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    origin = Path(np.__file__).parents[1]
    for name in ("numpy", "numpy.libs"):
        if (origin / name).exists():
            shutil.copytree(
                origin / name, site / name, copy_function=os.link if same_disk(origin, site) else shutil.copy
            )
    return folder / "bin" / "python"


def same_disk(one: Path, other: Path) -> bool:
    return one.stat().st_dev == other.stat().st_dev


def test_a_virtual_environment_under_tmp_is_not_hidden_by_the_private_root():
    folder = Path("/tmp") / f"environment-{os.getpid()}"
    try:
        python = virtual_environment(folder)
        room = folder / "room" / "grader"
        shutil.copytree(ROOM, room / "sandbox")
        (room / "__init__.py").write_text("")
        code = (
            "from grader.sandbox.parent import *\nfrom grader.sandbox.plain import *\n"
            "with Sandbox('strict') as s:\n"
            "    a = s.ask(Source((Module('hw', (Chunk('import numpy\\ndef f(): return numpy.__file__', 'hw.py'),)),)),"
            " (Program(({'do': 'call', 'target': 'f'},)),))\n"
            "    print(s.isolation.applied, a.replies[0].values, s.isolation.mechanisms)\n"
        )
        done = subprocess.run(
            [str(python), "-c", code], cwd=room.parent, capture_output=True, text=True, check=False, timeout=60
        )
        assert "strict" in done.stdout, done.stderr
        assert f"{folder}/lib" in done.stdout
        with Sandbox("strict") as sandbox:
            private = "private read-only root" in sandbox.isolation.mechanisms
        assert ("private read-only root" in done.stdout) == private
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_a_place_that_cannot_be_bound_is_an_error_and_not_a_surprise(tmp_path):
    from grader.sandbox import kernel, namespaces
    from grader.sandbox.places import Places

    if os.getuid() != 0:
        pytest.skip("needs root to try")
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            kernel.unshare(kernel.CLONE_NEWNS)
            kernel.mount(b"none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
            namespaces.private_root(Places((str(tmp_path / "nowhere"),), (), ()))
        except FileNotFoundError:
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_start_does_not_wait_for_the_zygote(monkeypatch):
    from grader.sandbox.control import Control

    waits = []
    receive = Control._next
    monkeypatch.setattr(Control, "_next", lambda self, deadline: waits.append(1) or receive(self, deadline))
    with Sandbox("standard") as sandbox:
        assert sandbox._control.pid > 0
        assert waits == []
        assert sandbox.isolation.applied == "standard"
        assert waits == [1]


def test_importing_the_room_brings_no_numpy():
    code = "import sys, grader.sandbox.parent; print([n in sys.modules for n in ('numpy', 'torch', 'pydantic')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOM.parents[1], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[False, False, False]"
