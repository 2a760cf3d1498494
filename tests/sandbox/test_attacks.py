"""Hostile submissions are contained in every set-up of this machine. The table: ``python tests/attacks.py``."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

TESTS = Path(__file__).resolve().parents[1]
OWN = TESTS / "sandbox" / "attacks"

linux = pytest.mark.skipif(sys.platform != "linux", reason="the arena is Linux")


def run(folder: Path, tmp_path: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], dict]:
    results = tmp_path / "results.json"
    command = [sys.executable, str(TESTS / "attacks.py"), str(folder), "--json", str(results), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    return done, json.loads(results.read_text()) if results.exists() else {}


FIRE = {
    "own-secrets-of-other-processes", "own-files", "own-processes", "own-network", "own-kernel-calls", "own-file-locks",
    "own-signals-by-descriptor",
}  # fmt: skip


SETUPS = ("root, namespaces", "root, no namespaces", "user, namespaces", "user, no namespaces")
STANDARD = ("root, standard", "user, standard")
CONTROL = "control: no confinement"
AT_ONCE = {"user, namespaces"}


def in_setup(folder: Path, tmp_path: Path, setup: str, *options: str) -> dict:
    """Run a folder in one set-up and return what came of each file. Skips where the set-up is not to be had."""
    done, setups = run(folder, tmp_path, "--setup", setup, *options)
    assert setup in setups, done.stdout + done.stderr
    if "results" not in setups[setup]:
        assert "skipped" in setups[setup], done.stdout + done.stderr
        pytest.skip(f"not to be had here: {setups[setup]['skipped']}")
    results = setups[setup]["results"]
    assert len(results) > 40
    if setup != CONTROL:
        assert [name for name, result in results.items() if result["unsafe"]] == []
        assert done.returncode == 0, done.stdout + done.stderr
    return results


@linux
@pytest.mark.parametrize(
    "setup", [pytest.param(one, marks=[] if one in AT_ONCE else [pytest.mark.slow]) for one in (*SETUPS, *STANDARD)]
)
def test_own_attacks_are_safe(tmp_path, setup):
    results = in_setup(OWN, tmp_path, setup, "--wall", "0.5", "--short")
    assert setup in STANDARD or any(line.startswith("BLOCKED") for line in results["own-files"]["lines"])
    assert results["own-secrets-of-other-processes"]["lines"] == ["BLOCKED: nothing more"]


@linux
@pytest.mark.slow
def test_own_attacks_succeed_in_the_control(tmp_path):
    results = in_setup(OWN, tmp_path, CONTROL, "--wall", "0.5", "--short")
    assert {name for name, result in results.items() if result["unsafe"]} >= FIRE


@linux
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("setup", [*SETUPS, *STANDARD, CONTROL])
def test_own_attacks_are_safe_in_every_variant(tmp_path, setup):
    in_setup(OWN, tmp_path, setup)


def test_an_absent_folder_is_skipped_politely(tmp_path):
    done, _ = run(tmp_path / "nowhere", tmp_path)
    assert done.returncode == 0
    assert "nothing to run" in done.stdout


@linux
def test_an_unsafe_file_is_named_and_fails_the_run_beside_one_of_the_same_id(tmp_path):
    head = "# attack: twin\n# kind: module\n# expected: {}\nimport numpy as np\n"
    wrong = "def softmax(x): return np.zeros_like(x)\n"
    (tmp_path / "a.py").write_text(head.format("fail") + wrong)
    (tmp_path / "b.py").write_text(head.format("exc") + wrong)
    done, setups = run(tmp_path, tmp_path, "--setup", SETUPS[3])
    if "results" not in setups[SETUPS[3]]:
        pytest.skip(f"not to be had here: {setups[SETUPS[3]]['skipped']}")
    unsafe = {name: result["unsafe"] for name, result in setups[SETUPS[3]]["results"].items()}
    assert unsafe == {"twin": [], "twin_2": ["fail, expected exc"]}
    assert done.returncode == 1
    assert f"{SETUPS[3]}: 1 of 2 safe, 1 UNSAFE" in done.stdout
    assert "twin_2: fail, expected exc" in done.stdout
    assert done.stdout.rstrip().endswith("1 unsafe")


def told(piece, tell):
    tell({"began": piece})
    if piece == 2:
        raise ValueError
    tell({"ended": piece})


@linux
def test_work_side_by_side_tells_all_of_each_piece_and_ends_each_once(capfd):
    from arena import lanes

    heard = [(piece, said) for piece, said, _ in lanes.run([functools.partial(told, each) for each in range(5)], 2)]
    assert sorted(piece for piece, said in heard if said is None) == [0, 1, 2, 3, 4]
    assert [said for piece, said in heard if piece == 1] == [{"began": 1}, {"ended": 1}, None]
    assert [said for piece, said in heard if piece == 2] == [{"began": 2}, None]
    assert "ValueError" in capfd.readouterr().err


def test_shares_hold_every_attack_once_in_order_and_the_slow_ones_evenly():
    from arena import lanes

    shares = lanes.deal(list(range(40)), 3, 10, lambda each: each < 6)
    assert sorted(each for share in shares for each in share) == list(range(40))
    assert [sum(each < 6 for each in share) for share in shares] == [2, 2, 2]
    assert all(share == sorted(share) for share in shares)
    assert lanes.deal([1, 2], 4, 10, bool) == [[1, 2]]


def test_the_look_at_reports_can_fail(sandbox):
    from arena import match, reports

    assert all("full marks" in what for what in reports.unsafe(match.HONEST, sandbox, "secret"))
    assert reports.unsafe(match.HONEST, sandbox, "secret")
    assert "text: the canary" in reports.unsafe("def softmax(x): raise ValueError('secret')", sandbox, "secret")
    assert reports._in_markdown("a <script>") == ["markdown: an active element outside code"]
    assert reports._in_markdown("`a <script>`\n```\n<img src=x>\n```\n\\<a>") == []
    assert reports._in_text("a\x1b[2J", "secret") == ["control characters"]


def test_the_look_at_further_forms_can_fail(sandbox, monkeypatch):
    from grader.sandbox.parent import Session

    from arena import match

    limits = replace(match.LIMITS, call_s=0.75)
    arena = match.Arena(sandbox, SimpleNamespace(secret="secret"), {}, limits, mounts=False, reports=False)
    code = (OWN / "form_known_by_its_number.py").read_text()
    kept, told = match.Result("kept"), match.Result("told")
    match._next_forms(code, {}, arena, kept)
    assert kept.unsafe == []
    renew, asked = Session.renew, count()
    monkeypatch.setattr(Session, "renew", lambda session: renew(session) if next(asked) % 2 else None)
    match._next_forms(code, {}, arena, kept)
    assert kept.unsafe == ["the answer was carried into the next child"]
    prints = (
        "import builtins, sys\nlib = sys.modules.get('stand_in_for_softmax')\nprint(getattr(builtins, 'mark', ''))\n"
    )
    prints += "def softmax(x):\n    import stand_in_for_softmax as lib, builtins\n    builtins.mark = lib.MARK\n"
    match._next_forms(prints, {}, arena, told)
    assert told.unsafe == ["what lay beside the second form was told in another one"]
