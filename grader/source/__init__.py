"""What the syntax tree tells. Standard library only; nothing of the submission is ever executed.

Every answer carries its place: file, line, and cell in a notebook.
"""

from grader.source.facts import (
    Literal,
    constants_in,
    defines_equal_anything,
    global_seed_calls,
    patches_foreign_attributes,
    prints_in,
    returns_constant_for_equal_input,
    uses_inspect_frames,
)
from grader.source.flow import Origin, origin
from grader.source.loops import Loop, loops_of, loops_outside
from grader.source.names import (
    Defined,
    Fault,
    binding,
    defined_names,
    definition,
    imported_from,
    nested_in,
    place,
    suggest,
    syntax_faults,
)
from grader.source.places import attribute_of_class, method_of_class
from grader.source.project import Use
from grader.source.uses import calls_in, forbidden_calls, leads_to, texts_run, uses_of

__all__ = [
    "Defined",
    "Fault",
    "Literal",
    "Loop",
    "Origin",
    "Use",
    "attribute_of_class",
    "binding",
    "calls_in",
    "constants_in",
    "defined_names",
    "defines_equal_anything",
    "definition",
    "forbidden_calls",
    "global_seed_calls",
    "imported_from",
    "leads_to",
    "loops_of",
    "loops_outside",
    "method_of_class",
    "nested_in",
    "origin",
    "patches_foreign_attributes",
    "place",
    "prints_in",
    "returns_constant_for_equal_input",
    "suggest",
    "syntax_faults",
    "texts_run",
    "uses_inspect_frames",
    "uses_of",
]
