"""Run hostile submissions at every level that this machine offers: ``python tests/attacks.py [DIR]``.

Prints a table and exits 1 when something is unsafe. Without DIR: the project's own samples and, where it is
there, the corpus beside the repository. Run as root, it covers root and a throw-away user; else that user only.
"""

# ruff: noqa: T201 - a script that prints its table
from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

CONTROL = "control"
LEAST = 12  # attacks in a share: a zygote of its own costs about as much as two
STRIDE = 25
LATE = 2.0  # seconds after the last attack: what was left behind writes after 1.5
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "sandbox")]


def main() -> int:
    from arena import lanes, samples, setups

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--setup", action="append", help="only this set-up; may be repeated")
    parser.add_argument("--only", default="", help="only attacks whose id starts so")
    parser.add_argument("--short", action="store_true", help="leave out variants, and most that end at a time limit")
    parser.add_argument("--wall", type=float, default=0.75, help="seconds for a call")
    parser.add_argument("--jobs", type=int, default=lanes.default_count(), help="how many zygotes work at a time")
    parser.add_argument("--json", type=Path, help="write the results here too")
    options = parser.parse_args()
    if options.folder is not None and not options.folder.is_dir():
        print(f"{options.folder} is not there: nothing to run")
        return 0
    folder = options.folder or samples.HERE
    found = [each for each in samples.folder(folder) if each.name.startswith(options.only)]
    found = samples.told_apart([each for each in found if each.short or not options.short])
    if not found:
        print(f"no attack files in {folder}: nothing to run")
        return 0
    chosen = [setup for setup in setups.SETUPS if not options.setup or setup.name in options.setup]
    try:
        setups.clear_away()
        everything = _side_by_side(chosen, found, options.wall, max(1, options.jobs))
    finally:
        setups.clear_away()
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1))
    return _report(found, everything)


def _side_by_side(chosen: list[Any], found: list[Any], wall: float, jobs: int) -> dict[str, Any]:
    """Run every set-up in shares, ``jobs`` of them at a time, and return what came of each; says how far it is."""
    from arena import lanes, setups

    everything: dict[str, Any] = {}
    pieces = []
    kinds = [each for each in ([s for s in found if s.torch], [s for s in found if not s.torch]) if each]
    tried = {setup.name: [each for each in found if setup.promises(each)] for setup in chosen}
    for setup in chosen:
        reason = setups.available(setup) or ("" if tried[setup.name] else "it promises none of these")
        everything[setup.name] = {"skipped": reason} if reason else {"seconds": 0.0, "general": [], "results": {}}
        here = [[each for each in kind if setup.promises(each)] for kind in kinds]
        dealt = [] if reason else [lanes.deal(kind, jobs, LEAST, lambda sample: not sample.short) for kind in here]
        shares = [share for each in dealt for share in each]
        pieces += [(setup, share) for share in shares]
        print(
            f"{setup.name}: " + (f"skipped, {reason}" if reason else f"{sum(map(len, here))} attacks"), file=sys.stderr
        )
    open_shares = Counter(setup.name for setup, _ in pieces)
    work = [functools.partial(_run, setup, share, wall) for setup, share in pieces]
    start, count, all_of_them = time.monotonic(), 0, sum(len(share) for _, share in pieces)
    for piece, told, seconds in lanes.run(work, jobs):
        name = pieces[piece][0].name
        made = everything[name]
        if told is None:
            open_shares[name] -= 1
            made["seconds"] = round(made.get("seconds", 0.0) + seconds, 1)
            if not open_shares[name]:
                _settle(made, tried[name])
                print(f"{name}: {_summary(name, made)} ({time.monotonic() - start:.0f} s)", flush=True)
        elif "results" in told:
            made["results"] |= told["results"]
            count += len(told["results"])
            if count % STRIDE == 0:
                print(f"{count} of {all_of_them}, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
        else:
            made |= told | {"general": made["general"] + told.get("general", [])}
    return everything


def _settle(made: dict[str, Any], found: list[Any]) -> None:
    """A set-up that was not to be had, or in which a share broke off, has no results."""
    without = [each.name for each in found if each.name not in made["results"]]
    if made["results"] and without:
        made["failed"] = f"broke off, without a result: {', '.join(without)}" + made.pop("skipped", "")
    elif without and "skipped" not in made:
        made.setdefault("failed", "broke off")
    if without:
        made.pop("results")


def _run(setup: Any, share: list[Any], wall: float, tell: Callable[[dict[str, Any]], None]) -> None:
    """Run a share of the attacks in one set-up, with a zygote and a sibling of its own, and tell of each result."""
    from arena import match, setups
    from arena.bait import Bait

    from grader.sandbox import kernel
    from grader.sandbox.parent import Sandbox
    from grader.sandbox.plain import IsolationError

    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    if os.getuid() == 0 and not setup.as_root:
        setups.become_throw_away()
        # A change of uid closes /proc/self to its owner; the harness reads it.
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
    bait = Bait()
    try:
        limits = replace(match.LIMITS, call_s=wall)
        with Sandbox(setup.level, torch=share[0].torch, without=setup.without) as sandbox:
            try:
                isolation = sandbox.isolation
            except IsolationError as error:
                # A fault is no lack of the machine.
                broken = any("a start without" in lacking for lacking in error.missing)
                tell({"failed" if broken else "skipped": str(error)})
                return
            tell({"isolation": {"mechanisms": isolation.mechanisms, "missing": isolation.missing}})
            sibling = match.Sibling(sandbox)
            pids = match.pids_of(sandbox, sibling)
            mounts = "private read-only root" in isolation.mechanisms
            arena = match.Arena(sandbox, bait, pids, limits, mounts, setup.reports)
            for sample in share:
                result = dataclasses.asdict(match.attack(sample, arena))
                tell({"results": {result.pop("name"): result}})
            alive = sibling.alive()
            sibling.child.close()
        time.sleep(LATE)
        general = [] if alive else ["the sibling child did not live through it"]
        general += [f"late: {what}" for sample in share for what in bait.dropped(sample.name)]
        general += bait.touched()
        own = {bait.neighbour.pid, *match.descendants(bait.neighbour.pid)}
        left = [pid for pid in match.descendants(os.getpid()) if pid not in own]
        general += [f"processes left: {left}"] if left else []
        tell({"general": general})
    finally:
        bait.close()
        for pid in match.descendants(os.getpid()):  # the control run leaves some on purpose
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _summary(name: str, made: dict[str, Any]) -> str:
    if "results" not in made:
        return f"skipped, {made['skipped']}" if "skipped" in made else str(made["failed"])
    fired = sum(bool(result["unsafe"]) for result in made["results"].values())
    rest = "fire, as they should without confinement" if name.startswith(CONTROL) else "UNSAFE"
    return f"{len(made['results']) - fired} of {len(made['results'])} safe" + (f", {fired} {rest}" if fired else "")


def _report(found: list[Any], everything: dict[str, Any]) -> int:
    unsafe = 0
    ran = {name: made for name, made in everything.items() if "results" in made}
    width = max(len(sample.name) for sample in found) + 2
    print(" " * width + "  ".join(f"{name:24}" for name in ran))
    for sample in found:
        cells = []
        for name, made in ran.items():
            result = made["results"].get(sample.name, {"unsafe": [], "verdict": "-"})  # not promised here, not tried
            control = name.startswith("control")
            word = ("FIRES " if control else "UNSAFE ") if result["unsafe"] else "safe "
            word = "" if result["verdict"] == "-" else word
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
        count = len(made["results"])
        print(f"\n{name}: {count - len(fired)} of {count} safe, {made['seconds']} s; missing: {missing}")
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
