//! Which cases there are, and in what order they are measured.
//!
//! A machine drifts: clock speed, neighbours, the state of the allocator. So the contenders of one case are measured
//! right after one another, in an order that is shuffled for every round, and so are the cases. Whatever drifts slowly
//! hits both sides of a ratio alike; whatever favours a place in the order favours everybody once.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::adapters::{CONTENDERS, Entry};

/// Who changes the list meanwhile. Adding and removing the extra backend are two updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Writer {
    /// Nobody.
    None,
    /// So many updates a second, if the contender can.
    Paced(u32),
    /// One update after the other.
    Flat,
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Paced(rate) => write!(f, "{rate}"),
            Self::Flat => f.write_str("flat"),
        }
    }
}

impl From<Writer> for String {
    fn from(writer: Writer) -> Self {
        writer.to_string()
    }
}

impl TryFrom<String> for Writer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for Writer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::None),
            "flat" => Ok(Self::Flat),
            rate => match rate.parse() {
                Ok(rate) if rate > 0 => Ok(Self::Paced(rate)),
                _ => Err("`none`, `flat`, or updates a second".into()),
            },
        }
    }
}

/// One situation that contenders are compared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Case {
    /// How many members the list has.
    pub n: usize,
    /// Who changes it.
    pub writer: Writer,
    /// How many threads pick.
    pub threads: usize,
}

impl Case {
    /// Whether more threads want to run than there are cores.
    pub fn oversubscribed(&self, cores: usize) -> bool {
        self.threads + usize::from(self.writer != Writer::None) > cores
    }

    /// The same without a writer: where a contender that cannot change is measured.
    pub fn unchanging(self) -> Self {
        Self { writer: Writer::None, ..self }
    }
}

/// Where rivals take part that are not part of every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rivals {
    /// Nowhere: a run is to be short.
    Nowhere,
    /// Where they say most for the time that they take: the shortest list, one thread or two, no flat-out writer.
    InFewCases,
    /// Wherever everybody else does.
    Everywhere,
}

impl Rivals {
    fn fit(self, case: Case, sizes: &[usize]) -> bool {
        match self {
            Self::Nowhere => false,
            Self::InFewCases => {
                case.threads <= 2 && case.writer != Writer::Flat && sizes.iter().all(|size| case.n <= *size)
            }
            Self::Everywhere => true,
        }
    }
}

/// What is to be measured, once per round.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Case by case, who takes part.
    pub cases: Vec<(Case, Vec<Entry>)>,
    random: fastrand::Rng,
}

/// The orders of two runs are the same.
const SEED: u64 = 1;

impl Plan {
    /// Every combination, for the contenders whose name contains one of these words (all, if there is no word).
    pub fn new(threads: &[usize], writers: &[Writer], sizes: &[usize], only: &[String], rivals: Rivals) -> Self {
        let wanted = |entry: &Entry| only.is_empty() || only.iter().any(|word| entry.name.contains(word.as_str()));
        let mut cases = Vec::new();
        for &n in sizes {
            for &writer in writers {
                for &threads in threads {
                    let case = Case { n, writer, threads };
                    let fits = |entry: &&Entry| {
                        wanted(entry)
                            && (entry.changes || writer == Writer::None)
                            && (!entry.rival || rivals.fit(case, sizes))
                    };
                    cases.push((case, CONTENDERS.iter().filter(fits).copied().collect()));
                }
            }
        }
        cases.retain(|(_, entries): &(Case, Vec<Entry>)| !entries.is_empty());
        Self { cases, random: fastrand::Rng::with_seed(SEED) }
    }

    /// How many windows a round has.
    pub fn windows(&self) -> usize {
        self.cases.iter().map(|(_, entries)| entries.len()).sum()
    }

    /// The next round: all of it in a new order, the contenders of one case side by side.
    pub fn round(&mut self) -> Vec<(Case, Entry)> {
        let mut cases = self.cases.clone();
        self.random.shuffle(&mut cases);
        for (_, entries) in &mut cases {
            self.random.shuffle(entries);
        }
        cases.into_iter().flat_map(|(case, entries)| entries.into_iter().map(move |entry| (case, entry))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(only: &[&str]) -> Plan {
        let only: Vec<_> = only.iter().map(|word| word.to_string()).collect();
        Plan::new(&[1, 2], &[Writer::None, Writer::Flat], &[3], &only, Rivals::Nowhere)
    }

    #[test]
    fn a_round_has_every_window_once_and_keeps_a_case_together() {
        let mut plan = plan(&[]);
        let (first, second) = (plan.round(), plan.round());
        assert_eq!(first.len(), plan.windows());
        let label = |(case, entry): &(Case, Entry)| (*case, entry.name);
        let sorted = |round: &[(Case, Entry)]| {
            let mut labels: Vec<_> = round.iter().map(label).collect();
            labels.sort();
            labels
        };
        assert_eq!(sorted(&first), sorted(&second));
        assert!(sorted(&first).windows(2).all(|pair| pair[0] != pair[1]), "no window twice");
        assert_ne!(first.iter().map(label).collect::<Vec<_>>(), second.iter().map(label).collect::<Vec<_>>());
        assert_eq!(first.chunk_by(|a, b| a.0 == b.0).count(), 4, "a case is one block");
    }

    #[test]
    fn orders_repeat_from_run_to_run() {
        let names = |mut plan: Plan| plan.round().iter().map(|(_, entry)| entry.name).collect::<Vec<_>>();
        assert_eq!(names(plan(&[])), names(plan(&[])));
    }

    #[test]
    fn floors_meet_no_writer_and_words_choose() {
        let floors = plan(&["floor"]);
        assert!(floors.cases.iter().all(|(case, _)| case.writer == Writer::None));
        assert!(!floors.cases.is_empty());
        assert_eq!(plan(&["plain epoch"]).windows(), 4);
        assert_eq!(plan(&["nobody"]).windows(), 0);
    }

    #[test]
    fn rivals_are_there_if_somebody_asks_for_them() {
        let seize = |rivals| {
            let plan = Plan::new(&[1, 4], &[Writer::None, Writer::Flat], &[3, 9], &["seize".into()], rivals);
            plan.cases.iter().map(|(case, _)| *case).collect::<Vec<_>>()
        };
        assert_eq!(seize(Rivals::Nowhere), []);
        assert_eq!(seize(Rivals::InFewCases), [Case { n: 3, writer: Writer::None, threads: 1 }]);
        assert_eq!(seize(Rivals::Everywhere).len(), 8);
    }

    #[test]
    fn writers_are_read_as_they_are_written() {
        for writer in [Writer::None, Writer::Paced(100), Writer::Flat] {
            assert_eq!(writer.to_string().parse(), Ok(writer));
        }
        assert!("0".parse::<Writer>().is_err());
        assert!("fast".parse::<Writer>().is_err());
    }
}
