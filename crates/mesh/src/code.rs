//! Codes of what is found in a mesh, for `fullwire explain`.

use fullwire_model::assessment::{Layer, Severity};

/// A code and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// Stable, public.
    pub code: &'static str,
    /// In one line.
    pub title: &'static str,
    /// In the headings of every rule.
    pub text: &'static str,
}

impl Code {
    /// The worst that it says.
    pub fn severity(&self) -> Severity {
        match self.code {
            "mesh-host-absent" | "mesh-mtu" => Severity::Critical,
            "mesh-shared-link" => Severity::Info,
            _ => Severity::Warning,
        }
    }

    /// Whose floor.
    pub fn layer(&self) -> Layer {
        match self.code {
            "mesh-storage-slow" => Layer::Storage,
            "mesh-host-absent" | "mesh-version" => Layer::Host,
            _ => Layer::Network,
        }
    }

    /// Where its limit comes from.
    pub fn source(&self) -> &'static str {
        self.text.rsplit_once("# Source\n").map_or("", |(_, source)| source)
    }
}

/// The code of this name.
pub fn code(name: &str) -> Option<&'static Code> {
    CODES.iter().find(|code| code.code == name)
}

/// All of them, by name.
pub const CODES: [Code; 16] = [
    Code {
        code: "mesh-asymmetric",
        title: "The two directions of a path have different throughput",
        text: "# What it checks\nPasses unless A to B and B to A, measured one after the other, differ by more than a quarter and by more than the scatter of the matrix, and no host explains the difference.\n\n\
               # Why it matters\nA backup may be fast and its restore slow, or redo transport slower than the reverse direction.\n\n\
               # Evidence\nBoth streams of the pair, repeated while nothing else ran.\n\n\
               # Remedy\nCompare routes, duplex and speed of both ports, qdiscs and TCP buffers of both hosts.\n\n\
               # Source\nMeasured; the threshold of 25 % is above the scatter of repeated streams on a quiet path.",
    },
    Code {
        code: "mesh-below-ceiling",
        title: "Paths reach less than 70 % of their ceiling, and no host or link stands out",
        text: "# What it checks\nPasses unless a path's run reaches less than 70 % of its ceiling and no slow host, uplink or single path explains it.\n\n\
               # Why it matters\nIf all paths are equally slow, comparing them shows nothing; only their ceilings do.\n\n\
               # Evidence\nThe run of the worst path, compared with its ceiling.\n\n\
               # Remedy\n`fullwire show RUN` names what limits the path and the fix.\n\n\
               # Source\nThe ceilings of `fullwire net` (`fullwire explain nic-goodput` and others).",
    },
    Code {
        code: "mesh-block-slow",
        title: "All paths between two sets of hosts are slow",
        text: "# What it checks\nPasses unless, with `--topology`, the median of the paths between groups is below that within groups, or, without it, when slow cells form a block.\n\n\
               # Why it matters\nThe sets share an uplink that is slower, broken or full.\n\n\
               # Evidence\nThe block of the matrix; each cell's run is kept.\n\n\
               # Remedy\nSpeed, errors and load of the uplinks between the switches of these hosts.\n\n\
               # Source\nPingmesh (SIGCOMM 2015) reads the same patterns.",
    },
    Code {
        code: "mesh-blocked",
        title: "The port of the measurement cannot be reached",
        text: "# What it checks\nPasses unless a host cannot connect to the responder of another, checked before anything is measured.\n\n\
               # Why it matters\nssh works, but these hosts cannot talk on the data network: a firewall, a security group or a route is in the way.\n\n\
               # Evidence\nThe error of the connection.\n\n\
               # Remedy\nOpen one port between the hosts and name it with `--port`, or give the addresses of the right network.\n\n\
               # Source\nconnect(2).",
    },
    Code {
        code: "mesh-bond-down",
        title: "A bond of a host of the mesh has lost a member",
        text: "# What it checks\nPasses unless a member of a bond of one of the hosts has no link, by the host's own records.\n\n\
               # Why it matters\nThe bond has lost redundancy and, where it shares load, bandwidth. One stream uses one member, so that all paths may look healthy.\n\n\
               # Evidence\nMII status of the members, read on each host when the mesh began.\n\n\
               # Remedy\n`fullwire check --only network` on the host.\n\n\
               # Source\nLinux bonding documentation; rule bond-slave-down.",
    },
    Code {
        code: "mesh-changed",
        title: "Paths became slower or faster since an earlier mesh",
        text: "# What it checks\nFires with `--against` when a path's throughput differs from that of an earlier mesh of the same hosts by a fifth and by more than the scatter of both matrices.\n\n\
               # Why it matters\nA host, a cable or a setting has changed, and nobody may have noticed.\n\n\
               # Evidence\nThe same cells of both matrices.\n\n\
               # Remedy\nCheck what was changed since then; the kept runs of both meshes contain the settings.\n\n\
               # Source\nMeasured.",
    },
    Code {
        code: "mesh-host-absent",
        title: "A host of the mesh could not be reached, or went away",
        text: "# What it checks\nPasses unless ssh to a host failed, or the host stopped answering before the mesh was done.\n\n\
               # Why it matters\nNothing is known of any of its paths: a mesh that leaves it out looks healthy.\n\n\
               # Evidence\nWhat ssh or the connection said.\n\n\
               # Remedy\nssh to the host from the same place with the same user and options; then repeat the mesh.\n\n\
               # Source\nssh(1), exit status 255.",
    },
    Code {
        code: "mesh-host-partly-slow",
        title: "A host is fast with some and slow with others",
        text: "# What it checks\nPasses unless two or more paths of one host are slow in one direction while its other paths have normal speed.\n\n\
               # Why it matters\nA bond or a multi-path fabric chooses a link by a hash of the addresses: a member that is slow or loses packets hits only some pairs.\n\n\
               # Evidence\nThe slow pairs, repeated while nothing else ran.\n\n\
               # Remedy\nSpeed, errors and LACP state of each member; error counters of the parallel links between switches.\n\n\
               # Source\nLinux bonding documentation, xmit_hash_policy; IEEE 802.1AX.",
    },
    Code {
        code: "mesh-host-slow",
        title: "Everything that a host sends or receives is slow",
        text: "# What it checks\nPasses unless the effect of a sender or receiver in the matrix (median polish of the logarithms) is a fifth below the others and beyond the scatter.\n\n\
               # Why it matters\nOne bad host makes 2 (n - 1) cells slow. The cause is at the host, its cable or its switch port.\n\n\
               # Evidence\nThe row and the column of the host; its slowest path, compared with its ceiling.\n\n\
               # Remedy\n`fullwire check` on the host; `fullwire show` on the kept run of the slowest path.\n\n\
               # Source\nTukey, Exploratory Data Analysis (1977), chapter 11.",
    },
    Code {
        code: "mesh-mtu",
        title: "A path carries smaller packets than both of its interfaces",
        text: "# What it checks\nPasses unless the path MTU of a pair, in either direction, is below the smaller MTU of both interfaces.\n\n\
               # Why it matters\nIf large packets are dropped without an ICMP message, connections are established and then hang on the first large transfer.\n\n\
               # Evidence\nProbes that may not be fragmented, confirmed by the responder.\n\n\
               # Remedy\nOne MTU on all ports, bonds, VLANs and bridges of the path; ICMP let through.\n\n\
               # Source\nRFC 1191, RFC 8899.",
    },
    Code {
        code: "mesh-mtu-mixed",
        title: "The interface of a host has a smaller MTU than those of the others",
        text: "# What it checks\nPasses unless the interface of one host that carries the mesh has a smaller MTU than those of the others.\n\n\
               # Why it matters\nThe host's paths use smaller frames, and UDP datagrams sent to it are fragmented.\n\n\
               # Evidence\nThe interfaces of both ends of each path.\n\n\
               # Remedy\nOne MTU on the whole network.\n\n\
               # Source\nOracle Clusterware documentation asks for one MTU on all nodes of an interconnect.",
    },
    Code {
        code: "mesh-path-slow",
        title: "One path is slow although both of its hosts are fast with all others",
        text: "# What it checks\nPasses unless a path is a fifth slower than its sender and receiver explain (the residual of the median polish), beyond the scatter, and still so when repeated alone.\n\n\
               # Why it matters\nThe cause lies between the two: a route, one link of a multi-path fabric, a shaper for these addresses.\n\n\
               # Evidence\nThe path, compared with what its hosts reach with others.\n\n\
               # Remedy\nCheck what only this pair uses.\n\n\
               # Source\nTukey, Exploratory Data Analysis (1977), chapter 11.",
    },
    Code {
        code: "mesh-round-trip",
        title: "Round trips with a host or on a path take longer than the others",
        text: "# What it checks\nPasses unless a median round trip without load is twice as long as usual and at least 0.2 ms longer.\n\n\
               # Why it matters\nEvery commit that waits for a standby and every block sent over an interconnect waits this long.\n\n\
               # Evidence\nRound trips of small messages, the shorter figure of both directions.\n\n\
               # Remedy\nLook for a longer route, power saving or interrupt moderation, or a shaper that adds delay.\n\n\
               # Source\nMeasured; below 0.2 ms process scheduling is as large.",
    },
    Code {
        code: "mesh-shared-link",
        title: "Paths are much faster alone than together with others",
        text: "# What it checks\nPasses unless at least half of the paths that were repeated alone are faster by a third.\n\n\
               # Why it matters\nPairs that share no host slow each other down: they share a link, a switch or a machine that was not named, and the matrix shows their share of it, not the path.\n\n\
               # Evidence\nThe same stream, together with the others of its round and alone.\n\n\
               # Remedy\nName racks and uplinks with `--topology`, or measure with `--parallel 1`.\n\n\
               # Source\nMeasured.",
    },
    Code {
        code: "mesh-storage-slow",
        title: "The storage of one host is slower than that of the others",
        text: "# What it checks\nPasses unless a step of the disk plan, which is the same on all hosts, reaches less than 70 % of the median of at least three hosts.\n\n\
               # Why it matters\nIn a cluster the slowest node sets the pace of redo and recovery.\n\n\
               # Evidence\nThe step on each host; hosts never load the same storage simultaneously unless requested.\n\n\
               # Remedy\n`fullwire show RUN` of the host; compare paths, HBA and queue settings with a fast host.\n\n\
               # Source\nMeasured.",
    },
    Code {
        code: "mesh-version",
        title: "The program does not run on some hosts, or another version answers",
        text: "# What it checks\nPasses unless the program does not start on a host, or when another version answers there. A host whose version speaks the same protocol is measured all the same; then this is for information.\n\n\
               # Why it matters\nHosts that run different programs may differ for that reason alone.\n\n\
               # Evidence\nThe answer of each host, listed once.\n\n\
               # Remedy\nInstall the same version on all hosts: the one that is installed is used where the copied program does not run (another architecture, directories without the right to execute).\n\n\
               # Source\nexecve(2): ENOEXEC.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_explain_themselves_under_the_headings_of_rules() {
        assert!(CODES.is_sorted_by_key(|code| code.code));
        for code in &CODES {
            let heads: Vec<&str> = code.text.lines().filter_map(|line| line.strip_prefix("# ")).collect();
            assert_eq!(
                heads,
                ["What it checks", "Why it matters", "Evidence", "Remedy", "Source"],
                "{}",
                code.code
            );
        }
    }
}
