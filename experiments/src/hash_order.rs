//! The order in which a Java `ConcurrentHashMap` iterates over strings: the usual set behind a registry that wants no
//! duplicates. Deterministic, unlike Rust's, so the experiment can be repeated.

/// These ids, in the order of their buckets; those of one bucket in the order in which they came.
pub fn iterated(ids: &[String]) -> Vec<String> {
    // The table doubles when three quarters are taken.
    let mut buckets = 16;
    while ids.len() * 4 > buckets * 3 {
        buckets *= 2;
    }
    let mut ordered = ids.to_vec();
    ordered.sort_by_key(|id| bucket(id, buckets));
    ordered
}

fn bucket(id: &str, buckets: usize) -> usize {
    let hash = id.encode_utf16().fold(0u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
    (hash ^ hash >> 16) as usize & (buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The orders that were reported from Java, for five and for six addresses.
    #[test]
    fn it_is_the_order_that_java_has() {
        let addresses = |n: usize| (1..=n).map(|last| format!("10.0.0.{last}")).collect::<Vec<_>>();
        let last = |ids: Vec<String>| ids.iter().map(|id| id[7..].parse().unwrap()).collect::<Vec<u8>>();
        assert_eq!(last(iterated(&addresses(5))), [4, 3, 5, 2, 1]);
        assert_eq!(last(iterated(&addresses(6))), [4, 3, 6, 5, 2, 1]);
    }
}
