# The fault of heal/own-tbf.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: network
# expect-primary: qdisc|tbf|shaper
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/own-tbf.sh
PROVE=yes
. ./own-tbf.sh
