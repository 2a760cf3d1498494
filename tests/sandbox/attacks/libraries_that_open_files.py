# expected: fail
# standard: open
# safe-outcome: no module of the standard library or of numpy opens a file outside, or writes one
# stopped-by: Landlock; private root; RLIMIT_FSIZE
import ctypes
import dbm.dumb
import fileinput
import importlib.machinery
import importlib.util
import linecache
import logging
import mmap
import os
import runpy
import shelve
import shutil
import sqlite3
import tarfile
import tempfile
import tokenize
import zipfile
import zipimport

import numpy as np


def probe():
    rubric, oracle, made = HINTS["rubric"], HINTS["oracle"], os.path.join(HINTS["drop_dir"], "made")
    loader = importlib.machinery.SourceFileLoader("oracle", oracle)
    read = {
        "fromfile": lambda: np.fromfile(rubric, np.uint8), "loadtxt": lambda: np.loadtxt(rubric, str), "genfromtxt": lambda: np.genfromtxt(rubric, str),
        "load": lambda: np.load(rubric, allow_pickle=True), "memmap": lambda: np.memmap(rubric), "fileinput": lambda: list(fileinput.input(rubric)),
        "tokenize": lambda: tokenize.open(rubric), "run_path": lambda: runpy.run_path(oracle), "loader": lambda: loader.get_data(oracle),
        "copy": lambda: shutil.copy(rubric, made), "copytree": lambda: shutil.copytree(os.path.dirname(rubric), made), "zip": lambda: zipfile.ZipFile(rubric),
        "tar": lambda: tarfile.open(rubric), "zipimport": lambda: zipimport.zipimporter(rubric), "CDLL": lambda: ctypes.CDLL(oracle),
        "sqlite read": lambda: sqlite3.connect(f"file:{rubric}?mode=ro", uri=True).execute("select * from sqlite_master"), "scandir": lambda: list(os.scandir(os.path.dirname(rubric))),
        "walk": lambda: [1 / 0 for _ in os.walk(os.path.dirname(rubric))] or os.stat("/nonexistent"), "mmap": lambda: mmap.mmap(os.open(rubric, os.O_RDONLY), 0),
    }
    write = {
        "sqlite": lambda: sqlite3.connect(made).execute("create table t (x)"), "dbm": lambda: dbm.dumb.open(made, "c"), "shelve": lambda: shelve.open(made, "c"),
        "log": lambda: logging.FileHandler(made), "save": lambda: np.save(made, np.ones(3)), "savetxt": lambda: np.savetxt(made, np.ones(3)),
        "memmap": lambda: np.memmap(made, mode="w+", shape=4), "tofile": lambda: np.ones(3).tofile(made), "temporary": tempfile.mkdtemp,
        "named": tempfile.NamedTemporaryFile, "nameless": tempfile.TemporaryFile, "makedirs": lambda: os.makedirs(made), "fifo": lambda: os.mkfifo(made),
        "zip": lambda: zipfile.ZipFile(made, "w").writestr("x", "y"), "replace": lambda: os.replace(rubric, made), "chmod": lambda: os.chmod(rubric, 0o777),
    }
    lines = []
    for name, attempt in [*read.items(), *write.items()]:
        try:
            attempt()
            lines.append(f"LEAK: {name}")
        except (OSError, ImportError, sqlite3.Error, ZeroDivisionError) as error:
            lines.append(f"LEAK: {name}" if type(error) is ZeroDivisionError else f"BLOCKED: {name} {type(error).__name__}")
    lines.append("LEAK: linecache" if linecache.getlines(rubric) else "BLOCKED: linecache")
    return lines
