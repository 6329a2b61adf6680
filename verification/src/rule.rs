//! [`Rule`]: what a history is held against.

use crate::history::{Event, Events};
use crate::scenario::{Answer, Probe, Scenario};

/// What a history is held against. That no call panics is always demanded.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// Linearizable to the exact [ring](crate::spec).
    Ring,
    /// Linearizable to a ring whose turns are [taken](crate::leases) up to so many at a time.
    Leases(usize),
    /// Linearizable to a [bag](crate::bag): nobody twice before everybody once.
    Bag,
    /// Something else, which holds of every beginning of a history if it holds of the whole.
    Own(Law),
    /// Something else, about the end.
    AtTheEnd(Law),
}

/// That all is well, or the sentence that says what is not.
pub type Law = fn(&Scenario, &Events) -> Result<(), &'static str>;

impl Rule {
    /// How many turns may be taken at a time, if that is more than one.
    pub const fn lease(self) -> Option<usize> {
        match self {
            Self::Leases(size) => Some(size),
            _ => None,
        }
    }

    /// Whether the checker must see which calls came before which others: where a subject looks at a list before it
    /// decides, it promises only that the list is as new as what *happened before* the call.
    pub const fn looks(self) -> bool {
        matches!(self, Self::Leases(_) | Self::Bag)
    }
}

/// What each thread was answered, in its order. The last one is what was done when all had ended.
fn answers(scenario: &Scenario, events: &Events) -> Vec<Vec<Answer>> {
    let mut answers = vec![Vec::new(); scenario.threads.len() + 1];
    for (thread, event) in events {
        if let Event::Return(answer) = event {
            answers[*thread].push(answer.clone());
        }
    }
    answers
}

fn picks(answers: &[Answer]) -> Vec<Probe> {
    answers.iter().filter_map(|answer| if let Answer::Picked(pick) = answer { *pick } else { None }).collect()
}

fn unless(broken: bool, rule: &'static str) -> Result<(), &'static str> {
    if broken { Err(rule) } else { Ok(()) }
}

/// Nobody gets the same member twice running: not by a retry, and not by somebody else's calls.
pub fn never_twice_running(scenario: &Scenario, events: &Events) -> Result<(), &'static str> {
    let twice = |answers: &Vec<Answer>| picks(answers).windows(2).any(|pair| pair[0] == pair[1]);
    unless(answers(scenario, events).iter().any(twice), "a thread was given the same member twice running")
}

/// All who were picked at all were picked equally often, or nearly.
pub fn even_shares(scenario: &Scenario, events: &Events) -> Result<(), &'static str> {
    let all = picks(&answers(scenario, events).concat());
    let shares = || all.iter().map(|one| all.iter().filter(|other| *other == one).count());
    let uneven = shares().max() > shares().min().map(|least| least + 1);
    unless(uneven, "one member was given more than its share")
}

/// What a thread picked, by the weights that members have at the end: their contents and one. Held to whole rounds.
pub fn shares_by_weight(scenario: &Scenario, events: &Events) -> Result<(), &'static str> {
    let answers = answers(scenario, events).concat();
    let Some(Answer::Listed(list)) = answers.last() else { return Ok(()) };
    let weight = |member: &Probe| usize::from(member.contents) + 1;
    let round: usize = list.iter().map(weight).sum();
    let all = picks(&answers);
    let whole = &all[..all.len() - all.len().checked_rem(round).unwrap_or(0)];
    let due = |member: &Probe| weight(member) * (whole.len() / round);
    let given = |member: &Probe| whole.iter().filter(|pick| pick.id == member.id).count();
    unless(list.iter().any(|member| given(member) != due(member)), "the picks are not by weight")
}

/// When all is over, picks still vary.
pub fn still_varies(scenario: &Scenario, events: &Events) -> Result<(), &'static str> {
    let answers = answers(scenario, events);
    let last = picks(&answers[scenario.threads.len()]);
    unless(last.windows(2).all(|pair| pair[0] == pair[1]) && !last.is_empty(), "the picks have stopped to vary")
}

