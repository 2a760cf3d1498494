"""A beam search as a tree that grows to the right, a column for each step."""

from xml.etree import ElementTree as ET

from grader.model.outcome import Beams, Branch
from grader.report.pictures import svg

ACROSS, DOWN, WIDE, HIGH, TOP = 120, 34, 84, 24, 22
"""From one column and row to the next, the size of a box, and the room above."""


def draw(picture: Beams, name: str) -> ET.Element:
    """Return the tree: what was kept, what fell out of the beam, the right sentence and the student's."""
    made, row = svg.figure(
        "The search as a tree: each box is a token with the sum of its log-probabilities so far; what fell out of the "
        "beam is dashed. Green leads to the right sentence, red to yours."
    )
    rows = _rows(picture)
    depth = max(len(tokens) for tokens in rows)
    high = TOP + DOWN * (max(rows.values()) + 1)
    drawn = svg.drawing(row, name, "Beam search as a tree", _described(picture), ACROSS * depth, high)
    for branch in picture.branches:
        if len(branch.tokens) > 1 and branch.tokens[:-1] in rows:
            begin, end = _place(branch.tokens[:-1], rows), _place(branch.tokens, rows)
            points = [(begin[0] + WIDE, begin[1] + HIGH / 2), (end[0], end[1] + HIGH / 2)]
            svg.line(drawn, points, f"line {_kind(picture, branch)}")
    for step in range(depth):
        svg.text(drawn, step * ACROSS + 2, 13, "start" if step == 0 else f"step {step}", "label")
    for branch in picture.branches:
        x, y = _place(branch.tokens, rows)
        svg.box(drawn, x, y, WIDE, HIGH, rx="4", kind=f"box {_kind(picture, branch)}")
        token = "end" if branch.tokens[-1] == picture.end and len(branch.tokens) > 1 else str(branch.tokens[-1])
        svg.text(drawn, x + 6, y + 16, f"{token} {branch.score:.2f}")
    return made


def _rows(picture: Beams) -> dict[tuple[int, ...], int]:
    """The row of each beginning: leaves below one another, a parent beside its first child."""
    known = {branch.tokens for branch in picture.branches}
    rows: dict[tuple[int, ...], int] = {}
    below = 0

    def lay(tokens: tuple[int, ...]) -> None:
        nonlocal below
        children = sorted(one for one in known if len(one) == len(tokens) + 1 and one[:-1] == tokens)
        rows[tokens] = below
        for number, child in enumerate(children):
            below += number > 0
            lay(child)

    lay(picture.branches[0].tokens)
    return rows


def _place(tokens: tuple[int, ...], rows: dict[tuple[int, ...], int]) -> tuple[int, int]:
    return 2 + (len(tokens) - 1) * ACROSS, TOP + DOWN * rows[tokens]


def _kind(picture: Beams, branch: Branch) -> str:
    size = len(branch.tokens)
    kept = "" if branch.kept else " gone"
    if picture.expected[:size] == branch.tokens:
        return f"right{kept}"
    return f"{'wrong' if picture.got[:size] == branch.tokens else 'idle'}{kept}"


def _described(picture: Beams) -> str:
    said = []
    for step in range(1, max(len(branch.tokens) for branch in picture.branches)):
        kept = [b for b in picture.branches if len(b.tokens) == step + 1 and b.kept]
        if kept:
            said.append(f"Step {step} keeps {'; '.join(f'{list(b.tokens)} with {b.score:.2f}' for b in kept)}.")
    return f"The right sentence is {list(picture.expected)}, yours {list(picture.got)}. {' '.join(said)}"
