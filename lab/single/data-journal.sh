# ext4 mounted with data=journal: every block is written twice. A good tool names the mount option.
# expect-any: journal
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

disk=$(lun a "$(sparse a)")
on_data "$disk" ext4 data=journal
before=$(awk '{ print $7 }' "/sys/block/${disk#/dev/}/stat")
fio --name=w --directory=/data --size=64m --bs=8k --rw=randwrite --fdatasync=1 --number_ios=2000 >/dev/null
written=$((($(awk '{ print $7 }' "/sys/block/${disk#/dev/}/stat") - before) * 512))
truth 'bytes written over bytes asked for' "$(ratio "$written" $((2000 * 8192)))" 1.7 20

proven
ask db assess --path /data --quick --no-store
