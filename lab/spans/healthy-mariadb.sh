# Four minutes of durable transactions on MariaDB: nothing is wrong.
# database: mariadb
# lab: LAB_TIMEOUT=900
. ./lib.sh
. ./disks.sh
. ./parts.sh

on_data "$(sparse data 2G)" xfs
mariadb /data
work_mariadb 20
recorded 240
kept
