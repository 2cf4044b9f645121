# Finds a Python of at least 3.11 and hands over to it. Sourced by the commands beside this folder.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
python=""
for name in "${PYTHON:-}" python3.11 python3.12 python3.13 python3.14 python3 python; do
    [ -n "$name" ] || continue
    command -v "$name" >/dev/null 2>&1 || continue
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$name
        break
    fi
done
if [ -z "$python" ]; then
    echo "Kernodeck needs Python 3.11 or newer; none was found (looked for python3.11 to python3.14, python3, python)." >&2
    echo "Install one, or name it: PYTHON=/path/to/python3.12 $0" >&2
    exit 2
fi
if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
    echo "$("$python" --version) has no venv module. On Debian and Ubuntu: apt install python3-venv" >&2
    exit 2
fi
