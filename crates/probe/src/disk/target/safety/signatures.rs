//! What is on a device, by the marks that its owners leave. Offsets as in libblkid of util-linux and as named.

/// Where a mark is looked for.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// From the start.
    Start(u64),
    /// Before the end.
    End(u64),
    /// So far before the end rounded down to 64 KiB: md superblock 0.90 (md(4)).
    End64K(u64),
    /// 8 KiB before the end, rounded down to 4 KiB: md superblock 1.0 (md(4)).
    EndMd10,
}

/// One mark.
struct Signature {
    owner: &'static str,
    place: Place,
    mark: &'static [u8],
}

const fn at(owner: &'static str, offset: u64, mark: &'static [u8]) -> Signature {
    Signature { owner, place: Place::Start(offset), mark }
}

const fn end(owner: &'static str, offset: u64, mark: &'static [u8]) -> Signature {
    Signature { owner, place: Place::End(offset), mark }
}

const MD: &[u8] = &[0xfc, 0x4e, 0x2b, 0xa9];
const MD_BIG_ENDIAN: &[u8] = &[0xa9, 0x2b, 0x4e, 0xfc];

/// All marks at fixed places.
const SIGNATURES: &[Signature] = &[
    at("an LVM2 physical volume", 0x018, b"LVM2 001"),
    at("an LVM2 physical volume", 0x218, b"LVM2 001"),
    at("an LVM2 physical volume", 0x418, b"LVM2 001"),
    at("an LVM2 physical volume", 0x618, b"LVM2 001"),
    at("an LVM1 physical volume", 0, b"HM\x01\x00"),
    at("an LVM1 physical volume", 0, b"HM\x02\x00"),
    at("an LVM snapshot store", 0, b"SnAp"),
    at("a Stratis pool", 0x204, b"!Stra0tis\x86\xff\x02^\x41rh"),
    at("VDO", 0, b"dmvdo001"),
    at("a dm-integrity device", 0, b"integrt\0"),
    at("a dm-verity hash device", 0, b"verity\0\0"),
    at("a LUKS container", 0, b"LUKS\xba\xbe"),
    at("a LUKS2 second header", 0x4000, b"SKUL\xba\xbe"),
    at("a LUKS2 second header", 0x8000, b"SKUL\xba\xbe"),
    at("a BitLocker volume", 3, b"-FVE-FS-"),
    at("an md array's member (1.1)", 0, MD),
    at("an md array's member (1.2)", 0x1000, MD),
    Signature { owner: "an md array's member (1.0)", place: Place::EndMd10, mark: MD },
    Signature { owner: "an md array's member (0.90)", place: Place::End64K(0x10000), mark: MD },
    Signature { owner: "an md array's member (0.90)", place: Place::End64K(0x10000), mark: MD_BIG_ENDIAN },
    end("a DDF RAID member", 0x200, &[0xde, 0x11, 0xde, 0x11]),
    end("an Intel RAID member", 0x400, b"Intel Raid ISM Cfg Sig. "),
    at("bcache or bcachefs", 0x1018, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca"),
    at("bcachefs", 0x1018, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9"),
    at("a Ceph BlueStore device", 0, b"bluestore block device"),
    // Oracle's ASMLib and filter driver write their label into the unused part of the ASM header.
    at("an Oracle ASM disk (ASMLib)", 32, b"ORCLDISK"),
    at("an Oracle ASM disk (cleared)", 32, b"ORCLCLRD"),
    // kfbh.endian 1, kfbh.hard 0x82, kfbh.type KFBTYP_DISKHEAD 1 (kfed on any ASM disk); 0 as endian on big-endian hosts.
    at("an Oracle ASM disk", 0, &[0x01, 0x82, 0x01]),
    at("an Oracle ASM disk", 0, &[0x00, 0x82, 0x01]),
    at("an Oracle ASM header", 0x20, b"ORCL"),
    at("an OCFS2 cluster file system", 0x400, b"OCFSV2"),
    at("an OCFS2 cluster file system", 0x800, b"OCFSV2"),
    at("an OCFS2 cluster file system", 0x1000, b"OCFSV2"),
    at("an OCFS2 cluster file system", 0x2000, b"OCFSV2"),
    at("a GFS2 cluster file system", 0x10000, &[0x01, 0x16, 0x19, 0x70]),
    at("a VMFS volume", 0x10_0000, &[0x0d, 0xd0, 0x01, 0xc0]),
    at("a VMFS file system", 0x20_0000, &[0x5e, 0xf1, 0xab, 0x2f]),
    at("an XFS file system", 0, b"XFSB"),
    at("an ext2, ext3 or ext4 file system", 0x438, &[0x53, 0xef]),
    at("a btrfs file system", 0x10040, b"_BHRfS_M"),
    at("a btrfs file system", 0x400_0040, b"_BHRfS_M"),
    at("an F2FS file system", 0x400, &[0x10, 0x20, 0xf5, 0xf2]),
    at("a NILFS2 file system", 0x406, &[0x34, 0x34]),
    at("a JFS file system", 0x8000, b"JFS1"),
    at("a ReiserFS file system", 0x10034, b"ReIsErFs"),
    at("a ReiserFS file system", 0x10034, b"ReIsEr2Fs"),
    at("a ReiserFS file system", 0x10034, b"ReIsEr3Fs"),
    at("a squashfs image", 0, b"hsqs"),
    at("an EROFS image", 0x400, &[0xe2, 0xe1, 0xf5, 0xe0]),
    at("an NTFS file system", 3, b"NTFS    "),
    at("an exFAT file system", 3, b"EXFAT   "),
    at("a FAT file system", 0x36, b"FAT1"),
    at("a FAT file system", 0x52, b"FAT32   "),
    at("an ISO 9660 image", 0x8001, b"CD001"),
    at("a UDF image", 0x8001, b"BEA01"),
    at("a GPT partition table", 0x200, b"EFI PART"),
    at("a GPT partition table", 0x1000, b"EFI PART"),
    end("a GPT backup partition table", 0x200, b"EFI PART"),
    end("a GPT backup partition table", 0x1000, b"EFI PART"),
    at("a DOS partition table or boot sector", 0x1fe, &[0x55, 0xaa]),
    at("a Sun disk label", 0x1fc, &[0xda, 0xbe]),
    at("a DASD volume label", 0x1000, &[0xe5, 0xd6, 0xd3, 0xf1]),
];

/// Marks of swap and hibernation, ten bytes before the end of the first page, for each page size.
const SWAP: &[&[u8]] =
    &[b"SWAPSPACE2", b"SWAP-SPACE", b"S1SUSPEND", b"S2SUSPEND", b"ULSUSPEND", b"LINHIB0001"];
const PAGES: &[u64] = &[0x1000, 0x2000, 0x4000, 0x8000, 0x10000];

/// An uberblock's magic number, both byte orders; 128 of them in each of four labels (two at either end).
const ZFS: &[&[u8]] = &[&[0x0c, 0xb1, 0xba, 0, 0, 0, 0, 0], &[0, 0, 0, 0, 0, 0xba, 0xb1, 0x0c]];
const ZFS_LABEL: u64 = 256 << 10;

/// Reads a device; bytes that cannot be read (beyond the end) are missing.
pub(super) trait Bytes {
    /// Its size.
    fn size(&self) -> u64;
    /// Fills as much of the buffer as there is from an offset.
    fn read(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize>;
}

fn holds(bytes: &dyn Bytes, offset: u64, mark: &[u8]) -> std::io::Result<bool> {
    let mut found = vec![0; mark.len()];
    if offset.saturating_add(mark.len() as u64) > bytes.size() {
        return Ok(false);
    }
    Ok(bytes.read(offset, &mut found)? == mark.len() && found == mark)
}

fn offset(place: Place, size: u64) -> Option<u64> {
    match place {
        Place::Start(offset) => Some(offset),
        Place::End(before) => size.checked_sub(before),
        Place::End64K(before) => (size & !0xffff).checked_sub(before),
        Place::EndMd10 => Some(size.checked_sub(0x2000)? & !0xfff),
    }
}

/// Everything that is recognised on a device, each owner once.
pub(super) fn recognise(bytes: &dyn Bytes) -> std::io::Result<Vec<&'static str>> {
    let mut owners = Vec::new();
    let mut add = |owner| {
        if !owners.contains(&owner) {
            owners.push(owner);
        }
    };
    for signature in SIGNATURES {
        let Some(offset) = offset(signature.place, bytes.size()) else { continue };
        if holds(bytes, offset, signature.mark)? {
            add(signature.owner);
        }
    }
    for page in PAGES {
        for mark in SWAP {
            if holds(bytes, page - 10, mark)? {
                add("a swap area or a hibernated system");
            }
        }
    }
    if holds_zfs(bytes)? {
        add("a ZFS pool's member");
    }
    Ok(owners)
}

fn holds_zfs(bytes: &dyn Bytes) -> std::io::Result<bool> {
    let aligned = bytes.size() / ZFS_LABEL * ZFS_LABEL;
    let labels =
        [Some(0), Some(ZFS_LABEL), aligned.checked_sub(2 * ZFS_LABEL), aligned.checked_sub(ZFS_LABEL)];
    let mut ring = vec![0; 128 << 10];
    for label in labels.into_iter().flatten() {
        let read = bytes.read(label + (128 << 10), &mut ring)?;
        if ring[..read].chunks(1 << 10).any(|uberblock| ZFS.iter().any(|magic| uberblock.starts_with(magic)))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Read from the start and searched for anything that is not zero, at least.
const HEAD_BYTES: u64 = 64 << 20;
/// And from the end.
const TAIL_BYTES: u64 = 1 << 20;
/// Places between, a page each, evenly spread.
const SAMPLES: u64 = 512;

/// The offset of something that is not zero: anywhere before `whole_until` (all of what will be written), at the end, or
/// in a sample of what is between.
pub(super) fn first_data(bytes: &dyn Bytes, whole_until: u64) -> std::io::Result<Option<u64>> {
    let size = bytes.size();
    let (head, tail) = searched_whole(size, whole_until);
    if let Some(found) = search(bytes, tail, size)? {
        return Ok(Some(found));
    }
    let step = ((tail - head) / SAMPLES).max(4096) / 4096 * 4096;
    let mut at = head;
    while at < tail {
        if let Some(found) = search(bytes, at, (at + 4096).min(tail))? {
            return Ok(Some(found));
        }
        at += step;
    }
    // Last, so that little time passes before it is written.
    search(bytes, 0, head)
}

/// Where the part ends that is read as a whole from the start, and where the one at the end begins.
fn searched_whole(size: u64, whole_until: u64) -> (u64, u64) {
    let head = size.min(HEAD_BYTES.max(whole_until));
    (head, size.saturating_sub(TAIL_BYTES).max(head))
}

/// Bytes of which only samples are read.
pub(crate) fn sampled_bytes(size: u64, whole_until: u64) -> u64 {
    let (head, tail) = searched_whole(size, whole_until);
    let step = ((tail - head) / SAMPLES).max(4096) / 4096 * 4096;
    if step > 4096 { tail - head } else { 0 }
}

pub(super) fn search(bytes: &dyn Bytes, from: u64, until: u64) -> std::io::Result<Option<u64>> {
    let zeros = vec![0; 1 << 20];
    let mut buffer = zeros.clone();
    let mut at = from;
    while at < until {
        let wanted = usize::try_from((until - at).min(buffer.len() as u64)).unwrap_or(buffer.len());
        let read = bytes.read(at, &mut buffer[..wanted])?;
        if read == 0 {
            let problem = format!("it ends at byte {at}, before its size");
            return Err(std::io::Error::new(std::io::ErrorKind::UnexpectedEof, problem));
        }
        if buffer[..read] != zeros[..read] {
            let index = buffer[..read].iter().position(|byte| *byte != 0).unwrap_or(0);
            return Ok(Some(at + index as u64));
        }
        at += read as u64;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Image(Vec<u8>);

    impl Bytes for Image {
        fn size(&self) -> u64 {
            self.0.len() as u64
        }

        fn read(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
            let from = usize::try_from(offset).expect("small").min(self.0.len());
            let length = buffer.len().min(self.0.len() - from);
            buffer[..length].copy_from_slice(&self.0[from..from + length]);
            Ok(length)
        }
    }

    const SIZE: usize = (70 << 20) + 512;

    #[test]
    fn every_mark_is_found_where_it_belongs_and_nothing_on_an_empty_device() {
        let mut image = Image(vec![0; SIZE]);
        assert!(recognise(&image).expect("readable").is_empty());
        assert_eq!(first_data(&image, 0).expect("readable"), None);
        for signature in SIGNATURES {
            let at = usize::try_from(offset(signature.place, SIZE as u64).expect("fits")).expect("small");
            let range = at..at + signature.mark.len();
            image.0[range.clone()].copy_from_slice(signature.mark);
            assert!(recognise(&image).expect("readable").contains(&signature.owner), "{}", signature.owner);
            assert!(first_data(&image, 0).expect("readable").is_some(), "{}", signature.owner);
            image.0[range].fill(0);
        }
    }

    #[test]
    fn all_that_will_be_written_is_read_and_not_only_sampled() {
        let mut image = Image(vec![0; 200 << 20]);
        // Between two samples, which lie 264 KiB apart.
        let at = (150 << 20) + (5 << 10);
        image.0[at] = 1;
        assert_eq!(first_data(&image, 100 << 20).expect("readable"), None);
        assert_eq!(first_data(&image, 151 << 20).expect("readable"), Some(at as u64));
        assert_eq!(sampled_bytes(200 << 20, 151 << 20), 48 << 20);
        assert_eq!(sampled_bytes(66 << 20, 0), 0);
    }

    #[test]
    fn a_device_that_ends_before_its_size_is_not_taken_for_an_empty_one() {
        struct Shrunk;
        impl Bytes for Shrunk {
            fn size(&self) -> u64 {
                1 << 20
            }
            fn read(&self, _: u64, _: &mut [u8]) -> std::io::Result<usize> {
                Ok(0)
            }
        }
        assert!(first_data(&Shrunk, 0).expect_err("too short").to_string().contains("before its size"));
    }

    #[test]
    fn swap_of_any_page_size_and_zfs_at_either_end_are_found() {
        let mut image = Image(vec![0; 8 << 20]);
        for page in PAGES {
            let at = usize::try_from(page - 10).expect("small");
            image.0[at..at + 10].copy_from_slice(b"SWAPSPACE2");
            assert_eq!(recognise(&image).expect("readable"), ["a swap area or a hibernated system"]);
            image.0[at..at + 10].fill(0);
        }
        for at in [(128 << 10) + 5 * 1024, (8 << 20) - (128 << 10)] {
            image.0[at..at + 8].copy_from_slice(ZFS[0]);
            assert_eq!(recognise(&image).expect("readable"), ["a ZFS pool's member"], "at {at}");
            image.0[at..at + 8].fill(0);
        }
    }

    #[test]
    fn a_tiny_device_is_no_trouble() {
        for size in [0, 1, 511, 512, 4096, 65_537] {
            let image = Image(vec![0; size]);
            assert!(recognise(&image).expect("readable").is_empty());
            assert_eq!(first_data(&image, 0).expect("readable"), None);
        }
    }
}
