# The fault of heal/nr-requests.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: storage
# expect-primary: queue|nr.?requests
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/nr-requests.sh
PROVE=yes
. ./nr-requests.sh
