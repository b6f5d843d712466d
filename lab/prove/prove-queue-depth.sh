# The fault of heal/queue-depth.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: storage
# expect-primary: queue.?depth|one-in-flight|request-queue
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/queue-depth.sh
PROVE=yes
. ./queue-depth.sh
