#!/bin/sh
# build-venv.sh NAME run|check PYTHON: make .venv. Called by tools/venv.sh, which holds the lock.
set -eu

root=$(CDPATH='' cd -P -- "$(dirname -- "$0")/.." && pwd -P)
name=$1
kind=$2
base=$3
. "$root/tools/venv.sh"

if is_ready "$kind"; then
    exit # another run made it meanwhile
fi

tell building
if [ "$kind" = check ] && is_ready run && ! [ -e "$venv/stamp-check" ]; then
    rm -f "$venv/stamp-run"
else
    if [ -e "$venv/stamp-check" ]; then
        kind=check # whoever had the tools for checking keeps them
    fi
    rm -f "$venv"/stamp-*
    if ! { rm -rf "$venv" && mkdir "$venv" && "$base" -I -m venv "$venv" >"$log" 2>&1; } 2>/dev/null; then
        tell broken_venv "$log"
        exit 2
    fi
fi

export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_USER=0
unset PIP_TARGET PIP_PREFIX PIP_ROOT
mkdir -p "$venv/tmp"
if ! TMPDIR=$venv/tmp "$python" -I -m pip install --quiet --no-input --no-cache-dir --retries 2 \
    --only-binary :all: --no-deps --require-hashes --requirement "$root/requirements/$kind.txt" >"$log" 2>&1; then
    tell no_packages "$log"
    exit 2
fi
rm -rf "$venv/tmp"

# The path is relative to the folder of the .pth file, so that no odd letter in it can matter.
"$python" -I -c 'import os, sys, sysconfig
site = sysconfig.get_path("purelib")
with open(os.path.join(site, "dicecup.pth"), "w") as pth:
    print(os.path.relpath(sys.argv[1], site), file=pth)' "$root/src"

stamp run >"$venv/stamp.new"
mv "$venv/stamp.new" "$venv/stamp-run"
if [ "$kind" = check ]; then
    stamp check >"$venv/stamp.new"
    mv "$venv/stamp.new" "$venv/stamp-check"
fi
