# The data file system has space, and not one inode left: no file can be made. A good tool says so.
# expect-any: inode
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

on_data "$(lun a "$(sparse a 1G)")" ext4 defaults -N 256
i=0; while touch "/data/f$i" 2>/dev/null; do i=$((i + 1)); done
truth 'inodes used, %' "$(df --output=ipcent /data | tail -1 | tr -dc 0-9)" 100 100

proven
ask db assess --path /data --quick --no-store
