#!/usr/bin/env bash
# Builds the image: a Python, this grader in a folder of its own, and nothing that student code could read.
set -euo pipefail
home="${AUTOGRADER:-/autograder}"
here="$home/source"
find_python() {
    for name in python3.13 python3.12 python3.11 python3; do
        if command -v "$name" >/dev/null && "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"; return
        fi
    done
}
python="$(find_python)"
if [ -z "$python" ]; then
    apt-get update
    apt-get install -y --no-install-recommends python3.12 python3.12-venv || apt-get install -y --no-install-recommends python3.11 python3.11-venv
    python="$(find_python)"
fi
"$python" -m venv "$home/grader"
"$home/grader/bin/python" -m pip install --quiet --disable-pip-version-check -c "$here/constraints.txt" "$here/@WHEEL@@EXTRAS@"
chmod -R go-rwx "$here"
