# fs.aio-max-nr is used up by another program: libaio calls of a database fail with EAGAIN. A good tool names aio-max-nr.
# expect-layer: host
# expect-any: aio
# commands: check
. ./lib.sh
. ./disks.sh
calm_host
sysctl -qw fs.aio-max-nr=4096
python3 - <<'PY' &
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
held = []
for _ in range(40):
    ctx = ctypes.c_ulong(0)
    if libc.syscall(206, 100, ctypes.byref(ctx)) == 0: held.append(ctx)
time.sleep(600)
PY
holder=$!
sleep 2
truth 'aio in use, of 4096' "$(cat /proc/sys/fs/aio-nr)" 3600 8192

proven
ask db check --window 0s
kill $holder
