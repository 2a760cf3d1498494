from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from grader.errors import UnreadableError
from grader.intake.loading import load_bytes
from grader.intake.notebook import cells, read

Make = Callable[..., bytes]


def test_code_cells_become_chunks_that_may_fail_and_are_counted_without_text_cells(make_notebook: Make) -> None:
    found = read(
        "work.ipynb", make_notebook("md:# Title", "import numpy as np", "md:text", "", "def softmax(x): return x")
    )
    assert [(chunk.filename, chunk.cell, chunk.tolerate) for chunk in found.chunks] == [
        ("work.ipynb[cell 1]", 1, True),
        ("work.ipynb[cell 2]", 2, True),
        ("work.ipynb[cell 3]", 3, True),
    ]
    assert found.chunks[2].code == "def softmax(x): return x"
    assert found.notes == ()


def test_a_broken_cell_is_remarked_on_and_the_others_count(make_notebook: Make) -> None:
    found = read("work.ipynb", make_notebook("x = 1", "y = 1\ndef f(:", "z = 3"))
    assert [chunk.code for chunk in found.chunks] == ["x = 1", "y = 1\ndef f(:", "z = 3"]
    assert len(found.notes) == 1
    assert found.notes[0].startswith("work.ipynb, cell 2, line 2: the cell is not Python")


def test_magics_do_nothing_and_are_remarked_on_once(make_notebook: Make) -> None:
    found = read("work.ipynb", make_notebook("!pip install torch", "%%time\nx = 1", "y = 2"))
    assert [chunk.code for chunk in found.chunks] == ["pass", "\nx = 1", "y = 2"]
    assert found.notes == ("work.ipynb: notebook commands (%, ! and the like) do nothing here; cells with any: 2.",)


def test_a_notebook_as_colab_writes_it_is_read() -> None:
    whole = {
        "nbformat": 4, "nbformat_minor": 0,
        "metadata": {"colab": {"provenance": []}, "kernelspec": {"name": "python3", "display_name": "Python 3"},
                     "language_info": {"name": "python"}, "accelerator": "GPU"},
        "cells": [
            {"cell_type": "code", "metadata": {"id": "a", "cellView": "form"}, "outputs": [],
             "source": ["#@title Setup\n", "from google.colab import drive\n", "drive.mount('/content/drive')"]},
            {"cell_type": "code", "metadata": {"id": "b"}, "source": ["def softmax(x):\n", "  return x\n"]},
        ],
    }  # fmt: skip
    found = read("Untitled0.ipynb", json.dumps(whole, indent=2).encode())
    assert found.chunks[0].code.split("\n")[2] == "drive.mount('/content/drive')"
    assert found.chunks[1].code == "def softmax(x):\n  return x"


def test_format_3_with_worksheets_is_read() -> None:
    sheet = {"cells": [
        {"cell_type": "heading", "level": 1, "source": "Title"},
        {"cell_type": "code", "language": "python", "input": ["x = 1\n", "y = 2"], "outputs": []},
    ]}  # fmt: skip
    found = read("old.ipynb", json.dumps({"nbformat": 3, "metadata": {"name": ""}, "worksheets": [sheet]}).encode())
    assert [chunk.code for chunk in found.chunks] == ["x = 1\ny = 2"]


def test_text_and_tags_stay_in_a_lean_document_without_outputs() -> None:
    whole = {"nbformat": 4, "cells": [
        {"cell_type": "markdown", "metadata": {"tags": ["q1"]}, "source": ["Answer: ", "√d_k"]},
        {"cell_type": "code", "metadata": {}, "source": "1", "outputs": [{"data": {"image/png": "A" * 10_000}}]},
    ]}  # fmt: skip
    document = read("work.ipynb", json.dumps(whole).encode()).document
    assert document.path == "work.ipynb"
    assert len(document.data) < 1000
    again = cells(document.data, "work.ipynb")
    assert [(cell.kind, cell.text, cell.number, cell.tags) for cell in again] == [
        ("markdown", "Answer: √d_k", None, ("q1",)),
        ("code", "1", 1, ()),
    ]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "the notebook is empty"),
        (b"def softmax(x): return x", "the notebook is not JSON (line 1)"),
        (b'{\n"cells": [\n', "the notebook is not JSON (line 3)"),
        (b'{"nbformat": 4}', "this JSON is not a notebook: it has no cells"),
        (b"[1, 2]", "this JSON is not a notebook: it has no cells"),
        (b'{"cells": "none"}', "this JSON is not a notebook: it has no cells"),
        (b"[" * 100_000 + b"]", "the notebook is not JSON (line 1)"),
        (b'{"cells": [], "n": ' + b"9" * 5000 + b"}", "the notebook is not JSON (line 1)"),
        (b"\xff\xfe{\0}\0", "this JSON is not a notebook: it has no cells"),
    ],
)
def test_what_is_no_notebook_is_refused_with_a_cure(data: bytes, what: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        read("work.ipynb", data)
    assert (caught.value.what, caught.value.where) == (what, "work.ipynb")
    assert "Save it again" in caught.value.cure


@pytest.mark.parametrize(
    "data", [b'{"cells": [' + b"{}," * 300_000 + b"1]}", b'{"cells": [' + b"1," * 3_000_000 + b"1]}"]
)
def test_a_notebook_that_unfolds_in_memory_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableError, match=r"holds too much.*Clear its outputs"):
        read("work.ipynb", data)


