journal=$place/script/$run_id.journal
if [ "$apply" = yes ]; then
    own "$place"
    own "$place/script"
    if [ -L "$journal" ] || { [ -e "$journal" ] && [ ! -f "$journal" ]; }; then
        echo "$journal is no file: nothing is run" >&2
        exit 1
    fi
    (umask 077; : >> "$journal") || exit 1
fi

if [ "$direction" = undo ]; then
    reversed=''
    for name in $names; do
        reversed="$name $reversed"
    done
    names=$reversed
fi
is_done='' is_failed='' is_skipped=''
for name in $names; do
    if [ -n "$only" ] && [ "$only" != "$name" ]; then
        continue
    fi
    applied=no
    if in_effect now || in_effect persist; then
        applied=yes
    fi
    if [ "$direction" = undo ] && [ -r "$journal" ] && [ "$applied" = no ]; then
        printf '== %s\nnot applied by this script, nothing to take back\n' "$name"
        continue
    fi
    if [ "$direction" = 'do' ] && [ "$apply" = yes ] && [ "$applied" = yes ]; then
        printf '== %s\napplied already; --undo takes it back\n' "$name"
        continue
    fi
    state='done' changed=no
    "${name}_$direction"
    [ "$apply" = yes ] || continue
    if [ "$state" = 'done' ] && [ "$direction" = undo ]; then
        note undone -
    elif [ "$state" != 'done' ] || [ "$changed" = yes ]; then
        note "$state" -
    fi
    case "$state" in
        'done') [ "$changed" = no ] || is_done="$is_done $name" ;;
        failed) is_failed="$is_failed $name" ;;
        skipped) is_skipped="$is_skipped $name" ;;
    esac
done
if [ "$apply" = yes ]; then
    printf '\ndone:   %s\nfailed: %s\nskipped:%s\njournal: %s\n' "${is_done:- none}" "${is_failed:- none}" "${is_skipped:- none}" "$journal"
fi
[ -z "$is_failed" ]
