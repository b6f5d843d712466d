# The fault of heal/wrong-route.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: network
# expect-primary: route
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/wrong-route.sh
PROVE=yes
. ./wrong-route.sh
