# A filer in order: large transfers, hard mount, jumbo frames, several connections. Nothing is wrong.
# expect-healthy: yes
# commands: assess
. ./lib.sh
. ./disks.sh
calm_host

pair 9000
nfs_server "$(sparse a)"
mount -t nfs -o vers=3,nolock,hard,proto=tcp,timeo=600,rsize=1048576,wsize=1048576,nconnect=4 10.0.0.2:/export /data
read -r rate _ < <(measure --directory=/data --rw=read --bs=1m)
truth 'MiB/s' "$rate" 50 100000

proven
ask db assess --path /data --quick --no-store
