# The fault of heal/send-buffer.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: network|host
# expect-primary: send.?buf|sndbuf|wmem|buffers-below-bdp|socket-(held|buffer)
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/send-buffer.sh
PROVE=yes
. ./send-buffer.sh
