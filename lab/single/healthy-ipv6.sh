# Two hosts that have nothing but IPv6 between them. Nothing is wrong.
# expect-healthy: yes
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

host peer
wire db eth0 peer eth0
addr db eth0 fd00:1::1/64 nodad
addr peer eth0 fd00:1::2/64 nodad
tuned db peer
truth 'ping loss, %' "$(loss_pct db fd00:1::2 100)" 0 0

proven
respond peer --listen '[::]:5555'
ask db assess --peer '[fd00:1::2]:5555' --quick --no-store
