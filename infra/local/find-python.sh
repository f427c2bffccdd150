#!/usr/bin/env bash
# Prints a Python that can make the environment: 3.13 if there is one (what Lambda runs), else 3.12 or later.
set -eu
usable() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; }
for candidate in ${PYTHON:-} python3.13 python3 python3.14 python3.12 python; do
  if usable "$candidate"; then
    echo "$candidate"
    exit 0
  fi
done
echo "Hindwise needs Python 3.12 or later (3.13 for 'make build') with its venv module; tried" \
  "${PYTHON:-} python3.13 python3 python3.14 python3.12 python. Install one, or say PYTHON=/path/to/python." >&2
exit 1
