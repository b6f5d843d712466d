# Yesterday's trouble: the host has lost and resent many segments and retransmitted for minutes, its counters since boot show it. Now
# everything is in order. A good tool accuses nobody.
# expect-healthy: yes
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

pair
tuned db peer
netem db eth0 loss 5%
bulk db peer 10.0.0.2 -t 5 >/dev/null
on db tc qdisc del dev eth0 root
truth 'segments resent since boot' "$(counter db TcpRetransSegs)" 100 1e9
truth 'ping loss now, %' "$(loss_pct db 10.0.0.2)" 0 0

proven
respond peer
ask db assess --peer 10.0.0.2:5555 --quick --no-store
