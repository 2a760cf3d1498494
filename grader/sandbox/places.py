"""What student code may read, as a plan: the standard library, the listed packages, the shared libraries."""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

INSTALLED = ("site-packages", "dist-packages")
DEVICES = ("/dev/null", "/dev/urandom")
OPTIONAL = ("/etc/ld.so.cache", "/usr/share/zoneinfo")


@dataclass(frozen=True, slots=True)
class Places:
    """Real paths, and the symbolic links that lead to them.

    ``read`` is readable with all below it; ``hidden`` lies inside and is not.
    """

    read: tuple[str, ...]
    hidden: tuple[str, ...]
    links: tuple[tuple[str, str], ...]


def places(folders: Mapping[str, str], path: Iterable[str], libraries: Iterable[str]) -> Places:
    """Return the plan for listed packages (name: its site-packages), ``sys.path`` and folders of shared libraries.

    Folders of other installed packages inside the standard library are hidden, and a folder of libraries that
    also holds the standard library gives its library files only.
    """
    standard = [entry for entry in path if os.path.exists(entry)]
    packages = [found for name, folder in folders.items() for found in package_paths(name, folder)]
    wanted = [*standard, *packages, *(name for name in (*OPTIONAL, *DEVICES) if os.path.exists(name))]
    for folder in libraries:
        holds = any(os.path.realpath(entry).startswith(os.path.realpath(folder) + "/") for entry in standard)
        wanted += library_files(folder) if holds else [folder]
    links: dict[str, str] = {}
    read = sorted({_resolve(name, links) for name in wanted})
    hidden = [os.path.join(entry, name) for entry in read for name in INSTALLED]
    return Places(
        _outermost(read, [name for name in hidden if os.path.isdir(name)]),
        tuple(name for name in hidden if os.path.isdir(name)),
        tuple(sorted(links.items())),
    )


def package_paths(name: str, folder: str) -> list[str]:
    """Return the files and folders of an installed top-level package: itself and its bundled libraries."""
    candidates = (name, f"{name}.py", f"{name}.libs")
    return [os.path.join(folder, each) for each in candidates if os.path.exists(os.path.join(folder, each))]


def library_files(folder: str) -> list[str]:
    """Return the shared libraries directly in a folder."""
    return [os.path.join(folder, name) for name in os.listdir(folder) if ".so" in name]


def mapped_libraries() -> list[str]:
    """Return the folders of the shared libraries in memory that lie outside Python's own paths."""
    with open("/proc/self/maps") as file:
        files = {line.split(maxsplit=5)[5].strip() for line in file if ".so" in line and "/" in line}
    own = [os.path.realpath(entry) + "/" for entry in sys.path]
    return sorted(
        {os.path.dirname(name) for name in files if not name.startswith(tuple(own)) and "-packages/" not in name}
    )


def _resolve(path: str, links: dict[str, str]) -> str:
    """Return the real path and note every symbolic link met on the way."""
    done, rest = "/", os.path.normpath(path).split("/")[1:]
    for _ in range(200):
        if not rest:
            return done
        step = os.path.join(done, rest.pop(0))
        if os.path.islink(step):
            links[step] = os.readlink(step)
            rest = os.path.normpath(os.path.join(done, links[step])).split("/")[1:] + rest
            done = "/"
        else:
            done = step
    raise OSError(40, "too many symbolic links", path)


def _outermost(paths: list[str], hidden: list[str]) -> tuple[str, ...]:
    """Drop paths that another one brings along, unless a hidden folder lies between."""
    kept: list[str] = []
    for path in paths:  # sorted: what holds a path comes before it
        holders = [one for one in kept if path.startswith(one + "/")]
        between = [one for one in hidden if path.startswith(one + "/")]
        if not holders or any(cover.startswith(holder + "/") for cover in between for holder in holders):
            kept.append(path)
    return tuple(kept)
