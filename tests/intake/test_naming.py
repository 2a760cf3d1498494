from __future__ import annotations

import pytest

from grader.intake.naming import identifier, name_modules


def names(files: dict[str, str], root: str = "hw") -> dict[str, str]:
    found = name_modules([(path, [code]) for path, code in files.items()], root)
    return dict(zip(files, found.names, strict=True)) | {f"also {alias}": name for alias, name in found.aliases.items()}


@pytest.mark.parametrize(
    ("text", "name"),
    [("attention", "attention"), ("5_attention", "_5_attention"), ("my hw-1 (2)", "my_hw_1__2_"), ("class", "class_"),
     ("作业", "作业"), ("", "submission"), ("a.b", "a_b")],
)  # fmt: skip
def test_any_file_name_becomes_an_identifier(text: str, name: str) -> None:
    assert identifier(text) == name


def test_files_beside_each_other_have_flat_names() -> None:
    files = {"attention.py": "from masks import causal_mask", "masks.py": "", "work 2.ipynb": "import attention"}
    assert names(files) == {"attention.py": "attention", "masks.py": "masks", "work 2.ipynb": "work_2"}


def test_the_folder_that_all_share_is_no_package() -> None:
    assert names({"hw3/src/a.py": "import b", "hw3/src/b.py": ""}) == {"hw3/src/a.py": "a", "hw3/src/b.py": "b"}


def test_packages_keep_dotted_names() -> None:
    files = {
        "main.py": "from utils.masks import x",
        "utils/__init__.py": "",
        "utils/masks.py": "from . import more",
        "utils/more.py": "",
    }
    assert names(files) == {
        "main.py": "main", "utils/__init__.py": "utils", "utils/masks.py": "utils.masks", "utils/more.py": "utils.more",
    }  # fmt: skip


def test_relative_imports_at_the_top_make_the_root_a_package() -> None:
    files = {"__init__.py": "", "a.py": "from .b import x", "b.py": ""}
    assert names(files, "my-hw") == {"__init__.py": "my_hw", "a.py": "my_hw.a", "b.py": "my_hw.b"}


def test_a_file_imported_by_its_flat_name_alone_has_it() -> None:
    files = {"main.py": "x = 1", "src/a.py": "import b", "src/b.py": ""}
    assert names(files) == {"main.py": "main", "src/a.py": "src.a", "src/b.py": "b"}


def test_a_file_imported_by_two_names_has_both() -> None:
    files = {"main.py": "from src.b import x", "src/a.py": "import b", "src/b.py": ""}
    assert names(files) == {"main.py": "main", "src/a.py": "src.a", "src/b.py": "src.b", "also b": "src.b"}


def test_a_longer_name_than_the_folders_give_is_granted() -> None:
    files = {"a.py": "from hw.b import x", "b.py": ""}
    assert names(files) == {"a.py": "a", "b.py": "hw.b"}


def test_a_shared_folder_that_imports_name_is_a_package() -> None:
    files = {"net/a.py": "from net.parts.b import x", "net/parts/b.py": ""}
    assert names(files) == {"net/a.py": "net.a", "net/parts/b.py": "net.parts.b"}


def test_a_name_taken_from_a_module_is_no_further_module() -> None:
    assert names({"attention.py": "from softmax import softmax", "softmax.py": ""}, "softmax") == {
        "attention.py": "attention", "softmax.py": "softmax",
    }  # fmt: skip


def test_library_names_and_doubles_are_marked() -> None:
    assert names({"code.py": "", "numpy.py": "", "hw.py": "import numpy", "hw.ipynb": ""}) == {
        "code.py": "code_", "numpy.py": "numpy_", "hw.py": "hw", "hw.ipynb": "hw_2",
    }  # fmt: skip


@pytest.mark.parametrize("line", ["from tools import tools", "import tools.tools", "from tools.tools import f"])
def test_a_file_in_a_folder_of_its_own_name_is_imported_as_python_does(line: str) -> None:
    named = name_modules([("main.py", [f"{line}\n"]), ("tools/tools.py", ["def f(): pass\n"])], "hw")
    assert named.names == ("main", "tools.tools")
    assert not named.aliases
