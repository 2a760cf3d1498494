"""A wheel of the grader that runs, made from its own files: a package grades as the machine does that made it."""

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from grader.version import __version__

NAME = "attention_grader"
EPOCH = (2020, 1, 1, 0, 0, 0)
"""One time for all files, so that equal contents are equal bytes."""


def wheel() -> tuple[str, bytes]:
    """Return the name and the bytes of a wheel of this grader, its bundled assignments and rubrics included."""
    from grader.catalog import data_root

    here = Path(__file__).resolve().parents[1]
    files = {f"grader/{path}": data for path, data in _files(here)}
    import reference

    files |= {f"reference/{path}": data for path, data in _files(Path(str(reference.__file__)).parent)}
    for name in ("assignments", "rubrics"):
        files |= {f"grader/_data/{name}/{path}": data for path, data in _files(data_root() / name)}
    info = f"{NAME}-{__version__}.dist-info"
    files[f"{info}/METADATA"] = _metadata()
    files[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: attention-grader\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\ngrader = grader.cli:script\n"
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    return f"{NAME}-{__version__}-py3-none-any.whl", zipped(files)


def zipped(files: dict[str, bytes], executable: frozenset[str] = frozenset()) -> bytes:
    """Return a zip archive of ``files``, in their order; equal contents are equal bytes."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if path in executable else 0o644) << 16
            archive.writestr(entry, data)
    return held.getvalue()


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        left_out = path.suffix == ".pyc" or any(part.startswith((".", "__pycache__")) for part in inner.parts)
        if path.is_file() and not left_out:
            yield inner.as_posix(), path.read_bytes()


def _metadata() -> bytes:
    """The metadata of the installed distribution, under the version that runs: an editable one may lag behind."""
    text = distribution("attention-grader").read_text("METADATA") or ""
    lines = [f"Version: {__version__}" if line.startswith("Version: ") else line for line in text.splitlines()]
    return ("\n".join(lines) + "\n").encode()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
