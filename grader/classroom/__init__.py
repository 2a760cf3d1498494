"""Many submissions: exports of learning platforms, the results folder, a class graded in parallel, gradebooks."""

LAYOUTS = (
    "gradescope", "moodle", "blackboard", "canvas", "brightspace", "sakai", "nbgrader", "ilias", "classroom50",
    "github", "drive", "plain", "single",
)  # fmt: skip
"""What an export may look like, the most telling first: a file each in ``layouts/``, but for one student's work."""
