# The fault of heal/cpu-quota.sh. `fullwire prove` tries the remedy with and without, and leaves the host as it was.
# expect-layer: host
# expect-primary: cpu.?(quota|max)|throttl
# commands: assess, capture, prove, diff
# lab: LAB_TIMEOUT=900
# files: ../parts.sh ../heal/cpu-quota.sh
PROVE=yes
. ./cpu-quota.sh
