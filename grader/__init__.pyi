from typing import Any

from grader.catalog import load_assignment as load_assignment
from grader.catalog import load_rubric as load_rubric
from grader.testing import Result as Result
from grader.testing import check as check
from grader.testing import grade as grade

__version__: str

def load_ipython_extension(shell: Any) -> None: ...
