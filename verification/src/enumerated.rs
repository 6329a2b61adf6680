//! All small programs, rather than chosen ones: two threads of up to two operations, and three threads of one.
//!
//! The alphabet: `next`; `register`, `deregister` and replacement in place of each of three ids; `replace_all` by nobody,
//! by one member and by two. The registry begins with nobody, one or two of the three. Programs that differ only in the
//! order of the threads, or in the names of those who are not there at the beginning, are one program.

use crate::catalog::{register, register_changed, replace_all};
use crate::subject::suits;
use crate::{Maker, Op, Row, Scenario, Subject, Verdict};

/// How many ids there are.
const IDS: u8 = 3;
/// What `replace_all` puts there.
const LISTS: [&[u8]; 3] = [&[], &[2], &[3, 1]];

/// All programs whose threads have so many operations.
#[derive(Clone, Debug)]
pub struct Stratum {
    /// How many.
    pub shape: &'static [usize],
    /// The programs, in a fixed order: from nobody, from one member, from two.
    pub programs: Vec<Scenario>,
}

/// All programs.
pub fn strata() -> [Stratum; 4] {
    let shapes: [&[usize]; 4] = [&[1, 1], &[1, 2], &[2, 2], &[1, 1, 1]];
    shapes.map(|shape| Stratum { shape, programs: (0..IDS).flat_map(|present| programs(present, shape)).collect() })
}

impl Stratum {
    /// What it is called.
    pub fn name(&self) -> String {
        self.shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" ∥ ") + " operations"
    }

    /// Those that a subject can do; of them every n-th, the first included.
    pub fn part<S: Subject>(&self, make: Maker<S>, nth: usize) -> Self {
        let suitable = self.programs.iter().filter(|program| suits(program, make));
        Self { shape: self.shape, programs: suitable.step_by(nth).cloned().collect() }
    }

    /// One row for all of it, or for what comes before the first that fails.
    ///
    /// # Panics
    ///
    /// If there is no program in it.
    pub fn run(&self, one: impl Fn(&Scenario) -> Row) -> Row {
        let mut rows = self.programs.iter().map(one);
        let mut sum = rows.next().expect("there are programs");
        sum.scenario = format!("{} programs of {}", self.programs.len(), self.name());
        while sum.failure.is_none() {
            let Some(row) = rows.next() else { break };
            sum.executions += row.executions;
            sum.histories += row.histories;
            sum.reclaimed += row.reclaimed;
            sum.seconds += row.seconds;
            if sum.verdict != Verdict::Truncated || row.failure.is_some() {
                sum.verdict = row.verdict;
            }
            sum.failure = row.failure;
        }
        sum
    }
}

fn programs(present: u8, shape: &[usize]) -> Vec<Scenario> {
    let members: Vec<u8> = (1..=present).collect();
    let programs = sequences(&alphabet(), shape.iter().sum()).into_iter().map(|ops| split(&ops, shape));
    let different = programs.filter(|program| is_first_of_its_kind(program, present));
    let scenarios = different.map(|threads| {
        let name = threads.iter().map(|ops| format!("{ops:?}")).collect::<Vec<_>>().join(" ∥ ");
        let threads: Vec<&[Op]> = threads.iter().map(Vec::as_slice).collect();
        Scenario::new(&format!("{members:?}: {name}"), &members, &threads)
    });
    scenarios.collect()
}

fn alphabet() -> Vec<Op> {
    let each = |op: fn(u8) -> Op| (1..=IDS).map(op);
    let changes = each(register).chain(each(register_changed)).chain(each(Op::Deregister));
    changes.chain(LISTS.map(replace_all)).chain([Op::Next]).collect()
}

fn is_of_the_alphabet(op: &Op) -> bool {
    !matches!(op, Op::ReplaceAll(_)) || LISTS.iter().any(|list| replace_all(list) == *op)
}

/// All sequences of this length.
fn sequences(alphabet: &[Op], length: usize) -> Vec<Vec<Op>> {
    (0..length).fold(vec![vec![]], |shorter, _| {
        let longer =
            |ops: &Vec<Op>| alphabet.iter().map(|op| [ops.as_slice(), std::slice::from_ref(op)].concat()).collect();
        shorter.iter().flat_map(|ops| -> Vec<Vec<Op>> { longer(ops) }).collect()
    })
}

/// A sequence, cut into threads.
fn split(ops: &[Op], shape: &[usize]) -> Vec<Vec<Op>> {
    let mut rest = ops;
    let mut thread = |length: &usize| {
        let (ops, after) = rest.split_at(*length);
        rest = after;
        ops.to_vec()
    };
    shape.iter().map(&mut thread).collect()
}

/// Whether none of the programs that are the same but for names and order comes before it.
fn is_first_of_its_kind(program: &[Vec<Op>], present: u8) -> bool {
    let strangers: Vec<u8> = (present + 1..=IDS).collect();
    permutations(&strangers).iter().all(|names| {
        let rename = |id: u8| if id > present { names[usize::from(id - present) - 1] } else { id };
        let mut other: Vec<Vec<Op>> =
            program.iter().map(|ops| ops.iter().map(|op| renamed(op, rename)).collect()).collect();
        other.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        // A list under other names may be none of the alphabet's.
        *program <= *other || !other.iter().flatten().all(is_of_the_alphabet)
    })
}

fn renamed(op: &Op, name: impl Fn(u8) -> u8) -> Op {
    let mut op = op.clone();
    match &mut op {
        Op::Register(member) | Op::Revoke(member) => member.id = name(member.id),
        Op::Deregister(id) => *id = name(*id),
        Op::ReplaceAll(members) => members.iter_mut().for_each(|member| member.id = name(member.id)),
        Op::Next | Op::Snapshot | Op::Renew | Op::Own(_) => {}
    }
    op
}

fn permutations(of: &[u8]) -> Vec<Vec<u8>> {
    if of.is_empty() {
        return vec![vec![]];
    }
    let first = |at: usize| {
        let mut rest = of.to_vec();
        let first = rest.remove(at);
        permutations(&rest).into_iter().map(move |others| [&[first], others.as_slice()].concat())
    };
    (0..of.len()).flat_map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_programs_that_differ_in_names_or_order_one_is_kept() {
        let kept = |program: &[&[Op]], present| {
            is_first_of_its_kind(&program.iter().map(|ops| ops.to_vec()).collect::<Vec<_>>(), present)
        };
        assert!(kept(&[&[register(1)], &[register(2)]], 0));
        assert!(!kept(&[&[register(2)], &[register(1)]], 0));
        assert!(!kept(&[&[register(2)], &[register(3)]], 0));
        assert!(kept(&[&[register(2)], &[register(3)]], 1));
        let (one, other): (&[Op], &[Op]) = (&[Op::Next], &[register(1)]);
        assert_ne!(kept(&[one, other], 0), kept(&[other, one], 0));
        // Under another name the list is none of the alphabet's, so only the order counts.
        let list: &[Op] = &[replace_all(&[3, 1])];
        assert_ne!(kept(&[list, one], 0), kept(&[one, list], 0));
    }

    #[cfg(feature = "shuttle")]
    #[test]
    fn one_of_the_smallest_programs_kills_the_two_step_read() {
        use crate::specimens::{Mistake, two_step_read::TwoStepRead};

        let make = TwoStepRead::<crate::Shuttle>::new;
        let [smallest, ..] = strata();
        let row = smallest.part(make, 1).run(|program| crate::runner::shuttle::depth_first("", program, make, 1_000));
        assert!(row.failure.is_some());
    }
}
