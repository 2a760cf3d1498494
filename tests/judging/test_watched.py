"""Arguments are watched in the very call whose answer is judged."""

from __future__ import annotations

import numpy as np

from grader import components
from grader.catalog import load_assignment
from grader.component.context import Context
from grader.component.part import examine
from grader.model.submission import Submission


def test_what_a_watched_call_brings_is_not_asked_for_once_more() -> None:
    component = components.component("scaled_dot_product_attention", "function")
    interface = load_assignment("attention-numpy").interface(component.name)
    context = Context(interface, Submission("s", "s"), 1, interface.callable, "work")
    programs = next(examine(component, context))
    watched = [p.steps for p in programs if p.steps[0]["do"] == "let"]
    plain = [p.steps[0] for p in programs if len(p.steps) == 1]
    assert watched
    assert plain
    for steps in watched:
        values = [step["value"] for step in steps if step["do"] == "let"]
        same = [
            one for one in plain if len(one["args"]) == len(values) and all(map(np.array_equal, one["args"], values))
        ]
        assert same == []
