# The fault of heal/bond-wrong-active.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: network
# expect-primary: bond|active|slave
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/bond-wrong-active.sh
PROVE=yes
. ./bond-wrong-active.sh
