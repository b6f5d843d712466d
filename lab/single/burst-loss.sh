# A line that is lost for some packets in a row, now and then (Gilbert-Elliott, 0.3 % to bad, 30 % back). A good tool says loss.
# expect-layer: network
# expect-any: loss|retransmi
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh

routed
tuned db peer
netem router eth0 delay 5ms
netem router eth1 delay 5ms loss gemodel 0.3% 30%
truth 'ping loss, %' "$(loss_pct db 10.0.2.1 3000)" 0.2 4
truth 'iperf3, Mbit/s' "$(bulk db peer 10.0.2.1)" 0.5 120

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
