from __future__ import annotations

import io
import os
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from grader.errors import UnreadableError
from grader.intake.assemble import require_code
from grader.intake.loading import load, load_bytes
from grader.model.submission import CodeChunk, CodeModule

Folder = Callable[[Mapping[str, bytes | str]], Path]
Make = Callable[..., bytes]
CODE = "def softmax(x):\n    return x\n"
FIVE = "Hand in a .py file, a notebook (.ipynb), or a folder or zip with one."


def refused(path: Path) -> UnreadableError:
    with pytest.raises(UnreadableError) as caught:
        require_code(load(path))
    assert path.name in caught.value.where
    assert caught.value.cure
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_python_file_is_one_module_by_value(folder: Folder) -> None:
    path = folder({"5 my-attention.py": CODE}) / "5 my-attention.py"
    found = load(path)
    chunk = CodeChunk(CODE, "5 my-attention.py")
    assert found.modules == (CodeModule("_5_my_attention", (chunk,)),)
    assert (found.id, found.path, found.documents, found.notes) == ("5 my-attention", str(path), (), ())
    assert len(found.sha256) == 64


def test_the_same_files_have_one_digest_in_every_wrapping(folder: Folder, make_zip: Make, make_tar: Make) -> None:
    root = folder({"hw.py": CODE})
    (root.parent / "x.zip").write_bytes(make_zip({"hw.py": CODE, ".DS_Store": "x"}))
    (root.parent / "x.tar.gz").write_bytes(make_tar({"hw.py": CODE.encode()}))
    paths = (root / "hw.py", root, root.parent / "x.zip", root.parent / "x.tar.gz")
    assert len({load(path).sha256 for path in paths}) == 1
    assert len({load(path).modules for path in paths}) == 1
    assert load(root.parent / "x.tar.gz").id == "x"
    assert load(folder({"hw.py": CODE + "\n"})).sha256 != load(root.parent / "x.zip").sha256


def test_names_and_bytes_cannot_be_shifted_in_the_digest(make_zip: Make) -> None:
    assert load_bytes("a.zip", make_zip({"a.py": "b"})).sha256 != load_bytes("a.zip", make_zip({"ab.py": ""})).sha256


def test_a_folder_gives_modules_documents_and_remarks(folder: Folder, make_notebook: Make) -> None:
    root = folder({
        "work.ipynb": make_notebook("from masks import causal_mask", "md:text"), "masks.py": "\ufeffx = 1\r\n",
        "old.py.txt": CODE, "report.md": "# Report", "sheet.yaml": "a: 1", "fig.png": b"\x89PNG", "inner.zip": b"PK",
        "__pycache__/x.py": "1", ".git/y.py": "2", "env/pyvenv.cfg": "", "env/lib/z.py": "3",
    })  # fmt: skip
    found = load(root)
    assert [module.name for module in found.modules] == ["old", "work", "masks"]
    assert [chunk.filename for module in found.modules for chunk in module.chunks] == [
        "old.py.txt", "work.ipynb[cell 1]", "masks.py",
    ]  # fmt: skip
    assert [document.path for document in found.documents] == ["fig.png", "report.md", "sheet.yaml", "work.ipynb"]
    assert found.notes == (
        "inner.zip: an archive beside code is not opened.",
        "masks.py: a byte-order mark was removed.",
        "old.py.txt: read as Python although its name ends in .txt.",
    )


def test_the_module_that_nobody_imports_comes_first(folder: Folder) -> None:
    found = load(folder({"a.py": "x = 1", "main.py": "from a import x", "lib/b.py": "", "lib/c.py": "import lib.b"}))
    assert [module.name for module in found.modules] == ["main", "lib.c", "a", "lib.b"]


