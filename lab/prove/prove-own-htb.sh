# The fault of heal/own-htb.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: network
# expect-primary: qdisc|htb|shaper
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/own-htb.sh
PROVE=yes
. ./own-htb.sh
