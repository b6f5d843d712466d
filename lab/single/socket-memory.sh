# All TCP sockets of the host together may hold 1 MiB (net.ipv4.tcp_mem): under load the kernel shrinks windows and prunes queues. A good
# tool names the socket memory.
# expect-layer: network|host
# expect-any: tcp.?mem|socket.?memory|memory pressure
# expect-verdict-not: full-wire
# commands: assess
. ./lib.sh

routed
tuned db peer
netem router eth0 delay 10ms
truth 'iperf3 before, Mbit/s' "$(bulk db peer 10.0.2.1 -t 5)" 200 20000
sysctl -qw net.ipv4.tcp_mem='128 192 256'
before=$(($(counter db TcpExtTCPMemoryPressures) + $(counter peer TcpExtTCPMemoryPressures)))
truth 'iperf3, Mbit/s' "$(bulk db peer 10.0.2.1 -t 5)" 0.1 190
echo "pressures: $(($(counter db TcpExtTCPMemoryPressures) + $(counter peer TcpExtTCPMemoryPressures) - before))"

proven
respond peer
ask db assess --peer 10.0.2.1:5555 --quick --no-store
