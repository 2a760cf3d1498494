"""Every noun that travels: frozen, picklable data and nothing else.

``grade(submission, settings) -> Report`` takes and returns these, so that the command line, CI, a class and a
cluster are the same code.
"""

from grader.model.assignment import (
    Adapter,
    Argument,
    Assignment,
    Audience,
    Criterion,
    HintLevel,
    Interface,
    Limits,
    Question,
    Rubric,
    RubricCheck,
    Section,
)
from grader.model.outcome import (
    Answer,
    Beams,
    Branch,
    By,
    Cells,
    Counterexample,
    Curve,
    Diagnosis,
    Grid,
    Location,
    Outcome,
    Picture,
    Place,
    Raised,
    Reason,
    Shapes,
    Span,
    Stage,
    Tells,
    Verdict,
    joined,
)
from grader.model.report import Isolation, Level, Mark, Printed, Report, Settings
from grader.model.submission import CodeChunk, CodeModule, Document, Submission
from grader.model.text import StudentText, mask_addresses

__all__ = [
    "Adapter", "Answer", "Argument", "Assignment", "Audience", "Beams", "Branch", "By", "Cells", "CodeChunk",
    "CodeModule", "Counterexample", "Criterion", "Curve", "Diagnosis", "Document", "Grid", "HintLevel", "Interface",
    "Isolation", "Level", "Limits", "Location", "Mark", "Outcome", "Picture", "Place", "Printed", "Question",
    "Raised", "Reason", "Report", "Rubric", "RubricCheck", "Section", "Settings", "Shapes", "Span", "Stage",
    "StudentText", "Submission", "Tells", "Verdict", "joined", "mask_addresses",
]  # fmt: skip
