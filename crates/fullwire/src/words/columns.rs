//! The columns of the tools that people come from: what each means, when it misleads, what to look at here instead.
//!
//! Sources: the manual pages of iostat(1), sar(1) and vmstat(8), Linux Documentation/admin-guide/iostats.rst,
//! proc(5) on `/proc/loadavg` and `/proc/stat`, ip-link(8).

use super::Word;

/// Columns of iostat, sar, vmstat, uptime and ifconfig.
pub(crate) const COLUMNS: [Word; 24] = [
    Word {
        name: "await",
        title: "iostat, sar -d: mean time of a request, queue and device together, ms",
        text: "Time from the request's entry into the block layer to its completion, averaged over the interval. \
               r_await and w_await are the same for reads and writes alone.\n\nIt misleads as a mean: a few writes that are \
               slow hide among many fast reads, and with little load a single request sets it. It says nothing about the \
               time above the block layer, in the file system or on NFS.\n\nHere: `fullwire watch` shows reads and writes apart; \
               `fullwire disk` measures the distribution (p50, p99, p99.9) and says which layer the time is spent in.",
    },
    Word {
        name: "svctm",
        title: "iostat, sar -d: \"service time\"; a quotient, not a measurement",
        text: "Computed as %util divided by the number of requests. It is a service time only for a device that works on \
               one request at a time. Disks with command queues, RAID sets, SAN LUNs and SSDs work on many: there it is too \
               small by the number in parallel. sysstat warned about it for years and removed it in 12.1.2.\n\nHere: not \
               shown. Compare `await` with the latency at depth 1 (`fullwire disk TARGET --operation read --pattern random \
               --depth 1`): what await has beyond that is queueing.",
    },
    Word {
        name: "%util",
        title: "iostat, sar -d: share of the time in which the device had at least one request",
        text: "100 % means \"never idle\". It is the end of the road only for a single disk that does one thing at a time. A LUN \
               on eight disks or an SSD at 100 % may have most of its capacity left.\n\nHere: `fullwire disk --sweep depth` finds \
               the number of I/Os in flight at which the rate stops growing. That is the limit. `watch` and `record` show the \
               rate next to it.",
    },
    Word {
        name: "avgqu-sz",
        title: "iostat, sar -d: mean number of requests in the queue and in the device; now aqu-sz",
        text: "Rate times await (Little's law): 308 requests per second at 14.5 ms are 4.5. If the three figures do not fit \
               together, one of them is wrong.\n\nA long queue is the load, not yet a fault: a scan keeps the queue full \
               because it asks ahead. It is a fault if the rate no longer grows with it.\n\nHere: `fullwire disk` checks Little's \
               law on each step, and names the queue that is full (device, multipath, adapter).",
    },
    Word {
        name: "aqu-sz",
        title: "iostat: mean number of requests in the queue and in the device; formerly avgqu-sz",
        text: "See avgqu-sz: `fullwire explain avgqu-sz`.",
    },
    Word {
        name: "avgrq-sz",
        title: "iostat, sar -d: mean size of a request, in sectors of 512 bytes; now areq-sz in kB",
        text: "1024 sectors are 512 KiB. Sectors per second divided by requests per second give the same. If the program reads \
               1 MiB and this shows 512 KiB, the queue splits each I/O in two (max_sectors_kb); if it is larger than the \
               program's I/O, neighbours were merged.\n\nIt is a mean: half 8 KiB and half 1 MiB look like 516 KiB.\n\nHere: \
               `fullwire disk --sweep block` shows the request size at each block size, on each layer.",
    },
    Word {
        name: "areq-sz",
        title: "iostat, sar -d: mean size of a request in kB; formerly avgrq-sz in sectors",
        text: "See avgrq-sz: `fullwire explain avgrq-sz`.",
    },
    Word {
        name: "rrqm/s",
        title: "iostat: read requests per second that were merged with a neighbour before they were sent",
        text: "High in sequential reads through a file system, near 0 in random reads. With direct I/O of large blocks there \
               is little to merge. wrqm/s is the same for writes.\n\nHere: `fullwire disk` compares requests and their size on \
               each layer with the I/Os of the program, so that merging and splitting show.",
    },
    Word {
        name: "wrqm/s",
        title: "iostat: write requests per second that were merged with a neighbour before they were sent",
        text: "See rrqm/s: `fullwire explain rrqm/s`.",
    },
    Word {
        name: "tps",
        title: "sar -b, sar -d, iostat: transfers (requests to the device) per second",
        text: "Requests after merging and splitting, of any size: 100 of them may be 0.4 or 50 MB/s. On a multipath or RAID \
               device each layer counts its own, so a sum over all devices counts the same I/O several times.\n\nHere: rates \
               are shown for each device with their size, and the topology says which device lies below which.",
    },
    Word {
        name: "bi",
        title: "vmstat: blocks of 1024 bytes read from devices per second",
        text: "Of all devices together, swap included. bo is the same for writes, which come when the kernel writes its cache \
               back, not when the program wrote.\n\nHere: `fullwire watch` has reads and writes for each device.",
    },
    Word {
        name: "bo",
        title: "vmstat: blocks of 1024 bytes written to devices per second",
        text: "See bi: `fullwire explain bi`.",
    },
    Word {
        name: "b",
        title: "vmstat: tasks in uninterruptible sleep, most of them waiting for I/O",
        text: "A count at one moment, not a mean of the interval. A task that waits for an NFS server that does not answer is \
               in it too, and so is one that waits for a lock in the kernel.\n\nHere: `watch` and `check` name the threads and \
               what they wait in.",
    },
    Word {
        name: "r",
        title: "vmstat: tasks that run or are ready to run",
        text: "A count at one moment, running ones included. More than the number of CPUs for a long time means that tasks wait \
               for a CPU.\n\nHere: `cpu-saturated` compares it with the CPUs and with the time that tasks waited \
               (/proc/pressure/cpu), which is a sum over time and misses no peak.",
    },
    Word {
        name: "wa",
        title: "vmstat, top; %iowait in sar and iostat: CPU idle while a task waits for I/O",
        text: "It is idle time with a reason. It falls when another program uses the CPU, although the I/O is as slow as before, \
               and it can be near 0 on a host with many CPUs where every commit waits. High values alone do not prove slow \
               storage: one copy on an idle host gives 100 % of one CPU.\n\nHere: latency of the devices and waiting threads \
               (`fullwire watch`), and /proc/pressure/io, which counts the waiting tasks themselves.",
    },
    Word {
        name: "%iowait",
        title: "sar -u, iostat: CPU idle while a task waits for I/O",
        text: "See wa: `fullwire explain wa`.",
    },
    Word {
        name: "%steal",
        title: "sar -u, st in vmstat and top: time in which the hypervisor ran something else",
        text: "The guest was ready to run and did not get the CPU. Latencies measured in the guest contain this time, for disk \
               and network alike.\n\nHere: `cpu-steal` judges it around each measurement.",
    },
    Word {
        name: "load-average",
        title: "uptime: tasks that run, are ready to run or wait for I/O, averaged over 1, 5 and 15 minutes",
        text: "On Linux it contains tasks in uninterruptible sleep: a load of 180 on two CPUs may be an NFS server that does not \
               answer. The averages decay exponentially, so a short peak lowers into a long shallow one.\n\nHere: the CPU's \
               queue and the tasks that wait for I/O are shown apart.",
    },
    Word {
        name: "si",
        title: "vmstat: kB read back from swap per second",
        text: "What hurts is the reading back: a task waits for it. so, writing out, is done ahead of need. A number now and then \
               after a start is no trouble, a steady one is.\n\nHere: a finding about swapping names the span and whether disks \
               were slow in the same seconds.",
    },
    Word {
        name: "so",
        title: "vmstat: kB written to swap per second",
        text: "See si: `fullwire explain si`.",
    },
    Word {
        name: "txqueuelen",
        title: "ifconfig, ip link: packets that the interface's default queue holds",
        text: "It sizes the queue of pfifo_fast and pfifo. fq, fq_codel and mq, the defaults of most distributions, have limits \
               of their own and ignore it. A longer queue cures drops in the host's own queue and adds latency; it does nothing \
               for drops on the way or at the receiver.\n\nHere: drops are counted in the queue itself (`tc -s qdisc`), and a \
               finding about drops says which queue it was.",
    },
    Word {
        name: "collisions",
        title: "ifconfig, coll/s in sar -n EDEV: two stations of a half-duplex line sent at the same time",
        text: "Impossible on a full-duplex link, which every switch port is. Any number above 0 that grows means half duplex: \
               a hub, or one end with autonegotiation off.\n\nHere: `nic-half-duplex` looks at the link's mode.",
    },
    Word {
        name: "overruns",
        title: "ifconfig: packets that the adapter had no buffer for (rx_fifo_errors)",
        text: "The host was too slow to empty the receive ring, or the ring is too short. Drivers differ in what they count \
               here, and some count it under `dropped`.\n\nHere: the driver's own counters (`ethtool -S`) are read, and the \
               finding says how to enlarge the ring.",
    },
    Word {
        name: "dropped",
        title: "ifconfig, rxdrop/s in sar -n EDEV: packets that arrived and were thrown away",
        text: "Not only a full queue: packets of protocols that no program listens to, of other VLANs and of an inactive bond member \
               are counted as well.\n\nHere: the kernel's and the driver's reasons are read where they exist, and harmless \
               ones are not reported.",
    },
];
