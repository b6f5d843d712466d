# The disk below MariaDB answers nothing for a quarter of a minute.
# database: mariadb
. ./lib.sh
. ./disks.sh
. ./parts.sh

on_data "$(mapped data "$(sparse data 2G)" linear)" xfs
mariadb /data
work_mariadb
recorded
fault 'device-(stalled|suspended)' '^(dm-0|data)$' dmsetup suspend --nolockfs --noflush data
steady 15
over dmsetup resume data
kept
