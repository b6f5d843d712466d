# The fault of heal/max-sectors.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: storage|host
# expect-primary: max.?sectors|split|request
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/max-sectors.sh
PROVE=yes
. ./max-sectors.sh
