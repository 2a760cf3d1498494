"""What the syntax tree tells. Standard library only; nothing of the submission is ever executed.

Every answer carries its place: file, line, and cell in a notebook.
"""

from grader.source.facts import (
    defines_equal_anything,
    global_seed_calls,
    patches_foreign_attributes,
    prints_in,
    returns_constant_for_equal_input,
    uses_inspect_frames,
)
from grader.source.loops import Loop, loops_around, loops_of
from grader.source.names import (
    Defined,
    Fault,
    binding,
    defined_names,
    definition,
    imported_from,
    innermost,
    line_at,
    meant_by,
    nested_in,
    package_meant,
    place,
    suggest,
    syntax_faults,
)
from grader.source.places import attribute_of_class, method_of_class, takes_apart, unwritten
from grader.source.project import Use, leads_to, share

__all__ = [
    "Defined", "Fault", "Loop", "Use", "attribute_of_class", "binding", "defined_names", "defines_equal_anything",
    "definition", "global_seed_calls", "imported_from", "innermost", "leads_to", "line_at", "loops_around",
    "loops_of", "meant_by", "method_of_class", "nested_in", "package_meant", "patches_foreign_attributes", "place",
    "prints_in", "returns_constant_for_equal_input", "share", "suggest", "syntax_faults", "takes_apart",
    "unwritten", "uses_inspect_frames",
]  # fmt: skip
