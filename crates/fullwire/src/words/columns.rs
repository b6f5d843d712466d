//! The columns of the tools that people come from: what each means, when it misleads, what to look at here instead.
//!
//! Sources: the manual pages of iostat(1), sar(1), vmstat(8), iperf3(1), fio(1), bonnie++(8) and ping(8), Linux Documentation/admin-guide/iostats.rst,
//! proc(5) on `/proc/loadavg` and `/proc/stat`, ip-link(8), RFC 3550 section 6.4.1, Oracle's Database Reference on statistics.

use super::Word;

/// Columns of iostat, sar, vmstat, uptime, ifconfig, iperf, fio, bonnie++ and ping, and what database people call reads.
pub(crate) const COLUMNS: [Word; 52] = [
    Word {
        name: "await r_await w_await d_await f_await",
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
        name: "avgqu-sz aqu-sz",
        title: "iostat, sar -d: mean number of requests in the queue and in the device; now aqu-sz",
        text: "Rate times await (Little's law): 308 requests per second at 14.5 ms are 4.5. If the three figures do not fit \
               together, one of them is wrong.\n\nA long queue is the load, not yet a fault: a scan keeps the queue full \
               because it asks ahead. It is a fault if the rate no longer grows with it.\n\nHere: `fullwire disk` checks Little's \
               law on each step, and names the queue that is full (device, multipath, adapter).",
    },
    Word {
        name: "avgrq-sz areq-sz rareq-sz wareq-sz dareq-sz",
        title: "iostat, sar -d: mean size of a request, in sectors of 512 bytes; now areq-sz in kB",
        text: "1024 sectors are 512 KiB. Sectors per second divided by requests per second give the same. If the program reads \
               1 MiB and this shows 512 KiB, the queue splits each I/O in two (max_sectors_kb); if it is larger than the \
               program's I/O, neighbours were merged.\n\nIt is a mean: half 8 KiB and half 1 MiB look like 516 KiB.\n\nHere: \
               `fullwire disk --sweep block` shows the request size at each block size, on each layer.",
    },
    Word {
        name: "rrqm/s wrqm/s drqm/s %rrqm %wrqm %drqm",
        title: "iostat: requests per second that were merged with a neighbour before they were sent",
        text: "High in sequential reads through a file system, near 0 in random reads. With direct I/O of large blocks there \
               is little to merge. wrqm/s is the same for writes.\n\nHere: `fullwire disk` compares requests and their size on \
               each layer with the I/Os of the program, so that merging and splitting show.",
    },
    Word {
        name: "tps",
        title: "sar -b, sar -d, iostat: transfers (requests to the device) per second",
        text: "Requests after merging and splitting, of any size: 100 of them may be 0.4 or 50 MB/s. On a multipath or RAID \
               device each layer counts its own, so a sum over all devices counts the same I/O several times.\n\nHere: rates \
               are shown for each device with their size, and the topology says which device lies below which.",
    },
    Word {
        name: "bi bo pgpgin/s pgpgout/s",
        title: "vmstat, sar -B: KiB read from devices and written to them per second",
        text: "Of all devices together, files and swap alike: in sar -B \"paged in\" is not swapping, which pswpin/s and \
               pswpout/s count. Writes come when the kernel writes its cache back, not when the program wrote.\n\nHere: `fullwire watch` has reads and writes for each device.",
    },
    Word {
        name: "b blocked",
        title: "vmstat; blocked in sar -q: tasks in uninterruptible sleep, most of them waiting for I/O",
        text: "A count at one moment, not a mean of the interval. A task that waits for an NFS server that does not answer is \
               in it too, and so is one that waits for a lock in the kernel.\n\nHere: `watch` and `check` name the threads and \
               what they wait in.",
    },
    Word {
        name: "r runq-sz",
        title: "vmstat; runq-sz in sar -q: tasks that run or are ready to run",
        text: "A count at one moment, running ones included. More than the number of CPUs for a long time means that tasks wait \
               for a CPU.\n\nHere: `cpu-saturated` compares it with the CPUs and with the time that tasks waited \
               (/proc/pressure/cpu), which is a sum over time and misses no peak.",
    },
    Word {
        name: "wa %iowait",
        title: "vmstat, top; %iowait in sar and iostat: CPU idle while a task waits for I/O",
        text: "It is idle time with a reason. It falls when another program uses the CPU, although the I/O is as slow as before, \
               and it can be near 0 on a host with many CPUs where every commit waits. High values alone do not prove slow \
               storage: one copy on an idle host gives 100 % of one CPU.\n\nHere: latency of the devices and waiting threads \
               (`fullwire watch`), and /proc/pressure/io, which counts the waiting tasks themselves.",
    },
    Word {
        name: "%steal st",
        title: "sar -u, st in vmstat and top: time in which the hypervisor ran something else",
        text: "The guest was ready to run and did not get the CPU. Latencies measured in the guest contain this time, for disk \
               and network alike.\n\nHere: `cpu-steal` judges it around each measurement.",
    },
    Word {
        name: "load-average ldavg-1 ldavg-5 ldavg-15",
        title: "uptime: tasks that run, are ready to run or wait for I/O, averaged over 1, 5 and 15 minutes",
        text: "On Linux it contains tasks in uninterruptible sleep: a load of 180 on two CPUs may be an NFS server that does not \
               answer. The averages decay exponentially, so a short peak lowers into a long shallow one.\n\nHere: the CPU's \
               queue and the tasks that wait for I/O are shown apart.",
    },
    Word {
        name: "si so pswpin/s pswpout/s",
        title: "vmstat: KiB read back from swap and written to it per second; in sar -W pages",
        text: "What hurts is the reading back: a task waits for it. so, writing out, is done ahead of need. A number now and then \
               after a start is no trouble, a steady one is.\n\nHere: a finding about swapping names the span and whether disks \
               were slow in the same seconds.",
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
        name: "collisions coll/s",
        title: "ifconfig, coll/s in sar -n EDEV: two stations of a half-duplex line sent at the same time",
        text: "Impossible on a full-duplex link, which every switch port is. Any number above 0 that grows means half duplex: \
               a hub, or one end with autonegotiation off.\n\nHere: `nic-half-duplex` looks at the link's mode.",
    },
    Word {
        name: "overruns rxfifo/s txfifo/s",
        title: "ifconfig: packets that the adapter had no buffer for (rx_fifo_errors)",
        text: "The host was too slow to empty the receive ring, or the ring is too short. Drivers differ in what they count \
               here, and some count it under `dropped`.\n\nHere: the driver's own counters (`ethtool -S`) are read, and the \
               finding says how to enlarge the ring.",
    },
    Word {
        name: "dropped rxdrop/s txdrop/s",
        title: "ifconfig, rxdrop/s in sar -n EDEV: packets that arrived and were thrown away",
        text: "Not only a full queue: packets of protocols that no program listens to, of other VLANs and of an inactive bond member \
               are counted as well.\n\nHere: the kernel's and the driver's reasons are read where they exist, and harmless \
               ones are not reported.",
    },
    Word {
        name: "r/s w/s d/s",
        title: "iostat -x: reads, writes and discards per second that the device finished",
        text: "Requests after merging and splitting, so not the I/Os of the program: a read of 1 MiB may be two requests, and \
               eight neighbouring reads of 8 KiB one.\n\nHere: `fullwire disk` shows both next to each other, layer by layer.",
    },
    Word {
        name: "rkB/s wkB/s rMB/s wMB/s rsec/s wsec/s rd_sec/s wr_sec/s bread/s bwrtn/s Blk_read/s Blk_wrtn/s kB_read/s \
               kB_wrtn/s MB_read/s MB_wrtn/s",
        title: "iostat, sar -b, sar -d: what was read and written per second",
        text: "The unit is in the name: a sector or block is 512 bytes, kB is 1024 bytes and MB 1024 x 1024. On a host with \
               multipath, LVM or RAID each layer counts the same bytes again, so do not add up devices.\n\nHere: MB are 10^6 \
               bytes, so 100 MB/s of iostat -m are 104.9 MB/s. Recorded files are shown in this unit.",
    },
    Word {
        name: "f/s",
        title: "iostat -x: flush requests per second: the device was told to empty its write cache",
        text: "A database's commit waits for one unless the file is opened with O_DSYNC on a device that writes through. Their \
               time is f_await.\n\nHere: `fullwire disk DIR --profile ora-lgwr` measures the commit's write, and `slow-flush` \
               says if the flush is what is slow.",
    },
    Word {
        name: "us %user",
        title: "vmstat, top, sar -u: share of CPU time in programs",
        text: "Of all CPUs together: on 32 CPUs one busy thread is 3 %. In a guest it contains no time that the hypervisor took \
               (st).\n\nHere: `fullwire watch` names the busiest threads, and `thread-saturated` one that fills a CPU.",
    },
    Word {
        name: "sy %system",
        title: "vmstat, top, sar -u: share of CPU time in the kernel",
        text: "Copying, checksums, file systems and memory management are in it. sar -u counts interrupts in it as well; sar -u \
               ALL shows them as %irq and %soft. A program that transfers much has much of it; without transfer look for memory \
               pressure.\n\nHere: each measurement says how much CPU it took, and which CPU was full.",
    },
    Word {
        name: "id %idle",
        title: "vmstat, top, sar -u: share of CPU time with nothing to do and no I/O outstanding",
        text: "Of all CPUs together: one CPU that is full hides behind 31 that are idle. wa is idle time too.\n\nHere: \
               `one-cpu` is the ceiling of what a single CPU can carry.",
    },
    Word {
        name: "%nice",
        title: "sar -u: share of CPU time in programs with a lower priority (nice)",
        text: "Part of what programs use, no trouble by itself; a backup or an indexer is often in it.\n\nHere: busy time is \
               counted whole, whatever its priority.",
    },
    Word {
        name: "%soft %irq",
        title: "sar -u ALL, mpstat: share of CPU time in interrupts of devices and their follow-up work",
        text: "For a network adapter most of it is %soft, on the CPUs that take its interrupts. If one CPU is full of it and \
               the others are idle, all packets arrive through one queue.\n\nHere: the CPUs of interrupts are read around each \
               measurement, and findings name the queue and CPU.",
    },
    Word {
        name: "in",
        title: "vmstat: interrupts per second, the clock's included",
        text: "Adapters gather several packets for one interrupt, so the number says little about packets.\n\nHere: \
               /proc/interrupts is read by device, so that it shows which CPU serves which queue.",
    },
    Word {
        name: "cs cswch/s",
        title: "vmstat; cswch/s in sar -w: context switches per second",
        text: "Each synchronous I/O and each lock that has to wait makes two. A hundred thousand are normal on a busy database \
               server; compare with the same host in good times.\n\nHere: what counts is whether tasks wait for a CPU \
               (/proc/pressure/cpu).",
    },
    Word {
        name: "proc/s plist-sz",
        title: "sar -w: processes created per second; sar -q: tasks that exist",
        text: "A host that logs on for each request, or runs a script for each check, creates many. plist-sz counts threads \
               too.\n\nHere: neither is judged; `fullwire watch` names the busiest threads.",
    },
    Word {
        name: "swpd kbswpused %swpused",
        title: "vmstat, sar -S: swap space in use",
        text: "What was moved there may lie there for weeks unused. It is no sign of trouble now; si is.\n\nHere: a finding \
               about swapping goes by the rate, not by what is used.",
    },
    Word {
        name: "buff cache kbbuffers kbcached",
        title: "vmstat, free, sar -r: file data that the kernel keeps in memory",
        text: "It is given back when programs need memory, except shared memory (Oracle's SGA without huge pages, tmpfs), which \
               is counted in cache too.\n\nHere: `available` is shown, which leaves that out. A read that the cache answers is \
               marked, because it says nothing of the device.",
    },
    Word {
        name: "kbmemfree",
        title: "sar -r; free in vmstat and free: memory that nobody uses",
        text: "Near 0 on each host that has been up for long, because files fill it. kbavail (MemAvailable) is what programs \
               can get.\n\nHere: available memory is judged, not free memory.",
    },
    Word {
        name: "kbmemused %memused",
        title: "sar -r: memory in use",
        text: "Older versions of sysstat count the page cache as used, so 99 % is normal there; newer ones do not. sar(1) of \
               the host says which.\n\nHere: MemAvailable is judged, where the file has it (kbavail).",
    },
    Word {
        name: "kbcommit %commit",
        title: "sar -r: memory that all programs were promised, against memory and swap",
        text: "More than 100 % is possible, as few programs use all that they asked for. It is the figure that counts under \
               vm.overcommit_memory=2.\n\nHere: `fullwire check` reads vm.overcommit_memory, and judges memory by what is \
               available.",
    },
    Word {
        name: "fault/s majflt/s",
        title: "sar -B: page faults per second; those that had to read from a disk",
        text: "fault/s counts each first touch of a page and is high on any busy host. majflt/s is what waits: a program's own \
               pages or code come from the disk.\n\nHere: reading back from swap is found with its span.",
    },
    Word {
        name: "pgscank/s pgscand/s pgsteal/s %vmeff",
        title: "sar -B: pages that the kernel looked at to find free memory, and how many of them it could take",
        text: "pgscank is the background thread's, pgscand is done by a program that waits meanwhile. Steady pgscand with \
               %vmeff far below 100 means that memory is short.\n\nHere: /proc/pressure/memory and /proc/vmstat are read, and \
               `min-free-memory` looks at the reserve.",
    },
    Word {
        name: "rxpck/s txpck/s rxkB/s txkB/s rxbyt/s txbyt/s",
        title: "sar -n DEV: packets and bytes that an interface received and sent per second",
        text: "Headers are included, so it is a few per cent more than programs transferred. kB is 1024 bytes. The ports of a \
               bond and its VLANs count the same bytes again.\n\nHere: rates are in MB/s of 10^6 bytes and in bit/s, next to \
               the speed of the link.",
    },
    Word {
        name: "%ifutil",
        title: "sar -n DEV: use of an interface, in per cent of its speed",
        text: "On a full-duplex link the larger of both directions counts. It is the mean of an interval: ten seconds of full \
               load within ten minutes are 2 %. The speed of a virtual adapter is made up.\n\nHere: `nic-saturated` compares \
               what an interface carries with its speed, where that can be believed.",
    },
    Word {
        name: "rxerr/s txerr/s rxfram/s frame",
        title: "ifconfig, sar -n EDEV: frames that arrived damaged or could not be sent",
        text: "Damaged frames come from optics, cables, plugs or a mode that both ends do not agree on. TCP repairs them by \
               sending again, which costs far more throughput than their share suggests.\n\nHere: `nic-crc-errors` watches the \
               counter, and the driver's own counters (`ethtool -S`) say which kind it is.",
    },
    Word {
        name: "txcarr/s carrier",
        title: "ifconfig, sar -n EDEV: the carrier was lost while sending",
        text: "The cable, the optics or the port at the other end; after a reboot of a switch a few are normal.\n\nHere: `nic-link-flaps` counts how often the link was lost, and `nic-no-carrier` says that it is.",
    },
    Word {
        name: "call/s retrans/s",
        title: "sar -n NFS: calls to NFS servers per second, and those that were sent again",
        text: "Over TCP a call is sent again only after a long time without an answer, so each one is a stall of up to a minute \
               (timeo).\n\nHere: /proc/self/mountstats has them for each mount and kind of call, with the time in the queue and \
               at the server.",
    },
    Word {
        name: "Retr",
        title: "iperf3: TCP segments that were sent again in the interval",
        text: "Loss on the way, reordering, or drops in the host's own queue: the number alone does not say which. Judge it \
               against the segments sent; 1 in 1000 is enough to slow a long path down.\n\nHere: `fullwire net` shows the \
               share, and the finding says in which queue packets were dropped, where a counter tells.",
    },
    Word {
        name: "Cwnd",
        title: "iperf3, iperf -e: how much a connection may have under way",
        text: "Rate = window / round-trip time. It grows until something is lost or a buffer is full, so a window that stays \
               put is the send or receive buffer.\n\nHere: the ceilings receive-window, send-buffer and loss are computed from \
               what the kernel says of the connection (TCP_INFO).",
    },
    Word {
        name: "Jitter",
        title: "iperf -u, iperf3 -u: how much the time on the way varies from datagram to datagram",
        text: "A smoothed mean of the differences (RFC 3550), so single late datagrams hardly show. It includes the sender's \
               own timing: a busy host has jitter without a network.\n\nHere: `fullwire net --mode udp` reports the same \
               figure.",
    },
    Word {
        name: "Lost/Total",
        title: "iperf -u, iperf3 -u: datagrams that did not arrive, of those that were sent",
        text: "At a rate above what the path carries it is only the difference of both. Lower the rate until the loss ends: \
               that is the path's rate. The receiving host drops too if its socket buffer is full.\n\nHere: drops in the \
               sender's queue, on the way and in the receiver's buffer are told apart.",
    },
    Word {
        name: "slat clat lat",
        title: "fio: time to hand an I/O over (slat), from there to its end (clat), and both (lat)",
        text: "With synchronous engines the call returns only at the end, so slat says nothing. With several I/Os in flight \
               clat contains their wait for each other: at depth 32 it is not the device's own time.\n\nHere: a step's latency \
               is from the call to the end, as lat is, with the number in flight beside it.",
    },
    Word {
        name: "bw iops",
        title: "fio: throughput, and I/Os per second",
        text: "fio writes both units, MiB/s and MB/s. One is the other times the block size. With direct=0 the page cache may \
               have answered.\n\nHere: `fullwire disk` compares what the program moved with what the device moved, and says if \
               they differ.",
    },
    Word {
        name: "%CP",
        title: "bonnie++: CPU time of the test, in per cent of one CPU",
        text: "High in the tests by character, which measure the C library. If a test by block is near 100 %, the CPU was the \
               limit and not the disk.\n\nHere: `fullwire disk DIR --profile bonnie` prints the same table, and each step says \
               whether a CPU was full.",
    },
    Word {
        name: "+++++ ++++",
        title: "bonnie++: the test ended too quickly to be timed",
        text: "Less than half a second: the page cache answered, or there were too few files. It is no fault. A file of twice \
               the memory and more files give figures.\n\nHere: `--size` and `--files` set both, and the note below the table \
               says what is needed.",
    },
    Word {
        name: "mdev",
        title: "ping: how much the round-trip times differ from their mean",
        text: "A single slow answer dominates it. Routers answer pings when they have time, so a hop's figure may be worse than \
               the path's.\n\nHere: `fullwire net --mode rtt` has the distribution (p50, p99), measured over TCP between \
               programs.",
    },
    Word {
        name: "LIO logical-reads buffer-gets consistent-gets",
        title: "AWR, Statspack: blocks that sessions read, found in memory or not",
        text: "They cost CPU time, not I/O. Many of them for each row mean a poor plan, and tuning that lowers physical reads \
               as well.\n\nHere: `fullwire awr FILE` shows them in blocks per second beside the physical reads.",
    },
    Word {
        name: "PIO physical-reads",
        title: "AWR, Statspack: blocks that came from outside the buffer cache",
        text: "From the device, or from the page cache of a file system: a read of 0.1 ms came from memory. One read of 128 \
               blocks counts as 128 here and as one in \"physical read IO requests\".\n\nHere: `fullwire awr FILE` shows blocks \
               and requests per second and the time of a read, with which `disk` can be compared.",
    },
];