/// A list, whoever sees it, has nobody twice.
pub fn no_duplicates(scenario: &Scenario, events: &Events) -> Result<(), &'static str> {
    let repeats = |list: &[Probe]| (1..list.len()).any(|at| list[..at].contains(&list[at]));
    let broken = |answer: &Answer| matches!(answer, Answer::Listed(list) if repeats(list));
    unless(answers(scenario, events).concat().iter().any(broken), "a list has the same member twice")
}

/// A number that a thread sees never goes back.
pub fn never_back(scenario: &Scenario, events: &Events) -> Result<(), &'static str> {
    let back = |answers: &Vec<Answer>| {
        let counts =
            answers.iter().filter_map(|answer| if let Answer::Count(count) = answer { Some(count) } else { None });
        !counts.is_sorted()
    };
    unless(answers(scenario, events).iter().any(back), "a thread saw a number go back")
}

/// What is kept is not more than the members that there are at the end.
pub fn bounded(scenario: &Scenario, events: &Events) -> Result<(), &'static str> {
    let answers = answers(scenario, events).concat();
    let Some(Answer::Listed(list)) = answers.last() else { return Ok(()) };
    let more = |answer: &Answer| matches!(answer, Answer::Count(kept) if *kept > list.len() as u64);
    unless(answers.iter().any(more), "more is remembered than there are members")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Op;

    /// One thread that is answered so, and nothing afterwards.
    fn held(rule: Law, answers: &[Answer]) -> bool {
        let scenario = Scenario::new("", &[], &[&[Op::Next]]);
        let events = answers.iter().map(|answer| (0, Event::Return(answer.clone()))).collect();
        rule(&scenario, &events).is_ok()
    }

    fn picked(ids: &[u8]) -> Vec<Answer> {
        ids.iter().map(|id| Answer::Picked(Some((*id).into()))).collect()
    }

    fn listed(ids: &[u8]) -> Answer {
        Answer::Listed(ids.iter().copied().map(Probe::from).collect())
    }

    #[test]
    fn each_rule_holds_of_what_is_right_and_not_of_what_is_wrong() {
        assert!(held(never_twice_running, &picked(&[1, 2, 1])));
        assert!(!held(never_twice_running, &picked(&[1, 1])));
        assert!(held(even_shares, &picked(&[1, 2, 1, 2, 1])));
        assert!(!held(even_shares, &picked(&[1, 2, 1, 1])));
        assert!(held(no_duplicates, &[listed(&[1, 2])]));
        assert!(!held(no_duplicates, &[listed(&[1, 2, 1])]));
        assert!(held(never_back, &[Answer::Count(1), Answer::Count(1), Answer::Count(2)]));
        assert!(!held(never_back, &[Answer::Count(2), Answer::Count(1)]));
        let by_weight = |ids| held(shares_by_weight, &[picked(ids), vec![listed(&[1, 2])]].concat());
        assert!(by_weight(&[1, 2, 1, 2]));
        assert!(!by_weight(&[1, 1, 1, 2]));
        assert!(held(bounded, &[Answer::Count(1), listed(&[1])]));
        assert!(!held(bounded, &[Answer::Count(2), listed(&[1])]));
    }

    #[test]
    fn what_varies_is_what_is_picked_at_the_end() {
        let scenario = Scenario::new("", &[], &[&[Op::Next]]);
        let end = |ids: &[u8]| -> Events {
            let varied = picked(&[1, 2]).into_iter().map(|answer| (0, Event::Return(answer)));
            varied.chain(picked(ids).into_iter().map(|answer| (1, Event::Return(answer)))).collect()
        };
        assert!(still_varies(&scenario, &end(&[1, 1, 2])).is_ok());
        assert!(still_varies(&scenario, &end(&[1, 1, 1])).is_err());
    }
}
