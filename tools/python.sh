# Sourced by ./dicecup and ./check, which set $root and $name: find the Python interpreter for tools/launch.py.
# shellcheck shell=sh disable=SC2154

unset PYTHONHOME PYTHONPATH

# tell FORMAT [ARGUMENT…]: write a message to stderr.
tell() {
    format=$1
    shift
    # shellcheck disable=SC2059
    printf "$name: $format\n" "$@" >&2
}

# The messages that are needed without Python; all others are in tools/setup_texts.py.
sentences() {
    case ${LANGUAGE:-${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}} in
    fr*)
        no_python='Python 3.11 ou plus récent est nécessaire mais introuvable ; installez-le avec le gestionnaire de paquets de votre système, puis relancez.'
        old_python='Python 3.11 ou plus récent est nécessaire, seul Python %s a été trouvé ; installez-en un avec le gestionnaire de paquets de votre système, puis relancez.'
        no_venv='Python %s est là, mais sans ses modules venv et ensurepip ; installez le paquet python%s-venv (Debian, Ubuntu) ou un Python complet, puis relancez.'
        ;;
    de*)
        no_python='Python 3.11 oder neuer wird gebraucht, wurde aber nicht gefunden; installiere es mit der Paketverwaltung des Systems und starte noch einmal.'
        old_python='Python 3.11 oder neuer wird gebraucht, gefunden wurde nur Python %s; installiere ein neueres mit der Paketverwaltung des Systems und starte noch einmal.'
        no_venv='Python %s ist da, aber ohne die Module venv und ensurepip; installiere das Paket python%s-venv (Debian, Ubuntu) oder ein vollständiges Python und starte noch einmal.'
        ;;
    sv*)
        no_python='Python 3.11 eller nyare behövs men hittades inte; installera det med systemets pakethanterare och kör igen.'
        old_python='Python 3.11 eller nyare behövs men bara Python %s hittades; installera ett nyare med systemets pakethanterare och kör igen.'
        no_venv='Python %s finns men saknar modulerna venv och ensurepip; installera paketet python%s-venv (Debian, Ubuntu) eller ett fullständigt Python och kör igen.'
        ;;
    *)
        no_python='Python 3.11 or newer is needed but wasn’t found; install it with your system’s package manager and run this again.'
        old_python='Python 3.11 or newer is needed but only Python %s was found; install a newer one with your system’s package manager and run this again.'
        no_venv='Python %s is here, but without its modules venv and ensurepip; install the package python%s-venv (Debian, Ubuntu) or a complete Python and run this again.'
        ;;
    esac
}

# Exit status 5: it was compiled without optimisation, as pyenv compiles by default, and takes a third longer. Pythons of
# Linux distributions are in /usr; they are optimised, but do not say so.
probe='import sys
print("%d.%d" % sys.version_info[:2])
if sys.version_info < (3, 11):
    sys.exit(3)
print(sys._base_executable)
try:
    import venv
    from ensurepip import bootstrap
except ImportError:
    sys.exit(4)
from sysconfig import get_config_var
options = get_config_var("CONFIG_ARGS")
sys.exit(5 if sys.base_prefix != "/usr" and options and "--enable-optimizations" not in options else 0)'

# try_python CANDIDATE: set $python and succeed if it can create .venv and there is no reason to look for another.
try_python() {
    found=$("$1" -E -s -c "$probe" 2>/dev/null)
    status=$?
    version=${found%%
*} path=${found#*
}
    case $status in
    3) old=${old:-$version} ;;
    4) bare=${bare:-$version} ;;
    5) slow=${slow:-$path} ;;
    esac
    python=$path
    return $status
}

# find_python: set $python to the interpreter of .venv, else to one that can create .venv, or say what is missing.
find_python() {
    python=$root/.venv/bin/python
    [ -z "${DICECUP_PYTHON-}" ] && [ -x "$python" ] && return
    old='' bare='' slow=''
    if [ -n "${DICECUP_PYTHON-}" ]; then
        try_python "$DICECUP_PYTHON" && return
    else
        for command in python3 python3.14 python3.13 python3.12 python3.11 python; do
            rest=$PATH:
            while [ -n "$rest" ]; do
                candidate=${rest%%:*}/$command rest=${rest#*:}
                [ -x "$candidate" ] && try_python "$candidate" && return
            done
        done
    fi
    [ -n "$slow" ] && python=$slow && return
    sentences
    if [ -n "$bare" ]; then
        tell "$no_venv" "$bare" "$bare"
    elif [ -n "$old" ]; then
        tell "$old_python" "$old"
    else
        tell "$no_python"
    fi
    return 2
}
