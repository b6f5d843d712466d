# What the recorded scenarios share; source it after lib.sh and disks.sh.

# postgres DIR: a server whose data lies below DIR, and the tables of pgbench. On a guest of one CPU everything is small.
postgres() {
    [[ -x $(pg postgres) ]] || tar xkf postgres.tar -C / 2>/dev/null || true
    id postgres >/dev/null 2>&1 || useradd -r postgres
    mkdir -p "$1/pg" /run/postgresql
    chown postgres: "$1/pg" /run/postgresql
    as_postgres "$(pg initdb)" -D "$1/pg" --no-sync -E UTF8 --locale=C >/dev/null
    cat >>"$1/pg/postgresql.conf" <<'CONF'
listen_addresses = '*'
shared_buffers = 32MB
max_connections = 20
checkpoint_timeout = 30s
autovacuum_naptime = 30s
CONF
    echo 'host all all 0.0.0.0/0 trust' >>"$1/pg/pg_hba.conf"
    as_postgres "$(pg pg_ctl)" -D "$1/pg" -w -t 60 -l /tmp/postgres.log start >/dev/null
    as_postgres "$(pg pgbench)" -i -s 2 -q postgres 2>/dev/null
}

pg() { echo /usr/lib/postgresql/*/bin/"$1"; }
as_postgres() { (cd /tmp && runuser -u postgres -- "$@"); }

# work [HOST [ADDRESS [RATE]]]: transactions without end, RATE a second (12), from a host.
work() {
    on "${1:-db}" runuser -u postgres -- "$(pg pgbench)" -h "${2:-/run/postgresql}" -c 2 -R "${3:-12}" -T 3000 -n -P 5 postgres \
        >/tmp/pgbench.log 2>&1 &
}

# recorded: from here on the host is recorded, in memory, so that its own writes are no load. The first seconds are waited for.
recorded() {
    [[ -x fullwire ]] || { echo "ground truth holds"; exit 0; }
    ./fullwire record --quiet -o /dev/shm/recording.fwr >out/record.log 2>&1 &
    recorder=$!
    while sleep 0.5; do date +%s.%N; done >/tmp/heartbeat &
    steady "${1:-30}"
}

# ran_on: the guest was never kept from running for longer than times are told apart; else no time of the truth is one.
ran_on() {
    awk 'NR > 1 && $1 - last > longest { longest = $1 - last } { last = $1 } END { print longest + 0 }' /tmp/heartbeat >out/longest
    truth 'longest time between two beats of half a second, s' "$(cat out/longest)" 0 2
}

steady() { sleep "$1"; }

# fault CODE SUBJECT: begins now (both regular expressions); `over` ends it, a few seconds of health follow.
fault() { fault_code=$1 fault_subject=$2 fault_from=$(date +%s.%N); }
over() {
    printf '{"code": "%s", "subject": "%s", "from": %s, "to": %s}\n' "$fault_code" "$fault_subject" "$fault_from" "$(date +%s.%N)" >>out/truth.jsonl
    steady "${1:-20}"
}

# kept: the recording ends and is brought out of the guest.
kept() {
    kill -INT "$recorder"
    wait "$recorder" || true
    cp /dev/shm/recording.fwr out/
    cp /tmp/pgbench.log /tmp/postgres.log out/ 2>/dev/null || true
    tail -3 /tmp/pgbench.log 2>/dev/null || true
    ran_on
    exit 0
}

slaves_down() { grep -A1 'Slave Interface' /proc/net/bonding/bond0 | grep -c 'MII Status: down' || true; }
