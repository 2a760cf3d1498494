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


def must_be_safe(done: subprocess.CompletedProcess[str], setups: dict) -> None:
    strict = {name: made for name, made in setups.items() if not name.startswith("control")}
    ran = {name: made for name, made in strict.items() if "results" in made}
    if not ran:
        pytest.skip(f"strict is not to be had here: {strict}")
    assert done.returncode == 0, done.stdout + done.stderr
    for made in ran.values():
        assert [name for name, result in made["results"].items() if result["unsafe"]] == []
        assert any(line.startswith("BLOCKED") for line in made["results"]["own-files"]["lines"])
    control = setups["control: no confinement"]
    if "results" in control:
        assert {name for name, result in control["results"].items() if result["unsafe"]} >= FIRE


@linux
def test_own_attacks_are_safe_in_every_setup_and_fire_in_the_control(tmp_path):
    must_be_safe(*run(OWN, tmp_path, "--wall", "0.4", "--short"))


@linux
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_own_attacks_in_every_variant_are_safe_in_every_setup(tmp_path):
    must_be_safe(*run(OWN, tmp_path))


@linux
@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.timeout(900)
def test_the_shared_corpus_is_safe_in_every_setup_and_fires_in_the_control(tmp_path):
    pytest.importorskip("torch")
    if not SHARED.is_dir():
        pytest.skip("the shared corpus is not beside this repository")
    done, setups = run(SHARED, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    control = setups["control: no confinement"]
    if "results" in control:
        assert sum(bool(result["unsafe"]) for result in control["results"].values()) >= 12


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