def test_a_notebook_with_too_much_code_or_too_many_cells_is_refused(make_notebook: Make) -> None:
    with pytest.raises(UnreadableError, match="more code than homework has"):
        read("work.ipynb", make_notebook(*["x = 1\n" * 500] * 50))
    with pytest.raises(UnreadableError, match="more than 5,000 cells"):
        read("work.ipynb", make_notebook(*[""] * 5001))


def test_another_language_is_refused(make_notebook: Make) -> None:
    data = make_notebook("x <- 1", metadata={"kernelspec": {"language": "R", "name": "ir"}})
    with pytest.raises(UnreadableError, match="written in R"):
        read("work.ipynb", data)


def test_odd_cells_are_passed_over_and_surrogates_replaced(make_notebook: Make) -> None:
    data = make_notebook("x = 1").replace(b'"cells": [', b'"cells": [7, null, {"cell_type": "raw", "source": 3}, ')
    assert [chunk.code for chunk in read("work.ipynb", data).chunks] == ["x = 1"]
    assert read("w.ipynb", make_notebook("s = '\ud800'")).chunks[0].code == "s = '\ufffd'"


@pytest.mark.parametrize("sheets", ["5", "null", "{}", '"text"', "[null, 7, {}]"])
def test_worksheets_of_any_form_are_passed_over(sheets: str) -> None:
    data = b'{"worksheets": [{"cells": %b}, {"cells": [{"cell_type": "code", "input": "x = 1"}]}]}' % sheets.encode()
    assert [chunk.code for chunk in read("work.ipynb", data).chunks] == ["x = 1"]


WRITTEN = "def softmax(x):\n    return x\n"


@pytest.mark.parametrize(
    "magic", ["%%writefile attention.py", "%%file  'attention.py'", "\n%%writefile /content/attention.py"]
)
def test_a_file_that_a_cell_writes_is_code_under_its_name(make_notebook: Make, magic: str) -> None:
    read = load_bytes("hw.ipynb", make_notebook("x = 1", f"{magic}\n{WRITTEN}"))
    module = next(module for module in read.modules if module.name.endswith("attention"))
    (chunk,) = module.chunks
    assert (chunk.filename, chunk.cell) == ("hw.ipynb[cell 2]", 2)
    assert chunk.lines[magic.count("\n") + 1] == "def softmax(x):"


def test_a_second_cell_goes_on_with_a_file_or_begins_it_anew(make_notebook: Make) -> None:
    more = "def attend(q):\n    return q\n"
    on = load_bytes("hw.ipynb", make_notebook(f"%%writefile a.py\n{WRITTEN}", f"%%writefile -a a.py\n{more}"))
    assert [chunk.cell for module in on.modules for chunk in module.chunks] == [1, 2]
    anew = load_bytes("hw.ipynb", make_notebook(f"%%writefile a.py\n{WRITTEN}", f"%%writefile a.py\n{more}"))
    assert [chunk.cell for module in anew.modules for chunk in module.chunks] == [2]


def test_a_written_file_that_nobody_imports_or_needs_is_told_and_not_read(make_notebook: Make) -> None:
    own = "def softmax(x):\n    return 2 * x\n"
    read = load_bytes("hw.ipynb", make_notebook(own, f"%%writefile old.py\n{WRITTEN}"))
    assert [chunk.cell for module in read.modules for chunk in module.chunks] == [1]
    assert any("old.py is not read" in note and "cell 2" in note for note in read.notes)
    used = load_bytes(
        "hw.ipynb", make_notebook(f"from old import softmax as base\n{own}", f"%%writefile old.py\n{WRITTEN}")
    )
    assert {module.name for module in used.modules} == {"hw", "old"}


@pytest.mark.parametrize("text", [WRITTEN, f"My solution:\n```python\n{WRITTEN}```\n"])
def test_code_in_a_text_cell_is_told_with_the_cell(make_notebook: Make, text: str) -> None:
    read = load_bytes("hw.ipynb", make_notebook("x = 1", f"md:{text}"))
    assert any("text cell after code cell 1 holds code (softmax)" in note for note in read.notes)
    both = load_bytes("hw.ipynb", make_notebook(WRITTEN, f"md:{text}"))
    assert not any("holds code" in note for note in both.notes), "an explanation of what a cell defines"
