#!/bin/sh
# Compile requirements/*.txt from pyproject.toml. Needs uv on the PATH and network access.
# Arguments are passed on to uv: `tools/lock.sh --upgrade`, `tools/lock.sh -P click`.
set -eu
cd "$(dirname "$0")/.."

lock() {
    out=$1
    shift
    UV_CUSTOM_COMPILE_COMMAND=tools/lock.sh uv pip compile --quiet --universal --python-version 3.11 \
        --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
        --excludes tools/not-installed.txt --all-extras --output-file "requirements/$out" pyproject.toml "$@"
}

# Compile check.txt first, then constrain run.txt to the same versions.
lock check.txt --group check "$@"
lock run.txt --group setup --constraint requirements/check.txt "$@"
