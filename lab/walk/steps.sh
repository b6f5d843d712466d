# The steps of a walk, sourced by each of them. A step leaves a folder of its own in out/; `run` judges what lies there.
. ./lib.sh
. ./disks.sh
tar xf tools.tar -C /
hash -r
export COLUMNS=100 XDG_STATE_HOME=/root/state PATH="$PWD:$PATH"
number=0

# step ROW TITLE: begins a step; ROW is the part of the document that it belongs to.
step() {
    number=$((number + 1))
    at=out/$(printf '%02d' "$number")
    mkdir -p "$at"
    printf '%s\n' "$1" >"$at/row"
    printf '%s\n' "$2" >"$at/title"
    echo "step $number: $2"
}

# The document's command, and ours in its place: run as typed, kept with what they print.
old() { command_of old "$1"; }
new() {
    command_of new "$1"
    ./fullwire show last --json >"$at/new.json" 2>/dev/null || rm -f "$at/new.json"
}

command_of() {    # old|new COMMAND
    printf '%s\n' "$2" >>"$at/$1.command"
    timeout -k 2 200 bash -c "$2" >>"$at/$1.txt" 2>&1 || echo "(exit status $?)" >>"$at/$1.txt"
}

# What must hold. A figure is the first group of a regular expression over what was printed, or a `/pointer` into the kept run.
same() { printf '%s\t' same "$@" >>"$at/judge"; echo >>"$at/judge"; }    # UNIT PERCENT OLD FACTOR NEW FACTOR
figure() { printf '%s\t' figure "$@" >>"$at/judge"; echo >>"$at/judge"; }    # UNIT NEW FACTOR LOW HIGH: ours alone, within bounds
finds() { printf '%s\t' finds "$@" >>"$at/judge"; echo >>"$at/judge"; }    # CODE of a finding of the kept run
says() { printf '%s\t' says "$@" >>"$at/judge"; echo >>"$at/judge"; }    # REGEX over what ours printed
printed() { printf '%s\t' printed "$@" >>"$at/judge"; echo >>"$at/judge"; }    # TEXT: the document's own figure
errs() { printf '%s\t' errs "$@" >>"$at/judge"; echo >>"$at/judge"; }    # TEXT: where the document errs, and why
elsewhere() { printf '%s\t' elsewhere "$@" >>"$at/judge"; echo >>"$at/judge"; }    # TEXT: what cannot be run here
