#
#   sh SCRIPT                      show what it would do
#   sh SCRIPT --apply              apply what does not affect the users of this host
#   sh SCRIPT --apply --window     also apply what interrupts the service or needs it stopped
#   sh SCRIPT --undo [--apply]     take back what this script has applied here, the last first
#   --only NAME                    only this function below
#   --host TARGET                  the steps for another host; run it there
#   --state DIR                    the journal is in DIR instead of /var/lib/fullwire
#
# What must be true before a step is asked, and no answer is no. A step that is skipped or fails ends its finding, and
# the next finding goes on. Each change is in the journal before it is made.
# Single-quoted text is shown and run as it is.
# shellcheck disable=SC2016
set -u

apply=no window=no direction='do' only='' host=here place=/var/lib/fullwire
while [ $# -gt 0 ]; do
    case "$1" in
        --apply) apply=yes ;;
        --window) window=yes ;;
        --undo) direction=undo ;;
        --only) only=${2:?--only needs a name}; shift ;;
        --host) host=${2:?--host needs a target}; shift ;;
        --state) place=${2:?--state needs a directory}; shift ;;
        *) echo "unknown option: $1" >&2; exit 2 ;;
    esac
    shift
done
if [ "$apply" = yes ] && [ "$(id -u)" -ne 0 ]; then
    echo "--apply needs root" >&2
    exit 2
fi

# DIRECTORY: made if it is missing; root's alone, or the script ends.
own() {
    [ -d "$1" ] || mkdir -m 0700 "$1" || exit 1
    if [ ! -L "$1" ]; then
        case "$(stat -c '%u %a' "$1")" in
            "$(id -u) 7"[0145][0145]) return ;;
        esac
    fi
    echo "$1 is not root's alone: nothing is run" >&2
    exit 1
}

# EVENT PHASE: a line of the journal, on the disk before anything else happens.
note() {
    if ! { printf '%s %s %s %s\n' "$1" "$name" "$2" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" >> "$journal" && sync "$journal"; }; then
        echo "the journal $journal cannot be written: nothing more is run" >&2
        exit 1
    fi
}

# PHASE: something of it was begun by this script, and not taken back since.
in_effect() {
    [ -r "$journal" ] && awk -v name="$name" -v phase="$1" '
        $2 == name && $1 == "undone" { on = 0 }
        $2 == name && $1 == "begun" && $3 == phase { on = 1 }
        END { exit !on }' "$journal"
}

# STATE WHY: what came of the finding; ends it.
ends() {
    state=$1
    printf '%s  the rest of this finding: %s\n' "$1" "$2"
    return 1
}

# TEXT: with --apply a question, and everything but y is no.
ask() {
    [ "$apply" = yes ] || return 0
    printf '%s [y/N] ' "$1"
    read -r answer || answer=n
    case "$answer" in
        y*|Y*) return 0 ;;
    esac
    echo
    ends skipped 'not confirmed'
}

# HOST TEXT: what only a person can tell.
needs() {
    [ "$1" = "$host" ] || return 0
    printf 'needs  %s\n' "$2"
    ask 'is it so?'
}

# HOST TEXT COMMAND: what must be true; the command tells.
check() {
    [ "$1" = "$host" ] || return 0
    printf 'check  %s: %s\n' "$2" "$3"
    [ "$apply" = no ] || sh -c "$3" < /dev/null || ends skipped 'that is not so'
}

# RISK TEXT: only with --window.
in_window() {
    if [ "$1" = online ] || [ "$window" = yes ]; then
        return 0
    fi
    printf 'needs --window (%s)  %s\n' "$1" "$2"
    [ "$apply" = no ] || ends skipped 'it needs --window'
    return 1
}

# PHASES: with --undo, whether there is something to take back. A step without a change has none.
applies() {
    [ "$direction" = undo ] || return 0
    [ -r "$journal" ] || return 0
    for phase in $(printf '%s' "$1" | tr ',' ' '); do
        in_effect "$phase" && return 0
    done
    return 1
}

# PHASES HOST RISK TEXT: a manual step.
person() {
    applies "$1" || return 0
    if [ "$2" != "$host" ]; then
        printf 'not here (%s)  %s\n' "$2" "$4"
        return 0
    fi
    if ! in_window "$3" "by hand: $4"; then
        [ "$apply" = no ]
        return
    fi
    printf 'by hand (%s)  %s\n' "$2" "$4"
    ask 'done or not needed?' || return 1
    if [ "$apply" = yes ]; then
        [ "$direction" = undo ] || note begun "$1"
        changed=yes
    fi
}

# HOST COMMAND: reads only.
look() {
    [ "$1" = "$host" ] || return 0
    if [ "$apply" = no ]; then
        printf 'would look  %s\n' "$2"
        return 0
    fi
    printf 'look  %s\n' "$2"
    sh -c "$2" < /dev/null || ends failed 'that look failed'
}

# PHASES HOST RISK COMMAND: shown, and run with --apply.
step() {
    applies "$1" || return 0
    if [ "$2" != "$host" ]; then
        printf 'not here (%s)  %s\n' "$2" "$4"
        return 0
    fi
    if ! in_window "$3" "$4"; then
        [ "$apply" = no ]
        return
    fi
    if [ "$apply" = no ]; then
        printf 'would run  %s\n' "$4"
        return 0
    fi
    printf 'run  %s\n' "$4"
    [ "$direction" = undo ] || note begun "$1"
    changed=yes
    (umask 022; sh -c "$4" < /dev/null) || ends failed 'that command failed'
}

# HOST COMMAND: succeeds once the step before has taken effect.
took_effect() {
    if [ "$1" != "$host" ] || [ "$apply" = no ]; then
        return 0
    fi
    sh -c "$2" < /dev/null || ends failed "it did not take effect: $2"
}
