//! Links, bonds, TCP: lines of the kernel and of `ss`.

use super::super::{Entry, any_of, at_least, from_number, told};
use fullwire_model::assessment::Layer::Network;
use fullwire_model::assessment::Severity::Info;

const IBQUERY: &str = "ibqueryerrors(8); InfiniBand Architecture Specification, PortCounters";

pub(in crate::said) const LINES: &[Entry] = &[
    Entry {
        any: &["delay", "loss", "rate", "reorder", "corrupt"],
        ..told(
            &["qdisc netem"],
            Network,
            "this interface delays or drops packets on purpose (netem): someone tests with it, or left it there",
            "Who set it; `tc qdisc del dev DEVICE root` takes it away, if it is the root of the interface",
            "tc-netem(8)",
        )
    },
    from_number(
        ("gc blocks lost", 1_000.0),
        Network,
        "{n} blocks were lost on the private network of the cluster since the instance started: each was waited for and asked for again",
        "netstat -s of each node (fragments, receive errors of UDP), ethtool -S of the private interfaces, and their MTU (`fullwire mtu`, `fullwire net`)",
        "Oracle Support 563566.1",
    ),
    from_number(
        ("gc blocks corrupt", 1.0),
        Network,
        "{n} blocks arrived damaged over the private network of the cluster",
        "The adapters of the private network and their offloads; ethtool -S of each node",
        "Oracle Database Reference, statistics descriptions",
    ),
    told(
        &["mtu: interface=", "upper=larger"],
        Network,
        "{interface} has MTU {mtu} and {below} below it {below_mtu}: packets above {below_mtu} bytes are dropped",
        "One MTU from top to bottom (ip link set DEVICE mtu N); `fullwire mtu PEER` proves what the path carries",
        "Linux net/8021q/vlan_dev.c, vlan_dev_change_mtu",
    ),
    Entry {
        severity: Some(Info),
        ..told(
            &["mtu: interface=", "upper=smaller"],
            Network,
            "{interface} sends packets of at most {mtu} bytes, although {below} below it takes {below_mtu}: right where its network has {mtu}, and where jumbo frames were meant they are not in use",
            "Only where every switch and host of that network takes them: `ip link set DEVICE mtu N` on all of them; `fullwire mtu PEER` proves it",
            "Linux net/8021q/vlan.c (a VLAN keeps its own MTU)",
        )
    },
    at_least(
        ("members, lacks=", 1.0),
        told(
            &["bonding: ", "members, lacks="],
            Network,
            "a bond lacks {n} of its members: its redundancy, and with LACP its bandwidth, is less",
            "`cat /proc/net/bonding/*` names the member that is down; its cable, transceiver and switch port",
            "Linux Documentation/networking/bonding.rst; node_exporter, bonding collector",
        ),
    ),
    at_least(
        ("queued×100÷most", 100.01),
        told(
            &["listening: queued=", "most="],
            Network,
            "the queue of connections of the listening port {address} is full ({queued} of {most}): new ones wait or are refused",
            "A program that accepts faster (is it stopped, or short of CPU?); a longer queue (net.core.somaxconn and the own setting of the program)",
            "ss(8); listen(2)",
        ),
    ),
    at_least(
        ("rx-usecs=", 100.0),
        told(
            &["ethtool coalescing: ", "adaptive rx=off"],
            Network,
            "the adapter holds the interrupt of a received packet back for up to {rx-usecs} µs: each answer of a commit, of iSCSI or of NFS waits as long",
            "`ethtool -C` of this interface with adaptive-rx on, or a smaller rx-usecs: more interrupts, and a shorter round trip; `fullwire net` before and after tells what it brings",
            "ethtool(8), -c; 100 µs is as much as a round trip within a rack (own choice)",
        ),
    ),
    Entry {
        any: &["detected", "dad"],
        ..told(
            &["duplicate address"],
            Network,
            "another host has the same address as this one: connections go to one or the other",
            "The MAC address in the line, and the address table of the switch, tell where it is; give one of them another address",
            "RFC 5227; RFC 4862, 5.4",
        )
    },
    told(
        &["dhcp4 ", "request timed out"],
        Network,
        "no DHCP server answered: the interface has no address, or loses it",
        "The link and the VLAN of the switch port, then the server; a database host has better a fixed address",
        "NetworkManager(8)",
    ),
    told(
        &["duplex: half"],
        Network,
        "this link runs half duplex: both ends collide and little gets through",
        "Set both ends to negotiate (ethtool -s DEVICE autoneg on, the same at the switch port)",
        "ethtool(8); IEEE 802.3 clause 28",
    ),
    from_number(
        ("symbolerrorcounter == ", 100.0),
        Network,
        "an InfiniBand port counted {n} damaged symbols since its counters were cleared",
        "The cable and its ends first (`iblinkinfo` names both); ibqueryerrors -k clears the counters, so that the next look tells what is new",
        IBQUERY,
    ),
    from_number(
        ("linkdownedcounter == ", 10.0),
        Network,
        "an InfiniBand port lost its link {n} times since its counters were cleared; restarts of the host count as well",
        "The cable, and the log of the host at the other end at those times",
        IBQUERY,
    ),
    told(
        &["] ==(", "( could be "],
        Network,
        "an InfiniBand link runs below what both of its ends can do",
        "Seat the cable anew, or replace it; the line says what it could be",
        "iblinkinfo(8)",
    ),
    at_least(
        ("not answered (", 1.0),
        told(
            &["ping: ", "not answered ("],
            Network,
            "{n} % of the pings between the first and the last of the text were not answered",
            "`mtr -n HOST` for some minutes says from which hop on",
            "ping(8), icmp_seq",
        ),
    ),
    Entry {
        severity: Some(Info),
        ..at_least(
            ("the longest took ", 0.0),
            told(
                &["ping: ", "the longest took "],
                Network,
                "the pings were answered, the slowest after {n} ms",
                "`fullwire net HOST --mode rtt` measures the round trip of a commit",
                "ping(8)",
            ),
        )
    },
    Entry {
        severity: Some(Info),
        ..told(
            &["traceroute: hop", "is the last, after"],
            Network,
            "the route reaches its end, and no hop is named that does not answer behind it",
            "`mtr -n HOST` counts what is lost",
            "traceroute(8)",
        )
    },
    Entry {
        severity: Some(Info),
        ..told(
            &["traceroute: hop", "is the last that answers"],
            Network,
            "behind this hop nobody answers to the probes: a firewall that drops them, or no way on",
            "A connection to the port itself decides (`fullwire net HOST`): many hosts answer no probes",
            "traceroute(8)",
        )
    },
    told(
        &["physical state: polling"],
        Network,
        "this InfiniBand port finds nobody at the other end of its cable",
        "The cable and the switch port; then a subnet manager (sminfo)",
        "ibstat(8)",
    ),
    at_least(
        ("ok (", 1_000.0),
        told(
            &["ok (", " msec)"],
            Network,
            "the listener answered only after seconds: usually a name server that does not answer was asked first, which takes 5 s each time",
            "`getent hosts` of the name in the address, timed; the nameserver lines of /etc/resolv.conf, in their order",
            "resolv.conf(5), timeout and attempts; Oracle Net Services, TNSPING",
        ),
    ),
    told(
        &["speed: 100mb/s"],
        Network,
        "this link runs at 100 Mbit/s",
        "Look at the supported modes of both ends and at the wire: one broken pair is enough for 100 instead of 1000",
        "ethtool(8)",
    ),
    told(
        &["speed: 10mb/s"],
        Network,
        "this link runs at 10 Mbit/s",
        "Look at the supported modes of both ends and at the wire",
        "ethtool(8)",
    ),
    told(
        &["link detected: no"],
        Network,
        "this interface has no link",
        "Look at the switch port and the optics, if it should have one",
        "ethtool(8)",
    ),
    at_least(
        ("backoff:", 3.0),
        told(
            &["backoff:", "rto:"],
            Network,
            "the far end has not acknowledged what was sent: it was sent again {n} times in a row, each after twice the time. The far end or the path to it is gone; a window that is full follows from that",
            "Ping the far end and look at its host; then the path (mtr), a firewall between that forgot the connection, and the far end's MTU",
            "ss(8), backoff; RFC 6298, section 5.5",
        ),
    ),
    at_least(
        ("rwnd_limited:*(", 20.0),
        told(
            &["rwnd_limited:", "wscale:0,"],
            Network,
            "the receiver's window limits this connection {n} % of the time: the far end does not scale its window (wscale 0), so no more than 64 KiB are on the way per round trip",
            "Turn on net.ipv4.tcp_window_scaling and larger receive buffers at the far end; look for a device between that takes the option away",
            "ss(8), rwnd_limited and wscale; RFC 7323",
        ),
    ),
    at_least(
        ("rwnd_limited:*(", 20.0),
        told(
            &["rwnd_limited:"],
            Network,
            "the receiver's window limits this connection {n} % of the time: the far end reads too slowly, or its receive buffer is too small for the round trip",
            "Larger receive buffers at the far end (net.ipv4.tcp_rmem, RECV_BUF_SIZE); see whether its program reads at all (Recv-Q there)",
            "ss(8), rwnd_limited",
        ),
    ),
    at_least(
        ("sndbuf_limited:*(", 20.0),
        told(
            &["sndbuf_limited:"],
            Network,
            "the send buffer limits this connection {n} % of the time",
            "A larger net.ipv4.tcp_wmem, or SEND_BUF_SIZE of the program",
            "ss(8), sndbuf_limited",
        ),
    ),
    at_least(
        ("to the last (", 0.5),
        told(
            &["mtr: loss from hop "],
            Network,
            "{n} % of the probes are lost on the path: the line names the first hop from which on all lose",
            "The counters of the link before that hop, at both of its ends; what a single hop loses alone is its own limit on answers",
            "mtr(8), Loss%",
        ),
    ),
    at_least(
        ("(dropped ", 1_000.0),
        told(
            &["qdisc tbf", "rate ", "(dropped "],
            Network,
            "a shaper of this host (tbf, its rate is in the line) dropped {n} packets since it was set up: it holds the interface to that rate",
            "Find out who shapes this interface and why; a larger rate or burst (tc qdisc change), or none",
            "tc-tbf(8)",
        ),
    ),
    at_least(
        ("(dropped ", 1_000.0),
        told(
            &["sent ", " pkt ", "(dropped "],
            Network,
            "this queue of the host dropped {n} packets since it was set up: it was full, or its shaper held it",
            "Read it again after a while (tc -s qdisc); if it grows, look at its limit and at what shapes it",
            "tc(8), tc-fq_codel(8)",
        ),
    ),
    told(
        &[" works without ", "-"],
        Network,
        "offloads of this interface are off, though its adapter has them: the CPU builds and takes apart each frame, and one stream may end at one CPU",
        "ethtool -K DEVICE tso on gso on gro on rx on tx on, unless the vendor of the adapter or the database said otherwise; then measure again",
        "Linux Documentation/networking/segmentation-offloads.rst",
    ),
    told(
        &["low alarm", ": on"],
        Network,
        "the optics of this port raise an alarm: light, current or voltage is below what the module needs",
        "Clean both ends of the fibre, then replace the module; compare with the module at the other end (ethtool -m)",
        "ethtool(8), -m; SFF-8472",
    ),
    told(
        &["high alarm", ": on"],
        Network,
        "the optics of this port raise an alarm: light, current or heat is above what the module tolerates",
        "Clean both ends of the fibre, then replace the module; compare with the module at the other end (ethtool -m)",
        "ethtool(8), -m; SFF-8472",
    ),
    told(
        &["tracepath: pmtu falls from"],
        Network,
        "the MTU of the path is smaller than that of this host: larger packets are cut or refused on the way",
        "The hop is the line with the smaller pmtu. Set its MTU, or that of both hosts: fullwire mtu HOST tells what each direction carries",
        "tracepath(8)",
    ),
    Entry {
        severity: Some(Info),
        ..told(
            &["tracepath: the end was not reached"],
            Network,
            "tracepath got no answer of its target: what it says of the path ends at the last hop that answered",
            "ping the target with its largest packet (ping -M do -s 8972); a firewall may drop what tracepath sends",
            "tracepath(8)",
        )
    },
    any_of(
        &["carrier=0 watched=", "watched=0"],
        Network,
        "a port of a team has no link: the other ports carry all of its traffic",
        "Look at the cable, the transceiver and the switch port of the port named",
        "teamdctl(8), state dump",
    ),
    told(
        &["ping: of ", "not answered, of "],
        Network,
        "large packets are not answered where small ones are: something on the way has a smaller MTU than this host, and drops what is larger",
        "`fullwire mtu HOST` finds the hop. Set the same MTU on both hosts and on every switch port between; until then, the smaller one on the hosts",
        "ping(8), -M do and -s; RFC 2923, section 2.1",
    ),
    at_least(
        ("ping: of ", 1_473.0),
        told(
            &["ping: of ", "smaller ones were not tried"],
            Network,
            "packets of {n} bytes are not answered: something on the way has a smaller MTU, or the host does not answer at all",
            "ping -M do -s 1472: if that is answered, `fullwire mtu HOST` finds the hop with the smaller MTU; if not, look at the route and the host",
            "ping(8), -M do and -s",
        ),
    ),
    from_number(
        ("no resource errors: ", 1_000.0),
        Network,
        "the adapter dropped {n} arriving frames because the host had no receive buffer for them",
        "chdev -l entN -a rx_que_sz (rxbuf_pool_sz on older adapters), and a look at the CPU that serves it",
        "AIX, entstat: No Resource Errors",
    ),
    at_least(
        ("discarded=", 1_000.0),
        told(
            &["port", "discarded="],
            Network,
            "a port of the switch threw away {n} frames since its counters were cleared: more arrived for it than what is behind it takes",
            "Which port, and whether the count grows under load: a slower link than the senders' or several senders at once; on Fibre Channel a device that takes no frames (credits at zero)",
            "IF-MIB, ifOutDiscards; Brocade Fabric OS Command Reference, porterrshow (disc c3)",
        ),
    ),
    at_least(
        ("pauses=", 10_000.0),
        told(
            &["port: ", "pauses="],
            Network,
            "a port of the switch was told to pause {n} times by what is connected to it: that device takes frames too slowly, and what waits for it fills the switch",
            "Whether the count grows under load; then its adapter: receive ring, PCIe link, firmware (ethtool -S)",
            "IEEE 802.1Qbb; Cisco Nexus, show interface priority-flow-control",
        ),
    ),
    at_least(
        ("received, ", 0.5),
        told(
            &["packets transmitted", "packet loss"],
            Network,
            "{n} % of the pings were not answered: the path loses packets",
            "Find the hop (mtr), then the counters of the link and of the ports on it; ICMP alone may be limited on purpose",
            "ping(8)",
        ),
    ),
    at_least(
        ("lost = *(", 0.5),
        told(
            &["packets: sent", "% loss)"],
            Network,
            "{n} % of the pings were not answered: the path loses packets",
            "Find the hop, then the counters of the link and of the ports on it; ICMP alone may be limited on purpose",
            "ping of Windows",
        ),
    ),
    from_number(
        ("resent=(", 1.0),
        Network,
        "{n} % of this connection's segments were sent again: the path loses packets",
        "Find the link that loses them: ethtool -S at both ends, and the counters of each switch port between",
        "ss(8), retrans and segs_out",
    ),
    Entry {
        any: &["mtu", "ping", "sendto"],
        ..told(
            &["message too long"],
            Network,
            "packets of this size do not fit the MTU of this host's own interface",
            "Set the MTU of the interface, or of the tunnel below, as large as the whole path carries",
            "ping(8), tracepath(8); errno EMSGSIZE",
        )
    },
    any_of(
        &["frag needed", "needs to be fragmented but df set"],
        Network,
        "a router on the way, or this host's own interface, has a smaller MTU than the packets",
        "`fullwire mtu HOST` finds the hop: the same MTU on all of the path, or that of the hop at both ends",
        "RFC 1191",
    ),
    told(
        &["nf_conntrack: table full"],
        Network,
        "the table of connections is full: packets of new ones are dropped",
        "A larger net.netfilter.nf_conntrack_max, or no tracking for the database's ports",
        "Linux net/netfilter/nf_conntrack_core.c",
    ),
    Entry {
        any: &["neighbour", "neighbor"],
        ..told(
            &["table overflow"],
            Network,
            "the table of neighbours is full: hosts cannot be reached",
            "Larger net.ipv4.neigh.default.gc_thresh1 to 3",
            "Linux net/core/neighbour.c",
        )
    },
    told(
        &["possible syn flooding"],
        Network,
        "a listening port got more connection requests than its queue holds",
        "A longer queue (net.core.somaxconn, tcp_max_syn_backlog, the listener's own QUEUESIZE), if the clients are known",
        "Linux net/ipv4/tcp_input.c",
    ),
    told(
        &["tcp: out of memory"],
        Network,
        "TCP has used up its memory: connections stall",
        "Find who holds so many bytes in sockets (ss -m), then net.ipv4.tcp_mem",
        "Linux net/ipv4/tcp.c",
    ),
    Entry {
        severity: Some(Info),
        ..told(
            &["aborted connection"],
            Network,
            "clients went away without a word, or packets did not arrive",
            "Look at the clients' timeouts and at idle limits of firewalls between",
            "MySQL manual, Communication Errors and Aborted Connections",
        )
    },
];
