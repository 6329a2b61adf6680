//! Many numbers in one field of a CSV file: `12 40 7`, or pairs of them, `12:3 40:1`.
//!
//! One line for each number would repeat all the other fields each time: ten times as many bytes to keep for ever.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What can be packed.
pub trait Item: Sized {
    /// Without any blank in it.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// `None` if that is no item.
    fn read(text: &str) -> Option<Self>;
}

impl Item for u64 {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Item for (u64, u64) {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.0, self.1)
    }

    fn read(text: &str) -> Option<Self> {
        let (first, second) = text.split_once(':')?;
        Some((first.parse().ok()?, second.parse().ok()?))
    }
}

/// Items that are one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed<I>(pub Vec<I>);

impl<I: Item> Display for Packed<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, item) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            item.write(f)?;
        }
        Ok(())
    }
}

impl<I: Item> FromStr for Packed<I> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let items = text.split_whitespace().map(|item| I::read(item).ok_or_else(|| format!("`{item}` is no item")));
        Ok(Self(items.collect::<Result<_, _>>()?))
    }
}

impl<I: Item> Serialize for Packed<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, I: Item> Deserialize<'de> for Packed<I> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// As many decimals as mean anything: the rest is noise that has to be stored.
pub fn rounded(value: f64, decimals: i32) -> f64 {
    let factor = 10f64.powi(decimals);
    (value * factor).round() / factor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let (numbers, pairs) = (Packed(vec![12, 40, 7]), Packed(vec![(12, 3), (40, 1)]));
        assert_eq!((numbers.to_string().as_str(), pairs.to_string().as_str()), ("12 40 7", "12:3 40:1"));
        assert_eq!(numbers.to_string().parse(), Ok(numbers));
        assert_eq!(pairs.to_string().parse(), Ok(pairs));
        assert_eq!("".parse(), Ok(Packed::<u64>(Vec::new())));
        assert!("1 x".parse::<Packed<u64>>().is_err());
        assert!("1".parse::<Packed<(u64, u64)>>().is_err());
    }

    #[test]
    fn decimals_are_cut_off_by_rounding() {
        assert_eq!(rounded(1.234567, 3), 1.235);
        assert_eq!(rounded(1234.5, 0), 1235.0);
    }
}
