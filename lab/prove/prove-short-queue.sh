# The fault of heal/short-queue.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: network
# expect-primary: qdisc.?drops|queue|qdisc
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/short-queue.sh
PROVE=yes
. ./short-queue.sh
