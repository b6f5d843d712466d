# A thin volume with room, on a LUN that is in order. Nothing is wrong.
# expect-healthy: yes
# allow: thin
# commands: assess
# files: ../parts.sh
. ./lib.sh
. ./disks.sh
. ./parts.sh
calm_host

thin_data 4G 3G
truth 'data of the pool, %' "$(thin_used_pct)" 0 40

proven
ask db assess --path /data --quick --no-store
