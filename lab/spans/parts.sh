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

# mariadb DIR: a server whose data lies below DIR, with one table.
mariadb() {
    [[ -x /usr/sbin/mariadbd ]] || tar xkf mariadb.tar -C / 2>/dev/null || true
    id mysql >/dev/null 2>&1 || useradd -r mysql
    mkdir -p "$1/mysql" /run/mysqld
    chown mysql: "$1/mysql" /run/mysqld
    mariadb-install-db --no-defaults --user=mysql --datadir="$1/mysql" --auth-root-authentication-method=normal \
        --skip-test-db >/tmp/mariadb-install.log 2>&1
    /usr/sbin/mariadbd --no-defaults --user=mysql --datadir="$1/mysql" --socket=/run/mysqld/mysqld.sock --skip-networking \
        --innodb-buffer-pool-size=32M --innodb-log-file-size=16M --performance-schema=OFF >/tmp/mariadb.log 2>&1 &
    for _ in {1..120}; do
        sql -e 'SELECT 1' >/dev/null 2>&1 && break
        sleep 0.5
    done
    sql -e 'CREATE DATABASE lab; CREATE TABLE lab.accounts (id INT PRIMARY KEY, balance INT, filler CHAR(84)) ENGINE=InnoDB;
        INSERT INTO lab.accounts VALUES (1, 0, REPEAT("x", 84))'
    local id
    for id in 1 2 4 8 16 32 64 128 256 512 1024 2048 4096; do
        sql -e "INSERT INTO lab.accounts SELECT id + $id, 0, filler FROM lab.accounts"
    done
}

sql() { command mariadb --no-defaults --socket=/run/mysqld/mysqld.sock -uroot "$@"; }

# work_mariadb [RATE]: durable transactions without end, RATE a second (12), two at a time.
work_mariadb() {
    local client
    for client in 1 2; do
        python3 -uc '
import random, sys, time
rate = float(sys.argv[1]) / 2
while True:
    row = random.randint(1, 8192)
    print(f"UPDATE accounts SET balance = balance + 1 WHERE id = {row}; SELECT balance FROM accounts WHERE id = {8193 - row};")
    time.sleep(random.expovariate(rate))' "${1:-12}" | sql -N lab >/dev/null 2>"/tmp/client-$client.log" &
    done
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

# fault CODE SUBJECT COMMAND...: the command makes the fault (code and subject are regular expressions); `over COMMAND...` ends it,
# and a few seconds of health follow. Each takes effect somewhere between the command's begin and its end: both are the truth.
fault() {
    fault_code=$1 fault_subject=$2 fault_from=$(date +%s.%N)
    "${@:3}"
    fault_until=$(date +%s.%N)
}
over() {
    local from
    from=$(date +%s.%N)
    "$@"
    printf '{"code": "%s", "subject": "%s", "from": [%s, %s], "to": [%s, %s]}\n' "$fault_code" "$fault_subject" \
        "$fault_from" "$fault_until" "$from" "$(date +%s.%N)" >>out/truth.jsonl
    steady 20
}

# kept: the recording ends and is brought out of the guest.
kept() {
    kill -INT "$recorder"
    wait "$recorder" || true
    cp /dev/shm/recording.fwr out/
    cp /tmp/pgbench.log /tmp/postgres.log /tmp/mariadb.log out/ 2>/dev/null || true
    tail -3 /tmp/pgbench.log 2>/dev/null || true
    ran_on
    exit 0
}

slaves_down() { grep -A1 'Slave Interface' /proc/net/bonding/bond0 | grep -c 'MII Status: down' || true; }
