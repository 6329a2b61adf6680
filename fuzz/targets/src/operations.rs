//! Sequences of operations, as in `random` of the verification, but led by coverage instead of chance.

use arbitrary::{Result, Unstructured};
use snapring::{Start, Std};
use snapring_verification::sequence::{Ops, follow};
use snapring_verification::{Op, Probe, Scenario, for_each_registry, for_each_strategy};

/// How many handles there are.
const HANDLES: usize = 3;
/// How many ids there are. All of them together fit into the smallest ring below.
const IDS: u8 = 6;

/// Does what the bytes say to every registry and to every strategy with a memory, and compares each answer with the
/// specification.
///
/// # Panics
///
/// If an answer is not as specified.
pub fn operations(data: &[u8]) {
    let Ok((scenario, ops)) = sequence(&mut Unstructured::new(data)) else { return };
    macro_rules! look {
        ($name:literal, $make:expr) => {
            if let Err(wrong) = follow($make, &scenario, &ops) {
                panic!("{}: {wrong}\nfrom {scenario:?}\nby {ops:?}", $name);
            }
        };
    }
    for_each_registry!(look, Std);
    for_each_strategy!(look, Std);
}

fn sequence(bytes: &mut Unstructured<'_>) -> Result<(Scenario, Ops)> {
    let present: u8 = bytes.arbitrary()?;
    let members: Vec<u8> = (0..IDS).filter(|id| present >> id & 1 == 1).collect();
    let scenario = Scenario { start: start(bytes)?, ..Scenario::new("fuzzed", &members, &[]) };
    let mut ops = Ops::new();
    while !bytes.is_empty() {
        ops.push((bytes.choose_index(HANDLES)?, op(bytes)?));
    }
    Ok((scenario, ops))
}

fn start(bytes: &mut Unstructured<'_>) -> Result<Start> {
    let near_wraps = [0, u64::MAX - 3, (1 << 35) - 2];
    Ok(Start {
        version: *bytes.choose(&near_wraps)?,
        count: bytes.arbitrary::<u8>()?.into(),
        count_bits: *bytes.choose(&[4, 5, 6, 28])?,
    })
}

fn op(bytes: &mut Unstructured<'_>) -> Result<Op> {
    Ok(match bytes.choose_index(16)? {
        0..6 => Op::Next,
        6..9 => Op::Register(probe(bytes)?),
        9..12 => Op::Deregister(bytes.choose_index(IDS.into())? as u8),
        12 => Op::ReplaceAll((0..bytes.choose_index(8)?).map(|_| probe(bytes)).collect::<Result<_>>()?),
        13 => Op::Snapshot,
        _ => Op::Renew,
    })
}

fn probe(bytes: &mut Unstructured<'_>) -> Result<Probe> {
    Ok(Probe { id: bytes.choose_index(IDS.into())? as u8, contents: bytes.choose_index(2)? as u8 })
}
