#!/bin/sh
# Compile requirements/*.txt from pyproject.toml. Needs uv on the PATH and network access.
# Arguments are passed on to uv: `tools/lock.sh --upgrade`, `tools/lock.sh -P click`.
set -eu
cd "$(dirname "$0")/.."

# lock FILE SOURCE [ARGUMENT…]
lock() {
    out=$1
    shift
    UV_CUSTOM_COMPILE_COMMAND=tools/lock.sh uv pip compile --quiet --universal --python-version 3.11 \
        --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
        --excludes tools/not-installed.txt --output-file "requirements/$out" "$@"
}

# The requirements of one extra alone.
extra() {
    uv run --quiet --no-project --python 3.11 python -c '
import sys, tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)["project"]
print(*project["optional-dependencies"][sys.argv[1]], sep="\n")' "$1"
}

# check.txt first, with everything: the others take the same versions from it.
lock check.txt pyproject.toml --all-extras --group check "$@"
lock run.txt pyproject.toml --group setup --constraint requirements/check.txt "$@"
for extra in dask data env pdf postgresql site solver; do
    extra "$extra" | lock "$extra.txt" - --constraint requirements/check.txt "$@"
done
