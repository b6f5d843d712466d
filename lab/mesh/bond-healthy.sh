# A host with a healthy bond of two members: nothing is named.
. ./parts.sh
hosts 4
bonded 4 mode 802.3ad lacp_rate fast miimon 100
sshds
sleep 3
mesh
named
