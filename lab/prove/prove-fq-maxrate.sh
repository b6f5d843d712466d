# The fault of heal/fq-maxrate.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: network
# expect-primary: qdisc|fq|shaper|pac
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/fq-maxrate.sh
PROVE=yes
. ./fq-maxrate.sh
