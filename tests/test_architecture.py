"""What the rooms may import, and what a light start may load."""

from __future__ import annotations

import ast
import itertools
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("torch", "numpy", "rich", "pydantic", "yaml", "jsonschema", "asyncio")

pytestmark = pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="needs the checkout")


def loaded_after(code: str) -> set[str]:
    """The names in sys.modules of a fresh interpreter that ran ``code``."""
    probe = f"import sys, json\n{code}\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, cwd=ROOT, timeout=60
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def run_command(*words: str) -> str:
    return (
        "from grader.cli import main\n"
        f"sys.argv = ['grader', *{list(words)!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass"
    )


def test_import_contracts_hold() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_torch_is_imported_beside_student_code_only() -> None:
    import grimp

    graph = grimp.build_graph("grader", "reference", include_external_packages=True, cache_dir=None)
    importers = graph.find_modules_that_directly_import("torch") if "torch" in graph.modules else set()
    allowed = ("grader.sandbox", "reference.modules")
    assert sorted(name for name in importers if not name.startswith(allowed)) == []


def test_the_reference_needs_numpy_alone() -> None:
    import grimp

    graph = grimp.build_graph("reference", include_external_packages=True, cache_dir=None)
    foreign = {
        imported.partition(".")[0]
        for module in graph.modules
        if module.startswith("reference") and not module.startswith("reference.modules")
        for imported in graph.find_modules_directly_imported_by(module)
    }
    assert foreign - set(sys.stdlib_module_names) <= {"reference", "numpy"}


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("check", "--help"), ("grade", "--help")])
def test_a_light_command_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    assert sorted(loaded_after(run_command(*words)) & set(HEAVY)) == []


@pytest.mark.parametrize("words", [(), ("-a", "attention-numpy")])
def test_a_check_of_numpy_work_loads_what_it_needs_and_no_more(words: tuple[str, ...]) -> None:
    """What the bundled files mean is plain data; the models that validate other people's files stay out."""
    loaded = loaded_after(run_command("check", "examples/class/right.py", *words))
    assert "grader.components.attention" in loaded
    unneeded = {"torch", "jsonschema", "jinja2", "asyncio", "importlib.resources", "importlib.metadata", "nbformat"}
    unneeded |= {"tomllib"}  # what is known of mistakes is read where one is made
    assert sorted(loaded & {*unneeded, "pydantic.main", "pydantic_core", "grader.written.key"}) == []


def test_one_verb_does_not_load_the_others() -> None:
    loaded = {name for name in loaded_after(run_command("check", "--help")) if name.startswith("grader.cli.")}
    others = {"grader.cli.grading", "grader.cli.ci", "grader.cli.starting", "grader.cli.schema"}
    assert [name for name in others if find_spec(name) is None] == []
    assert loaded & others == set()


def test_no_module_is_named_after_a_drawer() -> None:
    drawers = {"utils", "helpers", "common", "manager", "handler", "misc"}
    found = [path for room in ("grader", "reference") for path in (ROOT / room).rglob("*.py")]
    assert [str(path) for path in found if path.stem in drawers] == []


def test_contributing_lists_the_layers_that_the_contract_holds() -> None:
    """Every room once, in the contract's order."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = next(one["layers"] for one in contracts["contracts"] if one["type"] == "layers")
    held = [{name.strip(" ()") for name in layer.split(":")} for layer in layers]
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text[text.index("## The layers") : text.index("`reference/` sits beside it")]
    table = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    told = [set(re.findall(r"`([a-z_]+)(?:/|\.py)`", row)) for row in table]
    order = {name: floor for floor, names in enumerate(held) for name in names}
    assert sorted(name for row in told for name in row) == sorted(order)
    floors = [[order[name] for name in row] for row in told]
    assert all(max(above) <= min(below) for above, below in itertools.pairwise(floors))


PARTING = {"startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix", "find", "index"}


def readings(tree: ast.AST) -> Iterator[str]:
    """Where code looks into a sentence of ours; what student code raised says of itself is no sentence of ours."""
    for node in ast.walk(tree):
        parts: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            parts = [one for one in node.comparators if isinstance(node.ops[0], ast.In | ast.NotIn)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PARTING:
            parts = [node.func.value]
        for one in parts:
            ours = isinstance(one, ast.Attribute) and one.attr in {"message", "cure", "staff_note"}
            if ours and not ast.unparse(one.value).endswith("failure"):
                yield ast.unparse(node)


def test_no_message_of_ours_is_read_by_code() -> None:
    assert [*readings(ast.parse('"is not" in outcome.message or error.cure.endswith(":")'))]
    texts = {str(path): path.read_text(encoding="utf-8") for path in ROOT.glob("grader/**/*.py")}
    speaking = {path: text for path, text in texts.items() if re.search(r"\.(message|cure|staff_note)\b", text)}
    assert [(path, found) for path, text in speaking.items() for found in readings(ast.parse(text))] == []
