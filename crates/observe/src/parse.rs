//! The pure part of readers: text in, records and gaps out. For text that did not come from a root (a file that
//! a user hands over), and for fuzzing.

pub use crate::storage::captured::lsblk::parse_pairs as parse_lsblk_pairs;
pub use crate::storage::diskstats::parse_diskstats;
pub use crate::storage::dm::parse_dmsetup;
pub use crate::storage::fstab::parse_fstab;
pub use crate::storage::kernel_log::parse_log;
pub use crate::storage::md::parse_mdstat;
pub use crate::storage::mountinfo::{parse_mount_list, parse_mountinfo, parse_mounts};
pub use crate::storage::mountstats::{NfsStatistics, parse_mountstats};
pub use crate::storage::multipath::{
    parse_config as parse_multipath_config, parse_multipath, parse_multipathd_json,
};
pub use crate::storage::swaps::parse_swaps;
