# The fault of heal/io-max.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: host|storage
# expect-primary: io.?max|cgroup
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/io-max.sh
PROVE=yes
. ./io-max.sh
