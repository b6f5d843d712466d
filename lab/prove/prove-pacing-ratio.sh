# The fault of heal/pacing-ratio.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: network|host
# expect-primary: pacing
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/pacing-ratio.sh
PROVE=yes
. ./pacing-ratio.sh
