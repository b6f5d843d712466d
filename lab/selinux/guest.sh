# shellcheck shell=bash
# Inside the guest: an enforcing policy is loaded, and fullwire works in the domains that it shuts in.
set -euo pipefail

# This shell becomes COMMAND... in DOMAIN: call it in a shell of its own.
become() {
    echo -n "system:object:$1" >/proc/self/attr/exec
    exec "${@:2}"
}
fails() {
    echo "$*" >&2
    exit 1
}
export FULLWIRE_STORE=/tmp/runs FULLWIRE_KEY=0123456789abcdefghjkmnpqrs

./fullwire check --window 1s --fail-on never --json >out/free.json
mount -t selinuxfs selinuxfs /sys/fs/selinux
cat policy.bin >/sys/fs/selinux/load
echo 1 >/sys/fs/selinux/enforce
for domain in confined shut; do
    [[ $(become $domain cat /proc/self/attr/current | tr -d '\0') = "system:object:$domain" ]] ||
        fails "$domain: not entered"
    ! (become $domain dd if=/dev/ubda of=/dev/null count=1) 2>/dev/null || fails "$domain: the policy does not hold"

    (become $domain ./fullwire check --window 1s --fail-on never --json) >out/$domain.json
    (become $domain ./fullwire disk /root --operation read --pattern random --block 8k --duration 2s --size 64M --fail-on never) >$domain.disk
    become $domain ./fullwire serve --listen 127.0.0.1:5999 &
    server=$!
    until (: >/dev/tcp/127.0.0.1/5999) 2>/dev/null; do sleep 0.1; done
    (become $domain ./fullwire net 127.0.0.1:5999 --duration 2s --fail-on never) >$domain.net
    kill $server
    wait $server || (($? == 143)) || fails "$domain: the responder did not live until it was told to end"
done
