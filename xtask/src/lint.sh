#!/bin/sh
# Stands between cargo and rustc (RUSTC_WORKSPACE_WRAPPER). `clippy-driver` is rustc with lints. A library and a program are
# compiled once as they are and once with their tests, from the same lines: the second time is enough for the lints.
case " $* " in
    *" --test "* | *" build_script_build "* | *"/examples "*) exec clippy-driver "$@" ;;
    *" --crate-name "*) exec "$@" -Dwarnings ;;
    *) exec "$@" ;;
esac
