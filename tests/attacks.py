"""Run hostile submissions at every level that this machine offers: ``python tests/attacks.py [DIR]``.

Prints a table and exits 1 when something is unsafe. Without DIR: the project's own samples and, where it is
there, the corpus beside the repository. Run as root, it covers root and a throw-away user; else that user only.
"""

# ruff: noqa: T201 - a script that prints its table
from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "sandbox")]


def main() -> int:
    from arena import samples, setups

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--setup", action="append", help="only this set-up; may be repeated")
    parser.add_argument("--only", default="", help="only attacks whose id starts so")
    parser.add_argument("--short", action="store_true", help="leave out variants, and most that end at a time limit")
    parser.add_argument("--wall", type=float, default=1.5, help="seconds for a call")
    parser.add_argument("--json", type=Path, help="write the results here too")
    options = parser.parse_args()
    if options.folder is not None and not options.folder.is_dir():
        print(f"{options.folder} is not there: nothing to run")
        return 0
    folders = [options.folder] if options.folder else [path for path in (samples.HERE, samples.SHARED) if path.is_dir()]
    found = [each for path in folders for each in samples.folder(path) if each.name.startswith(options.only)]
    found = [each for each in found if each.short or not options.short]
    if not found:
        print(f"no attack files in {', '.join(map(str, folders))}: nothing to run")
        return 0
    everything: dict[str, Any] = {}
    try:
        setups.clear_away()
        for setup in setups.SETUPS:
            if options.setup and setup.name not in options.setup:
                continue
            reason = setups.available(setup)
            made = {"skipped": reason} if reason else _in_process_of_its_own(setup, found, options.wall)
            everything[setup.name] = made
            setups.clear_away()
    finally:
        setups.clear_away()
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1))
    return _report(found, everything)


def _in_process_of_its_own(setup: Any, found: list[Any], wall: float) -> dict[str, Any]:
    """Run one set-up in a fork, which may give up root and is watched for what it leaves behind."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        code = 1
        try:
            data = json.dumps(_run(setup, found, wall)).encode()
            with os.fdopen(write, "wb") as file:
                file.write(data)
            code = 0
        except Exception:  # noqa: BLE001 - whatever it was, it is shown
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        data = file.read()
    os.waitpid(pid, 0)
    return json.loads(data) if data else {"failed": "the run broke off"}


def _run(setup: Any, found: list[Any], wall: float) -> dict[str, Any]:
    from arena import match, setups
    from arena.bait import Bait

    from grader.sandbox import kernel
    from grader.sandbox.parent import IsolationError, Sandbox

    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    if os.getuid() == 0 and not setup.as_root:
        setups.become_throw_away()
        # A change of uid closes /proc/self to its owner; the harness reads it.
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
    bait = Bait()
    start = time.monotonic()
    try:
        torch = any("torch" in sample.code for sample in found)
        limits = replace(match.LIMITS, call_wall=wall)
        with Sandbox(setup.level, torch=torch, without=setup.without) as sandbox:
            try:
                isolation = sandbox.isolation
            except IsolationError as error:
                # A fault is no lack of the machine.
                broken = any("a start without" in lacking for lacking in error.missing)
                return {"failed" if broken else "skipped": str(error)}
            sibling = match.Sibling(sandbox)
            pids = match.pids_of(sandbox, sibling)
            mounts = "private read-only root" in isolation.mechanisms
            arena = match.Arena(sandbox, bait, pids, limits, mounts, setup.reports)
            results = [match.attack(sample, arena) for sample in found]
            alive = sibling.alive()
            sibling.child.close()
        time.sleep(max(0.0, 2.0 - (time.monotonic() - start)))  # a grandchild writes after 1.5 s
        general = [] if alive else ["the sibling child did not live through it"]
        general += [f"late: {what}" for sample in found for what in bait.dropped(sample.name)]
        general += bait.touched()
        left = match.descendants(os.getpid())
        general += [f"processes left: {left}"] if left else []
    finally:
        bait.close()
        for pid in match.descendants(os.getpid()):  # the control run leaves some on purpose
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
    return {
        "isolation": {"mechanisms": isolation.mechanisms, "missing": isolation.missing},
        "seconds": round(time.monotonic() - start, 1),
        "general": general,
        "results": {
            r.name: {"verdict": r.verdict, "unsafe": r.unsafe, "lines": r.lines, "seconds": r.seconds} for r in results
        },
    }


def _report(found: list[Any], everything: dict[str, Any]) -> int:
    unsafe = 0
    ran = {name: made for name, made in everything.items() if "results" in made}
    width = max(len(sample.name) for sample in found) + 2
    print(" " * width + "  ".join(f"{name:24}" for name in ran))
    for sample in found:
        cells = []
        for name, made in ran.items():
            result = made["results"][sample.name]
            control = name.startswith("control")
            word = ("FIRES " if control else "UNSAFE ") if result["unsafe"] else "safe "
            unsafe += bool(result["unsafe"]) and not control
            cells.append(f"{word + result['verdict']:24}")
        print(f"{sample.name:{width}}" + "  ".join(cells))
    for name, made in everything.items():
        if "results" not in made:
            print(f"\n{name}: {'skipped, ' + made['skipped'] if 'skipped' in made else made['failed']}")
            unsafe += "failed" in made
            continue
        control = name.startswith("control")
        fired = [each for each, result in made["results"].items() if result["unsafe"]]
        missing = "; ".join(made["isolation"]["missing"]) or "nothing"
        print(f"\n{name}: {len(found) - len(fired)} of {len(found)} safe, {made['seconds']} s; missing: {missing}")
        if not control:
            for each in fired:
                print(f"  {each}: {'; '.join(made['results'][each]['unsafe'])[:600]}")
            unsafe += len(made["general"])
            for each in made["general"]:
                print(f"  {each}")
    print("\n" + (f"{unsafe} unsafe" if unsafe else "all safe"))
    return 1 if unsafe else 0


if __name__ == "__main__":
    sys.exit(main())
