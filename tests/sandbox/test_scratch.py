"""What a file writes while it is loaded is there for itself and nowhere else; afterwards nothing can be written."""

from __future__ import annotations

import pytest

from questions import QUICK, call, source

WRITES = [
    "os.makedirs('runs/first', exist_ok=True)\nos.makedirs('runs/first', exist_ok=True)\nok = os.path.isdir('runs')",
    "at = pathlib.Path('a/b')\nat.mkdir(parents=True, exist_ok=True)\nat.mkdir(exist_ok=True)\nok = at.is_dir()",
    "open('log.txt', 'w').write('one')\nopen('log.txt', 'a').write(' two')\nok = open('log.txt').read() == 'one two'",
    "with open('x.bin', 'wb') as file: file.write(b'12')\nok = open('x.bin', 'rb').read() == b'12'",
    "np.save('x.npy', np.arange(3))\nok = np.load('x.npy').sum() == 3",
    "np.savez('x.npz', a=np.arange(3))\nok = np.load('x.npz')['a'].sum() == 3",
    "json.dump([1], open('x.json', 'w'))\nok = json.load(open('x.json')) == [1]",
    "pathlib.Path('n.txt').write_text('q')\nok = os.path.exists('n.txt')",
    "open('gone.txt', 'w').close()\nos.remove('gone.txt')\nok = not os.path.exists('gone.txt')",
    "logging.basicConfig(filename='train.log')\nlogging.warning('hello')\nok = 'hello' in open('train.log').read()",
]


@pytest.mark.parametrize("lines", WRITES)
def test_what_is_written_while_loading_can_be_read_back(sandbox, lines):
    code = f"import json, logging, os, pathlib\nimport numpy as np\n{lines}\ndef f(): return ok\n"
    answers = sandbox.ask(source(code), (call("f"),), QUICK)
    assert answers.loaded.failure is None
    assert answers.replies[0].values == (True,)


def test_two_submissions_share_no_scratch(sandbox):
    code = "import os\nfirst = not os.path.exists('mark')\nopen('mark', 'w').close()\ndef f(): return first\n"
    for _ in range(2):
        assert sandbox.ask(source(code), (call("f"),), QUICK).replies[0].values == (True,)


def test_a_disk_in_memory_is_full_at_some_point(sandbox):
    code = "try:\n    open('big', 'wb').write(bytes(65 << 20)); why = ''\nexcept OSError as error: why = error.errno\n"
    answers = sandbox.ask(source(f"{code}def f(): return why\n"), (call("f"),), QUICK)
    assert answers.loaded.failure is None


def test_what_cannot_be_read_is_no_file_of_the_scratch(sandbox):
    code = "try: open('data.csv')\nexcept OSError as error: why = type(error).__name__\ndef f(): return why\n"
    assert sandbox.ask(source(code), (call("f"),), QUICK).replies[0].values[0] in {
        "FileNotFoundError",
        "PermissionError",
    }
