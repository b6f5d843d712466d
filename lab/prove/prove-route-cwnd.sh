# The fault of heal/route-cwnd.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: network|host
# expect-primary: route.?cwnd|congestion.?window
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/route-cwnd.sh
PROVE=yes
. ./route-cwnd.sh
