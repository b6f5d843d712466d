//! The users of this host: those of services are local.

/// The text of `/etc/passwd`.
pub(crate) fn all() -> std::io::Result<String> {
    std::fs::read_to_string("/etc/passwd")
}

/// User and group of a name, from the text of `/etc/passwd`.
pub(crate) fn ids(users: &str, name: &str) -> Option<(u32, u32)> {
    let mut words =
        users.lines().map(|line| line.split(':')).find(|words| words.clone().next() == Some(name))?;
    Some((words.nth(2)?.parse().ok()?, words.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_its_whole_name() {
        let users = "root:x:0:0:root:/root:/bin/sh\nnats2:x:7:8::/:\nnats:x:994:993::/var/lib/nats:/usr/sbin/nologin\nbad:x\n";
        assert_eq!(ids(users, "nats"), Some((994, 993)));
        assert_eq!((ids(users, "nat"), ids(users, "bad"), ids(users, "")), (None, None, None));
    }
}