def test_tests_and_set_up_beside_the_work_are_not_run(folder: Folder) -> None:
    found = load(
        folder(
            {
                "hw.py": CODE,
                "test_hw.py": "def test_x(): pass",
                "setup.py": "import sys\nsys.exit()",
                "test_more.py": CODE,
            }
        )
    )
    assert [module.name for module in found.modules] == ["hw", "test_more"]
    assert found.notes == ("setup.py is not run: it sets things up.", "test_hw.py is not run: it holds tests.")
    assert [module.name for module in load(folder({"hw.py": "import setup\n" + CODE})).modules] == [
        "hw",
        "test_more",
        "setup",
    ]


def test_work_that_has_the_name_of_a_library_is_read_under_another(folder: Folder) -> None:
    found = load(folder({"torch.py": CODE}) / "torch.py")
    assert [module.name for module in found.modules] == ["torch_"]
    assert found.notes == ("torch.py has the name of a library and is read as torch_.",)


def test_what_poses_as_a_library_is_left_out(make_zip: Make) -> None:
    posing = dict.fromkeys(("numpy.py", "json.py", "sitecustomize.py", "__init__.py", "conftest.py"), "import os\n")
    found = load_bytes("hw.zip", make_zip({"hw.py": CODE, "evil.pth": "import os", **posing}))
    assert [module.name for module in found.modules] == ["hw"]
    assert len(found.notes) == 5


def test_a_syntax_error_loads_as_data(folder: Folder) -> None:
    assert load(folder({"hw.py": "def f(:\n"}) / "hw.py").modules[0].source == "def f(:\n"


def test_an_exported_notebook_loses_its_commands(folder: Folder) -> None:
    text = "# In[1]:\nget_ipython().run_line_magic('matplotlib', 'inline')\n!pip install torch\n" + CODE
    found = load(folder({"hw.py": text}) / "hw.py")
    assert found.modules[0].source == "# In[1]:\npass\npass\n" + CODE
    assert found.notes == ("hw.py: notebook commands do nothing here (line 2, 3).",)


def test_documents_alone_are_a_hand_in_where_no_code_is_asked_for(folder: Folder) -> None:
    path = folder({"report.md": "# Report"}) / "report.md"
    assert load(path).documents[0].data == b"# Report"
    assert refused(path).what == "no Python code in it"


