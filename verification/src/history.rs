//! Histories of calls and returns, and whether they are linearizable.

use std::collections::HashSet;
use std::fmt;

use todc_utils::{Action, History, WGLChecker};

use crate::leases::{LeaseSpec, Leases};
use crate::scenario::{Answer, Op, Scenario};
use crate::spec::{Ring, RingSpec, Step};

/// Something that happened in a thread.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Event {
    /// An operation began.
    Call(Op),
    /// It ended.
    Return(Answer),
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(op) => write!(f, "{op:?}"),
            Self::Return(answer) => write!(f, "  ↳ {answer:?}"),
        }
    }
}

/// What happened, in order: the program's number and the event.
pub type Events = Vec<(usize, Event)>;

/// Why an execution failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A call panicked.
    Panic(String),
    /// No order of the calls explains the answers.
    NotLinearizable,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panic(message) => write!(f, "panic: {message}"),
            Self::NotLinearizable => f.write_str("not linearizable: no order of the calls explains the answers"),
        }
    }
}

/// Checks histories of one scenario. Most executions share few histories, so it remembers those it has passed.
#[derive(Debug)]
pub struct Judge {
    begin: Begin,
    passed: HashSet<Events>,
}

#[derive(Debug)]
enum Begin {
    Ring(Ring),
    Leases(Leases),
}

impl Judge {
    /// For histories of a scenario; of handles that take turns by the lease, if a size is given.
    pub fn new(scenario: &Scenario, lease: Option<usize>) -> Self {
        let ring = Ring::of(scenario);
        let begin = match lease {
            Some(size) => Begin::Leases(Leases::new(&ring, scenario.start.count, size)),
            None => Begin::Ring(ring),
        };
        Self { begin, passed: HashSet::new() }
    }

    /// Whether all is well with a history.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn check(&mut self, events: &Events) -> Result<(), Failure> {
        if self.passed.contains(events) {
            return Ok(());
        }
        let panic = events.iter().find_map(|(_, event)| match event {
            Event::Return(Answer::Panicked(message)) => Some(message),
            _ => None,
        });
        if let Some(message) = panic {
            return Err(Failure::Panic(message.clone()));
        }
        let explained = match &self.begin {
            Begin::Ring(ring) => WGLChecker::<RingSpec>::is_linearizable(history(events, ring)),
            Begin::Leases(leases) => WGLChecker::<LeaseSpec>::is_linearizable(history(events, leases)),
        };
        if !explained {
            return Err(Failure::NotLinearizable);
        }
        self.passed.insert(events.clone());
        Ok(())
    }

    /// How many different histories passed.
    pub fn distinct(&self) -> usize {
        self.passed.len()
    }
}

fn history<S: Clone + std::fmt::Debug>(events: &Events, begin: &S) -> History<Step<S>> {
    let threads = events.iter().map(|(thread, _)| thread + 1).max().unwrap_or(0);
    let mut open = vec![None; threads];
    let begin = Step::Begin(begin.clone());
    let mut actions = vec![(threads, Action::Call(begin.clone())), (threads, Action::Response(begin))];
    for (thread, event) in events {
        actions.push(match event {
            Event::Call(op) => {
                open[*thread] = Some(op);
                (*thread, Action::Call(Step::Call(*thread, op.clone(), None)))
            }
            Event::Return(answer) => {
                let op = open[*thread].take().expect("a return follows a call");
                (*thread, Action::Response(Step::Call(*thread, op.clone(), Some(answer.clone()))))
            }
        });
    }
    History::from_actions(actions)
}

/// How often a history passes from one thread to another: the shorter, the easier to read.
pub fn switches(events: &Events) -> usize {
    events.windows(2).filter(|pair| pair[0].0 != pair[1].0).count()
}
