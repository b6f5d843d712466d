#!/bin/sh
# Stands between cargo and rustc (RUSTC_WORKSPACE_WRAPPER). `clippy-driver` is rustc with lints. A library and a program are
# compiled once as they are and once with their tests, from the same lines: the second time is enough for the lints.

# Reads the lines for their lints and makes nothing of them.
lint() {
    for arg; do
        shift
        case $arg in --emit=*) arg=--emit=dep-info,metadata ;; esac
        set -- "$@" "$arg"
    done
    clippy-driver "$@"
}

# Thousands of processes are started, and a quarter of the time of a short one is the relocation of 280,000 addresses in its pages:
# what lies at a fixed address has none.
case " $* " in
    *" --test "* | *" --crate-type bin "*) set -- "$@" -Crelocation-model=static ;;
esac

case "${LINT_ONLY:+read} $* " in
    # Cargo does not miss what it would not run.
    "read "*" --test "*) lint "$@" ;;
    # What computes for long is made by rustc itself: clippy-driver optimises nothing before LLVM (a simulation of a thousand hosts
    # takes 79 s of CPU so, and 12 s).
    *" opt-level="*" --test "* | *" --test "*" opt-level="*) lint "$@" && exec "$@" -Dwarnings ;;
    *" --test "* | *" build_script_build "* | *"/examples "*) exec clippy-driver "$@" ;;
    *" --crate-name "*) exec "$@" -Dwarnings ;;
    *) exec "$@" ;;
esac
