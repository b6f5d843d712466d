# Beside the transactions a backup reads 40 MB/s for a minute and a load writes 20 MB/s for a minute: busy, and nothing is wrong.
# lab: LAB_TIMEOUT=600
. ./lib.sh
. ./disks.sh
. ./parts.sh

on_data "$(sparse data 3G)" xfs
postgres /data
fio --name=fill --filename=/data/backup --size=1g --rw=write --bs=1m --end_fsync=1 --output=/dev/null
work
recorded 60
fio --name=backup --filename=/data/backup --size=1g --rw=read --bs=1m --direct=1 --rate=40m --time_based --runtime=60 --output=/dev/null
steady 20
fio --name=load --filename=/data/load --size=512m --rw=write --bs=256k --direct=1 --rate=20m --time_based --runtime=60 --output=/dev/null
steady 20
kept
