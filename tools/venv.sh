# Sourced by ./dicecup, ./check and tools/build-venv.sh, which set $root and $name:
# the virtual environment of this clone, .venv.
#
# .venv/stamp-run and .venv/stamp-check are written last, each holding the path of the
# clone and the lock file that was installed. As long as they fit, all is ready; if not,
# .venv is made anew. Nothing here writes to stdout or leaves the working directory.
# shellcheck shell=sh disable=SC2154

venv=$root/.venv
python=$venv/bin/python
log=$venv/setup.log
unset PYTHONHOME PYTHONPATH

# tell FORMAT-NAME [ARGUMENT…]: one sentence on stderr, in the language of the locale.
tell() {
    . "$root/tools/messages.sh"
    eval "format=\$$1"
    shift
    # shellcheck disable=SC2059
    printf "$name: $format\n" "$@" >&2
}

# stamp run|check: what the stamp holds when it fits.
stamp() {
    printf '%s\n' "$root"
    cat "$root/requirements/$1.txt"
}

# is_ready run|check: the stamp fits.
is_ready() {
    [ -e "$venv/stamp-$1" ] && [ -x "$python" ] && [ "$(cat "$venv/stamp-$1")" = "$(stamp "$1")" ]
}

# find_python: set $base to a Python that can make the environment, or say what is missing.
find_python() {
    probe='import sys
print("%d.%d" % sys.version_info[:2])
if sys.version_info < (3, 11):
    sys.exit(3)
print(sys._base_executable)
try:
    import venv
    from ensurepip import bootstrap
except ImportError:
    sys.exit(4)'
    old='' bare=''
    for candidate in ${DICECUP_PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
        command -v "$candidate" >/dev/null 2>&1 || continue
        found=$("$candidate" -E -s -c "$probe" 2>/dev/null)
        case $? in
        0) base=${found#*
} && return ;;
        3) old=${old:-$found} ;;
        4) bare=${bare:-${found%%
*}} ;;
        esac
    done
    if [ -n "$bare" ]; then
        tell no_venv "$bare" "$bare"
    elif [ -n "$old" ]; then
        tell old_python "$old"
    else
        tell no_python
    fi
    return 2
}

# The lock is held by a file descriptor that everything started from here inherits: it is
# free again when the last of them has ended, in whatever way that came about.
locked='import fcntl, os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o666)
os.set_inheritable(lock, True)
try:
    fcntl.flock(lock, fcntl.LOCK_EX)
except OSError:
    pass  # a file system without locks
os.execvp(sys.argv[2], sys.argv[2:])'

# build run|check: make .venv, one process at a time.
build() {
    if ! [ -w "$root" ]; then
        tell read_only "$root"
        return 2
    fi
    find_python &&
        "$base" -I -c "$locked" "$root/.venv.lock" sh "$root/tools/build-venv.sh" "$name" "$1" "$base" >&2
}

# have_catalogues: there is an up-to-date .mo file for each .po file.
have_catalogues() {
    for po in "$root"/src/dicecup/i18n/locale/*/LC_MESSAGES/dicecup.po; do
        mo=${po%.po}.mo
        if [ -e "$po" ] && { ! [ -e "$mo" ] || [ "$po" -nt "$mo" ]; }; then
            return 1
        fi
    done
}

compile_catalogues() {
    "$python" -I "$root/tools/catalogues.py" compile >"$log" 2>&1 || {
        tell no_catalogues "$log"
        return 2
    }
}

# set_up run|check: all that is needed to go on.
set_up() {
    is_ready "$1" || build "$1" || return
    have_catalogues || compile_catalogues
}
