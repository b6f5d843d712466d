//! Bonds: members, LACP, hashing.

rules! {
    bond_aggregator_split,
    bond_balance_rr,
    bond_churn,
    bond_hash_one_link,
    bond_lacp_slow,
    bond_link_failures,
    bond_no_monitoring,
    bond_no_partner,
    bond_one_slave,
    bond_one_stream,
    bond_same_card,
    bond_slave_down,
    bond_slaves_differ,
    bond_wrong_active,
}
