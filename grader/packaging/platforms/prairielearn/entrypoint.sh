#!/usr/bin/env bash
# Grades /grade/student and writes /grade/results/results.json.
set -euo pipefail
grade="${GRADE:-/grade}"
opt="${OPT:-/opt}"
mkdir -p "$grade/results"
chmod go-rwx "$grade/results"
exec "$opt/grader/bin/grader" package run "$opt/package" --work "$grade/student" -o "$grade/results/results.json"
