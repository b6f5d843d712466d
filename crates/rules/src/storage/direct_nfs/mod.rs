//! Oracle's Direct NFS.

mod oranfstab;

rules! {
    direct_nfs_off,
    oranfstab_faulty,
    oranfstab_one_subnet,
}
