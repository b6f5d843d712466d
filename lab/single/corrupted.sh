# A switch damages one packet in two hundred: the peer discards it for its checksum. A good tool says loss or damage on the way.
# expect-layer: network
# expect-any: corrupt|checksum|damag|loss|retransmi
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh

routed
tuned db peer
netem router eth0 delay 4ms
netem router eth1 corrupt 0.5%
before=$(counter peer TcpInCsumErrors)
truth 'iperf3, Mbit/s' "$(bulk db peer 10.0.2.1)" 1 200
truth 'damaged segments' "$(($(counter peer TcpInCsumErrors) - before))" 10 1000000

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
