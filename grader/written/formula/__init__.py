"""Formulas of the paper, read in LaTeX, plain text, Unicode or code, and judged by value."""

from grader.written.formula.judge import judge_formula
from grader.written.formula.kinds import KINDS, FormulaVerdict

__all__ = ["KINDS", "FormulaVerdict", "judge_formula"]
