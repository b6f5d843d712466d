# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_fullwire_global_optspecs
    string join \n json json-file= color= q/quiet v/verbose h/help V/version
end

function __fish_fullwire_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_fullwire_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_fullwire_using_subcommand
    set -l cmd (__fish_fullwire_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c fullwire -n "__fish_fullwire_needs_command" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_needs_command" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_needs_command" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_needs_command" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_needs_command" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_needs_command" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "assess" -d 'Audit, probe and judge this host\'s I/O path: the main job'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "check" -d 'Audit without load: this host, a captured tree or a sosreport'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "capture" -d 'Collect what `check` reads into an archive that `check --root` reads again'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "serve" -d 'Answer network measurements: the far end'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "net" -d 'Measure the network to a responder, an iperf server, or a host reached over ssh'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "mtu" -d 'Find the path MTU in both ways, and black holes'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "disk" -d 'Measure storage: a directory, a file, a block device'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "redo" -d 'Required bandwidth from redo or WAL history'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "awr" -d 'Read AWR and Statspack reports: what matters and what is wrong'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "import" -d 'Read the output of other tools into a run: sar, iostat, vmstat, fio, iperf3, bonnie++, nfsiostat'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "history" -d 'List kept runs'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "show" -d 'Show a kept run, judged again by today\'s rules'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "report" -d 'Write a kept run as one self-contained HTML page'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "script" -d 'Write the advised steps of a kept run as a script with guards and undo, to be read and run by a person'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "export" -d 'A kept run for Prometheus, Nagios, Checkmk, Zabbix, `OpenTelemetry`, CI or a spreadsheet'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "explain" -d 'What a finding means, where it is read, how to fix it'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "rules" -d 'List every rule'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "schema" -d 'Print the JSON schema of a document, or the names of all'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "clean" -d 'Remove what an interrupted run left behind'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "oratcptest" -d 'Drop-in for `java -jar oratcptest.jar`: the same options with one dash, the same output'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "touch" -d 'Make one small I/O on a storage target: what a probe has a process of its own do first'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "completions" -d 'Print shell completions'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "monitoring" -d 'Write the Grafana dashboard and the Prometheus alert rules'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "man" -d 'Write the man pages'
complete -c fullwire -n "__fish_fullwire_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l path -d 'Measure the storage under this directory (may be repeated; default: the current one, unless --peer is given)' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l peer -d 'Measure the network to this responder or ssh host (may be repeated; default: loopback, unless --path is given)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l demand -d 'What the database needs: a report, a listing, `postgres://…` or `mysql://…` (may be repeated)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l expect -d 'What the path should carry when nothing on the host can tell: RATE, or HOST=RATE with several peers' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l expect-disk -d 'What the storage is provisioned with: a cloud volume, an instance, a contract' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l duration -d 'Each probe runs so long' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l html -d 'Also write a self-contained HTML page' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l sga -d 'The size of the SGA that shall run here' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l key -d 'The responder\'s key, as `fullwire serve` printed it; other users see it here, not in [env: `FULLWIRE_KEY`]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l key-file -d 'A file with the key' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l ignore -d 'Leave this rule out (may be repeated)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l waivers -d 'Leave out the rules that this file names, one code a line, `#` begins a comment' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l fail-on -d 'Exit with status 1 on a finding as bad as this' -r -f -a "never\t'No finding does'
info\t'Any finding'
warning\t'A warning or worse'
critical\t'A critical finding'"
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l store -d 'The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l tag -d 'A label for this run' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l quick -d 'Short probes: about fifteen seconds for one path of each kind'
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l no-store -d 'Do not keep this run'
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand assess" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l root -d 'A captured tree, a sosreport (unpacked or packed) or a `fullwire capture` archive instead of this host' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l sga -d 'The size of the SGA that shall start here' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l only -d 'Only this layer: network, storage, host, database (may be repeated)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l window -d 'Counters are judged over this time; 0s: no counters' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l ignore -d 'Leave this rule out (may be repeated)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l waivers -d 'Leave out the rules that this file names, one code a line, `#` begins a comment' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l fail-on -d 'Exit with status 1 on a finding as bad as this' -r -f -a "never\t'No finding does'
info\t'Any finding'
warning\t'A warning or worse'
critical\t'A critical finding'"
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l store -d 'The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l tag -d 'A label for this run' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l explain -d 'Print what each finding means, below it'
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l no-store -d 'Do not keep this run'
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand check" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand capture" -s o -l output -d 'The archive to write; it must not exist' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand capture" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand capture" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand capture" -l anonymise -d 'Replace host names and addresses of hosts by hashes'
complete -c fullwire -n "__fish_fullwire_using_subcommand capture" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand capture" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand capture" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand capture" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand capture" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l listen -d 'Address and port' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l key -d 'The responder\'s key, as `fullwire serve` printed it; other users see it here, not in [env: `FULLWIRE_KEY`]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l key-file -d 'A file with the key' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l write-dir -d 'Clients may have their messages written to private files below this directory' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l iperf3-port -d 'Also answer iperf3 clients on this port, without a key' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l iperf2-port -d 'Also answer iperf 2 clients (TCP) on this port, without a key' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l iperf-listen -d 'Address for iperf clients, who need no key [default: 127.0.0.1; the address of --listen with --open]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l metrics-listen -d 'Also answer Prometheus: /metrics has the last kept run, /probe measures now; without a key [default when given without an address: 127.0.0.1:5556]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l metrics-store -d 'The store of kept runs that /metrics judges [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l probe-allow -d '/probe may reach this target (may be repeated) [default: none]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l max-clients -d 'Clients at once' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l max-clients-per-address -d 'Clients at once from one address [default: 16 with --open, else no limit of its own]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l max-duration -d 'Longest test' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l max-rate -d 'Highest rate of one test, over all its connections [default: no limit]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l max-bytes -d 'Most bytes of one test, over all its connections [default: no limit]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l open -d 'Serve anybody'
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l once -d 'End after the first client'
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand serve" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l mode -d 'How messages flow' -r -f -a "async\t'A stream, counted until the peer has it all'
sync\t'One message in flight, acknowledged'
rtt\t'Empty messages'
udp\t'Datagrams'"
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l streams -d 'Connections at once' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l length -d 'Bytes of a message [default: 1M; sync 8k; udp 8k; rtt 0]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l duration -d 'Time or bytes' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l interval -d 'A line of figures so often' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l warmup -d 'Not counted at the start' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l delay -d 'Pause between messages' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l payload -d '`random`, `zero`, or a file to send' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l sockbuf -d 'Size of the socket buffers [default: autotuning]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l mss -d 'Largest TCP segment, as MSS counts it [default: the path\'s]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l rate -d 'Send no faster than this' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l depth -d 'Messages in flight per stream (sync)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l open-loop -d 'So many messages a second at fixed times, latency from the intended start (sync)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l source -d 'Local address or interface' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l dscp -d 'DSCP code point, 0 to 63' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l congestion -d 'Congestion control' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l busy-poll -d 'Busy polling, microseconds' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l timeout -d 'Give up when nothing moves for so long' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l freq -d 'Repeat so often for so long: `1h/24h`' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l output -d 'Also write what is printed to a file' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l expect -d 'What the path should carry when nothing on the host can tell' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l key -d 'The responder\'s key, as `fullwire serve` printed it; other users see it here, not in [env: `FULLWIRE_KEY`]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l key-file -d 'A file with the key' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l ignore -d 'Leave this rule out (may be repeated)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l waivers -d 'Leave out the rules that this file names, one code a line, `#` begins a comment' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l fail-on -d 'Exit with status 1 on a finding as bad as this' -r -f -a "never\t'No finding does'
info\t'Any finding'
warning\t'A warning or worse'
critical\t'A critical finding'"
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l store -d 'The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l tag -d 'A label for this run' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l random-length -d 'Each message has a random length from 512 bytes to --length'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l random-delay -d 'Each pause is random, up to --delay'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l write -d 'The peer writes each message to disk before it acknowledges (its --write-dir)'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l reverse -d 'The peer sends'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l bidir -d 'Both ways at once'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l under-load -d 'Latency while a bulk stream runs beside it'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l zerocopy -d 'Zero-copy sending; says whether the kernel really did it'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l window-sweep -d 'Socket buffers from 64 KiB to 64 MiB in turn: where does the throughput stop to grow?'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l no-store -d 'Do not keep this run'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand net" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l timeout -d 'Wait so long for an answer' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l key -d 'The responder\'s key, as `fullwire serve` printed it; other users see it here, not in [env: `FULLWIRE_KEY`]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l key-file -d 'A file with the key' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l ignore -d 'Leave this rule out (may be repeated)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l waivers -d 'Leave out the rules that this file names, one code a line, `#` begins a comment' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l fail-on -d 'Exit with status 1 on a finding as bad as this' -r -f -a "never\t'No finding does'
info\t'Any finding'
warning\t'A warning or worse'
critical\t'A critical finding'"
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l store -d 'The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l tag -d 'A label for this run' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l no-hops -d 'Do not look for the hop where the MTU falls'
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l no-gain -d 'Do not measure the gain of jumbo frames: some seconds of load where the path carries them'
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l no-store -d 'Do not keep this run'
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand mtu" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l profile -d 'A database\'s way of doing I/O (may be repeated); `list` names them all' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l operation -d 'read, write or mixed' -r -f -a "read\t'Reads'
write\t'Writes'
mixed\t'Both'"
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l read-share -d 'Percent of reads in mixed' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l pattern -d 'sequential or random' -r -f -a "sequential\t'One after the other'
random\t'Anywhere'"
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l block -d 'Bytes of one I/O' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l depth -d 'I/Os in flight per thread' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l threads -d 'Threads' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l engine -d 'Which system calls' -r -f -a "auto\t'`io_uring` where the kernel gives it'
io_uring\t'Submission and completion rings'
plain\t'One system call per I/O'"
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l sync -d 'How a write is made durable' -r -f -a "none\t'Not at all'
dsync\t'`O_DSYNC`'
osync\t'`O_SYNC`'
fdatasync\t'`fdatasync` after each write'
fsync\t'`fsync` after each write'"
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l size -d 'Size of the private file, and of the files of a profile [default: 256M; bonnie: twice the memory]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l duration -d 'Each step: time or bytes' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l repeats -d 'Repeat each step' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l rate -d 'So many I/Os a second at random times, latency from the intended start' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l max-bytes -d 'Write no more than this in all' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l sweep -d 'Sweep over block, depth, threads, working-set' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l expect-disk -d 'What the storage is provisioned with: a cloud volume, an instance, a contract' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l destroy -d 'Allow the destruction of this device\'s content: its identity (serial number or WWN) typed back' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l ignore -d 'Leave this rule out (may be repeated)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l waivers -d 'Leave out the rules that this file names, one code a line, `#` begins a comment' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l fail-on -d 'Exit with status 1 on a finding as bad as this' -r -f -a "never\t'No finding does'
info\t'Any finding'
warning\t'A warning or worse'
critical\t'A critical finding'"
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l store -d 'The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l tag -d 'A label for this run' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l buffered -d 'Through the page cache'
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -s y -l yes -d 'Do not ask before more than 8 GB are written'
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l no-store -d 'Do not keep this run'
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand disk" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l sql -d 'Print the query that makes the listing' -r -f -a "oracle\t'`v$archived_log` and `v$log_history`'
postgres\t'`pg_stat_wal`, `pg_stat_io`'
mysql\t'Status variables'"
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l window -d 'A live database is watched so long' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l headroom -d 'Headroom above the peak, percent' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l peer -d 'Is the path to this responder enough? Measures it' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l run -d 'Is the path of this kept network run enough? An id, its beginning, a label, or `last`' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l gap -d 'How long does a gap of this size take to close?' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l date-order -d 'The order of an ambiguous date' -r -f -a "mdy\t'Month, day, year'
dmy\t'Day, month, year'
ymd\t'Year, month, day'"
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l key -d 'The responder\'s key, as `fullwire serve` printed it; other users see it here, not in [env: `FULLWIRE_KEY`]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l key-file -d 'A file with the key' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l ignore -d 'Leave this rule out (may be repeated)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l waivers -d 'Leave out the rules that this file names, one code a line, `#` begins a comment' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l fail-on -d 'Exit with status 1 on a finding as bad as this' -r -f -a "never\t'No finding does'
info\t'Any finding'
warning\t'A warning or worse'
critical\t'A critical finding'"
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l store -d 'The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l tag -d 'A label for this run' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l no-store -d 'Do not keep this run'
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand redo" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand awr" -l ignore -d 'Leave this rule out (may be repeated)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand awr" -l waivers -d 'Leave out the rules that this file names, one code a line, `#` begins a comment' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand awr" -l fail-on -d 'Exit with status 1 on a finding as bad as this' -r -f -a "never\t'No finding does'
info\t'Any finding'
warning\t'A warning or worse'
critical\t'A critical finding'"
complete -c fullwire -n "__fish_fullwire_using_subcommand awr" -l store -d 'The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand awr" -l tag -d 'A label for this run' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand awr" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand awr" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand awr" -l no-store -d 'Do not keep this run'
complete -c fullwire -n "__fish_fullwire_using_subcommand awr" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand awr" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand awr" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand awr" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand awr" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand import" -l date-order -d 'The order of an ambiguous date' -r -f -a "mdy\t'Month, day, year'
dmy\t'Day, month, year'
ymd\t'Year, month, day'"
complete -c fullwire -n "__fish_fullwire_using_subcommand import" -l store -d 'The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand import" -l tag -d 'A label for this run' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand import" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand import" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand import" -l no-store -d 'Do not keep this run'
complete -c fullwire -n "__fish_fullwire_using_subcommand import" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand import" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand import" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand import" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand history" -l store -d 'The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand history" -l last -d 'At most so many, newest first' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand history" -l tag -d 'Only runs with this label' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand history" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand history" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand history" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand history" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand history" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand history" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand history" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand show" -l store -d 'The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand show" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand show" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand show" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand show" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand show" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand show" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand report" -s o -l output -d 'The page to write; `-`: stdout' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand report" -l store -d 'The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand report" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand report" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand report" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand report" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand report" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand report" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand script" -l finding -d 'Only the steps of this finding' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand script" -l format -d 'A POSIX shell script, or an Ansible playbook' -r -f -a "sh\t'Shell'
ansible\t'Ansible playbook'"
complete -c fullwire -n "__fish_fullwire_using_subcommand script" -l store -d 'The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand script" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand script" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand script" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand script" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand script" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand script" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand script" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l run -d 'A run\'s id, its beginning or its label [default: the last one that was made on this host]' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l store -d 'The store of kept runs [env: `FULLWIRE_STORE`] [default: below ~/.local/state/fullwire]' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -s o -l output -d 'Write to this file, at once and whole, instead of stdout' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l max-age -d 'Of an older run nothing is known (--nagios, --checkmk)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l fail-on -d 'A finding as bad as this is a failed case (--junit)' -r -f -a "never\t'No finding does'
info\t'Any finding'
warning\t'A warning or worse'
critical\t'A critical finding'"
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l zabbix-host -d 'What Zabbix calls this host [default: as `zabbix_sender` is set up] (--zabbix)' -r
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l openmetrics -d 'Prometheus: text that scrapers, `node_exporter`\'s textfile collector and `OpenMetrics` parsers take'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l nagios -d 'Nagios, Icinga, Naemon: a plugin\'s output and exit status'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l checkmk -d 'Checkmk: a local check'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l zabbix -d 'Zabbix: the input of `zabbix_sender -T`'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l junit -d 'CI: the XML of `JUnit`'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l sarif -d 'Code scanning: SARIF 2.1.0'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l otlp-json -d '`OpenTelemetry`: the JSON body of a POST to /v1/metrics'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l csv -d 'Spreadsheets: every number of the run, a line each'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l all -d 'Every number of the run, also those of partitions, queues, CPUs and connections'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand export" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand explain" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand explain" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand explain" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand explain" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand explain" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand explain" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand rules" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand rules" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand rules" -l markdown -d 'As a Markdown page'
complete -c fullwire -n "__fish_fullwire_using_subcommand rules" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand rules" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand rules" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand rules" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand rules" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand schema" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand schema" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand schema" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand schema" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand schema" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand schema" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand clean" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand clean" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand clean" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand clean" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand clean" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand clean" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand clean" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand oratcptest" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand oratcptest" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand oratcptest" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand oratcptest" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand oratcptest" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand oratcptest" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand touch" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand touch" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand touch" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand touch" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand touch" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand touch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand touch" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand completions" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand completions" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand completions" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand completions" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand completions" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand completions" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand monitoring" -s o -l output -d 'Into this folder' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand monitoring" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand monitoring" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand monitoring" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand monitoring" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand monitoring" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand monitoring" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand monitoring" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand man" -s o -l output -d 'Into this folder' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand man" -l json-file -d 'Write the result as JSON to a file (`-`: stdout), beside what is printed' -r -F
complete -c fullwire -n "__fish_fullwire_using_subcommand man" -l color -d 'Colour: on a terminal only, always, or never (`NO_COLOR` is obeyed)' -r -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c fullwire -n "__fish_fullwire_using_subcommand man" -l json -d 'Print the result as JSON on stdout'
complete -c fullwire -n "__fish_fullwire_using_subcommand man" -s q -l quiet -d 'No progress and no notes on stderr'
complete -c fullwire -n "__fish_fullwire_using_subcommand man" -s v -l verbose -d 'More: which rules passed, which could not be decided and why, how each ceiling was reckoned'
complete -c fullwire -n "__fish_fullwire_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c fullwire -n "__fish_fullwire_using_subcommand man" -s V -l version -d 'Print version'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "assess" -d 'Audit, probe and judge this host\'s I/O path: the main job'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "check" -d 'Audit without load: this host, a captured tree or a sosreport'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "capture" -d 'Collect what `check` reads into an archive that `check --root` reads again'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "serve" -d 'Answer network measurements: the far end'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "net" -d 'Measure the network to a responder, an iperf server, or a host reached over ssh'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "mtu" -d 'Find the path MTU in both ways, and black holes'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "disk" -d 'Measure storage: a directory, a file, a block device'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "redo" -d 'Required bandwidth from redo or WAL history'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "awr" -d 'Read AWR and Statspack reports: what matters and what is wrong'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "import" -d 'Read the output of other tools into a run: sar, iostat, vmstat, fio, iperf3, bonnie++, nfsiostat'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "history" -d 'List kept runs'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "show" -d 'Show a kept run, judged again by today\'s rules'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "report" -d 'Write a kept run as one self-contained HTML page'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "script" -d 'Write the advised steps of a kept run as a script with guards and undo, to be read and run by a person'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "export" -d 'A kept run for Prometheus, Nagios, Checkmk, Zabbix, `OpenTelemetry`, CI or a spreadsheet'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "explain" -d 'What a finding means, where it is read, how to fix it'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "rules" -d 'List every rule'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "schema" -d 'Print the JSON schema of a document, or the names of all'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "clean" -d 'Remove what an interrupted run left behind'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "oratcptest" -d 'Drop-in for `java -jar oratcptest.jar`: the same options with one dash, the same output'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "touch" -d 'Make one small I/O on a storage target: what a probe has a process of its own do first'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "completions" -d 'Print shell completions'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "monitoring" -d 'Write the Grafana dashboard and the Prometheus alert rules'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "man" -d 'Write the man pages'
complete -c fullwire -n "__fish_fullwire_using_subcommand help; and not __fish_seen_subcommand_from assess check capture serve net mtu disk redo awr import history show report script export explain rules schema clean oratcptest touch completions monitoring man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
