# For the changes of known size in known/: what `fullwire prove` must find, and its answers. Source it after lib.sh.

# known NAME ANSWER 'LOW HIGH' UNIT: the change by another tool, as `ratio` less 1 or in `ns`.
known() {
    local low high
    read -r low high <<<"$3"
    printf '{"name": "%s", "answer": "%s", "low": %s, "high": %s, "unit": "%s"}\n' "$1" "$2" "$low" "$high" "$4" >out/truth.json
    cat out/truth.json
    [[ -x fullwire ]] || exit 0
}

# proofs A B COMMAND...: ten experiments, each in out/proof-N.json.
proofs() {
    local n a=$1 b=$2
    shift 2
    for n in {1..10}; do
        timeout 200 ./fullwire prove --a "$a" --b "$b" --yes --settle 200ms --quiet --json --store /tmp/runs.db -- "$@" \
            >"out/proof-$n.json" 2>"out/proof-$n.log" || cat "out/proof-$n.log"
    done
}
