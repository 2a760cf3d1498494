"""Small makers of hand-ins."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest


def zipped(files: Mapping[str, bytes | str]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return whole.getvalue()


def tarred(files: Mapping[str, bytes], mode: str = "w:gz", **header: Any) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            for key, value in header.items():
                setattr(info, key, value)
            archive.addfile(info, io.BytesIO(content) if info.isreg() else None)
    return whole.getvalue()


def notebook(*cells: str, **more: Any) -> bytes:
    listed = [
        {"cell_type": "markdown", "metadata": {}, "source": cell[3:]}
        if cell.startswith("md:")
        else {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": cell}
        for cell in cells
    ]
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": listed} | more
    return json.dumps(whole).encode()


@pytest.fixture
def make_zip() -> Callable[[Mapping[str, bytes | str]], bytes]:
    return zipped


@pytest.fixture
def make_tar() -> Callable[..., bytes]:
    return tarred


@pytest.fixture
def make_notebook() -> Callable[..., bytes]:
    return notebook


@pytest.fixture
def folder(tmp_path: Path) -> Callable[[Mapping[str, bytes | str]], Path]:
    """Write files below a fresh folder ``hw`` and return it."""

    def write(files: Mapping[str, bytes | str]) -> Path:
        root = tmp_path / "hw"
        root.mkdir(exist_ok=True)
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return write