@pytest.mark.parametrize("name", ["a.md", "a.yaml", "a.json", "a.txt", "a.pdf", "a.docx", "a.csv", "a.tex"])
@pytest.mark.parametrize("data", [b"", b" \n\t\n"])
def test_an_empty_document_is_empty_before_it_is_no_code(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    assert refused(tmp_path / name).what == "the file is empty"
    (tmp_path / "b.md").write_bytes(data)
    assert refused(tmp_path).what == f"all files are empty: {name}, b.md"


@pytest.mark.parametrize("name", ["work.xyz", "work.pages", "work.doc"])
def test_what_is_not_read_names_what_is(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"x")
    for path in (tmp_path / name, tmp_path):
        assert "written work as Markdown, YAML, JSON or PDF" in refused(path).cure


def test_a_picture_alone_is_a_hand_in_where_no_code_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "sheet.jpg"
    path.write_bytes(b"\xff\xd8")
    assert [document.path for document in load(path).documents] == ["sheet.jpg"]
    assert refused(path).what == "no Python code in it"


# ------------------------------------------------------------------------------------------------- bad input


def test_no_such_path_suggests_the_nearest(folder: Folder) -> None:
    root = folder({"attention.py": CODE})
    assert refused(root / "atention.py").cure == f"Did you mean {root / 'attention.py'}?"
    assert refused(root / "zzz.py").what == "there is no such file or folder"
    assert refused(root / ("x" * 300)).cure == "Check the path."


def test_an_empty_folder_and_one_without_python_are_told_apart(folder: Folder) -> None:
    root = folder({})
    assert refused(root).what == "nothing to read in this folder"
    folder({"notes.txt": "x"})
    assert refused(root).what == "no Python code in it, only notes.txt"


def test_a_folder_with_an_archive_alone_says_so(folder: Folder) -> None:
    cure = f"hw.zip: not read, the archive is damaged or not an archive. {FIVE}"
    assert refused(folder({"hw.zip": b"PK"})).cure == cure


def test_an_empty_notebook_holds_no_python(folder: Folder, make_notebook: Make) -> None:
    assert "no Python" in refused(folder({"hw.ipynb": make_notebook("md:x")}) / "hw.ipynb").what


def test_a_binary_named_py_and_foreign_text_are_refused(folder: Folder) -> None:
    root = folder({"a.py": b"\x7fELF\0\0\0\0\0\0", "c.ipynb": b"print(1)", "d.zip": b"no", "e.exe": b"MZ", "f": b""})
    assert "binary data" in refused(root / "a.py").what
    assert "not JSON" in refused(root / "c.ipynb").what
    assert "damaged" in refused(root / "d.zip").what
    assert "not read" in refused(root / "e.exe").what
    assert refused(root / "f").what == "the file is empty"


@pytest.mark.parametrize("name", ["hw.py", "hw.ipynb", "hw.zip", "hw.md", "hw.bin"])
def test_a_file_of_200_mb_is_refused_without_being_read(name: str, folder: Folder) -> None:
    path = folder({name: ""}) / name
    os.truncate(path, 200 << 20)
    tracemalloc.start()
    found = refused(path)
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()
    assert found.what.startswith("the file has 200 MB, more than the")
    assert "without data" in found.cure


def test_a_large_code_file_in_a_folder_is_refused_and_large_data_is_passed_over(folder: Folder) -> None:
    root = folder({"hw.py": CODE, "data.csv": "", "model.pt": ""})
    os.truncate(root / "data.csv", 200 << 20)
    os.truncate(root / "model.pt", 900 << 20)
    assert load(root).notes == ("data.csv: left out, 200 MB is more than is read.",)
    os.truncate(root / "hw.py", 200 << 20)
    with pytest.raises(UnreadableError, match=r"hw\.py: the file has 200 MB, more than the 10 MB"):
        load(root)


def test_code_that_cannot_be_looked_into_is_refused(folder: Folder) -> None:
    root = folder({"long.py": "x = 1\n" * 50_000, "deep.py": "x = " + "1+" * 20_000 + "1\n"})
    assert "more code than homework has" in refused(root / "long.py").what
    assert "nested too deeply" in refused(root / "deep.py").what


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes and links")
def test_links_and_pipes_are_not_followed(folder: Folder) -> None:
    root = folder({"hw.py": CODE, "../secret.py": "key = 1"})
    (root / "link.py").symlink_to(root.parent / "secret.py")
    (root / "linked").symlink_to(root.parent)
    os.mkfifo(root / "pipe.py")
    found = load(root)
    assert [module.name for module in found.modules] == ["hw"]
    assert found.notes == ("link.py: a link is not followed.",)
    assert refused(root / "pipe.py").what == "this is not a regular file"
    assert load(root / "link.py").modules[0].source == "key = 1"


def test_an_unreadable_file_says_why(folder: Folder) -> None:
    root = folder({"hw.py": CODE})
    (root / "hw.py").chmod(0)
    if os.access(root / "hw.py", os.R_OK):
        pytest.skip("this user reads everything")
    assert "cannot be read" in refused(root / "hw.py").what


def test_names_from_an_archive_cannot_forge_a_message(make_zip: Make) -> None:
    with pytest.raises(UnreadableError) as caught:
        load_bytes("hw.zip", make_zip({"../\x1b[2Ja\n.py": "", "b.bin": ""}))
    assert "\x1b" not in str(caught.value)
    found = load_bytes("hw.zip", make_zip({"\x1b[31m\u202ehw.py": CODE}))
    assert found.modules[0].chunks[0].filename == "⟨1B⟩[31m⟨202E⟩hw.py"


def test_nothing_is_written_beside_an_archive(folder: Folder, make_zip: Make) -> None:
    root = folder({"hw.zip": make_zip({"hw.py": CODE, "a/b.md": "x"})})
    load(root / "hw.zip")
    assert [entry.name for entry in root.iterdir()] == ["hw.zip"]


def test_every_sample_loads_as_one_module() -> None:
    files = sorted((Path(__file__).resolve().parents[1] / "samples").rglob("*.py"))
    assert files
    for file in files:
        found = load(file)
        assert len(found.modules) == 1
        assert found.notes == ()


def test_a_zip_made_with_a_folder_entry_and_utf8_names_is_read() -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("тест/", "")
        archive.writestr("тест/работа.py", CODE)
    assert load_bytes("x.zip", whole.getvalue()).modules[0].name == "работа"


def test_a_picture_is_known_by_its_name_and_another_one_is_another_hand_in(folder: Folder) -> None:
    one = load(folder({"work.py": CODE, "figure.PNG": b"\x89PNG one"}))
    other = load(folder({"work.py": CODE, "figure.PNG": b"\x89PNG two"}))
    assert [document.path for document in one.documents] == ["figure.PNG"]
    assert len(one.documents[0].data) == 32  # a digest: the picture itself goes nowhere
    assert one.documents[0].data != other.documents[0].data
    assert one.sha256 != other.sha256


def test_a_folder_full_of_pictures_is_not_too_much_to_read(folder: Folder) -> None:
    found = load(folder({"work.py": CODE, **{f"plots/{n:04}.png": b"\x89PNG" for n in range(1200)}}))
    assert len(found.documents) == 40
    assert found.notes == ("1200 pictures; only the first 40 are listed.",)


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("from mine import softmax", ["mine.py"]),
        ("import parts.mine as m", ["parts/mine.py", "parts/__init__.py"]),
        ("from parts import mine", ["parts/mine.py"]),
        ("from .mine import softmax", ["mine.py"]),
    ],
)
def test_a_file_brings_those_beside_it_that_it_imports_and_no_others(
    line: str, files: list[str], folder: Folder
) -> None:
    root = folder(
        {"attention.py": f"import numpy, random\n{line}\n", "other.py": "def f(): pass\n", "random.py": "x = 1\n"}
    )
    for name in files:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("from math import pi\ndef softmax(x): return x\n")
    work = load(root / "attention.py", beside=True)
    read = {chunk.filename for module in work.modules for chunk in module.chunks if "<" not in chunk.filename}
    assert read == {"attention.py", *files}
    assert len(load(root / "attention.py").modules) == 1, "in a class the file beside it is another student's"


def test_files_that_import_each_other_are_read_once(folder: Folder) -> None:
    root = folder({"a.py": "import b\n", "b.py": "import a\nimport c\n", "c.py": "x = 1\n"})
    assert {module.name for module in load(root / "a.py", beside=True).modules} == {"a", "b", "c"}


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf", b"\n\n"])
def test_a_notebook_and_a_python_file_may_have_each_others_ending(
    mark: bytes, folder: Folder, make_notebook: Make
) -> None:
    book = load(folder({"attention.py": mark.strip() + make_notebook(CODE)}) / "attention.py")
    plain = load(folder({"hw.ipynb": mark + CODE.encode()}) / "hw.ipynb")
    assert [module.chunks[0].code.strip() for one in (book, plain) for module in one.modules] == [CODE.strip()] * 2
    assert "read as a notebook" in book.notes[0]
    assert "read as Python" in " ".join(plain.notes)


@pytest.mark.parametrize("text", ["<html></html>", "x = 1\n", '{"cells": [', "<<<<<<< HEAD\n" + CODE])
def test_what_is_neither_is_no_notebook(text: str, folder: Folder) -> None:
    assert "not JSON" in refused(folder({"hw.ipynb": text}) / "hw.ipynb").what
