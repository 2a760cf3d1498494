"""Finds, validates and suggests assignments and rubrics. Nothing heavy is loaded before a file is read."""

from grader.catalog.assignments import load_assignment
from grader.catalog.places import assignment_file, data_root, list_assignments, rubric_beside, rubric_file
from grader.catalog.recognition import Recognised, assignment_named, project_file, read_project, recognise
from grader.catalog.rubrics import load_rubric
from grader.catalog.yaml_file import InvalidFileError

__all__ = [
    "InvalidFileError", "Recognised", "assignment_file", "assignment_named", "data_root",
    "list_assignments", "load_assignment", "load_rubric", "project_file", "read_project", "recognise", "rubric_beside",
    "rubric_file",
]  # fmt: skip
