//! Histories of calls and returns, and whether they are linearizable.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use todc_utils::{Action, History, Specification, WGLChecker};

use crate::bag::{Bag, BagSpec};
use crate::leases::{LeaseSpec, Leases};
use crate::rule::Rule;
use crate::scenario::{Answer, Op, Scenario};
use crate::spec::{Ring, RingSpec, Step};

/// Something that happened in a thread.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Event {
    /// An operation began.
    Call(Op),
    /// The subject told what it did inside.
    Note(String),
    /// It ended.
    Return(Answer),
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(op) => write!(f, "{op:?}"),
            Self::Note(step) => write!(f, "  {step}"),
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
    /// A rule of the subject's own does not hold.
    Broken(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panic(message) => write!(f, "panic: {message}"),
            Self::NotLinearizable => f.write_str("not linearizable: no order of the calls explains the answers"),
            Self::Broken(rule) => f.write_str(rule),
        }
    }
}

/// Checks histories of one scenario. Most executions share few histories, so it remembers those it has passed.
#[derive(Debug)]
pub struct Judge {
    rule: Rule,
    scenario: Scenario,
    passed: HashSet<Events>,
}

impl Judge {
    /// For histories of a scenario.
    pub fn new(scenario: &Scenario, rule: Rule) -> Self {
        Self { rule, scenario: scenario.clone(), passed: HashSet::new() }
    }

    /// Whether all is well with a history.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn check(&mut self, events: &Events) -> Result<(), Failure> {
        let events = &*calls(events);
        if self.passed.contains(events) {
            return Ok(());
        }
        self.verdict(events)?;
        self.passed.insert(events.clone());
        Ok(())
    }

    /// The shortest beginning of a history that is wrong already: what came after it does not matter.
    pub(crate) fn shortened(&self, events: Events) -> Events {
        if let Rule::AtTheEnd(_) = self.rule {
            return events;
        }
        let mut open = 0_usize;
        for (at, (_, event)) in events.iter().enumerate() {
            match event {
                Event::Call(_) => open += 1,
                Event::Return(_) => open -= 1,
                Event::Note(_) => continue,
            }
            let beginning = || events[..=at].to_vec();
            if open == 0 && self.verdict(&calls(&beginning())).is_err() {
                return beginning();
            }
        }
        events
    }

    fn verdict(&self, events: &Events) -> Result<(), Failure> {
        let panic = events.iter().find_map(|(_, event)| match event {
            Event::Return(Answer::Panicked(message)) => Some(message),
            _ => None,
        });
        if let Some(message) = panic {
            return Err(Failure::Panic(message.clone()));
        }
        let ring = Ring::of(&self.scenario);
        match self.rule {
            Rule::Ring => explained::<RingSpec, _>(events, ring),
            Rule::Leases(size) => {
                explained::<LeaseSpec, _>(events, Leases::new(&ring, self.scenario.start.count, size))
            }
            Rule::Bag => explained::<BagSpec, _>(events, Bag::of(&self.scenario)),
            Rule::Own(rule) | Rule::AtTheEnd(rule) => {
                rule(&self.scenario, events).map_err(|broken| Failure::Broken(broken.into()))
            }
        }
    }

    /// How many different histories passed.
    pub fn distinct(&self) -> usize {
        self.passed.len()
    }
}

/// The history without what was noted inside of calls.
fn calls(events: &Events) -> Cow<'_, Events> {
    let is_note = |(_, event): &(usize, Event)| matches!(event, Event::Note(_));
    if !events.iter().any(is_note) {
        return Cow::Borrowed(events);
    }
    Cow::Owned(events.iter().filter(|event| !is_note(event)).cloned().collect())
}

fn explained<L, S>(events: &Events, begin: S) -> Result<(), Failure>
where
    L: Specification<Operation = Step<S>>,
    S: Clone + fmt::Debug,
{
    match WGLChecker::<L>::is_linearizable(history(events, &begin)) {
        true => Ok(()),
        false => Err(Failure::NotLinearizable),
    }
}

fn history<S: Clone + fmt::Debug>(events: &Events, begin: &S) -> History<Step<S>> {
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
            Event::Note(_) => continue,
        });
    }
    History::from_actions(actions)
}

/// How often a history passes from one thread to another: the shorter, the easier to read.
pub fn switches(events: &Events) -> usize {
    events.windows(2).filter(|pair| pair[0].0 != pair[1].0).count()
}
