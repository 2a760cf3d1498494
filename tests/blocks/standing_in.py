"""Grade modules whose parts do not work, and say what became of the blocks around these."""

from __future__ import annotations

from collections.abc import Mapping

from block_samples import CLASSES

from grader.assessing.assess import assess
from grader.judging.grounds import without_ground
from grader.model.assignment import Assignment, Interface
from grader.model.outcome import Outcome, Verdict
from grader.model.submission import CodeChunk, CodeModule, Submission
from grader.sandbox.parent import Sandbox

FUNCTIONS = ("softmax", "scaled_dot_product_attention", "causal_mask", "positional_encoding")
SAID = "Judged with our {} in place of yours"


def graded(
    sandbox: Sandbox,
    code: str | dict[str, str],
    components: tuple[str, ...],
    said: Mapping[str, Mapping[str, object]] | None = None,
    **conventions: object,
) -> dict[str, list[Outcome]]:
    """Outcomes by component; ``code`` is one file, or several by module name, ``conventions`` those of attention."""
    said = {"multi_head_attention": conventions, **(said or {})}
    files = code if isinstance(code, dict) else {"student": code}
    known = {**CLASSES, **{name: name for name in FUNCTIONS}, "token_embedding": "TokenEmbedding"}
    every = (*FUNCTIONS, *(name for name in CLASSES if name not in {"weight_tying", "copy_task"}))
    interfaces = tuple(Interface(name, known[name], conventions=said.get(name, {})) for name in every)
    modules = tuple(CodeModule(name, (CodeChunk(text, f"{name}.py"),)) for name, text in files.items())
    submission = Submission("s", "s.py", modules)
    found = assess(submission, Assignment("a", "1", "A", interfaces, needs_torch=True), components, 3, sandbox)
    outcomes = without_ground(found.outcomes)
    return {name: [outcome for outcome in outcomes if outcome.component == name] for name in components}


def lost(outcomes: list[Outcome]) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.verdict is not Verdict.PASSED]


def notes(outcomes: list[Outcome]) -> set[str]:
    return {note for outcome in outcomes for note in outcome.notes}


def right_with(outcomes: list[Outcome], part: str) -> bool:
    return not lost(outcomes) and SAID.format(part) in notes(outcomes)
