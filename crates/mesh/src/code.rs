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
            "mesh-mtu" => Severity::Critical,
            "mesh-shared-link" => Severity::Info,
            _ => Severity::Warning,
        }
    }

    /// Whose floor.
    pub fn layer(&self) -> Layer {
        match self.code {
            "mesh-storage-slow" => Layer::Storage,
            "mesh-version" => Layer::Host,
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
pub const CODES: [Code; 14] = [
    Code {
        code: "mesh-asymmetric",
        title: "The two ways of a path carry different rates",
        text: "# What it checks\nA to B against B to A, one after the other: one way carries a quarter more than the other, beyond the scatter of the matrix, and no host explains it.\n\n\
               # Why it matters\nA backup is fast and its restore slow, or redo ships slower than it comes back.\n\n\
               # Evidence\nBoth streams of the pair, repeated while nothing else ran.\n\n\
               # Remedy\nCompare routes, duplex and speed of both ports, qdiscs and TCP buffers of both hosts.\n\n\
               # Source\nMeasured; the threshold of 25 % is above the scatter of repeated streams on a quiet path.",
    },
    Code {
        code: "mesh-below-ceiling",
        title: "Paths reach less than 70 % of their ceiling, and no host or link stands out",
        text: "# What it checks\nThe verdict of each path's run, for paths that no slow host, uplink or lone path explains.\n\n\
               # Why it matters\nWhere all are slow alike, comparing them shows nothing: only their ceilings do.\n\n\
               # Evidence\nThe run of the worst path beside its ceiling.\n\n\
               # Remedy\n`fullwire show RUN` names what limits the path and the fix.\n\n\
               # Source\nThe ceilings of `fullwire net` (`fullwire explain nic-goodput` and others).",
    },
    Code {
        code: "mesh-block-slow",
        title: "All paths between two sets of hosts are slow",
        text: "# What it checks\nWith `--topology`: the median of the paths between groups against that within groups. Without: slow cells that form a block.\n\n\
               # Why it matters\nThe sets share an uplink that is slower, broken or full.\n\n\
               # Evidence\nThe block of the matrix; each cell's run is kept.\n\n\
               # Remedy\nSpeed, errors and load of the uplinks between the switches of these hosts.\n\n\
               # Source\nPingmesh (SIGCOMM 2015) reads the same patterns.",
    },
    Code {
        code: "mesh-blocked",
        title: "The port of the measurement cannot be reached",
        text: "# What it checks\nA connection from each host to the responder of each other, before anything is measured.\n\n\
               # Why it matters\nssh works, the data network does not let these hosts talk: a firewall, a security group or a route.\n\n\
               # Evidence\nThe error of the connection.\n\n\
               # Remedy\nOpen one port between the hosts and name it with `--port`, or give the addresses of the right network.\n\n\
               # Source\nconnect(2).",
    },
    Code {
        code: "mesh-changed",
        title: "Paths became slower or faster since an earlier mesh",
        text: "# What it checks\nWith `--against`: each path's throughput against that of an earlier mesh of the same hosts; a fifth, and beyond the scatter of both matrices.\n\n\
               # Why it matters\nA host, a cable or a setting has changed, and nobody may have noticed.\n\n\
               # Evidence\nThe same cells of both matrices.\n\n\
               # Remedy\nLook at what was changed since then; the kept runs of both have the settings.\n\n\
               # Source\nMeasured.",
    },
    Code {
        code: "mesh-host-partly-slow",
        title: "A host is fast with some and slow with others",
        text: "# What it checks\nTwo or more slow paths of one host in one direction, while its others are as fast as they should be.\n\n\
               # Why it matters\nA bond or a multi-path fabric chooses a link by a hash of the addresses: a member that is slow or loses packets hits only some pairs.\n\n\
               # Evidence\nThe pairs that are slow, repeated while nothing else ran.\n\n\
               # Remedy\nSpeed, errors and LACP state of each member; error counters of the parallel links between switches.\n\n\
               # Source\nLinux bonding documentation, xmit_hash_policy; IEEE 802.1AX.",
    },
    Code {
        code: "mesh-host-slow",
        title: "All that a host sends or receives is slow",
        text: "# What it checks\nThe effect of each sender and each receiver in the matrix (median polish of the logarithms): a fifth below the others and beyond the scatter.\n\n\
               # Why it matters\nOne bad host makes 2 (n - 1) cells red. Its cause is at the host, its cable or its switch port.\n\n\
               # Evidence\nThe row and the column of the host; its slowest path beside its ceiling.\n\n\
               # Remedy\n`fullwire check` on the host; `fullwire show` on the kept run of the slowest path.\n\n\
               # Source\nTukey, Exploratory Data Analysis (1977), chapter 11.",
    },
    Code {
        code: "mesh-mtu",
        title: "A path carries smaller packets than both of its interfaces",
        text: "# What it checks\nThe path MTU of every pair and direction against the smaller MTU of both interfaces.\n\n\
               # Why it matters\nWhere large packets vanish without an ICMP message, connections are set up and hang on the first large transfer.\n\n\
               # Evidence\nProbes that may not be fragmented, confirmed by the responder.\n\n\
               # Remedy\nOne MTU on all ports, bonds, VLANs and bridges of the path; ICMP let through.\n\n\
               # Source\nRFC 1191, RFC 8899.",
    },
    Code {
        code: "mesh-mtu-mixed",
        title: "The interface of a host has a smaller MTU than those of the others",
        text: "# What it checks\nThe MTU of the interfaces that carry the mesh.\n\n\
               # Why it matters\nThe host's paths run with smaller frames, and UDP of the others is cut into fragments on the way to it.\n\n\
               # Evidence\nThe interfaces of both ends of each path.\n\n\
               # Remedy\nOne MTU on the whole network.\n\n\
               # Source\nOracle Clusterware documentation asks for one MTU on all nodes of an interconnect.",
    },
    Code {
        code: "mesh-path-slow",
        title: "One path is slow, while both of its hosts are fast with everyone else",
        text: "# What it checks\nCells that their sender and receiver do not explain (the residue of the median polish): a fifth below what is expected and beyond the scatter, still so when repeated alone.\n\n\
               # Why it matters\nThe cause lies between the two: a route, one link of a multi-path fabric, a shaper for these addresses.\n\n\
               # Evidence\nThe path beside what its hosts reach with others.\n\n\
               # Remedy\nLook at what only this pair uses.\n\n\
               # Source\nTukey, Exploratory Data Analysis (1977), chapter 11.",
    },
    Code {
        code: "mesh-round-trip",
        title: "Round trips with a host or on a path take longer than the others",
        text: "# What it checks\nMedian round trips without load: twice as long as usual and 0.2 ms more.\n\n\
               # Why it matters\nEvery commit that waits for a standby and every block of an interconnect waits this long.\n\n\
               # Evidence\nSmall messages, the shorter figure of both ways.\n\n\
               # Remedy\nA longer route, power saving or interrupt moderation, a shaper with delay.\n\n\
               # Source\nMeasured; below 0.2 ms scheduling of the programs is as large.",
    },
    Code {
        code: "mesh-shared-link",
        title: "Paths are much faster alone than beside others",
        text: "# What it checks\nPaths that were repeated while nothing else ran: at least half of them are faster by a third.\n\n\
               # Why it matters\nPairs that share no host slow each other down: they share a link, a switch or a machine that nobody named, and the matrix shows its share, not the path.\n\n\
               # Evidence\nThe same stream beside the others of its round and alone.\n\n\
               # Remedy\nName racks and uplinks with `--topology`, or measure with `--parallel 1`.\n\n\
               # Source\nMeasured.",
    },
    Code {
        code: "mesh-storage-slow",
        title: "The storage of one host is slower than that of the others",
        text: "# What it checks\nThe same disk plan on each host: a step reaches less than 70 % of the median of three hosts or more.\n\n\
               # Why it matters\nIn a cluster the slowest node sets the pace of redo and recovery.\n\n\
               # Evidence\nThe step on each host, never on the same storage at once unless asked.\n\n\
               # Remedy\n`fullwire show RUN` of the host; compare paths, HBA and queue settings with a fast host.\n\n\
               # Source\nMeasured.",
    },
    Code {
        code: "mesh-version",
        title: "The program does not run on some hosts, or another version answers",
        text: "# What it checks\nWhat each host says when it is started: whether the program runs there, its version and its protocol.\n\n\
               # Why it matters\nOnly hosts that run the same program can be compared.\n\n\
               # Evidence\nThe answer of each host, listed once.\n\n\
               # Remedy\nStart from a host of the same architecture, or build fullwire for theirs.\n\n\
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
