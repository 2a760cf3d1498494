"""Hostile submissions are contained in every set-up of this machine. The table: ``python tests/attacks.py``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
OWN = TESTS / "sandbox" / "attacks"
SHARED = TESTS.parents[1] / "shared" / "corpus" / "attacks"

linux = pytest.mark.skipif(sys.platform != "linux", reason="the arena is Linux")


def run(folder: Path, tmp_path: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], dict]:
    results = tmp_path / "results.json"
    command = [sys.executable, str(TESTS / "attacks.py"), str(folder), "--json", str(results), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    return done, json.loads(results.read_text()) if results.exists() else {}


FIRE = {"own-files", "own-processes", "own-network", "own-kernel-calls", "own-file-locks", "own-signals-by-descriptor"}


SETUPS = ("root, namespaces", "root, no namespaces", "user, namespaces", "user, no namespaces")
CONTROL = "control: no confinement"


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
@pytest.mark.parametrize("setup", SETUPS)
def test_own_attacks_are_safe(tmp_path, setup):
    results = in_setup(OWN, tmp_path, setup, "--wall", "0.5", "--short")
    assert any(line.startswith("BLOCKED") for line in results["own-files"]["lines"])


@linux
def test_own_attacks_succeed_in_the_control(tmp_path):
    results = in_setup(OWN, tmp_path, CONTROL, "--wall", "0.5", "--short")
    assert {name for name, result in results.items() if result["unsafe"]} >= FIRE


@linux
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("setup", [*SETUPS, CONTROL])
def test_own_attacks_are_safe_in_every_variant(tmp_path, setup):
    in_setup(OWN, tmp_path, setup)


@linux
@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.timeout(900)
@pytest.mark.parametrize("setup", [*SETUPS, CONTROL])
def test_the_shared_corpus_is_safe_and_fires_in_the_control(tmp_path, setup):
    pytest.importorskip("torch")
    if not SHARED.is_dir():
        pytest.skip("the shared corpus is not beside this repository")
    results = in_setup(SHARED, tmp_path, setup)
    if setup == CONTROL:
        assert sum(bool(result["unsafe"]) for result in results.values()) >= 12


def test_an_absent_folder_is_skipped_politely(tmp_path):
    done, _ = run(tmp_path / "nowhere", tmp_path)
    assert done.returncode == 0
    assert "nothing to run" in done.stdout


def test_the_look_at_reports_can_fail(sandbox):
    from arena import match, reports

    assert all("full marks" in what for what in reports.unsafe(match.HONEST, sandbox, "secret"))
    assert reports.unsafe(match.HONEST, sandbox, "secret")
    assert "text: the canary" in reports.unsafe("def softmax(x): raise ValueError('secret')", sandbox, "secret")
    assert reports._in_markdown("a <script>") == ["markdown: an active element outside code"]
    assert reports._in_markdown("`a <script>`\n```\n<img src=x>\n```\n\\<a>") == []
    assert reports._in_text("a\x1b[2J", "secret") == ["control characters"]
