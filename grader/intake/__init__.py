"""From what was handed in to a ``Submission``: by value, within caps, nothing executed, nothing written to disk."""

from grader.intake.assemble import require_code
from grader.intake.candidates import ambiguous, entry_first, passed_over
from grader.intake.loading import load, load_bytes

__all__ = ["ambiguous", "entry_first", "load", "load_bytes", "passed_over", "require_code"]
