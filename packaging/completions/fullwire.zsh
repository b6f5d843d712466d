#compdef fullwire

autoload -U is-at-least

_fullwire() {
    typeset -A opt_args
    typeset -a _arguments_options
    local ret=1

    if is-at-least 5.2; then
        _arguments_options=(-s -S -C)
    else
        _arguments_options=(-s -C)
    fi

    local context curcontext="$curcontext" state line
    _arguments "${_arguments_options[@]}" : \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
":: :_fullwire_commands" \
"*::: :->fullwire" \
&& ret=0
    case $state in
    (fullwire)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:fullwire-command-$line[1]:"
        case $line[1] in
            (assess)
_arguments "${_arguments_options[@]}" : \
'*--path=[Measure the storage under this directory (may be repeated; default\: the current one, unless --peer is given)]:DIR:_files' \
'*--peer=[Measure the network to this responder or ssh host (may be repeated; default\: loopback, unless --path is given)]:HOST[:PORT]|ssh://…:_default' \
'*--demand=[What the database needs\: a report, a listing, \`postgres\://…\` or \`mysql\://…\` (may be repeated)]:FILE|DSN:_default' \
'*--expect=[What the path should carry when nothing on the host can tell\: RATE, or HOST=RATE with several peers]:[HOST=]RATE:_default' \
'--expect-disk=[What the storage is provisioned with\: a cloud volume, an instance, a contract]:iops=N,rate=RATE:_default' \
'--duration=[Each probe runs so long]:TIME:_default' \
'--html=[Also write a self-contained HTML page]:FILE:_files' \
'--sga=[The size of the SGA that shall run here]:SIZE:_default' \
'(--key-file)--key=[The responder'\''s key, as \`fullwire serve\` printed it; other users see it here, not in \[env\: \`FULLWIRE_KEY\`\]]:KEY:_default' \
'--key-file=[A file with the key]:FILE:_files' \
'*--ignore=[Leave this rule out (may be repeated)]:CODE:_default' \
'--waivers=[Leave out the rules that this file names, one code a line, \`#\` begins a comment]:FILE:_files' \
'--fail-on=[Exit with status 1 on a finding as bad as this]:SEVERITY:((never\:"No finding does"
info\:"Any finding"
warning\:"A warning or worse"
critical\:"A critical finding"))' \
'--store=[The store of kept runs \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'--tag=[A label for this run]:NAME:_default' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'(--duration)--quick[Short probes\: about fifteen seconds for one path of each kind]' \
'--no-store[Do not keep this run]' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
'--root=[A captured tree, a sosreport (unpacked or packed) or a \`fullwire capture\` archive instead of this host]:DIR|ARCHIVE:_files' \
'--sga=[The size of the SGA that shall start here]:SIZE:_default' \
'*--only=[Only this layer\: network, storage, host, database (may be repeated)]:AREA:_default' \
'--window=[Counters are judged over this time; 0s\: no counters]:TIME:_default' \
'*--ignore=[Leave this rule out (may be repeated)]:CODE:_default' \
'--waivers=[Leave out the rules that this file names, one code a line, \`#\` begins a comment]:FILE:_files' \
'--fail-on=[Exit with status 1 on a finding as bad as this]:SEVERITY:((never\:"No finding does"
info\:"Any finding"
warning\:"A warning or worse"
critical\:"A critical finding"))' \
'--store=[The store of kept runs \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'--tag=[A label for this run]:NAME:_default' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--explain[Print what each finding means, below it]' \
'--no-store[Do not keep this run]' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(capture)
_arguments "${_arguments_options[@]}" : \
'-o+[The archive to write; it must not exist]:FILE:_files' \
'--output=[The archive to write; it must not exist]:FILE:_files' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--anonymise[Replace host names and addresses of hosts by hashes]' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(serve)
_arguments "${_arguments_options[@]}" : \
'--listen=[Address and port]:ADDR:PORT:_default' \
'(--key-file)--key=[The responder'\''s key, as \`fullwire serve\` printed it; other users see it here, not in \[env\: \`FULLWIRE_KEY\`\]]:KEY:_default' \
'--key-file=[A file with the key]:FILE:_files' \
'--write-dir=[Clients may have their messages written to private files below this directory]:DIR:_files' \
'--iperf3-port=[Also answer iperf3 clients on this port, without a key]:PORT:_default' \
'--iperf2-port=[Also answer iperf 2 clients (TCP) on this port, without a key]:PORT:_default' \
'--iperf-listen=[Address for iperf clients, who need no key \[default\: 127.0.0.1; the address of --listen with --open\]]:ADDR:_default' \
'--metrics-listen=[Also answer Prometheus\: /metrics has the last kept run, /probe measures now; without a key \[default when given without an address\: 127.0.0.1\:5556\]]::ADDR:PORT:_default' \
'--metrics-store=[The store of kept runs that /metrics judges \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'*--probe-allow=[/probe may reach this target (may be repeated) \[default\: none\]]:HOST:PORT:_default' \
'--max-clients=[Clients at once]:N:_default' \
'--max-clients-per-address=[Clients at once from one address \[default\: 16 with --open, else no limit of its own\]]:N:_default' \
'--max-duration=[Longest test]:TIME:_default' \
'--max-rate=[Highest rate of one test, over all its connections \[default\: no limit\]]:RATE:_default' \
'--max-bytes=[Most bytes of one test, over all its connections \[default\: no limit\]]:SIZE:_default' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'(--key --key-file)--open[Serve anybody]' \
'--once[End after the first client]' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(net)
_arguments "${_arguments_options[@]}" : \
'--mode=[How messages flow]:MODE:((async\:"A stream, counted until the peer has it all"
sync\:"One message in flight, acknowledged"
rtt\:"Empty messages"
udp\:"Datagrams"))' \
'--streams=[Connections at once]:N:_default' \
'--length=[Bytes of a message \[default\: 1M; sync 8k; udp 8k; rtt 0\]]:SIZE:_default' \
'--duration=[Time or bytes]:TIME|SIZE:_default' \
'--interval=[A line of figures so often]:TIME:_default' \
'--warmup=[Not counted at the start]:TIME:_default' \
'--delay=[Pause between messages]:TIME:_default' \
'--payload=[\`random\`, \`zero\`, or a file to send]:KIND|FILE:_default' \
'--sockbuf=[Size of the socket buffers \[default\: autotuning\]]:SIZE:_default' \
'--mss=[Largest TCP segment, as MSS counts it \[default\: the path'\''s\]]:SIZE:_default' \
'--rate=[Send no faster than this]:RATE:_default' \
'--depth=[Messages in flight per stream (sync)]:N:_default' \
'--open-loop=[So many messages a second at fixed times, latency from the intended start (sync)]:PER-SECOND:_default' \
'--source=[Local address or interface]:ADDR|INTERFACE:_default' \
'--dscp=[DSCP code point, 0 to 63]:N:_default' \
'--congestion=[Congestion control]:NAME:_default' \
'--busy-poll=[Busy polling, microseconds]:US:_default' \
'--timeout=[Give up when nothing moves for so long]:TIME:_default' \
'--freq=[Repeat so often for so long\: \`1h/24h\`]:EVERY/FOR:_default' \
'--output=[Also write what is printed to a file]:FILE:_files' \
'--expect=[What the path should carry when nothing on the host can tell]:RATE:_default' \
'(--key-file)--key=[The responder'\''s key, as \`fullwire serve\` printed it; other users see it here, not in \[env\: \`FULLWIRE_KEY\`\]]:KEY:_default' \
'--key-file=[A file with the key]:FILE:_files' \
'*--ignore=[Leave this rule out (may be repeated)]:CODE:_default' \
'--waivers=[Leave out the rules that this file names, one code a line, \`#\` begins a comment]:FILE:_files' \
'--fail-on=[Exit with status 1 on a finding as bad as this]:SEVERITY:((never\:"No finding does"
info\:"Any finding"
warning\:"A warning or worse"
critical\:"A critical finding"))' \
'--store=[The store of kept runs \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'--tag=[A label for this run]:NAME:_default' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--random-length[Each message has a random length from 512 bytes to --length]' \
'--random-delay[Each pause is random, up to --delay]' \
'--write[The peer writes each message to disk before it acknowledges (its --write-dir)]' \
'(--bidir)--reverse[The peer sends]' \
'--bidir[Both ways at once]' \
'--under-load[Latency while a bulk stream runs beside it]' \
'--zerocopy[Zero-copy sending; says whether the kernel really did it]' \
'(--sockbuf --freq)--window-sweep[Socket buffers from 64 KiB to 64 MiB in turn\: where does the throughput stop to grow?]' \
'--no-store[Do not keep this run]' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
':target -- `HOST\[\:PORT\]`, `ssh\://user@host`, `iperf3\://HOST\[\:PORT\]`, `iperf2\://HOST\[\:PORT\]`:_default' \
&& ret=0
;;
(mtu)
_arguments "${_arguments_options[@]}" : \
'--timeout=[Wait so long for an answer]:TIME:_default' \
'(--key-file)--key=[The responder'\''s key, as \`fullwire serve\` printed it; other users see it here, not in \[env\: \`FULLWIRE_KEY\`\]]:KEY:_default' \
'--key-file=[A file with the key]:FILE:_files' \
'*--ignore=[Leave this rule out (may be repeated)]:CODE:_default' \
'--waivers=[Leave out the rules that this file names, one code a line, \`#\` begins a comment]:FILE:_files' \
'--fail-on=[Exit with status 1 on a finding as bad as this]:SEVERITY:((never\:"No finding does"
info\:"Any finding"
warning\:"A warning or worse"
critical\:"A critical finding"))' \
'--store=[The store of kept runs \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'--tag=[A label for this run]:NAME:_default' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--no-hops[Do not look for the hop where the MTU falls]' \
'--no-gain[Do not measure the gain of jumbo frames\: some seconds of load where the path carries them]' \
'--no-store[Do not keep this run]' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
':target -- Host or address, with the responder'\''s port when it is not 5555:_default' \
&& ret=0
;;
(disk)
_arguments "${_arguments_options[@]}" : \
'*--profile=[A database'\''s way of doing I/O (may be repeated); \`list\` names them all]:NAME:_default' \
'--operation=[read, write or mixed]:OPERATION:((read\:"Reads"
write\:"Writes"
mixed\:"Both"))' \
'--read-share=[Percent of reads in mixed]:PERCENT:_default' \
'--pattern=[sequential or random]:PATTERN:((sequential\:"One after the other"
random\:"Anywhere"))' \
'--block=[Bytes of one I/O]:SIZE:_default' \
'--depth=[I/Os in flight per thread]:N:_default' \
'--threads=[Threads]:N:_default' \
'--engine=[Which system calls]:ENGINE:((auto\:"\`io_uring\` where the kernel gives it"
io_uring\:"Submission and completion rings"
plain\:"One system call per I/O"))' \
'--sync=[How a write is made durable]:SYNC:((none\:"Not at all"
dsync\:"\`O_DSYNC\`"
osync\:"\`O_SYNC\`"
fdatasync\:"\`fdatasync\` after each write"
fsync\:"\`fsync\` after each write"))' \
'--size=[Size of the private file, and of the files of a profile \[default\: 256M; bonnie\: twice the memory\]]:SIZE:_default' \
'--duration=[Each step\: time or bytes]:TIME|SIZE:_default' \
'--repeats=[Repeat each step]:N:_default' \
'--rate=[So many I/Os a second at random times, latency from the intended start]:PER-SECOND:_default' \
'--max-bytes=[Write no more than this in all]:SIZE:_default' \
'*--sweep=[Sweep over block, depth, threads, working-set]:WHAT:_default' \
'--expect-disk=[What the storage is provisioned with\: a cloud volume, an instance, a contract]:iops=N,rate=RATE:_default' \
'--destroy=[Allow the destruction of this device'\''s content\: its identity (serial number or WWN) typed back]:IDENTITY:_default' \
'*--ignore=[Leave this rule out (may be repeated)]:CODE:_default' \
'--waivers=[Leave out the rules that this file names, one code a line, \`#\` begins a comment]:FILE:_files' \
'--fail-on=[Exit with status 1 on a finding as bad as this]:SEVERITY:((never\:"No finding does"
info\:"Any finding"
warning\:"A warning or worse"
critical\:"A critical finding"))' \
'--store=[The store of kept runs \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'--tag=[A label for this run]:NAME:_default' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--buffered[Through the page cache]' \
'-y[Do not ask before more than 8 GB are written]' \
'--yes[Do not ask before more than 8 GB are written]' \
'--no-store[Do not keep this run]' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
'::target -- A directory, a file or a block device:_files' \
&& ret=0
;;
(redo)
_arguments "${_arguments_options[@]}" : \
'--sql=[Print the query that makes the listing]:DATABASE:((oracle\:"\`v\$archived_log\` and \`v\$log_history\`"
postgres\:"\`pg_stat_wal\`, \`pg_stat_io\`"
mysql\:"Status variables"))' \
'--window=[A live database is watched so long]:TIME:_default' \
'--headroom=[Headroom above the peak, percent]:PERCENT:_default' \
'--peer=[Is the path to this responder enough? Measures it]:HOST[:PORT]:_default' \
'--run=[Is the path of this kept network run enough? An id, its beginning, a label, or \`last\`]:RUN:_default' \
'--gap=[How long does a gap of this size take to close?]:SIZE:_default' \
'--date-order=[The order of an ambiguous date]:ORDER:((mdy\:"Month, day, year"
dmy\:"Day, month, year"
ymd\:"Year, month, day"))' \
'(--key-file)--key=[The responder'\''s key, as \`fullwire serve\` printed it; other users see it here, not in \[env\: \`FULLWIRE_KEY\`\]]:KEY:_default' \
'--key-file=[A file with the key]:FILE:_files' \
'*--ignore=[Leave this rule out (may be repeated)]:CODE:_default' \
'--waivers=[Leave out the rules that this file names, one code a line, \`#\` begins a comment]:FILE:_files' \
'--fail-on=[Exit with status 1 on a finding as bad as this]:SEVERITY:((never\:"No finding does"
info\:"Any finding"
warning\:"A warning or worse"
critical\:"A critical finding"))' \
'--store=[The store of kept runs \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'--tag=[A label for this run]:NAME:_default' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--no-store[Do not keep this run]' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
'*::sources -- Listings of archived logs, reports, `postgres\://` and `mysql\://` addresses; `-`\: stdin:_default' \
&& ret=0
;;
(awr)
_arguments "${_arguments_options[@]}" : \
'*--ignore=[Leave this rule out (may be repeated)]:CODE:_default' \
'--waivers=[Leave out the rules that this file names, one code a line, \`#\` begins a comment]:FILE:_files' \
'--fail-on=[Exit with status 1 on a finding as bad as this]:SEVERITY:((never\:"No finding does"
info\:"Any finding"
warning\:"A warning or worse"
critical\:"A critical finding"))' \
'--store=[The store of kept runs \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'--tag=[A label for this run]:NAME:_default' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--no-store[Do not keep this run]' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
'*::files -- AWR (HTML or text, single, RAC, global, compare) or Statspack reports:_files' \
&& ret=0
;;
(import)
_arguments "${_arguments_options[@]}" : \
'--date-order=[The order of an ambiguous date]:ORDER:((mdy\:"Month, day, year"
dmy\:"Day, month, year"
ymd\:"Year, month, day"))' \
'--store=[The store of kept runs \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'--tag=[A label for this run]:NAME:_default' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--no-store[Do not keep this run]' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
'*::files -- Outputs of sar, sadf, iostat, vmstat, nfsiostat, fio, iperf3, bonnie++; `-`\: stdin:_files' \
&& ret=0
;;
(history)
_arguments "${_arguments_options[@]}" : \
'--store=[The store of kept runs \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'--last=[At most so many, newest first]:N:_default' \
'--tag=[Only runs with this label]:NAME:_default' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
'--store=[The store of kept runs \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
':run -- A run'\''s id, its beginning, its label, or `last`:_default' \
&& ret=0
;;
(report)
_arguments "${_arguments_options[@]}" : \
'-o+[The page to write; \`-\`\: stdout]:FILE:_files' \
'--output=[The page to write; \`-\`\: stdout]:FILE:_files' \
'--store=[The store of kept runs \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
':run -- A run'\''s id, its beginning, its label, or `last`:_default' \
&& ret=0
;;
(script)
_arguments "${_arguments_options[@]}" : \
'--finding=[Only the steps of this finding]:CODE:_default' \
'--format=[A POSIX shell script, or an Ansible playbook]:FORMAT:((sh\:"Shell"
ansible\:"Ansible playbook"))' \
'--store=[The store of kept runs \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
':run -- A run'\''s id, its beginning, its label, or `last`:_default' \
&& ret=0
;;
(export)
_arguments "${_arguments_options[@]}" : \
'--run=[A run'\''s id, its beginning or its label \[default\: the last one that was made on this host\]]:RUN:_default' \
'--store=[The store of kept runs \[env\: \`FULLWIRE_STORE\`\] \[default\: below ~/.local/state/fullwire\]]:PATH:_files' \
'-o+[Write to this file, at once and whole, instead of stdout]:FILE:_files' \
'--output=[Write to this file, at once and whole, instead of stdout]:FILE:_files' \
'--max-age=[Of an older run nothing is known (--nagios, --checkmk)]:TIME:_default' \
'--fail-on=[A finding as bad as this is a failed case (--junit)]:SEVERITY:((never\:"No finding does"
info\:"Any finding"
warning\:"A warning or worse"
critical\:"A critical finding"))' \
'--zabbix-host=[What Zabbix calls this host \[default\: as \`zabbix_sender\` is set up\] (--zabbix)]:NAME:_default' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--openmetrics[Prometheus\: text that scrapers, \`node_exporter\`'\''s textfile collector and \`OpenMetrics\` parsers take]' \
'--nagios[Nagios, Icinga, Naemon\: a plugin'\''s output and exit status]' \
'--checkmk[Checkmk\: a local check]' \
'--zabbix[Zabbix\: the input of \`zabbix_sender -T\`]' \
'--junit[CI\: the XML of \`JUnit\`]' \
'--sarif[Code scanning\: SARIF 2.1.0]' \
'--otlp-json[\`OpenTelemetry\`\: the JSON body of a POST to /v1/metrics]' \
'--csv[Spreadsheets\: every number of the run, a line each]' \
'--all[Every number of the run, also those of partitions, queues, CPUs and connections]' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(explain)
_arguments "${_arguments_options[@]}" : \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
':code -- The finding'\''s code:_default' \
&& ret=0
;;
(rules)
_arguments "${_arguments_options[@]}" : \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--markdown[As a Markdown page]' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(schema)
_arguments "${_arguments_options[@]}" : \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
'::name -- Such as fullwire.assess/1:_default' \
&& ret=0
;;
(clean)
_arguments "${_arguments_options[@]}" : \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(oratcptest)
_arguments "${_arguments_options[@]}" : \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-V[Print version]' \
'--version[Print version]' \
'*::arguments -- As for the jar\: `oratcptest HOST -port=5555 -mode=sync -length=8k`:_default' \
&& ret=0
;;
(touch)
_arguments "${_arguments_options[@]}" : \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
':target -- A directory, a file or a block device:_files' \
&& ret=0
;;
(completions)
_arguments "${_arguments_options[@]}" : \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
':shell -- For which shell:(bash elvish fish powershell zsh)' \
&& ret=0
;;
(monitoring)
_arguments "${_arguments_options[@]}" : \
'-o+[Into this folder]:OUTPUT:_files' \
'--output=[Into this folder]:OUTPUT:_files' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(man)
_arguments "${_arguments_options[@]}" : \
'-o+[Into this folder]:OUTPUT:_files' \
'--output=[Into this folder]:OUTPUT:_files' \
'--json-file=[Write the result as JSON to a file (\`-\`\: stdout), beside what is printed]:FILE:_files' \
'--color=[Colour\: on a terminal only, always, or never (\`NO_COLOR\` is obeyed)]:COLOR:((auto\:"On a terminal"
always\:"Always"
never\:"Never"))' \
'--json[Print the result as JSON on stdout]' \
'-q[No progress and no notes on stderr]' \
'--quiet[No progress and no notes on stderr]' \
'-v[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'--verbose[More\: which rules passed, which could not be decided and why, how each ceiling was reckoned]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_fullwire__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:fullwire-help-command-$line[1]:"
        case $line[1] in
            (assess)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(capture)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(serve)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(net)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(mtu)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(disk)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(redo)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(awr)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(import)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(history)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(report)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(script)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(export)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(explain)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(rules)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(schema)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(clean)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(oratcptest)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(touch)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(completions)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(monitoring)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(man)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
        esac
    ;;
esac
}

(( $+functions[_fullwire_commands] )) ||
_fullwire_commands() {
    local commands; commands=(
'assess:Audit, probe and judge this host'\''s I/O path\: the main job' \
'check:Audit without load\: this host, a captured tree or a sosreport' \
'capture:Collect what \`check\` reads into an archive that \`check --root\` reads again' \
'serve:Answer network measurements\: the far end' \
'net:Measure the network to a responder, an iperf server, or a host reached over ssh' \
'mtu:Find the path MTU in both ways, and black holes' \
'disk:Measure storage\: a directory, a file, a block device' \
'redo:Required bandwidth from redo or WAL history' \
'awr:Read AWR and Statspack reports\: what matters and what is wrong' \
'import:Read the output of other tools into a run\: sar, iostat, vmstat, fio, iperf3, bonnie++, nfsiostat' \
'history:List kept runs' \
'show:Show a kept run, judged again by today'\''s rules' \
'report:Write a kept run as one self-contained HTML page' \
'script:Write the advised steps of a kept run as a script with guards and undo, to be read and run by a person' \
'export:A kept run for Prometheus, Nagios, Checkmk, Zabbix, \`OpenTelemetry\`, CI or a spreadsheet' \
'explain:What a finding means, where it is read, how to fix it' \
'rules:List every rule' \
'schema:Print the JSON schema of a document, or the names of all' \
'clean:Remove what an interrupted run left behind' \
'oratcptest:Drop-in for \`java -jar oratcptest.jar\`\: the same options with one dash, the same output' \
'touch:Make one small I/O on a storage target\: what a probe has a process of its own do first' \
'completions:Print shell completions' \
'monitoring:Write the Grafana dashboard and the Prometheus alert rules' \
'man:Write the man pages' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'fullwire commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__assess_commands] )) ||
_fullwire__subcmd__assess_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire assess commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__awr_commands] )) ||
_fullwire__subcmd__awr_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire awr commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__capture_commands] )) ||
_fullwire__subcmd__capture_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire capture commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__check_commands] )) ||
_fullwire__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire check commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__clean_commands] )) ||
_fullwire__subcmd__clean_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire clean commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__completions_commands] )) ||
_fullwire__subcmd__completions_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire completions commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__disk_commands] )) ||
_fullwire__subcmd__disk_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire disk commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__explain_commands] )) ||
_fullwire__subcmd__explain_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire explain commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__export_commands] )) ||
_fullwire__subcmd__export_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire export commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help_commands] )) ||
_fullwire__subcmd__help_commands() {
    local commands; commands=(
'assess:Audit, probe and judge this host'\''s I/O path\: the main job' \
'check:Audit without load\: this host, a captured tree or a sosreport' \
'capture:Collect what \`check\` reads into an archive that \`check --root\` reads again' \
'serve:Answer network measurements\: the far end' \
'net:Measure the network to a responder, an iperf server, or a host reached over ssh' \
'mtu:Find the path MTU in both ways, and black holes' \
'disk:Measure storage\: a directory, a file, a block device' \
'redo:Required bandwidth from redo or WAL history' \
'awr:Read AWR and Statspack reports\: what matters and what is wrong' \
'import:Read the output of other tools into a run\: sar, iostat, vmstat, fio, iperf3, bonnie++, nfsiostat' \
'history:List kept runs' \
'show:Show a kept run, judged again by today'\''s rules' \
'report:Write a kept run as one self-contained HTML page' \
'script:Write the advised steps of a kept run as a script with guards and undo, to be read and run by a person' \
'export:A kept run for Prometheus, Nagios, Checkmk, Zabbix, \`OpenTelemetry\`, CI or a spreadsheet' \
'explain:What a finding means, where it is read, how to fix it' \
'rules:List every rule' \
'schema:Print the JSON schema of a document, or the names of all' \
'clean:Remove what an interrupted run left behind' \
'oratcptest:Drop-in for \`java -jar oratcptest.jar\`\: the same options with one dash, the same output' \
'touch:Make one small I/O on a storage target\: what a probe has a process of its own do first' \
'completions:Print shell completions' \
'monitoring:Write the Grafana dashboard and the Prometheus alert rules' \
'man:Write the man pages' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'fullwire help commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__assess_commands] )) ||
_fullwire__subcmd__help__subcmd__assess_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help assess commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__awr_commands] )) ||
_fullwire__subcmd__help__subcmd__awr_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help awr commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__capture_commands] )) ||
_fullwire__subcmd__help__subcmd__capture_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help capture commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__check_commands] )) ||
_fullwire__subcmd__help__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help check commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__clean_commands] )) ||
_fullwire__subcmd__help__subcmd__clean_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help clean commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__completions_commands] )) ||
_fullwire__subcmd__help__subcmd__completions_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help completions commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__disk_commands] )) ||
_fullwire__subcmd__help__subcmd__disk_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help disk commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__explain_commands] )) ||
_fullwire__subcmd__help__subcmd__explain_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help explain commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__export_commands] )) ||
_fullwire__subcmd__help__subcmd__export_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help export commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__help_commands] )) ||
_fullwire__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help help commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__history_commands] )) ||
_fullwire__subcmd__help__subcmd__history_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help history commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__import_commands] )) ||
_fullwire__subcmd__help__subcmd__import_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help import commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__man_commands] )) ||
_fullwire__subcmd__help__subcmd__man_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help man commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__monitoring_commands] )) ||
_fullwire__subcmd__help__subcmd__monitoring_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help monitoring commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__mtu_commands] )) ||
_fullwire__subcmd__help__subcmd__mtu_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help mtu commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__net_commands] )) ||
_fullwire__subcmd__help__subcmd__net_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help net commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__oratcptest_commands] )) ||
_fullwire__subcmd__help__subcmd__oratcptest_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help oratcptest commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__redo_commands] )) ||
_fullwire__subcmd__help__subcmd__redo_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help redo commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__report_commands] )) ||
_fullwire__subcmd__help__subcmd__report_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help report commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__rules_commands] )) ||
_fullwire__subcmd__help__subcmd__rules_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help rules commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__schema_commands] )) ||
_fullwire__subcmd__help__subcmd__schema_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help schema commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__script_commands] )) ||
_fullwire__subcmd__help__subcmd__script_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help script commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__serve_commands] )) ||
_fullwire__subcmd__help__subcmd__serve_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help serve commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__show_commands] )) ||
_fullwire__subcmd__help__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help show commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__help__subcmd__touch_commands] )) ||
_fullwire__subcmd__help__subcmd__touch_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire help touch commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__history_commands] )) ||
_fullwire__subcmd__history_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire history commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__import_commands] )) ||
_fullwire__subcmd__import_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire import commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__man_commands] )) ||
_fullwire__subcmd__man_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire man commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__monitoring_commands] )) ||
_fullwire__subcmd__monitoring_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire monitoring commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__mtu_commands] )) ||
_fullwire__subcmd__mtu_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire mtu commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__net_commands] )) ||
_fullwire__subcmd__net_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire net commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__oratcptest_commands] )) ||
_fullwire__subcmd__oratcptest_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire oratcptest commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__redo_commands] )) ||
_fullwire__subcmd__redo_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire redo commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__report_commands] )) ||
_fullwire__subcmd__report_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire report commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__rules_commands] )) ||
_fullwire__subcmd__rules_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire rules commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__schema_commands] )) ||
_fullwire__subcmd__schema_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire schema commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__script_commands] )) ||
_fullwire__subcmd__script_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire script commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__serve_commands] )) ||
_fullwire__subcmd__serve_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire serve commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__show_commands] )) ||
_fullwire__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire show commands' commands "$@"
}
(( $+functions[_fullwire__subcmd__touch_commands] )) ||
_fullwire__subcmd__touch_commands() {
    local commands; commands=()
    _describe -t commands 'fullwire touch commands' commands "$@"
}

if [ "$funcstack[1]" = "_fullwire" ]; then
    _fullwire "$@"
else
    compdef _fullwire fullwire
fi
